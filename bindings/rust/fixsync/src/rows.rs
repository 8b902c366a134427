use crate::error::cast_fault;
use crate::{Contact, Error, Pose, Shape, Yaw, sys};
use alloc::vec::Vec;
use core::fmt;

/// A collider.
///
/// ```
/// use fixsync::{Collider, Shape, degrees, q};
///
/// let fist = Collider::new(7, Shape::Sphere { radius: q!(0.25) })
///     .at([q!(3), 0, 0])
///     .turned(degrees!(90))
///     .offset([q!(1), q!(1), 0])
///     .layer(2)
///     .owner(1)
///     .inactive();
/// assert_eq!((fist.id, fist.layer, fist.active), (7, 2, false));
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
pub struct Collider {
    /// Below the capacity of its world.
    pub id: u32,
    /// Its shape.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
    /// From its position to its centre; the yaw turns it.
    pub offset: [i32; 3],
    /// 0..=31.
    pub layer: u32,
    /// Colliders of one owner do not hit each other; 0: no owner.
    pub owner: u32,
    /// Whether it hits and is found.
    pub active: bool,
}

impl Collider {
    /// An active collider at the origin, on layer 0, without an owner.
    pub const fn new(id: u32, shape: Shape) -> Self {
        let pose = Pose::at([0; 3]);
        Self { id, shape, pose, offset: [0; 3], layer: 0, owner: 0, active: true }
    }

    /// The same at a position.
    pub const fn at(mut self, position: [i32; 3]) -> Self {
        self.pose.position = position;
        self
    }

    /// The same with a yaw.
    pub const fn turned(mut self, yaw: Yaw) -> Self {
        self.pose.yaw = yaw;
        self
    }

    /// The same with an offset.
    pub const fn offset(self, offset: [i32; 3]) -> Self {
        Self { offset, ..self }
    }

    /// The same on a layer.
    pub const fn layer(self, layer: u32) -> Self {
        Self { layer, ..self }
    }

