//! Examples of the crate fixsync.
