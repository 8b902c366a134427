use crate::{Error, ONE, div, format_q, mul, parse_q};
use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use core::str::FromStr;

/// A number in Q16.16 with operators. A result outside i32 panics in every build. The `+` of an
/// `i32` panics in a debug build and wraps in a release build: two such peers lose sync. The
/// `checked_` forms return `None` instead. [`mul`] and [`div`] say how `*` and `/` round.
///
/// The calls of a world take raw numbers: `position.map(Q)` makes numbers with operators of a
/// position, and `numbers.map(Q::raw)` a position of these.
///
/// ```
/// use fixsync::{Q, q};
///
/// const SPEED: Q = Q(q!(4.5));
/// let mut x = Q::units(2) - SPEED / Q::units(2);
/// assert_eq!((x, x.raw(), x.to_string().as_str()), (Q(-16384), -16384, "-0.25"));
/// x += Q::ONE * SPEED;
/// assert_eq!(("4.25".parse(), x.abs(), (-x).abs()), (Ok(x), x, x));
/// assert_eq!([q!(1), 0, 0].map(Q).into_iter().sum::<Q>(), Q::ONE);
/// assert_eq!([x, Q::ZERO].map(Q::raw), [q!(4.25), 0]);
/// assert!("0.1".parse::<Q>().is_err()); // not a multiple of 1/65536
///
/// assert_eq!(Q::MAX.checked_add(Q(1)), None);
/// assert_eq!(Q::MIN.checked_sub(Q(1)), None);
/// assert_eq!(Q::units(200).checked_mul(Q::units(200)), None);
/// assert_eq!((Q::ONE.checked_div(Q::ZERO), Q::MIN.checked_neg()), (None, None));
///
/// assert_eq!((Q::from_f32_nearest(0.1), Q::from_f32_nearest(f32::NAN)), (Some(Q(6554)), None));
/// assert_eq!((x.to_f32_nearest(), f64::from(x)), (4.25, 4.25));
/// ```
#[must_use]
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[repr(transparent)]
pub struct Q(
    /// In 1/65536 of a unit.
    pub i32,
);

impl Q {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// One unit.
    pub const ONE: Self = Self(ONE);
    /// -32768.
    pub const MIN: Self = Self(i32::MIN);
    /// 32767.9999847412109375.
    pub const MAX: Self = Self(i32::MAX);

    /// Whole units.
    ///
    /// # Panics
    /// Outside -32768..=32767.
    #[track_caller]
    pub const fn units(units: i32) -> Self {
        match units.checked_mul(ONE) {
            Some(raw) => Self(raw),
            None => panic!("units must be -32768..32767"),
        }
    }

    /// The number itself, in 1/65536 of a unit.
    #[inline]
    #[must_use]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The sum, if it is within i32.
    #[inline]
    #[must_use]
    pub const fn checked_add(self, b: Self) -> Option<Self> {
        match self.0.checked_add(b.0) {
            Some(raw) => Some(Self(raw)),
            None => None,
        }
    }

    /// The difference, if it is within i32.
    #[inline]
    #[must_use]
    pub const fn checked_sub(self, b: Self) -> Option<Self> {
        match self.0.checked_sub(b.0) {
            Some(raw) => Some(Self(raw)),
            None => None,
        }
    }

    /// The number with the other sign, if it is within i32.
    #[inline]
    #[must_use]
    pub const fn checked_neg(self) -> Option<Self> {
        Self::ZERO.checked_sub(self)
    }

    /// The product as of [`mul`], if it is within i32.
    #[inline]
    pub fn checked_mul(self, b: Self) -> Option<Self> {
        mul(self.0, b.0).ok().map(Self)
    }

    /// The quotient as of [`div`], if it is within i32; `None` also for a divisor of 0.
    #[inline]
    pub fn checked_div(self, b: Self) -> Option<Self> {
        div(self.0, b.0).ok().map(Self)
    }

