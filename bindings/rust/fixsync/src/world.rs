use crate::error::{answer, bytes_fault, cast_fault, done, fault, row_fault};
use crate::memory::{Memory, append, filled, reserve};
use crate::rows::shape_row_of;
use crate::*;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;

/// The settings of a new world.
///
/// ```
/// use fixsync::{Config, Contact, World};
///
/// let mut config = Config::new(64).layers(&[(0, 1), (1, 1)])?; // pairs that meet
/// config.hit_when = Contact::Overlapping;
/// assert_eq!(World::new(config)?.config().layers[1], 0b11);
/// assert!(Config::new(64).layers(&[(0, 32)]).is_err());
/// # Ok::<(), fixsync::Error>(())
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
pub struct Config {
    /// Ids are 0..capacity; at most 2^31.
    pub capacity: u32,
    /// Hits of one step that there is room for to begin with. It grows.
    pub hit_capacity: u32,
    /// The least contact that is a hit.
    pub hit_when: Contact,
    /// Bit j of `layers[i]`: layer i meets layer j, and j meets i.
    pub layers: [u32; 32],
}

impl Config {
    /// A world in which all layers meet, and touching is a hit.
    pub const fn new(capacity: u32) -> Self {
        let layers = [u32::MAX; 32];
        Self { capacity, hit_capacity: 64, hit_when: Contact::Touching, layers }
    }

    /// The same with the pairs of layers that meet; no other does.
    #[doc = errors!(Range)]
    pub fn layers(mut self, pairs: &[(u32, u32)]) -> Result<Self, Error> {
        self.layers = [0; 32];
        for &(a, b) in pairs {
            if let Some(value) = [a, b].into_iter().find(|layer| *layer > 31) {
                return Err(Error::Range {
                    name: "layer",
                    value: value.into(),
                    least: 0,
                    most: 31,
                });
            }
            self.layers[a as usize] |= 1 << b;
            self.layers[b as usize] |= 1 << a;
        }
        Ok(self)
    }

    /// The error of a config that no world has.
    #[cold]
    fn fault(&self) -> Error {
        let range = ("capacity", self.capacity.into(), 1, sys::FXS_CAPACITY_MAX.into());
        layers_fault(&self.layers)
            .unwrap_or_else(|| fault(sys::FXS_E_CONFIG, "hit_when", self.hit_when as i64, &[range]))
    }

    #[cfg(feature = "serde")]
    pub(crate) fn check(&self) -> Result<(), Error> {
        // SAFETY: a valid structure.
        if unsafe { sys::fxs_world_size(&self.raw()) } == 0 { Err(self.fault()) } else { Ok(()) }
    }

    pub(crate) fn raw(&self) -> sys::fxs_config {
        let Self { capacity, hit_capacity, hit_when, layers } = *self;
        sys::fxs_config { capacity, hit_capacity, hit_when: hit_when as u32, layers }
    }
}

/// The error of a layer matrix in which a layer meets one that does not meet it.
fn layers_fault(masks: &[u32; 32]) -> Option<Error> {
    let meets = |i: usize, j: usize| masks[i] >> j & 1;
    let odd = (0..32).find(|&i| (0..32).any(|j| meets(i, j) != meets(j, i)))?;
    Some(fault(sys::FXS_E_CONFIG, "layer", odd as i64, &[]))
}

/// How much a step found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Hits of this step.
    pub hits: u64,
    /// Events of this step.
    pub events: u64,
}

