use crate::error::{answer, bytes_fault, cast_fault, done, fault};
use crate::memory::{Memory, filled};
use crate::*;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// One part of a level, upright from `y_low` to `y_high`.
///
/// ```
/// use fixsync::{Pose, Shape, Solid, q};
///
/// let floor = Solid::of(
///     &Shape::Box { half_x: q!(9), half_y: q!(1), half_z: q!(9) }, Pose::at([0, -q!(1), 0]), 0,
/// )?;
/// assert_eq!((floor.heights(), floor.numbers().len()), ([-q!(2), 0], 8));
/// let ramp = Solid::prism(&[[0, 0], [q!(2), 0], [0, q!(2)]], [0, q!(1)], 0)?;
/// let pillar = Solid::pillar([q!(5), q!(5)], q!(1), [0, q!(4)], 3)?;
/// assert_eq!((ramp.layer(), pillar.layer()), (0, 3));
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Solid(sys::fxs_solid);

fn layer_in(layer: u32) -> Result<u8, Error> {
    match layer {
        0..32 => Ok(layer as u8),
        _ => Err(Error::Range { name: "layer", value: layer.into(), least: 0, most: 31 }),
    }
}

impl Solid {
    /// A prism on a layer: 3 to 32 vertices x, z, convex, from +X to +Z, and heights `y_low`, `y_high`.
    #[doc = errors!(Range)]
    pub fn prism(
        vertices: &[[i32; 2]],
        [y_low, y_high]: [i32; 2],
        layer: u32,
    ) -> Result<Self, Error> {
        let (count, most) = (vertices.len(), sys::FXS_VERTICES_MAX.into());
        if !(3..=most as usize).contains(&count) {
            return Err(Error::Range { name: "vertices", value: count as i64, least: 3, most });
        }
        let (code, layer, vertex_count) = (sys::FXS_PRISM as u8, layer_in(layer)?, count as u16);
        let mut raw = sys::fxs_solid { code, layer, vertex_count, y_low, y_high, numbers: [0; 64] };
        raw.numbers[..2 * count].copy_from_slice(vertices.as_flattened());
        Ok(Self(raw))
    }

    /// An upright cylinder on a layer: centre x, z, radius, and heights `y_low`, `y_high`.
    #[doc = errors!(Range)]
    pub fn pillar(
        [x, z]: [i32; 2],
        radius: i32,
        [y_low, y_high]: [i32; 2],
        layer: u32,
    ) -> Result<Self, Error> {
        let (code, layer) = (sys::FXS_CYLINDER as u8, layer_in(layer)?);
        let mut raw = sys::fxs_solid { code, layer, y_low, y_high, ..Default::default() };
        raw.numbers[..3].copy_from_slice(&[x, z, radius]);
        Ok(Self(raw))
    }

    /// The solid of a box or a cylinder at a pose; the corners of a turned box are rounded.
    #[doc = errors!(fxs_solid_of)]
    #[doc(alias = "fxs_solid_of")]
    pub fn of(shape: &Shape, pose: Pose, layer: u32) -> Result<Self, Error> {
        let mut raw = sys::fxs_solid::default();
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_solid_of(&shape.raw(), &pose.raw(), layer, &raw mut raw) };
        done(status, || match status {
            sys::FXS_E_LAYER => layer_in(layer).err().unwrap_or_else(|| shape.fault(status)),
            sys::FXS_E_CENTRE => {
                let parts = ["position x", "position y", "position z"].into_iter();
                let parts = parts.zip(pose.position.map(i64::from));
                let (name, value) = parts.max_by_key(|(_, value)| value.abs()).unwrap_or_default();
                fault(status, name, value, &[])
            }
            _ => shape.fault(status),
        })?;
        Ok(Self(raw))
    }

    /// Its layer.
    #[must_use]
    pub fn layer(&self) -> u32 {
        self.0.layer.into()
    }

    /// `y_low` and `y_high`.
    #[must_use]
    pub fn heights(&self) -> [i32; 2] {
        [self.0.y_low, self.0.y_high]
    }

    /// x, z of each vertex of a prism; x, z, radius of a cylinder.
    #[must_use]
    pub fn numbers(&self) -> &[i32] {
        match self.0.vertex_count {
            0 => &self.0.numbers[..3],
            count => self.0.numbers.get(..2 * usize::from(count)).unwrap_or_default(),
        }
    }
}

