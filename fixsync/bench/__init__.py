"""Scenes of moving colliders in integers, what their frames cost, and a check of their answers."""