/// Colliders by id, and their hits. Calls that only read take `&self`, so threads can share a
/// world for them; queries and casts sort inside, and take `&mut self`.
///
/// ```
/// use fixsync::*;
///
/// let ball = Shape::Sphere { radius: q!(1) };
/// let mut world = World::new(Config::new(8))?;
/// world.add_many(&[Collider::new(1, ball), Collider::new(2, ball).at([q!(3), 0, 0])])?;
/// world.move_to(1, [q!(2), 0, 0])?;
/// world.turn(1, degrees!(90))?;
/// world.set_pose(1, Pose::at([q!(2), 0, 0]))?;
/// world.set_shape(2, &ball)?;
/// world.set_offset(2, [0; 3])?;
/// world.set_owner(2, 7)?;
/// world.set_layer(2, 1)?;
/// world.set_active(2, true)?;
/// world.move_many(&[1], &[[q!(2), 0, 0]])?;
/// world.set_layers(&[u32::MAX; 32])?;
///
/// let (mut events, mut hits, mut ids) = (Events::new(), Vec::<Hit>::new(), Vec::new());
/// assert_eq!(world.step(&mut events)?, Counts { hits: 1, events: 1 });
/// world.hits(&mut hits)?;
/// assert_eq!((hits[0].a, hits[0].b, hits[0].contact()), (1, 2, Contact::Overlapping));
/// assert_eq!((world.frame(), world.len(), world.hit_count()), (1, 2, 1));
/// world.ids(&mut ids)?;
/// assert_eq!((ids, world.colliders()?[1].owner), (vec![1, 2], 7));
///
/// assert_eq!(world.contact(1, 2)?, Contact::Overlapping);
/// assert_eq!(world.push_out(1, 2)?, [-q!(1), 0]);
/// assert!(world.lift(1, 2)? > 0);
/// assert_eq!(world.outline(1, None)?.outer.len(), OUTLINE_SEGMENTS as usize);
/// let mut moved: Vec<Moved> = Vec::new();
/// world.separate(&[u32::MAX; 32], 4, &mut moved)?;
/// assert_eq!(moved.len(), 2);
///
/// let saved = world.save(); // a snapshot; peers compare its hash
/// assert_eq!((world.save_size(), world.capacity()), (saved.len() as u64, 8));
/// let copy = world.clone();
/// world.remove(1)?;
/// world.load(&saved)?;
/// assert_eq!(world.hash(), copy.hash());
/// # Ok::<(), fixsync::Error>(())
/// ```
pub struct World {
    memory: Memory,
    capacity: u32,
    level: Option<Arc<Level>>,
}

impl World {
    /// An empty world.
    #[doc = errors!(fxs_world_init Memory)]
    #[doc(alias = "fxs_world_size")]
    #[doc(alias = "fxs_world_init")]
    pub fn new(config: Config) -> Result<Self, Error> {
        let raw = config.raw();
        // SAFETY: a valid structure, and memory of the size for it.
        let memory = unsafe {
            let bytes = sys::fxs_world_size(&raw const raw);
            Memory::holding(bytes, |at| sys::fxs_world_init(at, &raw const raw), || config.fault())?
        };
        Ok(Self { memory, capacity: config.capacity, level: None })
    }

    /// An empty world in a level.
    #[doc = errors!(fxs_world_attach Memory)]
    #[doc(alias = "fxs_world_attach")]
    pub fn in_level(config: Config, level: Arc<Level>) -> Result<Self, Error> {
        let mut world = Self::new(config)?;
        world.attach(Some(level))?;
        Ok(world)
    }

    fn attach(&mut self, level: Option<Arc<Level>>) -> Result<(), Error> {
        let at = level.as_ref().map_or(core::ptr::null(), |level| level.as_ptr());
        // SAFETY: the level stays where it is as long as the world has its Arc.
        let status = unsafe { sys::fxs_world_attach(self.as_mut_ptr(), at) };
        done(status, || fault(status, "level", 0, &[]))?;
        self.level = level;
        Ok(())
    }

    /// For calls of [`sys`].
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const sys::fxs_world {
        self.memory.as_ptr()
    }

    /// For calls of [`sys`].
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut sys::fxs_world {
        self.memory.as_mut_ptr()
    }

    // ---- its state ----

    /// Its level.
    #[must_use]
    pub fn level(&self) -> Option<&Arc<Level>> {
        self.level.as_ref()
    }

    /// Ids are 0..capacity.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Steps taken, modulo 2^32.
    #[doc(alias = "fxs_world_frame")]
    #[must_use]
    pub fn frame(&self) -> u32 {
        // SAFETY: a world.
        unsafe { sys::fxs_world_frame(self.as_ptr()) }
    }

