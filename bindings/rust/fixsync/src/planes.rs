use crate::error::{answer, cast_fault, done, fault, row_fault};
use crate::memory::{filled, reserve};
use crate::*;
use alloc::vec::Vec;

/// The ground view of a hitbox: sizes in Q16.16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Ground {
    /// 1..=536870911.
    Circle {
        /// Its radius.
        radius: i32,
    },
    /// 1..=536870911 each.
    Rectangle {
        /// Half of its size along x.
        half_x: i32,
        /// Half of its size along z.
        half_z: i32,
    },
}

/// A hitbox of a beat-'em-up: a ground view from above and a side view. Two of them meet where both
/// views meet.
///
/// ```
/// use fixsync::{Contact, Ground, Hitbox, q};
///
/// let man = Hitbox::new(1, Ground::Circle { radius: q!(0.5) }, [q!(0.25), q!(1)]);
/// let kick = Hitbox { position: [q!(0.5), 0, 0], ..man };
/// assert_eq!(man.contact(&kick)?, Contact::Touching);
/// let near = Hitbox { position: [q!(0.25), 0, 0], ..man };
/// assert_eq!(near.push_out(&man)?, [q!(0.25), 0]);
/// assert_eq!(near.lift(&man)?, q!(2));
/// let far = Hitbox { position: [q!(4.5), 0, 0], ..man };
/// let met = man.cast([q!(8), 0, 0], &far, [0; 3], Contact::Touching)?;
/// assert_eq!(met.unwrap().0, 32768);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
pub struct Hitbox {
    /// Below the capacity of its [`TwoPlanes`].
    pub id: u32,
    /// From above.
    pub ground: Ground,
    /// `half_x` and `half_y`.
    pub side: [i32; 2],
    /// Of the centre of both views.
    pub position: [i32; 3],
    /// 0..=15.
    pub layer: u32,
    /// Hitboxes of one owner do not hit each other; 0: no owner.
    pub owner: u32,
    /// Whether it hits and is found.
    pub active: bool,
}

impl Hitbox {
    /// An active hitbox at the origin, on layer 0, without an owner.
    pub const fn new(id: u32, ground: Ground, side: [i32; 2]) -> Self {
        Self { id, ground, side, position: [0; 3], layer: 0, owner: 0, active: true }
    }

    fn raw(&self) -> sys::fxs_hitbox {
        let (kind, ground) = match self.ground {
            Ground::Circle { radius } => (sys::FXS_CYLINDER, [radius, 0]),
            Ground::Rectangle { half_x, half_z } => (sys::FXS_BOX, [half_x, half_z]),
        };
        let [x, y, z] = self.position;
        sys::fxs_hitbox {
            id: self.id,
            kind: kind as u8,
            layer: self.layer.min(255) as u8,
            active: self.active.into(),
            zero: 0,
            owner: self.owner,
            x,
            y,
            z,
            ground,
            side: self.side,
        }
    }

    fn of(raw: &sys::fxs_hitbox) -> Self {
        let [a, b] = raw.ground;
        let ground = match u32::from(raw.kind) {
            sys::FXS_CYLINDER => Ground::Circle { radius: a },
            _ => Ground::Rectangle { half_x: a, half_z: b },
        };
        Self {
            id: raw.id,
            ground,
            side: raw.side,
            position: [raw.x, raw.y, raw.z],
            layer: raw.layer.into(),
            owner: raw.owner,
            active: raw.active == 1,
        }
    }

    #[cold]
    fn fault(status: i32, raw: &sys::fxs_hitbox) -> Error {
        let size = |name, value: i32| (name, value.into(), 1, SIZE_MAX.into());
        let second = if u32::from(raw.kind) == sys::FXS_BOX { raw.ground[1] } else { 1 };
        let ranges = [
            size("ground size", raw.ground[0]),
            size("half_z", second),
            size("side half_x", raw.side[0]),
            size("side half_y", raw.side[1]),
        ];
        let is_size = matches!(status, sys::FXS_E_KIND | sys::FXS_E_SIZE);
        fault(status, "id", raw.id.into(), if is_size { &ranges } else { &[] })
    }

