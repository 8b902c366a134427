//! The C API of fixsync: constants, structures and functions of `fixsync.h` and `fixsync_kit.h`,
//! with the headers' words. The crate `fixsync` is the safe form; its `World::as_mut_ptr` gives
//! what these functions take.
#![no_std]
#![deny(missing_docs)]
#![allow(non_camel_case_types)]

/// A structure of C as it is before anything is written to it: all 0.
macro_rules! zeroed {
    ($name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: it consists of integers.
                unsafe { core::mem::zeroed() }
            }
        }
    };
}

#[rustfmt::skip]
mod raw;
pub use raw::*;
