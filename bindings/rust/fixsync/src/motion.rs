use crate::error::{cast_fault, done, fault};
use crate::memory::{filled, reserve};
use crate::*;
use alloc::vec::Vec;

#[cold]
fn normal_fault(status: i32, name: &'static str, part: u32, normal: [i32; 3]) -> Error {
    let most = sys::FXS_NORMAL_MAX.into();
    let [x, y, z] = normal.map(i64::from);
    let range = |name, value| (name, value, -i64::from(sys::FXS_NORMAL_MAX), most);
    let ranges = [
        (name, part.into(), 0, ONE.into()),
        range("normal x", x),
        range("normal y", y),
        range("normal z", z),
    ];
    fault(status, "normal x", x, &ranges)
}

/// The part of a motion up to a cast's fraction (0..=65536). With the normal of the hit it ends
/// outside of the obstacle.
///
/// ```
/// use fixsync::{along, bounce, q, slide};
///
/// let (motion, wall) = ([q!(2), 0, q!(1)], [-(1 << 30), 0, 0]);
/// assert_eq!(along(motion, 32768, Some(wall))?, [q!(1), 0, q!(0.5)]);
/// assert_eq!(slide(motion, wall)?, [0, 0, q!(1)]);
/// assert_eq!(bounce(motion, wall, 65536)?, [-q!(2), 0, q!(1)]);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_along)]
#[doc(alias = "fxs_along")]
pub fn along(motion: [i32; 3], fraction: u32, normal: Option<[i32; 3]>) -> Result<[i32; 3], Error> {
    let mut out = [0; 3];
    let at = normal.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: vectors.
    let status = unsafe { sys::fxs_along(&raw const motion, fraction, at, &raw mut out) };
    let other = || normal_fault(status, "fraction", fraction, normal.unwrap_or_default());
    done(status, || cast_fault(status, &[motion], 0, other))?;
    Ok(out)
}

/// A motion reflected at a surface; `kept` (0..=65536) is the share of its speed into it.
#[doc = errors!(fxs_bounce)]
#[doc(alias = "fxs_bounce")]
pub fn bounce(motion: [i32; 3], normal: [i32; 3], kept: u32) -> Result<[i32; 3], Error> {
    let mut out = [0; 3];
    // SAFETY: vectors.
    let status =
        unsafe { sys::fxs_bounce(&raw const motion, &raw const normal, kept, &raw mut out) };
    done(status, || normal_fault(status, "kept", kept, normal)).map(|()| out)
}

/// A motion without its component into a surface.
#[doc = errors!(fxs_slide)]
#[doc(alias = "fxs_slide")]
pub fn slide(motion: [i32; 3], normal: [i32; 3]) -> Result<[i32; 3], Error> {
    let mut out = [0; 3];
    // SAFETY: vectors.
    let status = unsafe { sys::fxs_slide(&raw const motion, &raw const normal, &raw mut out) };
    done(status, || normal_fault(status, "kept", 0, normal)).map(|()| out)
}

#[cold]
fn move_fault(world: &World, status: i32, id: u32, passes: u32, motion: [i32; 3]) -> Error {
    match status {
        sys::FXS_E_RANGE => {
            let most = sys::FXS_PASSES_MAX.into();
            Error::Range { name: "passes", value: passes.into(), least: 1, most }
        }
        _ => cast_fault(status, &[motion], 0, || world.fault(status, id)),
    }
}

/// Moves a collider straight and slides it along obstacles of the layers of a mask: a dash. `hits`
/// becomes the obstacles, at most `passes` (1..=64).
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// world.add(&Collider::new(1, Shape::Sphere { radius: q!(1) }))?;
/// world.add(&Collider::new(2, Shape::Sphere { radius: q!(1) }).at([q!(5), 0, 0]))?;
/// let mut hits = Vec::new();
/// move_and_slide(&mut world, 1, [q!(9), 0, 0], u32::MAX, 4, &mut hits)?;
/// assert_eq!((hits[0].id, world.get(1)?.pose.position), (2, [q!(3) - 3, 0, 0])); // beside it
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_move_and_slide Memory)]
#[doc(alias = "fxs_move_and_slide")]
pub fn move_and_slide(
    world: &mut World,
    id: u32,
    motion: [i32; 3],
    mask: u32,
    passes: u32,
    hits: &mut Vec<CastHit>,
) -> Result<(), Error> {
    hits.clear();
    reserve(hits, passes.min(sys::FXS_PASSES_MAX).into())?;
    let (at, to, mut count) = (world.as_mut_ptr(), hits.as_mut_ptr().cast(), 0);
    // SAFETY: a world, and room for `passes` rows.
    let status = unsafe {
        sys::fxs_move_and_slide(at, id, &raw const motion, mask, passes, to, &raw mut count)
    };
    done(status, || move_fault(world, status, id, passes, motion))?;
    // SAFETY: the call wrote so many.
    unsafe { hits.set_len(count as usize) };
    Ok(())
}

