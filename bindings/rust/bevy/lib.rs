//! The program of the page for Bevy, compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/bevy.md")]
pub struct Page;
