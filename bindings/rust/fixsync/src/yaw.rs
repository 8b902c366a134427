use core::fmt;
use core::num::ParseIntError;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use core::str::FromStr;

/// A direction, or the half angle of a sector: 65536 steps are one turn, from +X towards +Z. Sums
/// are modulo one turn in every build.
///
/// ```
/// use fixsync::{Yaw, degrees};
///
/// const LEFT: Yaw = degrees!(180);
/// assert_eq!((LEFT, Yaw::degrees(-90)), (Yaw(32768), Yaw(49152)));
/// let mut yaw = LEFT + degrees!(270);
/// assert_eq!((yaw, -yaw, yaw - LEFT), (degrees!(90), degrees!(270), degrees!(-90)));
/// yaw += yaw;
/// yaw -= degrees!(90);
/// assert_eq!((yaw.turned_by(-20000), yaw.steps()), (Yaw(61920), 16384));
/// assert_eq!((yaw.to_string().parse(), "65536".parse::<Yaw>().is_err()), (Ok(yaw), true));
/// assert_eq!(Yaw::from_radians_nearest(-1.5), Some(Yaw(49890)));
/// assert_eq!(yaw.to_radians_nearest(), core::f32::consts::FRAC_PI_2);
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
#[repr(transparent)]
pub struct Yaw(
    /// In 1/65536 of a turn.
    pub u16,
);

impl Yaw {
    /// Whole degrees, to the nearest step.
    pub const fn degrees(degrees: i32) -> Self {
        let turns = degrees as i64 * 65536;
        Self((2 * turns + 360).div_euclid(720) as u16)
    }

    /// The number itself, in 1/65536 of a turn.
    #[inline]
    #[must_use]
    pub const fn steps(self) -> u16 {
        self.0
    }

    /// The yaw so many steps further.
    #[inline]
    pub const fn turned_by(self, steps: i32) -> Self {
        Self(self.0.wrapping_add(steps as u16))
    }

    /// The step that is nearest to an angle, halves away from zero; `None` for NaN and for 2^31
    /// turns and more. [`Q::from_f32_nearest`](crate::Q::from_f32_nearest) says what it is for.
    #[must_use]
    pub fn from_radians_nearest(radians: f32) -> Option<Self> {
        let turns = f64::from(radians) / core::f64::consts::TAU;
        if turns.is_nan() || turns.abs() >= 2_147_483_648.0 {
            return None;
        }
        let scaled = turns * 65536.0;
        let cut = scaled as i64; // towards zero
        Some(Self((cut + (2.0 * (scaled - cut as f64)) as i64) as u16))
    }

    /// The angle in 0..2π that is nearest, for drawing. An engine whose angles run from +X towards
    /// -Z, such as Bevy and Godot, takes it with the other sign.
    #[must_use]
    pub fn to_radians_nearest(self) -> f32 {
        (f64::from(self.0) * (core::f64::consts::TAU / 65536.0)) as f32
    }
}

impl Add for Yaw {
    type Output = Self;

    #[inline]
    fn add(self, b: Self) -> Self {
        Self(self.0.wrapping_add(b.0))
    }
}

impl Sub for Yaw {
    type Output = Self;

    #[inline]
    fn sub(self, b: Self) -> Self {
        Self(self.0.wrapping_sub(b.0))
    }
}

impl Neg for Yaw {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::default() - self
    }
}

impl AddAssign for Yaw {
    #[inline]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Yaw {
    #[inline]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl From<u16> for Yaw {
    #[inline]
    fn from(steps: u16) -> Self {
        Self(steps)
    }
}

impl From<Yaw> for u16 {
    #[inline]
    fn from(yaw: Yaw) -> Self {
        yaw.0
    }
}

/// Its steps, 0..=65535.
impl fmt::Display for Yaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Yaw {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}
