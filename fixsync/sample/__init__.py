"""The sample game, and the match that peers play with it over a bad network."""