/// The settings of a character that walks: along walls, up steps, down to the floor.
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// let floor = Shape::Box { half_x: q!(9), half_y: q!(1), half_z: q!(9) };
/// world.add(&Collider::new(1, Shape::Sphere { radius: q!(1) }).at([0, q!(1), 0]))?;
/// world.add(&Collider::new(2, floor).at([0, -q!(1), 0]))?;
/// let mover = Mover { step_height: q!(0.25), snap: q!(0.125), ..Mover::new(1) };
/// let mut hits = Vec::new();
/// let now: MoverResult = mover.move_by(&mut world, [q!(1), 0, 0], &mut hits)?;
/// assert_eq!((now.position, now.floor), ([q!(1), q!(1), 0], Some(2)));
/// assert_eq!(now.flags, sys::FXS_ON_FLOOR);
/// assert!(!now.is_on_wall() && !now.is_on_ceiling() && !now.is_stuck());
/// # Ok::<(), fixsync::Error>(())
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
#[repr(C)]
pub struct Mover {
    /// Of the collider that moves; not a sector.
    pub id: u32,
    /// Bit i: layer i blocks it; 0: those that its layer meets.
    pub mask: u32,
    /// 2..=64: slides in one move.
    pub passes: u32,
    /// The highest step that it climbs; 0: none.
    pub step_height: i32,
    /// How far down a walker reaches for a floor.
    pub snap: i32,
    /// 1..=2^30: least y of the normal of a floor.
    pub floor_y_q30: i32,
    /// Bit i: layer i is a floor from above, and blocks no other way; if it is not 0, `mask` is not
    /// 0 and shares no layer with it.
    pub one_way: u32,
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MoverResult {
    /// Of the collider now.
    pub position: [i32; 3],
    /// The motion without components into walls, floor and ceiling.
    pub motion: [i32; 3],
    /// [`sys::FXS_ON_FLOOR`] to [`sys::FXS_STUCK`].
    pub flags: u32,
    /// The id that it stands on.
    pub floor: Option<u32>,
}

impl MoverResult {
    /// Whether it hit a wall.
    #[must_use]
    pub const fn is_on_wall(&self) -> bool {
        self.flags & sys::FXS_ON_WALL != 0
    }

    /// Whether it hit a ceiling.
    #[must_use]
    pub const fn is_on_ceiling(&self) -> bool {
        self.flags & sys::FXS_ON_CEILING != 0
    }

    /// Whether it overlaps something that it could not be pushed out of, and stays.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.flags & sys::FXS_STUCK != 0
    }
}

impl Mover {
    /// Blocked by the layers that its layer meets; four slides, no steps, floors of at most 45
    /// degrees.
    pub const fn new(id: u32) -> Self {
        Self { id, mask: 0, passes: 4, step_height: 0, snap: 0, floor_y_q30: 759250125, one_way: 0 }
    }