    /// The same with an owner.
    pub const fn owner(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    /// The same, not active.
    pub const fn inactive(self) -> Self {
        Self { active: false, ..self }
    }

    #[cfg(feature = "serde")]
    pub(crate) fn check(&self) -> Result<(), Error> {
        check_layer(self.layer)
    }

    pub(crate) fn raw(&self) -> sys::fxs_collider {
        let mut raw = sys::fxs_collider { id: self.id, ..shape_row(&self.shape) };
        raw.layer = self.layer.min(255) as u8;
        raw.active = self.active.into();
        raw.yaw = self.pose.yaw.0;
        raw.owner = self.owner;
        [raw.x, raw.y, raw.z] = self.pose.position;
        [raw.ox, raw.oy, raw.oz] = self.offset;
        raw
    }

    #[inline]
    pub(crate) fn of(raw: &sys::fxs_collider) -> Self {
        // SAFETY: a field. It is read alone: C stores 16 bytes at once, and a read across two of
        // its stores waits until both are in memory, which takes as long as the whole call.
        let ox = unsafe { core::ptr::read_volatile(&raw const raw.ox) };
        Self {
            id: raw.id,
            shape: shape_row_of(raw),
            pose: Pose { position: [raw.x, raw.y, raw.z], yaw: Yaw(raw.yaw) },
            offset: [ox, raw.oy, raw.oz],
            layer: raw.layer.into(),
            owner: raw.owner,
            active: raw.active == 1,
        }
    }
}

/// One change of a world, for [`World::apply`](crate::World::apply), a history and a match log.
///
/// ```
/// use fixsync::{Collider, Command, Config, Pose, Shape, World, degrees};
///
/// let mut world = World::new(Config::new(8))?;
/// world.apply(&[
///     Command::add(&Collider::new(1, Shape::Sphere { radius: 9 })),
///     Command::move_to(1, [5, 0, 0]),
///     Command::turn(1, degrees!(45)),
///     Command::set_pose(1, Pose::at([6, 0, 0])),
///     Command::set_shape(1, &Shape::Sphere { radius: 8 }),
///     Command::set_offset(1, [0, 1, 0]),
///     Command::set_owner(1, 3),
///     Command::set_layer(1, 2),
///     Command::set_active(1, true),
///     Command::set_layers(2, 0b100), // layer 2 meets layer 2 alone
/// ])?;
/// let error = world.apply(&[Command::remove(1), Command::remove(1)]).unwrap_err();
/// assert_eq!(error.to_string(), "row 1: id 1: an id that is not in the world");
/// assert_eq!(world.get(1)?.pose.position, [6, 0, 0]);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Command(pub(crate) sys::fxs_command);

impl Command {
    #[inline]
    fn of(kind: u32, collider: sys::fxs_collider) -> Self {
        Self(sys::fxs_command { r#type: kind, mask: 0, collider })
    }

    #[inline]
    fn with(kind: u32, id: u32, change: impl FnOnce(&mut sys::fxs_collider)) -> Self {
        let mut row = sys::fxs_collider { id, ..Default::default() };
        change(&mut row);
        Self::of(kind, row)
    }

    /// Adds a collider.
    pub fn add(collider: &Collider) -> Self {
        let mut made = Self::of(sys::FXS_COMMAND_ADD, collider.raw());
        made.0.mask = collider.layer;
        made
    }

    /// The layer as it was given. Where the field of a row is too small for it, the mask has it,
    /// which C does not read, or of a change of the layer matrix the id.
    pub(crate) fn layer(&self) -> u32 {
        match (self.0.collider.layer, self.0.r#type) {
            (255, sys::FXS_COMMAND_LAYERS) => self.0.collider.id,
            (255, _) => self.0.mask,
            (layer, _) => layer.into(),
        }
    }

    /// Removes a collider.
    pub fn remove(id: u32) -> Self {
        Self::with(sys::FXS_COMMAND_REMOVE, id, |_| {})
    }

    /// Changes a position.
    #[inline]
    pub fn move_to(id: u32, position: [i32; 3]) -> Self {
        Self::with(sys::FXS_COMMAND_MOVE, id, |row| [row.x, row.y, row.z] = position)
    }

    /// Changes a yaw.
    #[inline]
    pub fn turn(id: u32, yaw: Yaw) -> Self {
        Self::with(sys::FXS_COMMAND_TURN, id, |row| row.yaw = yaw.0)
    }

    /// Changes position and yaw.
    #[inline]
    pub fn set_pose(id: u32, pose: Pose) -> Self {
        Self::with(sys::FXS_COMMAND_POSE, id, |row| {
            [row.x, row.y, row.z] = pose.position;
            row.yaw = pose.yaw.0;
        })
    }

    /// Changes a shape.
    pub fn set_shape(id: u32, shape: &Shape) -> Self {
        Self::of(sys::FXS_COMMAND_SHAPE, sys::fxs_collider { id, ..shape_row(shape) })
    }

    /// Changes an offset.
    pub fn set_offset(id: u32, offset: [i32; 3]) -> Self {
        Self::with(sys::FXS_COMMAND_OFFSET, id, |row| [row.ox, row.oy, row.oz] = offset)
    }

    /// Changes an owner.
    pub fn set_owner(id: u32, owner: u32) -> Self {
        Self::with(sys::FXS_COMMAND_OWNER, id, |row| row.owner = owner)
    }

    /// Changes a layer.
    pub fn set_layer(id: u32, layer: u32) -> Self {
        let mut made =
            Self::with(sys::FXS_COMMAND_LAYER, id, |row| row.layer = layer.min(255) as u8);
        made.0.mask = layer;
        made
    }

    /// Makes a collider active or not.
    #[inline]
    pub fn set_active(id: u32, active: bool) -> Self {
        Self::with(sys::FXS_COMMAND_ACTIVE, id, |row| row.active = active.into())
    }

    /// Sets which layers one layer meets: bit i of the mask is layer i.
    pub fn set_layers(layer: u32, mask: u32) -> Self {
        let mut row = Self::set_layer(layer, layer);
        (row.0.r#type, row.0.mask) = (sys::FXS_COMMAND_LAYERS, mask);
        row
    }

    /// What it changes, to match on.
    #[must_use]
    pub fn kind(&self) -> CommandKind {
        let sys::fxs_command { r#type: kind, mask, collider: row } = &self.0;
        let (id, layer) = (row.id, self.layer());
        let Collider { shape, pose, offset, owner, active, .. } = Collider::of(row);
        match *kind {
            sys::FXS_COMMAND_ADD => CommandKind::Add(Collider { layer, ..Collider::of(row) }),
            sys::FXS_COMMAND_REMOVE => CommandKind::Remove { id },
            sys::FXS_COMMAND_MOVE => CommandKind::MoveTo { id, position: pose.position },
            sys::FXS_COMMAND_TURN => CommandKind::Turn { id, yaw: pose.yaw },
            sys::FXS_COMMAND_POSE => CommandKind::SetPose { id, pose },
            sys::FXS_COMMAND_SHAPE => CommandKind::SetShape { id, shape },
            sys::FXS_COMMAND_OFFSET => CommandKind::SetOffset { id, offset },
            sys::FXS_COMMAND_OWNER => CommandKind::SetOwner { id, owner },
            sys::FXS_COMMAND_LAYER => CommandKind::SetLayer { id, layer },
            sys::FXS_COMMAND_ACTIVE => CommandKind::SetActive { id, active },
            _ => CommandKind::SetLayers { layer, mask: *mask },
        }
    }

    /// The row of C.
    #[must_use]
    pub fn raw(&self) -> &sys::fxs_command {
        &self.0
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// What a [`Command`] changes. A command itself is the row that the kernel takes.
///
/// ```
/// use fixsync::{Command, CommandKind};
///
/// let row = Command::move_to(7, [1, 2, 3]);
/// assert_eq!(row.kind(), CommandKind::MoveTo { id: 7, position: [1, 2, 3] });
/// assert_eq!(Command::from(row.kind()), row);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[allow(missing_docs)] // the fields are the arguments of the functions of those names
pub enum CommandKind {
    /// [`Command::add`].
    Add(Collider),
    /// [`Command::remove`].
    Remove { id: u32 },
    /// [`Command::move_to`].
    MoveTo { id: u32, position: [i32; 3] },
    /// [`Command::turn`].
    Turn { id: u32, yaw: Yaw },
    /// [`Command::set_pose`].
    SetPose { id: u32, pose: Pose },
    /// [`Command::set_shape`].
    SetShape { id: u32, shape: Shape },
    /// [`Command::set_offset`].
    SetOffset { id: u32, offset: [i32; 3] },
    /// [`Command::set_owner`].
    SetOwner { id: u32, owner: u32 },
    /// [`Command::set_layer`].
    SetLayer { id: u32, layer: u32 },
    /// [`Command::set_active`].
    SetActive { id: u32, active: bool },
    /// [`Command::set_layers`].
    SetLayers { layer: u32, mask: u32 },
}

impl From<CommandKind> for Command {
    fn from(kind: CommandKind) -> Self {
        match kind {
            CommandKind::Add(collider) => Self::add(&collider),
            CommandKind::Remove { id } => Self::remove(id),
            CommandKind::MoveTo { id, position } => Self::move_to(id, position),
            CommandKind::Turn { id, yaw } => Self::turn(id, yaw),
            CommandKind::SetPose { id, pose } => Self::set_pose(id, pose),
            CommandKind::SetShape { id, shape } => Self::set_shape(id, &shape),
            CommandKind::SetOffset { id, offset } => Self::set_offset(id, offset),
            CommandKind::SetOwner { id, owner } => Self::set_owner(id, owner),
            CommandKind::SetLayer { id, layer } => Self::set_layer(id, layer),
            CommandKind::SetActive { id, active } => Self::set_active(id, active),
            CommandKind::SetLayers { layer, mask } => Self::set_layers(layer, mask),
        }
    }
}

/// Kind of an [`Event`].
///
/// ```
/// assert_eq!(fixsync::Event::game(1, 2, 16, -5)?.kind(), fixsync::EventKind::Game(16));
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum EventKind {
    /// A hit now, not at the last step.
    Enter,
    /// A hit now and at the last step.
    Stay,
    /// A hit at the last step, not now.
    Exit,
    /// A game's own, of 16 and above.
    Game(u32),
}

/// A change of a pair, found by a step, or an event of the game's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Event {
    /// The lower id.
    pub a: u32,
    /// The higher id.
    pub b: u32,
    kind: u32,
    contact: u32,
}

/// The events of a step, by (a, b).
pub type Events = Vec<Event>;

impl Event {
    #[cfg(feature = "serde")]
    pub(crate) const fn of(a: u32, b: u32, kind: u32, contact: u32) -> Self {
        Self { a, b, kind, contact }
    }

    /// An event of the game, such as a KO; its kind is 16 or above.
    ///
    /// ```
    /// use fixsync::{Contact, Event};
    ///
    /// let ko = Event::game(1, 2, 16, -5)?;
    /// assert_eq!((ko.value(), ko.contact()), (-5, Contact::Apart));
    /// assert_eq!(ko.to_string(), "Game(16) 1 2 -5");
    /// assert!(Event::game(1, 2, 3, 0).is_err());
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(Range)]
    pub fn game(a: u32, b: u32, kind: u32, value: i32) -> Result<Self, Error> {
        let (least, most) = (sys::FXS_GAME_EVENT.into(), u32::MAX.into());
        if kind < sys::FXS_GAME_EVENT {
            return Err(Error::Range { name: "kind", value: kind.into(), least, most });
        }
        Ok(Self { a, b, kind, contact: value as u32 })
    }

    /// Its kind.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self.kind {
            sys::FXS_ENTER => EventKind::Enter,
            sys::FXS_STAY => EventKind::Stay,
            sys::FXS_EXIT => EventKind::Exit,
            kind => EventKind::Game(kind),
        }
    }

    /// The contact now; `Apart` for [`EventKind::Exit`] and of events of the game.
    #[inline]
    #[must_use]
    pub fn contact(&self) -> Contact {
        if self.kind < sys::FXS_GAME_EVENT { Contact::of(self.contact) } else { Contact::Apart }
    }

    /// The value of an event of the game.
    #[inline]
    #[must_use]
    pub fn value(&self) -> i32 {
        self.contact as i32
    }
}

/// "Enter 1 2 Overlapping"; of a game, with its value, "Game(16) 1 2 -5".
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} {} ", self.kind(), self.a, self.b)?;
        match self.kind() {
            EventKind::Game(_) => self.value().fmt(f),
            _ => write!(f, "{:?}", self.contact()),
        }
    }
}

