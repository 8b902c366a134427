use crate::error::{answer, done, fault};
use crate::{Error, Range, Status, Yaw, sys};
use alloc::string::String;

/// One unit in Q16.16.
pub const ONE: i32 = sys::FXS_ONE as i32;
/// The largest size, and the largest component of a motion.
pub const SIZE_MAX: i32 = sys::FXS_SIZE_MAX as i32;
/// The id of the first solid of a level.
pub const LEVEL: u32 = sys::FXS_LEVEL;
/// Pieces of a whole circle in an outline, where none are given.
pub const OUTLINE_SEGMENTS: u32 = sys::FXS_OUTLINE_SEGMENTS;

/// A number of units in Q16.16, exact: `q!(1.5)` is 98304. One that is not a multiple of 1/65536,
/// or outside i32, does not compile. The literal is read as text: no float is computed.
///
/// ```
/// use fixsync::{ONE, SIZE_MAX, q, q_near};
///
/// assert_eq!((q!(1), q!(8192) - 1), (ONE, SIZE_MAX));
/// assert_eq!([q!(3), q!(-2.5), q_near!(0.1)], [196608, -163840, 6554]);
/// ```
/// ```compile_fail
/// fixsync::q!(0.1);
/// ```
#[macro_export]
macro_rules! q {
    ($units:literal) => {
        const { $crate::read_literal(stringify!($units), false) }
    };
}

/// The multiple of 1/65536 that is nearest to a number of units; of two the even one. See [`q!`].
#[macro_export]
macro_rules! q_near {
    ($units:literal) => {
        const { $crate::read_literal(stringify!($units), true) }
    };
}

/// Whole degrees as a [`Yaw`](crate::Yaw), to the nearest: `degrees!(90)` is `Yaw(16384)`.
#[macro_export]
macro_rules! degrees {
    ($degrees:literal) => {
        const { $crate::Yaw::degrees($degrees) }
    };
}

/// The value of [`q!`]: at most 9 decimals, so that all fits in 128 bits.
#[doc(hidden)]
#[must_use]
pub const fn read_literal(text: &str, nearest: bool) -> i32 {
    let text = text.as_bytes();
    let (mut at, mut digits, mut scale, mut behind, mut is_negative) =
        (0, 0i128, 1i128, false, false);
    while at < text.len() {
        match text[at] {
            b'-' => is_negative = true,
            b' ' | b'_' => {}
            b'.' => behind = true,
            digit @ b'0'..=b'9' => {
                digits = digits * 10 + (digit - b'0') as i128;
                if behind {
                    scale *= 10;
                }
                assert!(digits < 1 << 100, "too many digits");
            }
            _ => panic!("write digits, with a point and a minus sign where they are needed"),
        }
        at += 1;
    }
    let (mut raw, rest) = (digits * 65536 / scale, digits * 65536 % scale);
    if nearest {
        raw += (2 * rest + raw % 2 > scale) as i128;
    } else {
        assert!(rest == 0, "not a multiple of 1/65536: write q_near! for the nearest");
    }
    if is_negative {
        raw = -raw;
    }
    assert!(raw >= i32::MIN as i128 && raw <= i32::MAX as i128, "outside i32");
    raw as i32
}

/// The number that a call writes; or the error that names the argument outside its range, or else
/// the result.
#[inline]
fn number<T: Default>(
    result: &'static str,
    range: impl FnOnce() -> Range,
    call: impl FnOnce(*mut T) -> i32,
) -> Result<T, Error> {
    let mut out = T::default();
    done(call(&raw mut out), || overflow(result, range())).map(|()| out)
}

/// The range of functions that take any numbers.
const fn any() -> Range {
    ("", 0, 0, 0)
}

#[cold]
fn overflow(result: &'static str, (name, value, least, most): Range) -> Error {
    if (least..=most).contains(&value) {
        Error::Overflow { name: result }
    } else {
        Error::Range { name, value, least, most }
    }
}

/// The error of a quotient: of a divisor of 0, or of the result.
#[cold]
fn quotient(name: &'static str, divisor: i32) -> Error {
    match divisor {
        0 => Error::Refused { name, value: 0, status: Status::Range },
        _ => Error::Overflow { name: "quotient" },
    }
}