/// The static geometry of a map. Worlds on any number of threads share one.
///
/// ```
/// use fixsync::*;
/// use std::sync::Arc;
///
/// let pillar = Solid::pillar([q!(4), 0], q!(1), [0, q!(3)], 0)?;
/// let level = Arc::new(Level::new(&[pillar])?);
/// assert_eq!((level.len(), level.is_empty(), level.solid(0)?), (1, false, pillar));
/// assert_eq!(Level::from_bytes(&level.to_bytes())?.hash(), level.hash());
///
/// let ball = Shape::Sphere { radius: q!(0.5) };
/// let (mut ids, mut hits) = (Vec::new(), Vec::new());
/// assert_eq!(level.contact(0, &ball, Pose::at([q!(3), 0, 0]))?, Contact::Overlapping);
/// level.query(&Query::new(&ball, Pose::at([q!(3), 0, 0])), Contact::Touching, &mut ids)?;
/// level.cast(&Cast::new(&ball, Pose::default(), [q!(8), 0, 0]), &mut hits)?;
/// assert_eq!((ids[0], hits[0].id, level.outline(0, None)?.outer.len()), (LEVEL, LEVEL, 32));
///
/// let world = World::in_level(Config::new(8), level.clone())?;
/// assert_eq!(world.level().unwrap().hash(), level.hash());
/// # Ok::<(), fixsync::Error>(())
/// ```
pub struct Level(Memory);

impl Level {
    /// A level of solids.
    #[doc = errors!(fxs_level_write)]
    #[doc(alias = "fxs_level_write")]
    pub fn new(solids: &[Solid]) -> Result<Self, Error> {
        let (rows, n, mut bytes) = (solids.as_ptr().cast(), solids.len() as u64, Vec::new());
        // SAFETY: so many rows, and room as it is given.
        unsafe {
            filled(
                &mut bytes,
                |to, room, size| sys::fxs_level_write(rows, n, to, room, size),
                |status, bad| fault(status, "solid", bad as i64, &[]),
            )?;
        }
        Self::from_bytes(&bytes).map_err(|error| match solids {
            [] => error,
            [_] => fault(sys::FXS_E_LEVEL, "solid", 0, &[]),
            _ => {
                let bad = solids.chunks(1).position(|one| Self::new(one).is_err());
                bad.map_or(error, |index| fault(sys::FXS_E_LEVEL, "solid", index as i64, &[]))
            }
        })
    }

