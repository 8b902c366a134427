use crate::{Range, Status, sys};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::fmt;

/// Why a call changed nothing.
///
/// The section "Errors" of a function lists each [`Status`] of the kernel with which it refuses. The
/// error is `Range` if a number is outside its range, and has its name and range; `Bytes` for bytes
/// and text; else `Refused`. The section also lists the variants that need no status.
///
/// ```
/// use fixsync::{Collider, Config, Shape, World};
///
/// let mut world = World::new(Config::new(8))?;
/// let error = world.add(&Collider::new(1, Shape::Sphere { radius: 0 })).unwrap_err();
/// assert_eq!(error.to_string(), "radius must be 1..536870911, not 0");
/// let error = world.remove(1).unwrap_err();
/// assert_eq!(error.to_string(), "id 1: an id that is not in the world");
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A number out of its range.
    Range {
        /// Of the argument or field.
        name: &'static str,
        /// The value.
        value: i64,
        /// The least that is allowed.
        least: i64,
        /// The most that is allowed.
        most: i64,
    },
    /// A value that is not allowed here: an id that is taken, a sector that is cast.
    Refused {
        /// Of the argument or field.
        name: &'static str,
        /// The value.
        value: i64,
        /// Why.
        status: Status,
    },
    /// A JSON file of frame data with a fault.
    FrameData {
        /// Such as "attacks.jab.frames must be 1..2147483647, not 0".
        reason: String,
    },
    /// A packet that is refused.
    Packet {
        /// The peer that it is said to be from.
        peer: u32,
        /// Why.
        status: Status,
        /// `FXS_PACKET_BYTES` to `FXS_PACKET_AHEAD`.
        field: u32,
        /// The value here, or the limit.
        ours: i64,
        /// The value in the packet.
        theirs: i64,
        /// Of [`Status::Input`].
        player: u32,
        /// Of [`Status::Input`].
        frame: u32,
    },
    /// A row of a call with many rows. None of them was applied.
    Row {
        /// Its index.
        index: usize,
        /// The fault.
        error: Box<Error>,
    },
    /// Bytes or text with a fault.
    Bytes {
        /// Of the argument.
        name: &'static str,
        /// Offset of the fault.
        at: u64,
        /// The reason.
        status: Status,
    },
    /// Slices of two lengths that must be equal.
    Lengths {
        /// Of the argument.
        name: &'static str,
        /// Its length.
        value: usize,
        /// The allowed value.
        must: usize,
    },
    /// A result outside i32, or a vector's component.
    Overflow {
        /// Of the result.
        name: &'static str,
    },
    /// Memory that cannot be had.
    Memory {
        /// How much.
        bytes: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Range { name, value, least, most } => {
                write!(f, "{name} must be {least}..{most}, not {value}")
            }
            Error::Refused { name, value, status } => write!(f, "{name} {value}: {status}"),
            Error::FrameData { reason } => f.write_str(reason),
            Error::Packet { peer, status, ours, theirs, .. } => {
                write!(f, "packet of peer {peer}: {status}: {theirs}, here {ours}")
            }
            Error::Row { index, error } => write!(f, "row {index}: {error}"),
            Error::Bytes { name, at, status } => write!(f, "{name}, byte {at}: {status}"),
            Error::Lengths { name, value, must } => {
                write!(f, "length of {name} must be {must}, not {value}")
            }
            Error::Overflow { name } => write!(f, "the {name} is outside int32"),
            Error::Memory { bytes } => write!(f, "no memory of {bytes} bytes"),
        }
    }
}

impl core::error::Error for Error {}

impl Status {
    pub(crate) fn of(status: i32) -> Self {
        let found = Self::ALL.iter().find(|known| **known as i32 == status);
        *found.unwrap_or(&Self::Range)
    }
}

/// The words of the headers.
///
/// ```
/// use fixsync::Status;
///
/// assert_eq!(Status::Layer.to_string(), "a layer outside 0..31");
/// assert!(Status::ALL.contains(&Status::Layer));
/// ```
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: it returns a constant text that ends with a 0.
        let text = unsafe { CStr::from_ptr(sys::fxs_status_text(*self as i32)) };
        f.write_str(text.to_str().unwrap_or_default())
    }
}

/// The error of a status: the first of some arguments that is out of its range, or else the status
/// for the named value.
#[cold]
pub(crate) fn fault(status: i32, name: &'static str, value: i64, ranges: &[Range]) -> Error {
    for &(name, value, least, most) in ranges {
        if !(least..=most).contains(&value) {
            return Error::Range { name, value, least, most };
        }
    }
    Error::Refused { name, value, status: Status::of(status) }
}

/// The answer of a call, or the error of its status.
#[inline]
pub(crate) fn answer(status: i32, error: impl FnOnce() -> Error) -> Result<u32, Error> {
    if status < 0 { Err(error()) } else { Ok(status as u32) }
}

/// [`answer`] of a call that returns `FXS_OK`.
#[inline]
pub(crate) fn done(status: i32, error: impl FnOnce() -> Error) -> Result<(), Error> {
    answer(status, error).map(|_| ())
}

/// The error of a status for a row of many.
#[cold]
pub(crate) fn row_fault<T>(
    status: i32,
    bad: u64,
    rows: &[T],
    error: impl FnOnce(&T) -> Error,
) -> Error {
    let error = rows.get(bad as usize).map(error);
    let error = Box::new(error.unwrap_or_else(|| fault(status, "row", bad as i64, &[])));
    Error::Row { index: bad as usize, error }
}

/// The error of a status for bytes.
#[cold]
pub(crate) fn bytes_fault(name: &'static str, at: u64, status: i32) -> Error {
    Error::Bytes { name, at, status: Status::of(status) }
}

/// The error of a status for a cast, if it is of its motions or its least contact.
#[cold]
pub(crate) fn cast_fault(
    status: i32,
    motions: &[[i32; 3]],
    hit_when: u32,
    other: impl FnOnce() -> Error,
) -> Error {
    match status {
        sys::FXS_E_MOTION => {
            let ranges: Vec<_> = motions.iter().flat_map(|motion| motion_ranges(*motion)).collect();
            fault(status, "motion", 0, &ranges)
        }
        sys::FXS_E_HIT_WHEN => fault(status, "hit_when", hit_when.into(), &[]),
        _ => other(),
    }
}

/// Ranges of the components of a motion.
fn motion_ranges(motion: [i32; 3]) -> [Range; 3] {
    let most = i64::from(sys::FXS_SIZE_MAX);
    let [x, y, z] = motion.map(i64::from);
    [("motion x", x, -most, most), ("motion y", y, -most, most), ("motion z", z, -most, most)]
}
