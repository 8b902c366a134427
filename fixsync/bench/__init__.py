"""Scenes of moving colliders in integers, and the cost of their frames."""
