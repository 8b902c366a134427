//! Exact, order-stable hit detection in Q16.16 integers, for lockstep and rollback games: every
//! machine finds the same hits in the same order.
//!
//! ```
//! use fixsync::{Collider, Config, Event, EventKind, Shape, World, q};
//!
//! const BODY: u32 = 0;
//! const ATTACK: u32 = 1;
//!
//! let mut world = World::new(Config::new(64).layers(&[(BODY, ATTACK)])?)?; // attacks hit bodies
//! let body = Shape::Capsule { radius: q!(0.375), half_height: q!(0.5) };
//! world.add(&Collider::new(1, body).layer(BODY).owner(1))?;
//! world.add(&Collider::new(2, body).at([q!(2), 0, q!(0.5)]).layer(BODY).owner(2))?;
//! let sword = Shape::Sector {
//!     radius: q!(2.5),
//!     half_angle: fixsync::degrees!(60), // to each side
//!     half_height: q!(0.5),
//!     inner_radius: 0,
//! };
//! world.add(&Collider::new(9, sword).layer(ATTACK).owner(1))?;
//!
//! let mut events = Vec::new();
//! world.step(&mut events)?;
//! assert_eq!((events[0].a, events[0].b, events[0].kind()), (2, 9, EventKind::Enter));
//! # Ok::<(), fixsync::Error>(())
//! ```
//!
//! Lengths are Q16.16: 65536 is one unit, [`q!`] writes them, and [`Q`] has operators. Y is up. 65536 steps of a
//! [`Yaw`] are one turn, from +X towards +Z. After an error nothing has changed. Lists are written into a `Vec` of
//! the caller, so a frame allocates nothing once they have grown. Answers and bytes are those of
//! the C kernel, which the crate [`sys`] compiles; the C name of a function finds it in this
//! documentation.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))] // docs.rs names the feature of an item
#![deny(missing_docs)]

extern crate alloc;

pub use fixsync_sys as sys;

#[macro_use] // errors!
#[rustfmt::skip]
mod tables;

mod body;
mod error;
mod explain;
mod level;
mod log;
mod memory;
mod motion;
mod number;
mod peer;
mod planes;
mod q;
mod rollback;
mod rows;
#[cfg(feature = "serde")]
mod serial;
mod shape;
mod world;
mod yaw;

pub use body::{Body, FrameData, Phase, Strike, strikes};
pub use error::Error;
pub use explain::{
    Difference, Explanation, body_differences, explain, state_differences, state_end, state_fields,
};
pub use level::{Level, Solid};
pub use log::{Recorded, Recorder, log_text};
pub use motion::{
    Carried, Mover, MoverResult, Separated, along, bounce, carry, move_and_slide, separate, slide,
};
pub use number::*;
pub use peer::{Desync, Pace, Part, Request, Rollback, Settings};
pub use planes::{Ground, Hitbox, HitboxCast, PlanesCommand, PlanesCommandKind, TwoPlanes};
pub use q::{Q, from_f32_nearest, to_f32_nearest};
pub use rollback::{Confirmed, EventChanges, Frame};
pub use rows::{
    Cast, CastHit, Collider, Command, CommandKind, Event, EventKind, Events, Hit, Motion, Moved,
    PairHit, Query,
};
pub use shape::{Contact, Outline, Pose, Side, cast_pair};
pub use tables::{Cause, Shape, Status};
pub use world::{Config, Counts, World};
pub use yaw::Yaw;

/// A number of a call: its name, value, least and most.
type Range = (&'static str, i64, i64, i64);

/// The version of the kernel: major, minor and patch.
///
/// ```
/// use fixsync::sys;
///
/// let header = [sys::FXS_VERSION_MAJOR, sys::FXS_VERSION_MINOR, sys::FXS_VERSION_PATCH];
/// assert_eq!(fixsync::version(), header);
/// ```
#[doc(alias = "fxs_version")]
#[must_use]
pub fn version() -> [u32; 3] {
    // SAFETY: it takes nothing.
    let joined = unsafe { sys::fxs_version() };
    [joined >> 16, joined >> 8 & 255, joined & 255]
}

/// The version of the answers: peers of a match, and a match log and its replay, have the same.
///
/// ```
/// assert_eq!(fixsync::semantics(), fixsync::sys::FXS_SEMANTICS);
/// ```
#[doc(alias = "fxs_semantics")]
#[must_use]
pub fn semantics() -> u32 {
    // SAFETY: it takes nothing.
    unsafe { sys::fxs_semantics() }
}
