"""`python -m fixsync`, the same as the command `fixsync`."""

from fixsync.cli import main

if __name__ == "__main__":
    main()