    /// Number of colliders.
    #[doc(alias = "fxs_world_count")]
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: a world.
        unsafe { sys::fxs_world_count(self.as_ptr()) as usize }
    }

    /// Whether it has no collider.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The config as it is now.
    #[doc(alias = "fxs_world_config")]
    pub fn config(&self) -> Config {
        let mut raw = sys::fxs_config::default();
        // SAFETY: a world.
        unsafe { sys::fxs_world_config(self.as_ptr(), &raw mut raw) };
        let sys::fxs_config { capacity, hit_capacity, hit_when, layers } = raw;
        Config { capacity, hit_capacity, hit_when: Contact::of(hit_when), layers }
    }

    /// A collider.
    #[doc = errors!(fxs_world_get)]
    #[doc(alias = "fxs_world_get")]
    #[inline]
    pub fn get(&self, id: u32) -> Result<Collider, Error> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: a world.
        let status = unsafe { sys::fxs_world_get(self.as_ptr(), id, raw.as_mut_ptr()) };
        done(status, || self.fault(status, id))?;
        // SAFETY: the call wrote the row.
        Ok(Collider::of(unsafe { raw.assume_init_ref() }))
    }

    /// The ids, ascending.
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_world_ids")]
    pub fn ids(&self, ids: &mut Vec<u32>) -> Result<(), Error> {
        ids.clear();
        // SAFETY: the call writes all of them.
        unsafe { append(ids, self.len() as u64, |to| sys::fxs_world_ids(self.as_ptr(), to)) }
    }

    /// All colliders, ascending by id.
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_world_colliders")]
    pub fn colliders(&self) -> Result<Vec<Collider>, Error> {
        let mut rows = Vec::new();
        let (world, count) = (self.as_ptr(), self.len() as u64);
        // SAFETY: the call writes all of them.
        unsafe { append(&mut rows, count, |to| sys::fxs_world_colliders(world, to))? };
        Ok(rows.iter().map(Collider::of).collect())
    }

    /// The error of a status for an id.
    #[cold]
    pub(crate) fn fault(&self, status: i32, id: u32) -> Error {
        let range = [("id", id.into(), 0, i64::from(self.capacity) - 1)];
        fault(status, "id", id.into(), if self.has_solid(id) { &[] } else { &range })
    }

    fn has_solid(&self, id: u32) -> bool {
        self.level.as_ref().is_some_and(|level| (id.wrapping_sub(LEVEL) as usize) < level.len())
    }

    /// The error of a status for a collider.
    #[cold]
    fn collider_fault(&self, status: i32, id: u32, layer: u32, shape: &Shape) -> Error {
        match status {
            sys::FXS_E_LAYER => {
                Error::Range { name: "layer", value: layer.into(), least: 0, most: 31 }
            }
            sys::FXS_E_KIND | sys::FXS_E_SIZE | sys::FXS_E_HALF_ANGLE => shape.fault(status),
            _ => self.fault(status, id),
        }
    }

    // ---- changes ----

    /// A change of one collider.
    #[inline]
    fn change(
        &mut self,
        id: u32,
        call: impl FnOnce(*mut sys::fxs_world) -> i32,
    ) -> Result<(), Error> {
        let status = call(self.as_mut_ptr());
        done(status, || self.fault(status, id))
    }

    /// Adds a collider.
    #[doc = errors!(fxs_world_add)]
    #[doc(alias = "fxs_world_add")]
    pub fn add(&mut self, collider: &Collider) -> Result<(), Error> {
        let Collider { id, layer, shape, .. } = collider;
        // SAFETY: a world and a row.
        let status = unsafe { sys::fxs_world_add(self.as_mut_ptr(), &collider.raw()) };
        done(status, || self.collider_fault(status, *id, *layer, shape))
    }

    /// Adds all colliders, or none.
    #[doc = errors!(fxs_world_add_many Row)]
    #[doc(alias = "fxs_world_add_many")]
    pub fn add_many(&mut self, colliders: &[Collider]) -> Result<(), Error> {
        let rows: Vec<_> = colliders.iter().map(Collider::raw).collect();
        let (world, n, mut bad) = (self.as_mut_ptr(), rows.len() as u64, 0);
        // SAFETY: a world, and so many rows.
        let status = unsafe { sys::fxs_world_add_many(world, rows.as_ptr(), n, &raw mut bad) };
        done(status, || {
            row_fault(status, bad, colliders, |Collider { id, layer, shape, .. }| {
                self.collider_fault(status, *id, *layer, shape)
            })
        })
    }

    /// Removes a collider.
    #[doc = errors!(fxs_world_remove)]
    #[doc(alias = "fxs_world_remove")]
    pub fn remove(&mut self, id: u32) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_remove(world, id) })
    }

    /// Changes the position of a collider.
    #[doc = errors!(fxs_world_move)]
    #[doc(alias = "fxs_world_move")]
    #[inline]
    pub fn move_to(&mut self, id: u32, [x, y, z]: [i32; 3]) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_move(world, id, x, y, z) })
    }

    /// Changes the positions of all these colliders, or of none.
    #[doc = errors!(fxs_world_move_many Row Lengths)]
    #[doc(alias = "fxs_world_move_many")]
    pub fn move_many(&mut self, ids: &[u32], positions: &[[i32; 3]]) -> Result<(), Error> {
        let (n, must) = (ids.len() as u64, ids.len());
        if positions.len() != must {
            return Err(Error::Lengths { name: "positions", value: positions.len(), must });
        }
        let (mut bad, world, to) = (0, self.as_mut_ptr(), positions.as_ptr().cast());
        // SAFETY: a world, and so many rows.
        let status = unsafe { sys::fxs_world_move_many(world, ids.as_ptr(), to, n, &raw mut bad) };
        done(status, || row_fault(status, bad, ids, |id| self.fault(status, *id)))
    }

    /// Changes the yaw of a collider, which also turns its offset.
    #[doc = errors!(fxs_world_turn)]
    #[doc(alias = "fxs_world_turn")]
    #[inline]
    pub fn turn(&mut self, id: u32, yaw: Yaw) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_turn(world, id, yaw.0.into()) })
    }

    /// Changes position and yaw of a collider at once.
    #[doc = errors!(fxs_world_set_pose)]
    #[doc(alias = "fxs_world_set_pose")]
    #[inline]
    pub fn set_pose(&mut self, id: u32, pose: Pose) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_set_pose(world, id, &pose.raw()) })
    }

    /// Changes the shape of a collider.
    #[doc = errors!(fxs_world_set_shape)]
    #[doc(alias = "fxs_world_set_shape")]
    pub fn set_shape(&mut self, id: u32, shape: &Shape) -> Result<(), Error> {
        // SAFETY: a world.
        let status = unsafe { sys::fxs_world_set_shape(self.as_mut_ptr(), id, &shape.raw()) };
        done(status, || self.collider_fault(status, id, 0, shape))
    }

    /// Changes the offset of a collider's centre from its position.
    #[doc = errors!(fxs_world_set_offset)]
    #[doc(alias = "fxs_world_set_offset")]
    pub fn set_offset(&mut self, id: u32, [x, y, z]: [i32; 3]) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_set_offset(world, id, x, y, z) })
    }

    /// Changes the owner of a collider; 0: no owner.
    #[doc = errors!(fxs_world_set_owner)]
    #[doc(alias = "fxs_world_set_owner")]
    pub fn set_owner(&mut self, id: u32, owner: u32) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_set_owner(world, id, owner) })
    }

    /// Changes the layer of a collider.
    #[doc = errors!(fxs_world_set_layer)]
    #[doc(alias = "fxs_world_set_layer")]
    pub fn set_layer(&mut self, id: u32, layer: u32) -> Result<(), Error> {
        // SAFETY: a world.
        let status = unsafe { sys::fxs_world_set_layer(self.as_mut_ptr(), id, layer) };
        done(status, || self.collider_fault(status, id, layer, &Shape::Sphere { radius: 1 }))
    }

    /// Makes a collider active or not; an inactive one neither hits nor is found.
    #[doc = errors!(fxs_world_set_active)]
    #[doc(alias = "fxs_world_set_active")]
    pub fn set_active(&mut self, id: u32, active: bool) -> Result<(), Error> {
        // SAFETY: a world.
        self.change(id, |world| unsafe { sys::fxs_world_set_active(world, id, active.into()) })
    }

    /// Replaces the layer matrix, laid out as [`Config::layers`](Config#structfield.layers).
    #[doc = errors!(fxs_world_set_layers)]
    #[doc(alias = "fxs_world_set_layers")]
    pub fn set_layers(&mut self, masks: &[u32; 32]) -> Result<(), Error> {
        // SAFETY: a world.
        let status = unsafe { sys::fxs_world_set_layers(self.as_mut_ptr(), masks) };
        done(status, || layers_fault(masks).unwrap_or_else(|| fault(status, "layer", 0, &[])))
    }

    /// Makes all changes in order, or none: the commands of a frame in one call.
    #[doc = errors!(fxs_world_apply Row)]
    #[doc(alias = "fxs_world_apply")]
    #[inline]
    pub fn apply(&mut self, commands: &[Command]) -> Result<(), Error> {
        let (mut bad, world) = (0, self.as_mut_ptr());
        let (rows, n) = (commands.as_ptr().cast(), commands.len() as u64);
        // SAFETY: a world, and so many rows.
        let status = unsafe { sys::fxs_world_apply(world, rows, n, &raw mut bad) };
        done(status, || {
            row_fault(status, bad, commands, |command| {
                let shape = shape_row_of(&command.0.collider);
                self.collider_fault(status, command.0.collider.id, command.layer(), &shape)
            })
        })
    }

    // ---- a step ----

    /// Finds this frame's hits; `events` gets those since the last step, by (a, b).
    #[doc = errors!(fxs_world_step)]
    #[doc(alias = "fxs_world_step")]
    #[inline]
    pub fn step(&mut self, events: &mut Events) -> Result<Counts, Error> {
        events.clear();
        loop {
            let mut counts = sys::fxs_counts::default();
            let (to, room) = (events.as_mut_ptr().cast(), events.capacity() as u64);
            // SAFETY: a world, and so much room.
            let status =
                unsafe { sys::fxs_world_step(self.as_mut_ptr(), to, room, &raw mut counts) };
            if status == sys::FXS_OK {
                // SAFETY: the step wrote so many.
                unsafe { events.set_len(counts.events as usize) };
                return Ok(Counts { hits: counts.hits, events: counts.events });
            }
            reserve(events, counts.events)?;
            self.grow(counts.hits)?;
        }
    }

    /// Moves the world to memory with room for at least so many hits.
    #[cold]
    fn grow(&mut self, hits: u64) -> Result<(), Error> {
        let mut config = self.config();
        if hits <= config.hit_capacity.into() {
            return Ok(());
        }
        let bytes = hits.saturating_mul(12);
        let needed = u32::try_from(hits).map_err(|_| Error::Memory { bytes })?;
        config.hit_capacity = needed.max(config.hit_capacity.saturating_mul(2));
        let mut larger = Self::new(config)?;
        larger.copy_from(self)?;
        *self = larger;
        Ok(())
    }

    /// Takes the state and the level of a world of the same capacity.
    ///
    /// ```
    /// use fixsync::{Config, World};
    ///
    /// let (mut a, b) = (World::new(Config::new(8))?, World::new(Config::new(8))?);
    /// a.copy_from(&b)?;
    /// assert_eq!(a.hash(), b.hash());
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_world_copy)]
    #[doc(alias = "fxs_world_copy")]
    pub fn copy_from(&mut self, source: &World) -> Result<(), Error> {
        // SAFETY: two worlds.
        let copied = |to, from| unsafe { sys::fxs_world_copy(to, from) };
        let mut status = copied(self.as_mut_ptr(), source.as_ptr());
        if status == sys::FXS_E_ROOM {
            let hit_capacity = source.config().hit_capacity;
            let mut larger = Self::new(Config { hit_capacity, ..self.config() })?;
            status = copied(larger.as_mut_ptr(), source.as_ptr());
            if status == sys::FXS_OK {
                *self = larger;
            }
        }
        let must = i64::from(self.capacity);
        let range = ("capacity", i64::from(source.capacity), must, must);
        done(status, || fault(status, "capacity", must, &[range]))?;
        self.level.clone_from(&source.level);
        Ok(())
    }

    /// Number of hits of the last step.
    #[doc(alias = "fxs_world_hit_count")]
    #[must_use]
    pub fn hit_count(&self) -> u64 {
        // SAFETY: a world.
        unsafe { sys::fxs_world_hit_count(self.as_ptr()) }
    }

    /// The hits of the last step, by (a, b).
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_world_hits")]
    pub fn hits(&self, hits: &mut Vec<Hit>) -> Result<(), Error> {
        hits.clear();
        let (world, count) = (self.as_ptr(), self.hit_count());
        // SAFETY: the call writes all of them.
        unsafe { append(hits, count, |to| sys::fxs_world_hits(world, to.cast())) }
    }

    // ---- two colliders ----

    /// An answer about two colliders, or a collider and a solid.
    pub(crate) fn pair(
        &self,
        a: u32,
        b: u32,
        call: impl FnOnce(*const sys::fxs_world) -> i32,
    ) -> Result<u32, Error> {
        let status = call(self.as_ptr());
        let is_at_fault = |id| match self.get(id) {
            Ok(row) => status == sys::FXS_E_UNDEFINED && row.shape.is_area(),
            Err(_) => !self.has_solid(id),
        };
        answer(status, || self.fault(status, if is_at_fault(a) { a } else { b }))
    }

    /// The contact of two colliders, or of a collider and a solid; layers and owners do not matter.
    #[doc = errors!(fxs_world_contact)]
    #[doc(alias = "fxs_world_contact")]
    pub fn contact(&self, a: u32, b: u32) -> Result<Contact, Error> {
        // SAFETY: a world.
        let contact = self.pair(a, b, |world| unsafe { sys::fxs_world_contact(world, a, b) });
        contact.map(Contact::of)
    }

    /// The translation x, z of a that ends an overlap with b.
    #[doc = errors!(fxs_world_push_out)]
    #[doc(alias = "fxs_world_push_out")]
    pub fn push_out(&self, a: u32, b: u32) -> Result<[i32; 2], Error> {
        let mut out = [0; 2];
        // SAFETY: a world.
        self.pair(a, b, |world| unsafe { sys::fxs_world_push_out(world, a, b, &raw mut out) })?;
        Ok(out)
    }

    /// The shortest dy of a that ends an overlap with b.
    #[doc = errors!(fxs_world_lift)]
    #[doc(alias = "fxs_world_lift")]
    pub fn lift(&self, a: u32, b: u32) -> Result<i32, Error> {
        let mut out = 0;
        // SAFETY: a world.
        self.pair(a, b, |world| unsafe { sys::fxs_world_lift(world, a, b, &raw mut out) })?;
        Ok(out)
    }

    /// The face of b that [`push_out`](Self::push_out) moves a out of: of a box a [`Side`] as
    /// number, of a prism 1 + its edge; 0 for no push.
    #[doc = errors!(fxs_world_side)]
    #[doc(alias = "fxs_world_side")]
    pub fn side(&self, a: u32, b: u32) -> Result<u32, Error> {
        // SAFETY: a world.
        self.pair(a, b, |world| unsafe { sys::fxs_world_side(world, a, b) })
    }

    /// The outline of a collider or solid; see [`Shape::outline`].
    #[doc = errors!(fxs_world_outline)]
    #[doc(alias = "fxs_world_outline")]
    pub fn outline(&self, id: u32, segments: impl Into<Option<u32>>) -> Result<Outline, Error> {
        let world = self.as_ptr();
        // SAFETY: a world, and room as it is given.
        unsafe {
            Outline::of(
                segments.into(),
                |count, to, room, extent| {
                    sys::fxs_world_outline(world, id, count, to, room, extent)
                },
                |status| self.fault(status, id),
            )
        }
    }

    /// Pushes bodies that overlap apart, into walls and through them too; `moved` becomes those that moved, by id. Bit j of
    /// `yields[i]` lets a body of layer i give way to one of layer j.
    #[doc = errors!(fxs_world_separate)]
    #[doc(alias = "fxs_world_separate")]
    pub fn separate(
        &mut self,
        yields: &[u32; 32],
        passes: u32,
        moved: &mut Vec<Moved>,
    ) -> Result<(), Error> {
        let world = self.as_mut_ptr();
        // SAFETY: a world, and room as it is given.
        unsafe {
            filled(
                moved,
                |to, room, n| sys::fxs_world_separate(world, yields, passes, to.cast(), room, n),
                |status, id| self.fault(status, id as u32),
            )
        }
    }

    // ---- queries and casts ----

    /// The ids that a query meets, ascending.
    ///
    /// ```
    /// use fixsync::*;
    ///
    /// let ball = Shape::Sphere { radius: q!(1) };
    /// let mut world = World::new(Config::new(8))?;
    /// world.add(&Collider::new(1, ball).at([q!(4), 0, 0]))?;
    /// world.add(&Collider::new(2, ball).at([q!(3), 0, 0]))?;
    /// let (mut ids, mut ends, mut hits) = (Vec::new(), Vec::new(), Vec::<CastHit>::new());
    /// let query = Query::new(&ball, Pose::at([q!(2), 0, 0]));
    /// world.query(&query, &mut ids)?;
    /// assert_eq!(ids, [1, 2]);
    /// world.nearest(&query, 1, &mut ids)?;
    /// assert_eq!(ids, [2]);
    /// world.query_many(&[query; 2], &mut ends, &mut ids)?;
    /// world.nearest_many(&[query; 2], 1, &mut ends, &mut ids)?;
    /// assert_eq!((ends.as_slice(), ids.as_slice()), (&[1, 2][..], &[2, 2][..]));
    ///
    /// let cast = Cast::new(&ball, Pose::default(), [q!(8), 0, 0]);
    /// world.cast(&cast, &mut hits)?;
    /// assert_eq!((hits[0].id, hits[0].fraction), (2, 8192));
    /// world.cast_many(&[cast; 2], &mut ends, &mut hits)?;
    /// world.sweep(2, [q!(8), 0, 0], 0, None, &mut hits)?;
    /// assert_eq!((hits[0].id, hits[0].fraction), (1, 0));
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_world_query)]
    #[doc(alias = "fxs_world_query")]
    pub fn query(&mut self, query: &Query, ids: &mut Vec<u32>) -> Result<(), Error> {
        let (world, row) = (self.as_mut_ptr(), &query.0);
        // SAFETY: a world, a row, and room as it is given.
        unsafe {
            filled(
                ids,
                |to, room, n| sys::fxs_world_query(world, row, to, room, n),
                |status, _| query.fault(status),
            )
        }
    }

    /// The first `limit` (0: all) ids that a query meets, nearest first, without solids.
    #[doc = errors!(fxs_world_nearest)]
    #[doc(alias = "fxs_world_nearest")]
    pub fn nearest(&mut self, query: &Query, limit: u64, ids: &mut Vec<u32>) -> Result<(), Error> {
        let (world, row) = (self.as_mut_ptr(), &query.0);
        // SAFETY: a world, a row, and room as it is given.
        unsafe {
            filled(
                ids,
                |to, room, n| sys::fxs_world_nearest(world, row, limit, to, room, n),
                |status, _| query.fault(status),
            )
        }
    }

    /// Many queries: their answers one after another; `ends[i]` is the end of the i-th.
    #[doc = errors!(fxs_world_query_many Row)]
    #[doc(alias = "fxs_world_query_many")]
    pub fn query_many(
        &mut self,
        queries: &[Query],
        ends: &mut Vec<u64>,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (world, rows, n) = (self.as_mut_ptr(), queries.as_ptr().cast(), queries.len() as u64);
        // SAFETY: a world, so many rows, and room as it is given.
        unsafe {
            many(queries, ends, ids, Query::fault, |ends, to, room, count| {
                sys::fxs_world_query_many(world, rows, n, ends, to, room, count)
            })
        }
    }

    /// [`nearest`](Self::nearest) of many queries, laid out as by [`query_many`](Self::query_many).
    #[doc = errors!(fxs_world_nearest_many Row)]
    #[doc(alias = "fxs_world_nearest_many")]
    pub fn nearest_many(
        &mut self,
        queries: &[Query],
        limit: u64,
        ends: &mut Vec<u64>,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (world, rows, n) = (self.as_mut_ptr(), queries.as_ptr().cast(), queries.len() as u64);
        // SAFETY: a world, so many rows, and room as it is given.
        unsafe {
            many(queries, ends, ids, Query::fault, |ends, to, room, count| {
                sys::fxs_world_nearest_many(world, rows, n, limit, ends, to, room, count)
            })
        }
    }

    /// The hits of a cast, by (fraction, distance, id).
    #[doc = errors!(fxs_world_cast)]
    #[doc(alias = "fxs_world_cast")]
    pub fn cast(&mut self, cast: &Cast, hits: &mut Vec<CastHit>) -> Result<(), Error> {
        let (world, row) = (self.as_mut_ptr(), &cast.0);
        // SAFETY: a world, a row, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, n| sys::fxs_world_cast(world, row, to.cast(), room, n),
                |status, _| cast.fault(status),
            )
        }
    }

    /// Many casts: their answers one after another; `ends[i]` is the end of the i-th.
    #[doc = errors!(fxs_world_cast_many Row)]
    #[doc(alias = "fxs_world_cast_many")]
    pub fn cast_many(
        &mut self,
        casts: &[Cast],
        ends: &mut Vec<u64>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), Error> {
        let (world, rows, n) = (self.as_mut_ptr(), casts.as_ptr().cast(), casts.len() as u64);
        // SAFETY: a world, so many rows, and room as it is given.
        unsafe {
            many(casts, ends, hits, Cast::fault, |ends, to, room, count| {
                sys::fxs_world_cast_many(world, rows, n, ends, to.cast(), room, count)
            })
        }
    }

    /// A cast of a collider's own shape from its pose, at all that layers and owners let it hit.
    /// `hit_when` is the world's without one.
    #[doc = errors!(fxs_world_sweep)]
    #[doc(alias = "fxs_world_sweep")]
    pub fn sweep(
        &mut self,
        id: u32,
        motion: [i32; 3],
        limit: u32,
        hit_when: Option<Contact>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), Error> {
        let (world, when) = (self.as_mut_ptr(), Contact::or_0(hit_when));
        // SAFETY: a world, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, n| {
                    sys::fxs_world_sweep(
                        world,
                        id,
                        &raw const motion,
                        limit,
                        when,
                        to.cast(),
                        room,
                        n,
                    )
                },
                |status, _| cast_fault(status, &[motion], when, || self.fault(status, id)),
            )
        }
    }

    /// The pairs that meet while colliders move at once, each along its own motion: by (fraction,
    /// distance, a, b), at most `limit` of them (0: all). The motions ascend by id; all others stand
    /// still. The world does not change. `hit_when` is the world's without one.
    ///
    /// ```
    /// use fixsync::{Collider, Config, Motion, PairHit, Shape, World};
    ///
    /// let mut world = World::new(Config::new(8))?;
    /// let ball = Shape::Sphere { radius: 9 };
    /// world.add(&Collider::new(1, ball))?;
    /// world.add(&Collider::new(2, ball).at([500, 0, 400]))?;
    /// let motions = [
    ///     Motion { id: 1, motion: [1000, 0, 0] },
    ///     Motion { id: 2, motion: [0, 0, -800] },
    /// ];
    /// let mut hits = Vec::<PairHit>::new();
    /// world.sweep_pairs(&motions, 0, None, &mut hits)?;
    /// assert_eq!((hits[0].a, hits[0].b), (1, 2));
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_world_sweep_pairs)]
    #[doc(alias = "fxs_world_sweep_pairs")]
    pub fn sweep_pairs(
        &mut self,
        motions: &[Motion],
        limit: u32,
        hit_when: Option<Contact>,
        hits: &mut Vec<PairHit>,
    ) -> Result<(), Error> {
        let (world, when) = (self.as_mut_ptr(), Contact::or_0(hit_when));
        let (rows, n) = (motions.as_ptr().cast(), motions.len() as u64);
        // SAFETY: a world, so many rows, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, count| {
                    sys::fxs_world_sweep_pairs(world, rows, n, when, limit, to.cast(), room, count)
                },
                |status, bad| match motions.get(bad as usize) {
                    Some(row) if status == sys::FXS_E_ORDER => {
                        let before = motions[..bad as usize].last().map_or(0, |row| row.id);
                        let (least, most) = (i64::from(before) + 1, i64::from(self.capacity) - 1);
                        Error::Range { name: "next id", value: row.id.into(), least, most }
                    }
                    Some(row) => {
                        cast_fault(status, &[row.motion], when, || self.fault(status, row.id))
                    }
                    None => cast_fault(status, &[], when, || self.fault(status, 0)),
                },
            )
        }
    }

    // ---- state ----

    /// The whole state as bytes, the same on every machine.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.save_into(&mut bytes);
        bytes
    }

    /// Appends the whole state to bytes.
    ///
    /// ```
    /// use fixsync::{Config, World, hash64};
    ///
    /// let (world, mut bytes) = (World::new(Config::new(8))?, Vec::new());
    /// world.save_into(&mut bytes);
    /// assert_eq!(hash64(&bytes, 0), world.hash());
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc(alias = "fxs_world_save")]
    pub fn save_into(&self, bytes: &mut Vec<u8>) {
        let size = self.save_size() as usize;
        bytes.reserve(size);
        // SAFETY: a world, and room for its state.
        unsafe {
            sys::fxs_world_save(self.as_ptr(), bytes.as_mut_ptr().add(bytes.len()));
            bytes.set_len(bytes.len() + size);
        }
    }

    /// Bytes of the state as it is now.
    #[doc(alias = "fxs_world_save_size")]
    #[must_use]
    pub fn save_size(&self) -> u64 {
        // SAFETY: a world.
        unsafe { sys::fxs_world_save_size(self.as_ptr()) }
    }

    /// XXH64 of the saved state.
    #[doc(alias = "fxs_world_hash")]
    #[must_use]
    pub fn hash(&self) -> u64 {
        // SAFETY: a world.
        unsafe { sys::fxs_world_hash(self.as_ptr()) }
    }

    /// Replaces everything but capacity and level by a saved state, of a world with this level.
    #[doc = errors!(fxs_world_load)]
    #[doc(alias = "fxs_world_load")]
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), Error> {
        loop {
            let (mut at, world, size) = (0, self.as_mut_ptr(), bytes.len() as u64);
            // SAFETY: a world, and bytes.
            let status = unsafe { sys::fxs_world_load(world, bytes.as_ptr(), size, &raw mut at) };
            if status != sys::FXS_E_ROOM {
                return done(status, || bytes_fault("state", at, status));
            }
            self.grow(at)?;
        }
    }
}

