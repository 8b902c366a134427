use crate::error::{answer, cast_fault, done, fault};
use crate::memory::filled;
use crate::{Error, Shape, Yaw, sys};
use alloc::vec::Vec;

/// The contact of two shapes.
///
/// ```
/// use fixsync::Contact;
///
/// assert!(Contact::Apart < Contact::Touching && Contact::Touching < Contact::Overlapping);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[repr(u32)]
pub enum Contact {
    /// They have no point in common.
    Apart = sys::FXS_APART,
    /// Only the boundaries meet.
    Touching = sys::FXS_TOUCHING,
    /// The insides meet.
    Overlapping = sys::FXS_OVERLAPPING,
}

impl Contact {
    pub(crate) fn of(contact: u32) -> Self {
        match contact {
            sys::FXS_OVERLAPPING => Self::Overlapping,
            sys::FXS_TOUCHING => Self::Touching,
            _ => Self::Apart,
        }
    }

    /// The number in C of a contact, or of the world's own.
    pub(crate) fn or_0(contact: Option<Self>) -> u32 {
        contact.map_or(0, |contact| contact as u32)
    }
}

/// The face of a box that a body is pushed out of, in the box's own frame.
///
/// ```
/// use fixsync::{Pose, Shape, Side, q};
///
/// let ball = Shape::Sphere { radius: q!(1) };
/// let crate_ = Shape::Box { half_x: q!(1), half_y: q!(1), half_z: q!(1) };
/// let side = ball.side(Pose::at([q!(1.5), 0, 0]), &crate_, Pose::default())?;
/// assert_eq!(side, Side::PosX);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[repr(u32)]
pub enum Side {
    /// Not pushed.
    None = sys::FXS_SIDE_NONE,
    /// Along +X.
    PosX = sys::FXS_SIDE_POS_X,
    /// Along -X.
    NegX = sys::FXS_SIDE_NEG_X,
    /// Along +Z.
    PosZ = sys::FXS_SIDE_POS_Z,
    /// Along -Z.
    NegZ = sys::FXS_SIDE_NEG_Z,
}

/// Where a shape is.
///
/// ```
/// use fixsync::{Pose, degrees, q};
///
/// let pose = Pose::at([q!(1), 0, 0]).turned(degrees!(90));
/// assert_eq!((pose.position, pose.yaw.steps()), ([65536, 0, 0], 16384));
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// x, y, z in Q16.16.
    pub position: [i32; 3],
    /// From +X towards +Z.
    pub yaw: Yaw,
}

impl Pose {
    /// A position, with yaw 0.
    pub const fn at(position: [i32; 3]) -> Self {
        Self { position, yaw: Yaw(0) }
    }

    /// The same position with a yaw.
    pub const fn turned(self, yaw: Yaw) -> Self {
        Self { yaw, ..self }
    }

    pub(crate) fn raw(self) -> sys::fxs_pose {
        let [x, y, z] = self.position;
        sys::fxs_pose { x, y, z, yaw: self.yaw.0.into() }
    }

    pub(crate) fn of(raw: &sys::fxs_pose) -> Self {
        Self { position: [raw.x, raw.y, raw.z], yaw: Yaw(raw.yaw as u16) }
    }
}

/// An outline, for drawing: seen from above, and its heights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outline {
    /// x, z of each vertex, counterclockwise as yaw turns. It may lie outside i32.
    pub outer: Vec<[i64; 2]>,
    /// The vertices of the hole; empty without one.
    pub hole: Vec<[i64; 2]>,
    /// Lowest and highest y.
    pub heights: [i64; 2],
}

