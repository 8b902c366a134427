"""`python -m fixsync`, the same as the command `fixsync`."""

from _fixsync_command import main

if __name__ == "__main__":
    main()