    /// Moves the character; `hits` becomes walls and ceilings in order, then the floor.
    #[doc = errors!(fxs_mover_move Memory)]
    #[doc(alias = "fxs_mover_move")]
    pub fn move_by(
        &self,
        world: &mut World,
        motion: [i32; 3],
        hits: &mut Vec<CastHit>,
    ) -> Result<MoverResult, Error> {
        let mut result = sys::fxs_mover_result::default();
        hits.clear();
        reserve(hits, u64::from(self.passes.min(sys::FXS_PASSES_MAX)) + 1)?;
        let (at, to) = (world.as_mut_ptr(), hits.as_mut_ptr().cast());
        let this = core::ptr::from_ref(self).cast();
        // SAFETY: a world, and room for `passes` + 1 rows.
        let status =
            unsafe { sys::fxs_mover_move(at, this, &raw const motion, &raw mut result, to) };
        done(status, || match status {
            sys::FXS_E_MOVER => self.fault(status),
            _ => move_fault(world, status, self.id, self.passes, motion),
        })?;
        // SAFETY: the call wrote so many.
        unsafe { hits.set_len(result.hit_count as usize) };
        Ok(MoverResult {
            position: [result.x, result.y, result.z],
            motion: result.motion,
            flags: result.flags,
            floor: (result.flags & sys::FXS_ON_FLOOR != 0).then_some(result.floor),
        })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.fault(sys::FXS_E_MOVER) {
            error @ Error::Range { .. } => Err(error),
            _ => Ok(()),
        }
    }

    #[cold]
    fn fault(&self, status: i32) -> Error {
        let (most, mask, one_way) = (i64::from(SIZE_MAX), self.mask, self.one_way);
        let ranges = [
            ("passes", self.passes.into(), 2, sys::FXS_PASSES_MAX.into()),
            ("step_height", self.step_height.into(), 0, most),
            ("snap", self.snap.into(), 0, most),
            ("floor_y_q30", self.floor_y_q30.into(), 1, 1 << 30),
            ("one_way without mask", if mask == 0 { one_way.into() } else { 0 }, 0, 0),
            ("layers of one_way and mask", (one_way & mask).into(), 0, 0),
        ];
        fault(status, "id", self.id.into(), &ranges)
    }
}

/// The effect of a platform on a mover, from [`carry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Carried {
    /// Of the mover.
    pub id: u32,
    /// Of the collider now.
    pub position: [i32; 3],
    /// The motion that it made.
    pub motion: [i32; 3],
    /// [`sys::FXS_RODE`] to [`sys::FXS_SQUEEZED`].
    pub flags: u32,
    /// With [`sys::FXS_HELD`] the id that stopped it last; else with [`sys::FXS_RODE`] its floor;
    /// else the collider that first shoved it; else 0.
    pub by: u32,
}

/// Moves a platform, with the movers that ride on it, and pushes those in its way. `ids`: its
/// colliders, ascending. `movers`: those that it may take along, by ascending ids; `rows` becomes
/// one for each. A frame is carry, separate, moves, step.
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// let plate = Shape::Box { half_x: q!(2), half_y: q!(1), half_z: q!(2) };
/// world.add(&Collider::new(1, Shape::Sphere { radius: q!(1) }).at([0, q!(2), 0]))?;
/// world.add(&Collider::new(2, plate))?;
/// let mut rows: Vec<Carried> = Vec::new();
/// carry(&mut world, &[2], [q!(1), q!(0.5), 0], &[Mover::new(1)], &mut rows)?;
/// assert_eq!((rows[0].position, rows[0].by), ([q!(1), q!(2.5), 0], 2));
/// assert_eq!(rows[0].flags, sys::FXS_RODE);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_carry Memory)]
#[doc(alias = "fxs_carry")]
pub fn carry(
    world: &mut World,
    ids: &[u32],
    motion: [i32; 3],
    movers: &[Mover],
    rows: &mut Vec<Carried>,
) -> Result<(), Error> {
    rows.clear();
    let (n, count) = (ids.len() as u64, movers.len() as u64);
    reserve(rows, count)?;
    let (at, from, to) = (world.as_mut_ptr(), movers.as_ptr().cast(), rows.as_mut_ptr().cast());
    // SAFETY: a world, so many ids and movers, and room for a row of each mover.
    let status = unsafe { sys::fxs_carry(at, ids.as_ptr(), n, &raw const motion, from, count, to) };
    done(status, || movers_fault(world, status, ids, motion, movers))?;
    // SAFETY: the call wrote all of them.
    unsafe { rows.set_len(movers.len()) };
    Ok(())
}

/// A collider that [`separate`] moved, or would have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Separated {
    /// Of the collider.
    pub id: u32,
    /// Where it is now.
    pub position: [i32; 3],
    /// 1 if an obstacle kept it from the place that it was pushed to.
    pub is_held: u32,
}

