"""New processes that play a match, to find out whether a simulation depends on its process."""