/// "1 2 Overlapping".
impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.a, self.b, self.contact())
    }
}

/// A pair that was a hit at the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Hit {
    /// The lower id.
    pub a: u32,
    /// The higher id.
    pub b: u32,
    contact: u32,
}

impl Hit {
    #[cfg(feature = "serde")]
    pub(crate) const fn of(a: u32, b: u32, contact: Contact) -> Self {
        Self { a, b, contact: contact as u32 }
    }

    /// `Touching` or `Overlapping`.
    #[must_use]
    pub fn contact(&self) -> Contact {
        Contact::of(self.contact)
    }
}

/// A hit of a cast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct CastHit {
    /// Of the collider or solid.
    pub id: u32,
    /// 0..=65536 of the motion.
    pub fraction: u32,
    /// In Q2.30, from it towards the cast shape.
    pub normal: [i32; 3],
}

/// A collider and how it moves in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self"))]
#[repr(C)]
pub struct Motion {
    /// Of the collider.
    pub id: u32,
    /// In Q16.16, each component within -536870911..=536870911.
    pub motion: [i32; 3],
}

#[cfg(feature = "serde")]
impl Motion {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (still, ball) = (Pose::default(), Shape::Sphere { radius: 1 });
        let met = crate::cast_pair(
            (&ball, still, self.motion),
            (&ball, still, [0; 3]),
            Contact::Touching,
        );
        met.map(drop)
    }
}

