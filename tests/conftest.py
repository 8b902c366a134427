"""Settings for every test."""

from hypothesis import settings

# Nothing here is asserted on time; a failure prints what reproduces it.
settings.register_profile("fixsync", deadline=None, print_blob=True)
settings.load_profile("fixsync")