    /// A level of its bytes.
    #[doc = errors!(fxs_level_init Memory)]
    #[doc(alias = "fxs_level_size")]
    #[doc(alias = "fxs_level_init")]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (from, size, mut at) = (bytes.as_ptr(), bytes.len() as u64, 0);
        // SAFETY: bytes and their number, and memory of the size for them.
        let (made, status) = unsafe {
            let mut memory = Memory::new(sys::fxs_level_size(from, size))?;
            let status = sys::fxs_level_init(memory.as_mut_ptr(), from, size, &raw mut at);
            (Self(memory), status)
        };
        done(status, || bytes_fault("level", at, status))?;
        Ok(made)
    }

    /// For calls of [`sys`].
    #[must_use]
    pub fn as_ptr(&self) -> *const sys::fxs_level {
        self.0.as_ptr()
    }

    /// Number of solids.
    #[doc(alias = "fxs_level_count")]
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: a level.
        unsafe { sys::fxs_level_count(self.as_ptr()) as usize }
    }

    /// Whether it has no solid.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// XXH64 of its bytes.
    #[doc(alias = "fxs_level_hash")]
    #[must_use]
    pub fn hash(&self) -> u64 {
        // SAFETY: a level.
        unsafe { sys::fxs_level_hash(self.as_ptr()) }
    }

    /// The bytes that it was made from.
    #[doc(alias = "fxs_level_save_size")]
    #[doc(alias = "fxs_level_save")]
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // SAFETY: a level, and room for its bytes.
        unsafe {
            let mut bytes = Vec::with_capacity(sys::fxs_level_save_size(self.as_ptr()) as usize);
            sys::fxs_level_save(self.as_ptr(), bytes.as_mut_ptr());
            bytes.set_len(sys::fxs_level_save_size(self.as_ptr()) as usize);
            bytes
        }
    }

    #[cold]
    fn fault(&self, status: i32, index: u32) -> Error {
        let range = ("index", index.into(), 0, self.len() as i64 - 1);
        fault(status, "index", index.into(), &[range])
    }

    /// The solid of an index; its id is [`LEVEL`] + index.
    #[doc = errors!(fxs_level_solid)]
    #[doc(alias = "fxs_level_solid")]
    pub fn solid(&self, index: u32) -> Result<Solid, Error> {
        let mut raw = sys::fxs_solid::default();
        // SAFETY: a level.
        let status = unsafe { sys::fxs_level_solid(self.as_ptr(), index, &raw mut raw) };
        done(status, || self.fault(status, index)).map(|()| Solid(raw))
    }

    /// The outline of the solid of an index; see [`Shape::outline`].
    #[doc = errors!(fxs_level_outline)]
    #[doc(alias = "fxs_level_outline")]
    pub fn outline(&self, index: u32, segments: impl Into<Option<u32>>) -> Result<Outline, Error> {
        let level = self.as_ptr();
        // SAFETY: a level, and room as it is given.
        unsafe {
            Outline::of(
                segments.into(),
                |count, to, room, extent| {
                    sys::fxs_level_outline(level, index, count, to, room, extent)
                },
                |status| self.fault(status, index),
            )
        }
    }

    /// The contact of a shape with the solid of an index.
    #[doc = errors!(fxs_level_contact)]
    #[doc(alias = "fxs_level_contact")]
    pub fn contact(&self, index: u32, shape: &Shape, pose: Pose) -> Result<Contact, Error> {
        let (raw, at) = (shape.raw(), pose.raw());
        // SAFETY: a level and valid structures.
        let status =
            unsafe { sys::fxs_level_contact(self.as_ptr(), index, &raw const raw, &raw const at) };
        let contact = answer(status, || match status {
            sys::FXS_E_ID => self.fault(status, index),
            _ => shape.fault(status),
        });
        contact.map(Contact::of)
    }

    /// The ids of the solids that a query meets, ascending.
    #[doc = errors!(fxs_level_query)]
    #[doc(alias = "fxs_level_query")]
    pub fn query(&self, query: &Query, hit_when: Contact, ids: &mut Vec<u32>) -> Result<(), Error> {
        let (level, when) = (self.as_ptr(), hit_when as u32);
        // SAFETY: a level, a row, and room as it is given.
        unsafe {
            filled(
                ids,
                |to, room, n| sys::fxs_level_query(level, &raw const query.0, when, to, room, n),
                |status, _| cast_fault(status, &[], when, || query.fault(status)),
            )
        }
    }

    /// The solids that a cast meets, by (fraction, distance, id).
    #[doc = errors!(fxs_level_cast)]
    #[doc(alias = "fxs_level_cast")]
    pub fn cast(&self, cast: &Cast, hits: &mut Vec<CastHit>) -> Result<(), Error> {
        let level = self.as_ptr();
        // SAFETY: a level, a row, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, n| sys::fxs_level_cast(level, &raw const cast.0, to.cast(), room, n),
                |status, _| cast.fault(status),
            )
        }
    }
}

impl core::fmt::Debug for Level {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Level({} solids, {:016x})", self.len(), self.hash())
    }
}

/// What [`World::in_level`] and worlds on threads need.
#[allow(dead_code)]
fn worlds_and_levels_are_shared(world: World, level: Arc<Level>) -> impl Send + Sync {
    (world, level)
}
