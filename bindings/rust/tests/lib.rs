//! Tests outside the published crates: the goldens of C, and the programs of the pages.

// They call fixsync-sys.
use fixsync_sys as _;

unsafe extern "C" {
    /// tests/native/golden.c: the kernel.
    pub fn run_golden(level: i32, trace: i32) -> i32;
    /// `tests/native/golden_kit.c`: the kit.
    pub fn run_golden_kit(level: i32, trace: i32) -> i32;
}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct Page;

#[cfg(doctest)]
#[doc = include_str!("../fixsync/README.md")]
pub struct Readme;