    /// The number without its sign.
    ///
    /// # Panics
    /// For [`Q::MIN`].
    #[inline]
    #[track_caller]
    pub fn abs(self) -> Self {
        if self.0 < 0 { -self } else { self }
    }

    /// The multiple of 1/65536 that is nearest to a float, halves away from zero; `None` for NaN
    /// and outside i32. A float of a computation may differ between machines: only for values that
    /// all peers load from one file, or for what no peer compares.
    pub fn from_f32_nearest(value: f32) -> Option<Self> {
        let scaled = f64::from(value) * 65536.0; // exact
        if scaled.is_nan() || scaled.abs() > 2_147_483_648.0 {
            return None;
        }
        let cut = scaled as i64; // towards zero
        let rest = scaled - cut as f64;
        i32::try_from(cut + (2.0 * rest) as i64).ok().map(Self)
    }

    /// The float that is nearest, halves to even: for drawing. 24 of the 32 bits fit into it.
    #[must_use]
    pub fn to_f32_nearest(self) -> f32 {
        self.0 as f32 / 65536.0
    }
}

/// Vectors of floats as positions, each component as [`Q::from_f32_nearest`] rounds it.
///
/// ```
/// use fixsync::{from_f32_nearest, q, to_f32_nearest};
///
/// assert_eq!(to_f32_nearest([q!(1), q!(-2.5), 0]), [1.0, -2.5, 0.0]);
/// assert_eq!(from_f32_nearest([1.0, -2.5, 0.0]), Some([q!(1), q!(-2.5), 0]));
/// assert_eq!(from_f32_nearest([1.0, f32::INFINITY]), None);
/// ```
#[must_use]
pub fn from_f32_nearest<const N: usize>(v: [f32; N]) -> Option<[i32; N]> {
    let mut out = [0; N];
    for (to, value) in out.iter_mut().zip(v) {
        *to = Q::from_f32_nearest(value)?.0;
    }
    Some(out)
}

/// A position as floats, for drawing. `.into()` makes a vector of glam, mint or nalgebra of it:
/// `Vec3::from(to_f32_nearest(position))`.
#[must_use]
pub fn to_f32_nearest<const N: usize>(v: [i32; N]) -> [f32; N] {
    v.map(|raw| Q(raw).to_f32_nearest())
}

#[cold]
#[track_caller]
fn overflow(a: Q, sign: &str, b: Q) -> Q {
    panic!("{a} {sign} {b} is outside -32768..32767.99998")
}

macro_rules! operators {
    ($($trait:ident $name:ident $assign:ident $name_assign:ident $checked:ident $sign:literal)*) => {
        $(
            impl $trait for Q {
                type Output = Self;

                #[inline]
                #[track_caller]
                fn $name(self, b: Self) -> Self {
                    match self.$checked(b) {
                        Some(answer) => answer,
                        None => overflow(self, $sign, b),
                    }
                }
            }

            impl $assign for Q {
                #[inline]
                #[track_caller]
                fn $name_assign(&mut self, b: Self) {
                    *self = $trait::$name(*self, b);
                }
            }
        )*
    };
}

operators! {
    Add add AddAssign add_assign checked_add "+"
    Sub sub SubAssign sub_assign checked_sub "-"
    Mul mul MulAssign mul_assign checked_mul "*"
    Div div DivAssign div_assign checked_div "/"
}

impl Neg for Q {
    type Output = Self;

    #[inline]
    #[track_caller]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl Sum for Q {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl From<Q> for i32 {
    #[inline]
    fn from(number: Q) -> Self {
        number.0
    }
}

/// Exact.
impl From<Q> for f64 {
    fn from(number: Q) -> Self {
        Self::from(number.0) / 65536.0
    }
}

/// The exact decimal: "-1.5".
impl fmt::Display for Q {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_q(self.0))
    }
}

impl fmt::Debug for Q {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Q({})", format_q(self.0))
    }
}

/// Reads a decimal that is a multiple of 1/65536. [`parse_q`] reads others too.
impl FromStr for Q {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse_q(text, false).map(Self)
    }
}