impl Outline {
    /// The outline that a call writes.
    ///
    /// # Safety
    /// The call writes as `fxs_outline` does.
    pub(crate) unsafe fn of(
        segments: Option<u32>,
        call: impl Fn(u32, *mut sys::fxs_vertex, u64, *mut sys::fxs_extent) -> i32,
        error: impl FnOnce(i32) -> Error,
    ) -> Result<Self, Error> {
        let segments = segments.unwrap_or(crate::OUTLINE_SEGMENTS);
        let mut extent = sys::fxs_extent::default();
        let mut vertices: Vec<sys::fxs_vertex> = Vec::new();
        // SAFETY: a call writes outer + hole vertices, or gives that room.
        unsafe {
            filled(
                &mut vertices,
                |to, room, count| {
                    let status = call(segments, to, room, &raw mut extent);
                    *count = u64::from(extent.outer) + u64::from(extent.hole);
                    status
                },
                |status, _| match status {
                    sys::FXS_E_SEGMENTS => {
                        let value = segments.into();
                        Error::Range { name: "segments", value, least: 3, most: 65536 }
                    }
                    _ => error(status),
                },
            )?;
        }
        let points = vertices.iter().map(|v| [v.x, v.z]);
        let outer = extent.outer as usize;
        Ok(Self {
            outer: points.clone().take(outer).collect(),
            hole: points.skip(outer).collect(),
            heights: [extent.y_low, extent.y_high],
        })
    }
}

impl Shape {
    /// Whether it can be pushed and cast as its kind says, and its sizes are in range.
    ///
    /// ```
    /// use fixsync::Shape;
    ///
    /// assert!(Shape::Sphere { radius: 1 }.check().is_ok());
    /// assert!(Shape::Sphere { radius: -1 }.check().is_err());
    /// ```
    #[doc = errors!(fxs_shape_check)]
    #[doc(alias = "fxs_shape_check")]
    pub fn check(&self) -> Result<(), Error> {
        // SAFETY: a valid structure.
        let status = unsafe { sys::fxs_shape_check(&self.raw()) };
        done(status, || self.fault(status))
    }

    /// The error of a status: the size that is out of range.
    #[cold]
    pub(crate) fn fault(&self, status: i32) -> Error {
        let (sizes, count) = self.sizes();
        fault(status, "kind", self.raw().kind.into(), &sizes[..count])
    }

    /// The error of a status for two shapes.
    #[cold]
    pub(crate) fn fault_with(&self, b: &Shape, status: i32) -> Error {
        let is_undefined = status == sys::FXS_E_UNDEFINED && self.is_area();
        if is_undefined || self.check().is_err() { self.fault(status) } else { b.fault(status) }
    }