/// The product a · b, rounded to nearest as all of these, halves away from zero.
///
/// ```
/// use fixsync::*;
///
/// assert_eq!(mul(q!(1.5), q!(-2))?, q!(-3));
/// assert_eq!(div(q!(1), q!(4))?, q!(0.25));
/// assert_eq!(mul_div(80, 30, 100)?, 24);
/// assert_eq!(sqrt(q!(9))?, q!(3));
/// assert_eq!(lerp(q!(1), q!(2), 32768)?, q!(1.5));
/// assert_eq!(clamp(7, 0, 5)?, 5);
/// assert_eq!(approach(q!(0), q!(1), q!(0.25))?, q!(0.25));
/// assert_eq!(turn_towards(Yaw(0), degrees!(90), 100)?, Yaw(100));
/// assert_eq!(hypot([q!(3), q!(4), 0])?, q!(5));
/// assert_eq!(dot([q!(1), q!(2), 0], [q!(3), 0, 0])?, q!(3));
/// assert_eq!(scale([q!(1), 0, 2], q!(2))?, [q!(2), 0, 4]);
/// assert_eq!(with_length([q!(9), 0, 0], q!(2))?, [q!(2), 0, 0]);
/// assert_eq!(mul(q!(900), q!(900)).unwrap_err().to_string(), "the product is outside int32");
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(Overflow)]
#[doc(alias = "fxs_mul")]
#[inline]
pub fn mul(a: i32, b: i32) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number("product", any, |out| unsafe { sys::fxs_mul(a, b, out) })
}

/// The quotient a / b.
#[doc = errors!(Refused Overflow)]
#[doc(alias = "fxs_div")]
#[inline]
pub fn div(a: i32, b: i32) -> Result<i32, Error> {
    let mut out = 0;
    // SAFETY: it writes one number.
    let status = unsafe { sys::fxs_div(a, b, &raw mut out) };
    done(status, || quotient("b", b)).map(|()| out)
}

/// The number a · b / c of plain integers, rounded once: 30 percent of a damage.
#[doc = errors!(Refused Overflow)]
#[doc(alias = "fxs_mul_div")]
#[inline]
pub fn mul_div(a: i32, b: i32, c: i32) -> Result<i32, Error> {
    let mut out = 0;
    // SAFETY: it writes one number.
    let status = unsafe { sys::fxs_mul_div(a, b, c, &raw mut out) };
    done(status, || quotient("c", c)).map(|()| out)
}

/// The square root of a.
#[doc = errors!(Range)]
#[doc(alias = "fxs_sqrt")]
#[inline]
pub fn sqrt(a: i32) -> Result<i32, Error> {
    let range = ("a", a.into(), 0, i32::MAX.into());
    // SAFETY: it writes one number.
    number("root", || range, |out| unsafe { sys::fxs_sqrt(a, out) })
}

/// The number at a fraction (0..=65536) of the way from a to b.
#[doc = errors!(Range)]
#[doc(alias = "fxs_lerp")]
#[inline]
pub fn lerp(a: i32, b: i32, fraction: u32) -> Result<i32, Error> {
    let range = ("fraction", fraction.into(), 0, ONE.into());
    // SAFETY: it writes one number.
    number("a", || range, |out| unsafe { sys::fxs_lerp(a, b, fraction, out) })
}

/// The number of low..=high that is nearest to v.
#[doc = errors!(Range)]
#[doc(alias = "fxs_clamp")]
#[inline]
pub fn clamp(v: i32, low: i32, high: i32) -> Result<i32, Error> {
    let range = ("low", low.into(), i32::MIN.into(), high.into());
    // SAFETY: it writes one number.
    number("v", || range, |out| unsafe { sys::fxs_clamp(v, low, high, out) })
}

/// The number v moved towards a target by `most` at most.
#[doc = errors!(Range)]
#[doc(alias = "fxs_approach")]
#[inline]
pub fn approach(v: i32, target: i32, most: i32) -> Result<i32, Error> {
    let range = ("most", most.into(), 0, i32::MAX.into());
    // SAFETY: it writes one number.
    number("v", || range, |out| unsafe { sys::fxs_approach(v, target, most, out) })
}

/// A yaw turned towards another the shorter way, by `most` (0..=65536) steps at most.
#[doc = errors!(Range)]
#[doc(alias = "fxs_turn_towards")]
#[inline]
pub fn turn_towards(yaw: Yaw, end: Yaw, most: u32) -> Result<Yaw, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_turn_towards(yaw.0.into(), end.0.into(), most) };
    answer(status, || fault(status, "most", most.into(), &[("most", most.into(), 0, 65536)]))
        .map(|yaw| Yaw(yaw as u16))
}

/// The length of a vector.
#[doc = errors!(Overflow)]
#[doc(alias = "fxs_hypot")]
#[inline]
pub fn hypot([x, y, z]: [i32; 3]) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number("length", any, |out| unsafe { sys::fxs_hypot(x, y, z, out) })
}

/// The dot product of two vectors, rounded once.
#[doc = errors!(Overflow)]
#[doc(alias = "fxs_dot")]
#[inline]
pub fn dot(a: [i32; 3], b: [i32; 3]) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number("dot product", any, |out| unsafe { sys::fxs_dot(&raw const a, &raw const b, out) })
}

