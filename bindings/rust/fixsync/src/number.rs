use crate::error::{answer, done, fault};
use crate::{Error, sys};
use alloc::string::String;

/// One unit in Q16.16.
pub const ONE: i32 = sys::FXS_ONE as i32;
/// The largest size, and the largest component of a motion.
pub const SIZE_MAX: i32 = sys::FXS_SIZE_MAX as i32;
/// The id of the first solid of a level.
pub const LEVEL: u32 = sys::FXS_LEVEL;

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

/// Whole degrees as yaw steps, to the nearest: `degrees!(90)` is 16384.
#[macro_export]
macro_rules! degrees {
    ($degrees:literal) => {
        const {
            let turns: i64 = $degrees * 65536;
            ((2 * turns + 360).div_euclid(720)) as i32
        }
    };
}

/// The value of [`q!`]: at most 9 decimals, so that all fits in 128 bits.
#[doc(hidden)]
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

/// The number that a call writes, or the error of its status.
fn number<T: Default>(
    call: impl FnOnce(*mut T) -> i32,
    name: &'static str,
    value: i64,
    ranges: &[(&'static str, i64, i64, i64)],
) -> Result<T, Error> {
    let mut out = T::default();
    let status = call(&mut out);
    done(status, || fault(status, name, value, ranges)).map(|()| out)
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
/// assert_eq!(turn_towards(0, 16384, 100)?, 100);
/// assert_eq!(hypot([q!(3), q!(4), 0])?, q!(5));
/// assert_eq!(dot([q!(1), q!(2), 0], [q!(3), 0, 0])?, q!(3));
/// assert_eq!(scale([q!(1), 0, 2], q!(2))?, [q!(2), 0, 4]);
/// assert_eq!(with_length([q!(9), 0, 0], q!(2))?, [q!(2), 0, 0]);
/// assert_eq!(div(1, 0).unwrap_err().to_string(), "a 1: an argument or a result out of range");
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc(alias = "fxs_mul")]
pub fn mul(a: i32, b: i32) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_mul(a, b, out) }, "a", a.into(), &[])
}

/// The quotient a / b.
#[doc(alias = "fxs_div")]
pub fn div(a: i32, b: i32) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_div(a, b, out) }, "a", a.into(), &[])
}

/// The number a · b / c of plain integers, rounded once: 30 percent of a damage.
#[doc(alias = "fxs_mul_div")]
pub fn mul_div(a: i32, b: i32, c: i32) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_mul_div(a, b, c, out) }, "a", a.into(), &[])
}

/// The square root of a.
#[doc(alias = "fxs_sqrt")]
pub fn sqrt(a: i32) -> Result<i32, Error> {
    let range = ("a", a.into(), 0, i32::MAX.into());
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_sqrt(a, out) }, "a", a.into(), &[range])
}

/// The number at a fraction (0..=65536) of the way from a to b.
#[doc(alias = "fxs_lerp")]
pub fn lerp(a: i32, b: i32, fraction: u32) -> Result<i32, Error> {
    let range = ("fraction", fraction.into(), 0, ONE.into());
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_lerp(a, b, fraction, out) }, "a", a.into(), &[range])
}

/// The number of low..=high that is nearest to v.
#[doc(alias = "fxs_clamp")]
pub fn clamp(v: i32, low: i32, high: i32) -> Result<i32, Error> {
    let range = ("low", low.into(), i32::MIN.into(), high.into());
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_clamp(v, low, high, out) }, "v", v.into(), &[range])
}

/// The number v moved towards a target by `most` at most.
#[doc(alias = "fxs_approach")]
pub fn approach(v: i32, target: i32, most: i32) -> Result<i32, Error> {
    let range = ("most", most.into(), 0, i32::MAX.into());
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_approach(v, target, most, out) }, "v", v.into(), &[range])
}

/// A yaw turned towards another the shorter way, by `most` (0..=65536) steps at most.
#[doc(alias = "fxs_turn_towards")]
pub fn turn_towards(yaw: u16, end: u16, most: u32) -> Result<u16, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_turn_towards(yaw.into(), end.into(), most) };
    answer(status, || fault(status, "most", most.into(), &[("most", most.into(), 0, 65536)]))
        .map(|yaw| yaw as u16)
}