/// A bulk call: the ends of all answers, and the answers.
///
/// # Safety
/// As for [`filled`], and the call writes an end for each row that is asked.
unsafe fn many<R, T>(
    asked: &[R],
    ends: &mut Vec<u64>,
    rows: &mut Vec<T>,
    error: impl FnOnce(&R, i32) -> Error,
    mut call: impl FnMut(*mut u64, *mut T, u64, &mut u64) -> i32,
) -> Result<(), Error> {
    ends.clear();
    reserve(ends, asked.len() as u64)?;
    let to = ends.as_mut_ptr();
    // SAFETY: as the caller says.
    unsafe {
        filled(
            rows,
            |rows, room, count| call(to, rows, room, count),
            |status, bad| row_fault(status, bad, asked, |row| error(row, status)),
        )?;
        ends.set_len(asked.len());
    }
    Ok(())
}

/// Another world with the same state, config and hash, in the same level, which both share. It
/// allocates; [`copy_from`](World::copy_from) reuses the memory of a world. Panics where memory
/// cannot be had.
impl Clone for World {
    fn clone(&self) -> Self {
        let cloned = Self::new(self.config()).and_then(|mut made| {
            made.copy_from(self)?;
            Ok(made)
        });
        cloned.unwrap_or_else(|error| panic!("{error}"))
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("World");
        shown.field("frame", &self.frame()).field("len", &self.len());
        shown.field("hash", &format_args!("{:016x}", self.hash())).finish_non_exhaustive()
    }
}