/// A vector times a factor.
#[doc = errors!(Overflow)]
#[doc(alias = "fxs_scale")]
#[inline]
pub fn scale(v: [i32; 3], factor: i32) -> Result<[i32; 3], Error> {
    // SAFETY: it writes three numbers.
    number("scaled vector", any, |out| unsafe { sys::fxs_scale(&raw const v, factor, out) })
}

/// A vector brought to a length of 0 or more: a speed in the direction of a target.
#[doc = errors!(Range Refused)]
#[doc(alias = "fxs_with_length")]
#[inline]
pub fn with_length(v: [i32; 3], length: i32) -> Result<[i32; 3], Error> {
    let range = ("length", length.into(), 0, i32::MAX.into());
    let mut out = [0; 3];
    // SAFETY: it writes three numbers.
    let status = unsafe { sys::fxs_with_length(&raw const v, length, &raw mut out) };
    done(status, || fault(status, "length of v", 0, &[range])).map(|()| out)
}

/// Reads a decimal such as "-1.5". `nearest`: whether it may be rounded to a multiple of 1/65536.
///
/// ```
/// assert_eq!(fixsync::parse_q("-1.5", false)?, -98304);
/// assert_eq!(fixsync::format_q(-98304), "-1.5");
/// assert!(fixsync::parse_q("0.1", false).is_err());
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(Bytes)]
#[doc(alias = "fxs_parse_q")]
pub fn parse_q(text: &str, nearest: bool) -> Result<i32, Error> {
    let size = text.len() as u64;
    let mut out = 0;
    // SAFETY: a text and its size.
    let status =
        unsafe { sys::fxs_parse_q(text.as_ptr().cast(), size, nearest.into(), &raw mut out) };
    let error = || Error::Bytes { name: "decimal", at: 0, status: crate::Status::of(status) };
    done(status, error).map(|()| out)
}

/// A number as the exact decimal, with as few digits as it takes.
#[doc(alias = "fxs_format_q")]
#[must_use]
pub fn format_q(value: i32) -> String {
    let mut text = [0; 24];
    // SAFETY: it writes at most 24 characters.
    let size = unsafe { sys::fxs_format_q(value, &raw mut text) };
    text.iter().take(size as usize).map(|sign| *sign as u8 as char).collect()
}

/// The range of a difference of two positions.
const DISTANCE: i64 = (1 << 32) - 1;

fn distance_fault(status: i32, [x, y, z]: [i64; 3]) -> Error {
    let range = |name, value| (name, value, -DISTANCE, DISTANCE);
    fault(status, "x", x, &[range("x", x), range("y", y), range("z", z)])
}

/// The direction of a yaw as x, z in Q2.30.
///
/// ```
/// use fixsync::{Yaw, degrees, direction, faces, forward, length, q, yaw_between, yaw_of};
///
/// assert_eq!(direction(Yaw(0)), [1 << 30, 0]);
/// assert_eq!(yaw_of(0, 5)?, degrees!(90));
/// assert_eq!(length([3, 4, 0])?, 5);
/// assert_eq!(yaw_between(Yaw(0), Yaw(65535)), -1);
/// assert!(faces(Yaw(0), degrees!(45), [q!(2) as i64, q!(1) as i64])?);
/// assert_eq!(forward(degrees!(90), q!(2))?, [0, q!(2)]);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc(alias = "fxs_direction")]
#[inline]
#[must_use]
pub fn direction(yaw: Yaw) -> [i32; 2] {
    let [mut cos, mut sin] = [0; 2];
    // SAFETY: it writes two numbers.
    unsafe { sys::fxs_direction(yaw.0, &raw mut cos, &raw mut sin) };
    [cos, sin]
}

/// The yaw that faces (dx, dz), a difference of two positions; 0 for (0, 0).
#[doc = errors!(Range)]
#[doc(alias = "fxs_yaw_of")]
#[inline]
pub fn yaw_of(dx: i64, dz: i64) -> Result<Yaw, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_yaw_of(dx, dz) };
    answer(status, || distance_fault(status, [dx, 0, dz])).map(|yaw| Yaw(yaw as u16))
}

/// The length of a difference of two positions, rounded down.
#[doc = errors!(Range)]
#[doc(alias = "fxs_length")]
#[inline]
pub fn length(d: [i64; 3]) -> Result<u64, Error> {
    // SAFETY: numbers alone.
    let found = unsafe { sys::fxs_length(d[0], d[1], d[2]) };
    if found < 0 { Err(distance_fault(found as i32, d)) } else { Ok(found as u64) }
}