    #[cfg(feature = "serde")]
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.contact(self).map(drop)?;
        match self.layer {
            0..16 => Ok(()),
            layer => Err(layer_fault(layer)),
        }
    }

    #[cold]
    fn fault_with(&self, b: &Hitbox, status: i32) -> Error {
        // SAFETY: a valid structure twice.
        let own = unsafe { sys::fxs_hitbox_contact(&self.raw(), &self.raw()) };
        Self::fault(status, &if own < 0 { self.raw() } else { b.raw() })
    }

    /// The contact with another hitbox, exact.
    #[doc = errors!(fxs_hitbox_contact)]
    #[doc(alias = "fxs_hitbox_contact")]
    pub fn contact(&self, b: &Hitbox) -> Result<Contact, Error> {
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_hitbox_contact(&self.raw(), &b.raw()) };
        answer(status, || self.fault_with(b, status)).map(Contact::of)
    }

    /// The translation x, z of this hitbox that ends an overlap.
    #[doc = errors!(fxs_hitbox_push_out)]
    #[doc(alias = "fxs_hitbox_push_out")]
    pub fn push_out(&self, b: &Hitbox) -> Result<[i32; 2], Error> {
        let mut out = [0; 2];
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_hitbox_push_out(&self.raw(), &b.raw(), &raw mut out) };
        done(status, || self.fault_with(b, status)).map(|()| out)
    }

    /// The shortest dy of this hitbox that ends an overlap.
    #[doc = errors!(fxs_hitbox_lift)]
    #[doc(alias = "fxs_hitbox_lift")]
    pub fn lift(&self, b: &Hitbox) -> Result<i32, Error> {
        let mut out = 0;
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_hitbox_lift(&self.raw(), &b.raw(), &raw mut out) };
        done(status, || self.fault_with(b, status)).map(|()| out)
    }

    /// When two moving hitboxes first meet; see [`cast_pair`].
    #[doc = errors!(fxs_hitbox_cast_pair)]
    #[doc(alias = "fxs_hitbox_cast_pair")]
    pub fn cast(
        &self,
        motion: [i32; 3],
        b: &Hitbox,
        motion_b: [i32; 3],
        hit_when: Contact,
    ) -> Result<Option<(u32, [i32; 3])>, Error> {
        let (mut fraction, mut normal, when) = (0, [0; 3], hit_when as u32);
        let (a, other) = (self.raw(), b.raw());
        // SAFETY: valid structures.
        let status = unsafe {
            let (at, n) = (&mut fraction, &mut normal);
            sys::fxs_hitbox_cast_pair(
                &raw const a,
                &raw const motion,
                &raw const other,
                &raw const motion_b,
                when,
                at,
                n,
            )
        };
        let other = || self.fault_with(b, status);
        let met = answer(status, || cast_fault(status, &[motion, motion_b], when, other))?;
        Ok((met == 1).then_some((fraction as u32, normal)))
    }
}

/// One change of a world of hitboxes. [`TwoPlanes`] has an example.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct PlanesCommand(sys::fxs_planes_command);

