"""Scenes of moving colliders in integers, the cost of their frames, and a check of their
answers."""