/// The shorter turn from one yaw to another; half a turn is -32768.
#[doc(alias = "fxs_yaw_between")]
#[inline]
#[must_use]
pub fn yaw_between(from: Yaw, to: Yaw) -> i32 {
    // SAFETY: numbers alone.
    unsafe { sys::fxs_yaw_between(from.0.into(), to.0.into()) }
}

/// Whether a difference x, z of two positions is within `half_angle` (1..=32768) of a yaw.
#[doc = errors!(Range)]
#[doc(alias = "fxs_faces")]
#[inline]
pub fn faces(yaw: Yaw, half_angle: Yaw, [dx, dz]: [i64; 2]) -> Result<bool, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_faces(yaw.0.into(), half_angle.0.into(), dx, dz) };
    let met = answer(status, || {
        if status == sys::FXS_E_DISTANCE {
            distance_fault(status, [dx, 0, dz])
        } else {
            let value = half_angle.0.into();
            Error::Range { name: "half_angle", value, least: 1, most: 32768 }
        }
    })?;
    Ok(met == 1)
}

/// The vector x, z of a length in the direction of a yaw.
#[doc = errors!(Range)]
#[doc(alias = "fxs_forward")]
#[inline]
pub fn forward(yaw: Yaw, length: i32) -> Result<[i32; 2], Error> {
    let [mut x, mut z] = [0; 2];
    // SAFETY: it writes two numbers.
    let status = unsafe { sys::fxs_forward(yaw.0.into(), length, &raw mut x, &raw mut z) };
    let range = ("length", length.into(), i64::from(i32::MIN) + 1, i32::MAX.into());
    done(status, || fault(status, "length", length.into(), &[range])).map(|()| [x, z])
}

/// XXH64 of any bytes.
///
/// ```
/// assert_eq!(fixsync::hash64(b"", 0), 0xef46db3751d8e999);
/// ```
#[doc(alias = "fxs_hash64")]
#[must_use]
pub fn hash64(bytes: &[u8], seed: u64) -> u64 {
    // SAFETY: bytes and their number.
    unsafe { sys::fxs_hash64(bytes.as_ptr(), bytes.len() as u64, seed) }
}

/// The generator `SplitMix64`. Its state is one number, which a game saves with its own; a seed is a
/// first state.
///
/// ```
/// use fixsync::Random;
///
/// let mut random = Random(2024);
/// assert!(random.below(6)? < 6 && (-3..=3).contains(&random.between(-3, 3)?));
/// let mut deck = [1, 2, 3, 4, 5];
/// random.shuffle(&mut deck);
/// let critical = random.chance(1, 20)?;
/// assert_ne!(random.next(), Random(2024).next());
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Random(
    /// The state.
    pub u64,
);

impl Random {
    /// The next number.
    #[doc(alias = "fxs_random_next")]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        // SAFETY: it changes the state.
        unsafe { sys::fxs_random_next(&raw mut self.0) }
    }

    /// A number of 0..count; a count is 1 to 2^63 - 1.
    #[doc = errors!(Range)]
    #[doc(alias = "fxs_random_below")]
    pub fn below(&mut self, count: u64) -> Result<u64, Error> {
        let value = count.try_into().unwrap_or(-1);
        if value < 1 {
            return Err(Error::Range { name: "count", value, least: 1, most: i64::MAX });
        }
        // SAFETY: it changes the state.
        Ok(unsafe { sys::fxs_random_below(&raw mut self.0, count) })
    }

    /// A number of low..=high.
    #[doc = errors!(Range)]
    #[doc(alias = "fxs_random_between")]
    pub fn between(&mut self, low: i64, high: i64) -> Result<i64, Error> {
        let state = &mut self.0;
        let range = ("low", low, i64::MIN, high);
        // SAFETY: it changes the state, and writes one number.
        number("low", || range, |o| unsafe { sys::fxs_random_between(state, low, high, o) })
    }

    /// Whether an event happens that has a chance of numerator in denominator.
    #[doc = errors!(Range)]
    #[doc(alias = "fxs_random_chance")]
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> Result<bool, Error> {
        // SAFETY: it changes the state.
        let status = unsafe { sys::fxs_random_chance(&raw mut self.0, numerator, denominator) };
        answer(status, || fault(status, "denominator", 0, &[("denominator", 0, 1, i64::MAX)]))
            .map(|is_so| is_so == 1)
    }

    /// Shuffles items; each order is equally likely.
    #[doc(alias = "fxs_random_shuffle")]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        let (count, size) = (items.len() as u64, size_of::<T>() as u64);
        // SAFETY: it swaps whole items.
        unsafe { sys::fxs_random_shuffle(&raw mut self.0, items.as_mut_ptr().cast(), count, size) }
    }
}