impl PlanesCommand {
    fn with(kind: u32, id: u32, change: impl FnOnce(&mut sys::fxs_hitbox)) -> Self {
        let mut hitbox = sys::fxs_hitbox { id, ..Default::default() };
        change(&mut hitbox);
        Self(sys::fxs_planes_command { r#type: kind, mask: 0, hitbox })
    }

    /// Adds a hitbox.
    pub fn add(hitbox: &Hitbox) -> Self {
        Self::with(sys::FXS_COMMAND_ADD, hitbox.id, |row| *row = hitbox.raw()).keeping(hitbox.layer)
    }

    /// Keeps a layer that its field is too small for, for the error: C does not read the mask, and
    /// of a change of the layer matrix not the id.
    fn keeping(mut self, layer: u32) -> Self {
        self.0.mask = layer;
        self
    }

    /// Removes a hitbox.
    pub fn remove(id: u32) -> Self {
        Self::with(sys::FXS_COMMAND_REMOVE, id, |_| {})
    }

    /// Changes a position.
    pub fn move_to(id: u32, position: [i32; 3]) -> Self {
        Self::with(sys::FXS_COMMAND_MOVE, id, |row| [row.x, row.y, row.z] = position)
    }

    /// Changes both views to those of another hitbox.
    pub fn set_hitbox(id: u32, hitbox: &Hitbox) -> Self {
        let views = Hitbox::new(id, hitbox.ground, hitbox.side);
        Self::with(sys::FXS_COMMAND_SHAPE, id, |row| *row = views.raw())
    }

    /// Changes an owner.
    pub fn set_owner(id: u32, owner: u32) -> Self {
        Self::with(sys::FXS_COMMAND_OWNER, id, |row| row.owner = owner)
    }

    /// Changes a layer.
    pub fn set_layer(id: u32, layer: u32) -> Self {
        Self::with(sys::FXS_COMMAND_LAYER, id, |row| row.layer = layer.min(255) as u8)
            .keeping(layer)
    }

    /// Makes a hitbox active or not.
    pub fn set_active(id: u32, active: bool) -> Self {
        Self::with(sys::FXS_COMMAND_ACTIVE, id, |row| row.active = active.into())
    }

    /// Sets which layers (0..=15) one layer meets.
    pub fn set_layers(layer: u32, mask: u16) -> Self {
        let mut row = Self::set_layer(layer, layer);
        (row.0.r#type, row.0.mask) = (sys::FXS_COMMAND_LAYERS, mask.into());
        row
    }

    fn layer(&self) -> u32 {
        match (self.0.hitbox.layer, self.0.r#type) {
            (255, sys::FXS_COMMAND_LAYERS) => self.0.hitbox.id,
            (255, _) => self.0.mask,
            (layer, _) => layer.into(),
        }
    }

    /// What it changes, to match on.
    #[must_use]
    pub fn kind(&self) -> PlanesCommandKind {
        let sys::fxs_planes_command { r#type: kind, mask, hitbox: row } = &self.0;
        let (id, layer) = (row.id, self.layer());
        let hitbox = Hitbox { layer, ..Hitbox::of(row) };
        let Hitbox { ground, side, position, owner, active, .. } = hitbox;
        match *kind {
            sys::FXS_COMMAND_ADD => PlanesCommandKind::Add(hitbox),
            sys::FXS_COMMAND_REMOVE => PlanesCommandKind::Remove { id },
            sys::FXS_COMMAND_MOVE => PlanesCommandKind::MoveTo { id, position },
            sys::FXS_COMMAND_SHAPE => PlanesCommandKind::SetHitbox { id, ground, side },
            sys::FXS_COMMAND_OWNER => PlanesCommandKind::SetOwner { id, owner },
            sys::FXS_COMMAND_LAYER => PlanesCommandKind::SetLayer { id, layer },
            sys::FXS_COMMAND_ACTIVE => PlanesCommandKind::SetActive { id, active },
            _ => PlanesCommandKind::SetLayers { layer, mask: *mask as u16 },
        }
    }
}

impl core::fmt::Debug for PlanesCommand {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.kind().fmt(f)
    }
}

/// What a [`PlanesCommand`] changes.
///
/// ```
/// use fixsync::{PlanesCommand, PlanesCommandKind};
///
/// let row = PlanesCommand::set_owner(7, 2);
/// assert_eq!(row.kind(), PlanesCommandKind::SetOwner { id: 7, owner: 2 });
/// assert_eq!(PlanesCommand::from(row.kind()), row);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)] // the fields are the arguments of the functions of those names
pub enum PlanesCommandKind {
    /// [`PlanesCommand::add`].
    Add(Hitbox),
    /// [`PlanesCommand::remove`].
    Remove { id: u32 },
    /// [`PlanesCommand::move_to`].
    MoveTo { id: u32, position: [i32; 3] },
    /// [`PlanesCommand::set_hitbox`].
    SetHitbox { id: u32, ground: Ground, side: [i32; 2] },
    /// [`PlanesCommand::set_owner`].
    SetOwner { id: u32, owner: u32 },
    /// [`PlanesCommand::set_layer`].
    SetLayer { id: u32, layer: u32 },
    /// [`PlanesCommand::set_active`].
    SetActive { id: u32, active: bool },
    /// [`PlanesCommand::set_layers`].
    SetLayers { layer: u32, mask: u16 },
}

impl From<PlanesCommandKind> for PlanesCommand {
    fn from(kind: PlanesCommandKind) -> Self {
        match kind {
            PlanesCommandKind::Add(hitbox) => Self::add(&hitbox),
            PlanesCommandKind::Remove { id } => Self::remove(id),
            PlanesCommandKind::MoveTo { id, position } => Self::move_to(id, position),
            PlanesCommandKind::SetHitbox { id, ground, side } => {
                Self::set_hitbox(id, &Hitbox::new(id, ground, side))
            }
            PlanesCommandKind::SetOwner { id, owner } => Self::set_owner(id, owner),
            PlanesCommandKind::SetLayer { id, layer } => Self::set_layer(id, layer),
            PlanesCommandKind::SetActive { id, active } => Self::set_active(id, active),
            PlanesCommandKind::SetLayers { layer, mask } => Self::set_layers(layer, mask),
        }
    }
}

/// A cast into a world of hitboxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
pub struct HitboxCast {
    /// Views and position are read.
    pub hitbox: Hitbox,
    /// Its motion.
    pub motion: [i32; 3],
    /// Bit i (0..=15): look at layer i.
    pub mask: u32,
    /// Leave out hitboxes of this owner; 0: leave out none.
    pub exclude_owner: u32,
    /// The first so many hits alone; 0: all.
    pub limit: u32,
    /// The least contact that is a hit; the world's without one.
    pub hit_when: Option<Contact>,
}

/// A world of hitboxes. Step, save and record it as any world, and change it with
/// [`apply`](Self::apply).
///
/// ```
/// use fixsync::*;
///
/// let mut planes = TwoPlanes::new(Config::new(16))?;
/// let man = Hitbox::new(1, Ground::Circle { radius: q!(0.5) }, [q!(0.25), q!(1)]);
/// let ground = Ground::Rectangle { half_x: q!(0.75), half_z: q!(0.25) };
/// let kick = Hitbox { position: [q!(1), 0, 0], ..Hitbox::new(2, ground, [q!(0.75), q!(0.25)]) };
/// planes.apply(&[
///     PlanesCommand::add(&man),
///     PlanesCommand::add(&kick),
///     PlanesCommand::add(&Hitbox { id: 3, ..man }),
///     PlanesCommand::move_to(2, [q!(1), q!(0.5), 0]),
///     PlanesCommand::set_owner(1, 1),
///     PlanesCommand::set_layer(2, 3),
///     PlanesCommand::set_active(2, true),
///     PlanesCommand::set_hitbox(1, &man),
///     PlanesCommand::set_layers(3, 0xffff),
///     PlanesCommand::remove(3),
/// ])?;
/// let (mut events, mut hits, mut ids, mut met) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
/// planes.step(&mut events)?;
/// assert_eq!((events[0].a, events[0].b), (1, 2));
/// planes.hits(&mut hits)?;
/// assert_eq!((hits.len(), planes.get(1)?.owner), (1, 1));
/// planes.query(&kick, 0xffff, 0, None, &mut ids)?;
/// assert_eq!(ids, [1, 2]);
/// let cast = HitboxCast {
///     hitbox: kick, motion: [q!(1), 0, 0], mask: 1, exclude_owner: 0, limit: 0, hit_when: None,
/// };
/// planes.cast(&cast, &mut met)?;
/// planes.sweep(2, [q!(1), 0, 0], 0, None, &mut met)?;
/// assert_eq!((met[0].id, met[0].fraction, planes.rows().len()), (1, 0, 20));
/// let saved = planes.world().save();
/// planes.load(&saved)?;
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TwoPlanes {
    world: World,
    rows: Vec<Command>,
    events: Events,
}

impl TwoPlanes {
    /// An empty world for hitboxes of ids 0..capacity, on layers 0..=15.
    #[doc = errors!(fxs_planes_config)]
    #[doc(alias = "fxs_planes_config")]
    pub fn new(mut config: Config) -> Result<Self, Error> {
        for (layer, mask) in config.layers.iter_mut().enumerate() {
            *mask = if layer < 16 { *mask & 0xffff } else { 0 };
        }
        let mut raw = config.raw();
        let from = raw;
        // SAFETY: valid structures.
        let status = unsafe { sys::fxs_planes_config(&raw const from, &raw mut raw) };
        let range = ("capacity", i64::from(config.capacity), 1, 1 << 30);
        done(status, || fault(status, "layers", 0, &[range]))?;
        let (capacity, layers) = (raw.capacity, raw.layers);
        let world = World::new(Config { capacity, layers, ..config })?;
        Ok(Self { world, rows: Vec::new(), events: Vec::new() })
    }

    /// The world: each hitbox is two colliders of it.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Replaces everything but the capacity by a saved state.
    #[doc = errors!(fxs_world_load)]
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.world.load(bytes)
    }

    /// The commands that the world took in the last [`apply`](Self::apply), for a recorder.
    pub fn rows(&self) -> &[Command] {
        &self.rows
    }

    #[cold]
    fn fault(&self, status: i32, id: u32) -> Error {
        let most = i64::from(self.world.capacity() / 2) - 1;
        fault(status, "id", id.into(), &[("id", id.into(), 0, most)])
    }

    /// Makes all changes in order, or none.
    #[doc = errors!(fxs_planes_apply Row Memory)]
    #[doc(alias = "fxs_planes_apply")]
    pub fn apply(&mut self, commands: &[PlanesCommand]) -> Result<(), Error> {
        self.rows.clear();
        let (from, n, mut bad) = (commands.as_ptr().cast(), commands.len() as u64, 0);
        reserve(&mut self.rows, 2 * n)?;
        let (world, to) = (self.world.as_mut_ptr(), self.rows.as_mut_ptr().cast());
        // SAFETY: a world, so many rows, and room for twice as many.
        let status = unsafe { sys::fxs_planes_apply(world, from, n, to, &raw mut bad) };
        done(status, || {
            row_fault(status, bad, commands, |row| match status {
                sys::FXS_E_LAYER => layer_fault(row.layer()),
                sys::FXS_E_KIND | sys::FXS_E_SIZE => Hitbox::fault(status, &row.0.hitbox),
                _ => self.fault(status, row.0.hitbox.id),
            })
        })?;
        // SAFETY: the call wrote two of each.
        unsafe { self.rows.set_len(2 * commands.len()) };
        Ok(())
    }

    /// Finds this frame's hits; `events` becomes those of hitboxes, by (a, b).
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_planes_events")]
    pub fn step(&mut self, events: &mut Events) -> Result<(), Error> {
        self.world.step(&mut self.events)?;
        events.clear();
        let n = self.events.len() as u64;
        reserve(events, n)?;
        let (world, from, mut count) = (self.world.as_ptr(), self.events.as_ptr().cast(), 0);
        // SAFETY: a world, n rows, and room for as many.
        let status = unsafe {
            sys::fxs_planes_events(world, from, n, events.as_mut_ptr().cast(), &raw mut count)
        };
        done(status, || fault(status, "events", n as i64, &[]))?;
        // SAFETY: the call wrote so many.
        unsafe { events.set_len(count as usize) };
        Ok(())
    }

    /// The hits of the last step, by (a, b).
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_planes_hits")]
    pub fn hits(&self, hits: &mut Vec<Hit>) -> Result<(), Error> {
        hits.clear();
        reserve(hits, self.world.hit_count())?;
        // SAFETY: a world, and room for all its hits.
        unsafe {
            let count = sys::fxs_planes_hits(self.world.as_ptr(), hits.as_mut_ptr().cast());
            hits.set_len(count as usize);
        }
        Ok(())
    }

    /// A hitbox.
    #[doc = errors!(fxs_planes_get)]
    #[doc(alias = "fxs_planes_get")]
    pub fn get(&self, id: u32) -> Result<Hitbox, Error> {
        let mut raw = sys::fxs_hitbox::default();
        // SAFETY: a world.
        let status = unsafe { sys::fxs_planes_get(self.world.as_ptr(), id, &raw mut raw) };
        done(status, || self.fault(status, id)).map(|()| Hitbox::of(&raw))
    }

    /// The ids of the hitboxes that a query meets, ascending. `mask`: bit i (0..=15) is layer i.
    /// `hit_when`: the least contact; the world's without one.
    #[doc = errors!(fxs_planes_query)]
    #[doc(alias = "fxs_planes_query")]
    pub fn query(
        &mut self,
        hitbox: &Hitbox,
        mask: u32,
        exclude_owner: u32,
        hit_when: Option<Contact>,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (world, raw) = (self.world.as_mut_ptr(), hitbox.raw());
        let least = Contact::or_0(hit_when);
        // SAFETY: a world, a row, and room as it is given.
        unsafe {
            filled(
                ids,
                |to, room, n| {
                    let raw = &raw const raw;
                    sys::fxs_planes_query(world, raw, mask, exclude_owner, least, to, room, n)
                },
                |status, _| mask_fault(status, mask, &raw),
            )
        }
    }

    /// The hits of a cast, by (fraction, distance, id).
    #[doc = errors!(fxs_planes_cast)]
    #[doc(alias = "fxs_planes_cast")]
    pub fn cast(&mut self, cast: &HitboxCast, hits: &mut Vec<CastHit>) -> Result<(), Error> {
        let HitboxCast { hitbox, motion, mask, exclude_owner, limit, hit_when } = *cast;
        let (hitbox, hit_when) = (hitbox.raw(), Contact::or_0(hit_when));
        let raw = sys::fxs_hitbox_cast { hitbox, motion, mask, exclude_owner, limit, hit_when };
        let world = self.world.as_mut_ptr();
        let other = |status| mask_fault(status, mask, &hitbox);
        // SAFETY: a world, a row, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, n| sys::fxs_planes_cast(world, &raw const raw, to.cast(), room, n),
                |status, _| cast_fault(status, &[motion], hit_when, || other(status)),
            )
        }
    }