    /// The contact with another shape, exact.
    ///
    /// ```
    /// use fixsync::{Contact, Pose, Shape, q};
    ///
    /// let ball = Shape::Sphere { radius: q!(1) };
    /// let contact = ball.overlap(Pose::default(), &ball, Pose::at([q!(2), 0, 0]))?;
    /// assert_eq!(contact, Contact::Touching);
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_overlap)]
    #[doc(alias = "fxs_overlap")]
    pub fn overlap(&self, pose: Pose, b: &Shape, pose_b: Pose) -> Result<Contact, Error> {
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_overlap(&self.raw(), &pose.raw(), &b.raw(), &pose_b.raw()) };
        answer(status, || self.fault_with(b, status)).map(Contact::of)
    }

    /// The translation x, z of this shape that ends an overlap; `[0, 0]` without one.
    ///
    /// ```
    /// use fixsync::{Pose, Shape, q};
    ///
    /// let ball = Shape::Sphere { radius: q!(1) };
    /// let there = Pose::at([q!(1.5), 0, 0]);
    /// assert_eq!(ball.push_out(there, &ball, Pose::default())?, [q!(0.5), 0]);
    /// assert!(ball.lift(there, &ball, Pose::default())? > 0);
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_push_out)]
    #[doc(alias = "fxs_push_out")]
    pub fn push_out(&self, pose: Pose, b: &Shape, pose_b: Pose) -> Result<[i32; 2], Error> {
        let mut out = [0; 2];
        // SAFETY: valid structures.
        let status = unsafe {
            sys::fxs_push_out(&self.raw(), &pose.raw(), &b.raw(), &pose_b.raw(), &raw mut out)
        };
        done(status, || self.fault_with(b, status)).map(|()| out)
    }

    /// The shortest dy of this shape that ends an overlap.
    #[doc = errors!(fxs_lift)]
    #[doc(alias = "fxs_lift")]
    pub fn lift(&self, pose: Pose, b: &Shape, pose_b: Pose) -> Result<i32, Error> {
        let mut out = 0;
        // SAFETY: valid structures.
        let status = unsafe {
            sys::fxs_lift(&self.raw(), &pose.raw(), &b.raw(), &pose_b.raw(), &raw mut out)
        };
        done(status, || self.fault_with(b, status)).map(|()| out)
    }

    /// The face of the box `b` that [`push_out`](Self::push_out) moves this shape out of.
    #[doc = errors!(fxs_side)]
    #[doc(alias = "fxs_side")]
    pub fn side(&self, pose: Pose, b: &Shape, pose_b: Pose) -> Result<Side, Error> {
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_side(&self.raw(), &pose.raw(), &b.raw(), &pose_b.raw()) };
        answer(status, || self.fault_with(b, status)).map(|side| match side {
            sys::FXS_SIDE_POS_X => Side::PosX,
            sys::FXS_SIDE_NEG_X => Side::NegX,
            sys::FXS_SIDE_POS_Z => Side::PosZ,
            sys::FXS_SIDE_NEG_Z => Side::NegZ,
            _ => Side::None,
        })
    }

    /// The outline, of `segments` (3..=65536) pieces for a whole circle; `None`: `OUTLINE_SEGMENTS`.
    ///
    /// ```
    /// use fixsync::{Outline, Pose, Shape, q};
    ///
    /// let outline: Outline = Shape::Sphere { radius: q!(1) }.outline(Pose::default(), 4)?;
    /// assert_eq!(outline.outer[0], [65536, 0]);
    /// assert_eq!(outline.heights, [-65536, 65536]);
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_outline)]
    #[doc(alias = "fxs_outline")]
    pub fn outline(&self, pose: Pose, segments: impl Into<Option<u32>>) -> Result<Outline, Error> {
        let (shape, pose) = (self.raw(), pose.raw());
        // SAFETY: valid structures, and room as it is given.
        unsafe {
            Outline::of(
                segments.into(),
                |count, to, room, extent| {
                    sys::fxs_outline(&raw const shape, &raw const pose, count, to, room, extent)
                },
                |status| self.fault(status),
            )
        }
    }
}

/// When two moving shapes first meet, exact: the fraction (0..=65536) of their motions and the
/// normal in Q2.30, from b towards a; `None` if they do not. A motion's components are within
/// ±536870911; `hit_when` is the least contact that counts.
///
/// ```
/// use fixsync::{Contact, Pose, Shape, cast_pair, q};
///
/// let ball = Shape::Sphere { radius: q!(1) };
/// let wall = Shape::Box { half_x: q!(1), half_y: q!(4), half_z: q!(4) };
/// let met = cast_pair(
///     (&ball, Pose::default(), [q!(8), 0, 0]),
///     (&wall, Pose::at([q!(6), 0, 0]), [0; 3]),
///     Contact::Touching,
/// )?;
/// assert_eq!(met, Some((32768, [-(1 << 30), 0, 0]))); // half the way
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_cast_pair)]
#[doc(alias = "fxs_cast_pair")]
pub fn cast_pair(
    a: (&Shape, Pose, [i32; 3]),
    b: (&Shape, Pose, [i32; 3]),
    hit_when: Contact,
) -> Result<Option<(u32, [i32; 3])>, Error> {
    let (mut fraction, mut normal) = (0, [0; 3]);
    // SAFETY: valid structures.
    let status = unsafe {
        sys::fxs_cast_pair(
            &a.0.raw(),
            &a.1.raw(),
            &raw const a.2,
            &b.0.raw(),
            &b.1.raw(),
            &raw const b.2,
            hit_when as u32,
            &raw mut fraction,
            &raw mut normal,
        )
    };
    let other = || a.0.fault_with(b.0, status);
    let met = answer(status, || cast_fault(status, &[a.2, b.2], hit_when as u32, other))?;
    Ok((met == 1).then_some((fraction as u32, normal)))
}