/// Two that meet while they move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct PairHit {
    /// The lower id.
    pub a: u32,
    /// The higher id, which may be a solid's.
    pub b: u32,
    /// 0..=65536 of the motions.
    pub fraction: u32,
    /// In Q2.30, from b towards a.
    pub normal: [i32; 3],
}

/// A collider that [`World::separate`](crate::World::separate) moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Moved {
    /// Of the collider.
    pub id: u32,
    /// Where it is now.
    pub position: [i32; 3],
}

#[cfg(feature = "serde")]
pub(crate) fn check_layer(layer: u32) -> Result<(), Error> {
    match layer {
        0..32 => Ok(()),
        _ => Err(Error::Range { name: "layer", value: layer.into(), least: 0, most: 31 }),
    }
}

fn shape_row(shape: &Shape) -> sys::fxs_collider {
    let sys::fxs_shape { kind, half_angle, size } = shape.raw();
    let (kind, half_angle) = (kind as u8, half_angle as u16); // of an enum and of a Yaw
    sys::fxs_collider { kind, half_angle, size, ..Default::default() }
}

#[inline]
pub(crate) fn shape_row_of(raw: &sys::fxs_collider) -> Shape {
    Shape::of(raw.kind, raw.half_angle, raw.size)
}

pub(crate) fn shape_of(raw: &sys::fxs_shape) -> Shape {
    Shape::of(raw.kind as u8, raw.half_angle as u16, raw.size)
}