    /// A cast of a hitbox of the world from its position, at all that layers and owners let it hit.
    #[doc = errors!(fxs_planes_sweep)]
    #[doc(alias = "fxs_planes_sweep")]
    pub fn sweep(
        &mut self,
        id: u32,
        motion: [i32; 3],
        limit: u32,
        hit_when: Option<Contact>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), Error> {
        let (world, when) = (self.world.as_mut_ptr(), Contact::or_0(hit_when));
        // SAFETY: a world, and room as it is given.
        unsafe {
            filled(
                hits,
                |to, room, n| {
                    sys::fxs_planes_sweep(
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
}

#[cold]
fn layer_fault(layer: u32) -> Error {
    Error::Range { name: "layer", value: layer.into(), least: 0, most: 15 }
}

#[cfg(feature = "serde")]
impl HitboxCast {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let hit_when = self.hit_when.unwrap_or(Contact::Touching);
        self.hitbox.cast(self.motion, &self.hitbox, [0; 3], hit_when)?;
        match u16::try_from(self.mask) {
            Ok(_) => Ok(()),
            Err(_) => Err(mask_fault(sys::FXS_E_RANGE, self.mask, &self.hitbox.raw())),
        }
    }
}

#[cfg(feature = "serde")]
impl PlanesCommandKind {
    pub(crate) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::SetHitbox { id, ground, side } => Hitbox::new(id, ground, side).check(),
            Self::SetLayer { layer, .. } | Self::SetLayers { layer, .. } if layer > 15 => {
                Err(layer_fault(layer))
            }
            _ => Ok(()), // a hitbox was checked when it was read
        }
    }
}

#[cold]
fn mask_fault(status: i32, mask: u32, hitbox: &sys::fxs_hitbox) -> Error {
    match status {
        sys::FXS_E_RANGE => {
            Error::Range { name: "mask", value: mask.into(), least: 0, most: 65535 }
        }
        _ => Hitbox::fault(status, hitbox),
    }
}