/// [`World::separate`] for characters: none is pushed through a wall, or into one. `movers`: by
/// ascending ids; `rows` becomes the colliders that are pushed to another place, by id. Walls belong
/// in the masks of the movers, not in `yields`.
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// let ball = Shape::Sphere { radius: q!(1) };
/// let wall = Shape::Box { half_x: q!(1), half_y: q!(9), half_z: q!(9) };
/// world.add(&Collider::new(1, ball).at([0, 0, 0]))?;
/// world.add(&Collider::new(2, ball).at([q!(-1), 0, 0]))?;
/// world.add(&Collider { layer: 1, ..Collider::new(3, wall).at([q!(2), 0, 0]) })?;
/// world.step(&mut Vec::new())?;
/// let hero = Mover { mask: 1 << 1, ..Mover::new(1) };
/// let mut rows: Vec<Separated> = Vec::new();
/// let mut yields = [0; 32];
/// yields[0] = 1 << 0;
/// separate(&mut world, &yields, 1, &[hero], &mut rows)?;
/// assert_eq!((rows[0].id, rows[0].position, rows[0].is_held), (1, [0, 0, 0], 1));
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_movers_separate)]
#[doc(alias = "fxs_movers_separate")]
pub fn separate(
    world: &mut World,
    yields: &[u32; 32],
    passes: u32,
    movers: &[Mover],
    rows: &mut Vec<Separated>,
) -> Result<(), Error> {
    let (at, from, count) = (world.as_mut_ptr(), movers.as_ptr().cast(), movers.len() as u64);
    // SAFETY: a world, so many movers, and room as it is given.
    unsafe {
        filled(
            rows,
            |to, room, n| {
                sys::fxs_movers_separate(at, yields, passes, from, count, to.cast(), room, n)
            },
            |status, id| match status {
                sys::FXS_E_CENTRE => world.fault(status, id as u32),
                _ => movers_fault(world, status, &[], [0; 3], movers),
            },
        )
    }
}

#[cold]
fn movers_fault(
    world: &World,
    status: i32,
    ids: &[u32],
    motion: [i32; 3],
    movers: &[Mover],
) -> Error {
    if status == sys::FXS_E_MOTION {
        return cast_fault(status, &[motion], 0, || world.fault(status, 0));
    }
    let ranged = movers.iter().map(|mover| mover.fault(status));
    if let Some(error) = ranged.into_iter().find(|error| matches!(error, Error::Range { .. })) {
        return error;
    }
    let riders: Vec<_> = movers.iter().map(|mover| mover.id).collect();
    let descends = |list: &[u32]| list.windows(2).position(|two| two[0] >= two[1]);
    for list in [ids, &riders] {
        if let (sys::FXS_E_ORDER, Some(at)) = (status, descends(list)) {
            let (least, most) = (i64::from(list[at]) + 1, i64::from(world.capacity()) - 1);
            return Error::Range { name: "next id", value: list[at + 1].into(), least, most };
        }
    }
    let is_at_fault = |id: &u32| match (status, world.get(*id)) {
        (sys::FXS_E_ID | sys::FXS_E_ABSENT, found) => found.is_err(),
        (sys::FXS_E_TAKEN, _) => ids.contains(id) && riders.contains(id),
        (sys::FXS_E_ACTIVE, found) => found.is_ok_and(|c| !c.active && ids.contains(id)),
        (_, found) => found.is_ok_and(|c| c.shape.is_area()),
    };
    let found = ids.iter().chain(&riders).copied().find(is_at_fault);
    let id = found.or(ids.first().copied()).unwrap_or_default();
    match status {
        sys::FXS_E_TAKEN => fault(status, "id of a collider and a mover", id.into(), &[]),
        _ => world.fault(status, id),
    }
}

const _: () = {
    assert!(size_of::<Mover>() == size_of::<sys::fxs_mover>());
    assert!(size_of::<Carried>() == size_of::<sys::fxs_carried>());
    assert!(size_of::<Separated>() == size_of::<sys::fxs_separated>());
    assert!(size_of::<Strike>() == size_of::<sys::fxs_strike>());
    assert!(core::mem::offset_of!(Mover, one_way) == 24);
    assert!(core::mem::offset_of!(Mover, floor_y_q30) == 20);
};
