"""Modules that games build on hits: bodies, handlers, motion, flat worlds, numbers, random
numbers."""
