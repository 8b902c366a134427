"""What games build on hits: bodies, handlers, motion, flat worlds, random numbers."""