/// The length of a vector.
#[doc(alias = "fxs_hypot")]
pub fn hypot([x, y, z]: [i32; 3]) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_hypot(x, y, z, out) }, "x", x.into(), &[])
}

/// The dot product of two vectors, rounded once.
#[doc(alias = "fxs_dot")]
pub fn dot(a: [i32; 3], b: [i32; 3]) -> Result<i32, Error> {
    // SAFETY: it writes one number.
    number(|out| unsafe { sys::fxs_dot(&a, &b, out) }, "a x", a[0].into(), &[])
}

/// A vector times a factor.
#[doc(alias = "fxs_scale")]
pub fn scale(v: [i32; 3], factor: i32) -> Result<[i32; 3], Error> {
    // SAFETY: it writes three numbers.
    number(|out| unsafe { sys::fxs_scale(&v, factor, out) }, "factor", factor.into(), &[])
}

/// A vector brought to a length of 0 or more: a speed in the direction of a target.
#[doc(alias = "fxs_with_length")]
pub fn with_length(v: [i32; 3], length: i32) -> Result<[i32; 3], Error> {
    let range = ("length", length.into(), 0, i32::MAX.into());
    // SAFETY: it writes three numbers.
    number(|out| unsafe { sys::fxs_with_length(&v, length, out) }, "v x", v[0].into(), &[range])
}

/// Reads a decimal such as "-1.5". `nearest`: whether it may be rounded to a multiple of 1/65536.
///
/// ```
/// assert_eq!(fixsync::parse_q("-1.5", false)?, -98304);
/// assert_eq!(fixsync::format_q(-98304), "-1.5");
/// assert!(fixsync::parse_q("0.1", false).is_err());
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc(alias = "fxs_parse_q")]
pub fn parse_q(text: &str, nearest: bool) -> Result<i32, Error> {
    let size = text.len() as u64;
    let mut out = 0;
    // SAFETY: a text and its size.
    let status = unsafe { sys::fxs_parse_q(text.as_ptr().cast(), size, nearest.into(), &mut out) };
    let error = || Error::Bytes { name: "decimal", at: 0, status: crate::Status::of(status) };
    done(status, error).map(|()| out)
}

/// A number as the exact decimal, with as few digits as it takes.
#[doc(alias = "fxs_format_q")]
pub fn format_q(value: i32) -> String {
    let mut text = [0; 24];
    // SAFETY: it writes at most 24 characters.
    let size = unsafe { sys::fxs_format_q(value, &mut text) };
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
/// use fixsync::{degrees, direction, faces, forward, length, q, yaw_between, yaw_of};
///
/// assert_eq!(direction(0), [1 << 30, 0]);
/// assert_eq!(yaw_of(0, 5)?, 16384);
/// assert_eq!(length([3, 4, 0])?, 5);
/// assert_eq!(yaw_between(0, 65535), -1);
/// assert!(faces(0, degrees!(45), [q!(2) as i64, q!(1) as i64])?);
/// assert_eq!(forward(16384, q!(2))?, [0, q!(2)]);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc(alias = "fxs_direction")]
pub fn direction(yaw: u16) -> [i32; 2] {
    let [mut cos, mut sin] = [0; 2];
    // SAFETY: it writes two numbers.
    unsafe { sys::fxs_direction(yaw, &mut cos, &mut sin) };
    [cos, sin]
}

/// The yaw that faces (dx, dz), a difference of two positions; 0 for (0, 0).
#[doc(alias = "fxs_yaw_of")]
pub fn yaw_of(dx: i64, dz: i64) -> Result<u16, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_yaw_of(dx, dz) };
    answer(status, || distance_fault(status, [dx, 0, dz])).map(|yaw| yaw as u16)
}