/// A query: a shape at a pose, and the colliders that it looks at.
///
/// ```
/// use fixsync::{Contact, Pose, Query, Shape};
///
/// let query = Query::new(&Shape::Sphere { radius: 9 }, Pose::default())
///     .mask(1)
///     .exclude_owner(7)
///     .hit_when(Contact::Overlapping);
/// assert_eq!(query.raw().mask, 1);
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Query(pub(crate) sys::fxs_query);

impl Query {
    /// A query of all layers and owners, with the least contact of the world.
    pub fn new(shape: &Shape, pose: Pose) -> Self {
        let (shape, pose) = (shape.raw(), pose.raw());
        Self(sys::fxs_query { shape, pose, mask: u32::MAX, ..Default::default() })
    }

    #[cold]
    pub(crate) fn fault(&self, status: i32) -> Error {
        let sys::fxs_query { shape, hit_when, .. } = &self.0;
        cast_fault(status, &[], *hit_when, || shape_of(shape).fault(status))
    }

    /// Of the layers of a mask alone: bit i is layer i.
    pub fn mask(mut self, mask: u32) -> Self {
        self.0.mask = mask;
        self
    }

    /// Without the colliders of an owner; 0 leaves out none.
    pub fn exclude_owner(mut self, owner: u32) -> Self {
        self.0.exclude_owner = owner;
        self
    }

    /// The least contact that counts. [`Level::query`](crate::Level::query) has its own.
    pub fn hit_when(mut self, contact: Contact) -> Self {
        self.0.hit_when = contact as u32;
        self
    }

    /// The row of C.
    #[must_use]
    pub fn raw(&self) -> &sys::fxs_query {
        &self.0
    }
}

/// A cast: a shape that moves straight, and the colliders that it looks at.
///
/// ```
/// use fixsync::{Cast, Contact, Pose, Shape};
///
/// let cast = Cast::new(&Shape::Sphere { radius: 9 }, Pose::default(), [100, 0, 0])
///     .mask(1)
///     .exclude_owner(7)
///     .limit(1)
///     .hit_when(Contact::Overlapping);
/// assert_eq!(cast.raw().motion, [100, 0, 0]);
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Cast(pub(crate) sys::fxs_cast);

impl Cast {
    /// A cast at all layers and owners, with all its hits, as the world defines them.
    pub fn new(shape: &Shape, pose: Pose, motion: [i32; 3]) -> Self {
        let (shape, pose) = (shape.raw(), pose.raw());
        Self(sys::fxs_cast { shape, pose, motion, mask: u32::MAX, ..Default::default() })
    }

    #[cold]
    pub(crate) fn fault(&self, status: i32) -> Error {
        let sys::fxs_cast { shape, motion, hit_when, .. } = &self.0;
        cast_fault(status, &[*motion], *hit_when, || shape_of(shape).fault(status))
    }

    /// At the layers of a mask alone: bit i is layer i.
    pub fn mask(mut self, mask: u32) -> Self {
        self.0.mask = mask;
        self
    }

    /// Without the colliders of an owner; 0 leaves out none.
    pub fn exclude_owner(mut self, owner: u32) -> Self {
        self.0.exclude_owner = owner;
        self
    }

    /// The first so many hits alone; 0: all.
    pub fn limit(mut self, limit: u32) -> Self {
        self.0.limit = limit;
        self
    }

    /// The least contact that is a hit.
    pub fn hit_when(mut self, contact: Contact) -> Self {
        self.0.hit_when = contact as u32;
        self
    }

    /// The row of C.
    #[must_use]
    pub fn raw(&self) -> &sys::fxs_cast {
        &self.0
    }
}

const _: () = {
    assert!(size_of::<Event>() == size_of::<sys::fxs_event>());
    assert!(size_of::<Hit>() == size_of::<sys::fxs_hit>());
    assert!(size_of::<CastHit>() == size_of::<sys::fxs_cast_hit>());
    assert!(size_of::<Motion>() == size_of::<sys::fxs_motion>());
    assert!(size_of::<PairHit>() == size_of::<sys::fxs_pair_hit>());
    assert!(size_of::<Moved>() == size_of::<sys::fxs_moved>());
};
