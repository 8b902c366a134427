"""The sample game, a match of fighters: `skillfight`."""