/// The length of a difference of two positions, rounded down.
#[doc(alias = "fxs_length")]
pub fn length(d: [i64; 3]) -> Result<u64, Error> {
    // SAFETY: numbers alone.
    let found = unsafe { sys::fxs_length(d[0], d[1], d[2]) };
    if found < 0 { Err(distance_fault(found as i32, d)) } else { Ok(found as u64) }
}

/// The shorter turn from one yaw to another; half a turn is -32768.
#[doc(alias = "fxs_yaw_between")]
pub fn yaw_between(from: u16, to: u16) -> i32 {
    // SAFETY: numbers alone.
    unsafe { sys::fxs_yaw_between(from.into(), to.into()) }
}

/// Whether a difference x, z of two positions is within `half_angle` (1..=32768) of a yaw.
#[doc(alias = "fxs_faces")]
pub fn faces(yaw: u16, half_angle: i32, [dx, dz]: [i64; 2]) -> Result<bool, Error> {
    // SAFETY: numbers alone.
    let status = unsafe { sys::fxs_faces(yaw.into(), half_angle as u32, dx, dz) };
    let met = answer(status, || match status {
        sys::FXS_E_DISTANCE => distance_fault(status, [dx, 0, dz]),
        _ => Error::Range { name: "half_angle", value: half_angle.into(), least: 1, most: 32768 },
    })?;
    Ok(met == 1)
}

/// The vector x, z of a length in the direction of a yaw.
#[doc(alias = "fxs_forward")]
pub fn forward(yaw: u16, length: i32) -> Result<[i32; 2], Error> {
    let [mut x, mut z] = [0; 2];
    // SAFETY: it writes two numbers.
    let status = unsafe { sys::fxs_forward(yaw.into(), length, &mut x, &mut z) };
    let range = ("length", length.into(), i64::from(i32::MIN) + 1, i32::MAX.into());
    done(status, || fault(status, "length", length.into(), &[range])).map(|()| [x, z])
}

/// XXH64 of any bytes.
///
/// ```
/// assert_eq!(fixsync::hash64(b"", 0), 0xef46db3751d8e999);
/// ```
#[doc(alias = "fxs_hash64")]
pub fn hash64(bytes: &[u8], seed: u64) -> u64 {
    // SAFETY: bytes and their number.
    unsafe { sys::fxs_hash64(bytes.as_ptr(), bytes.len() as u64, seed) }
}

/// The generator SplitMix64. Its state is one number, which a game saves with its own; a seed is a
/// first state.
///
/// ```
/// use fixsync::Random;
///
/// let mut random = Random(2024);
/// assert!(random.below(6) < 6 && (-3..=3).contains(&random.between(-3, 3)?));
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
        unsafe { sys::fxs_random_next(&mut self.0) }
    }

    /// A number of 0..count; a count of 0 means 2^64.
    #[doc(alias = "fxs_random_below")]
    pub fn below(&mut self, count: u64) -> u64 {
        // SAFETY: it changes the state.
        unsafe { sys::fxs_random_below(&mut self.0, count) }
    }

    /// A number of low..=high.
    #[doc(alias = "fxs_random_between")]
    pub fn between(&mut self, low: i64, high: i64) -> Result<i64, Error> {
        let state = &mut self.0;
        let range = ("low", low, i64::MIN, high);
        // SAFETY: it changes the state, and writes one number.
        number(|o| unsafe { sys::fxs_random_between(state, low, high, o) }, "low", low, &[range])
    }

    /// Whether an event happens that has a chance of numerator in denominator.
    #[doc(alias = "fxs_random_chance")]
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> Result<bool, Error> {
        // SAFETY: it changes the state.
        let status = unsafe { sys::fxs_random_chance(&mut self.0, numerator, denominator) };
        answer(status, || fault(status, "denominator", 0, &[("denominator", 0, 1, i64::MAX)]))
            .map(|is_so| is_so == 1)
    }

    /// Shuffles items; each order is equally likely.
    #[doc(alias = "fxs_random_shuffle")]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        let (count, size) = (items.len() as u64, size_of::<T>() as u64);
        // SAFETY: it swaps whole items.
        unsafe { sys::fxs_random_shuffle(&mut self.0, items.as_mut_ptr().cast(), count, size) }
    }
}
