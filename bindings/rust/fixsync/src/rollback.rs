use crate::error::{bytes_fault, done, fault};
use crate::memory::{Memory, reserve};
use crate::*;
use alloc::vec::Vec;

pub(crate) fn own_of(own: &[u8], must: u64) -> Result<*const u8, Error> {
    if own.len() as u64 == must {
        return Ok(own.as_ptr());
    }
    Err(Error::Lengths { name: "own", value: own.len(), must: must as usize })
}

/// Before the game's own bytes in a history: how many there are.
const LENGTH_BYTES: usize = size_of::<u64>();

/// Writes the game's own bytes after their number, with room for `size` bytes in all.
fn put_own(kept: &mut Vec<u8>, own: &[u8], size: u64) -> Result<*const u8, Error> {
    let most = size - LENGTH_BYTES as u64;
    if own.len() as u64 > most {
        let (value, most) = (signed(own.len() as u64), signed(most));
        return Err(Error::Range { name: "length of own", value, least: 0, most });
    }
    reserve(kept, size)?;
    kept.resize(size as usize, 0);
    kept[..LENGTH_BYTES].copy_from_slice(&(own.len() as u64).to_le_bytes());
    kept[LENGTH_BYTES..][..own.len()].copy_from_slice(own);
    Ok(kept.as_ptr())
}

/// Bytes of a command.
const ROW: i64 = size_of::<Command>() as i64;

/// A number for an error; one outside i64 is larger than all limits.
fn signed(number: u64) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

fn size(name: &'static str, bytes: u64) -> Range {
    (name, signed(bytes), 0, sys::FXS_MEMORY_MAX)
}

/// The error of a size of 0: the first number outside its range, or that all of it is too large.
#[cold]
fn too_large(ranges: &[Range], bytes: u64) -> Error {
    match fault(sys::FXS_E_CONFIG, "", 0, ranges) {
        error @ Error::Range { .. } => error,
        _ => Error::Memory { bytes },
    }
}

/// The bytes that a ring keeps of a frame.
///
/// # Safety
/// A ring, which does not change while the bytes are borrowed.
unsafe fn state_of<'a>(ring: *const sys::fxs_rewind, frame: u32) -> Option<&'a [u8]> {
    let mut size = 0;
    // SAFETY: a ring gives the place of its bytes, and their number.
    unsafe {
        let at = sys::fxs_rewind_state(ring, frame, &raw mut size);
        (!at.is_null()).then(|| core::slice::from_raw_parts(at, size as usize))
    }
}

/// The states of a world at its last frames, each with bytes of the game's own: for rollback, and
/// for a server that looks into the past.
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// let mut rewind = Rewind::new(4, 1, 4096)?; // frames, bytes of the game, of a state
/// let mut events = Vec::new();
/// for health in 0..6 {
///     rewind.push(&world, &[health])?;
///     world.step(&mut events)?;
/// }
/// let mut own = [0];
/// rewind.load(3, &mut world, &mut own)?;
/// assert_eq!((world.frame(), own, rewind.len(), rewind.oldest()), (3, [3], 4, Some(2)));
/// assert_eq!(rewind.state(3), Some(&world.save()[..]));
/// assert!(!rewind.is_empty());
/// # Ok::<(), fixsync::Error>(())
/// ```
pub struct Rewind {
    memory: Memory,
    own_size: u64,
    state_size: u64,
}

impl Rewind {
    /// An empty ring. `state_size`: the largest state; 160 + 56 * capacity + 12 * hits suffice.
    #[doc = errors!(fxs_rewind_init Memory)]
    #[doc(alias = "fxs_rewind_size")]
    #[doc(alias = "fxs_rewind_init")]
    pub fn new(frames: u32, own_size: u64, state_size: u64) -> Result<Self, Error> {
        let error = || {
            let frames_range = ("frames", frames.into(), 1, u32::MAX.into());
            let ranges = [frames_range, size("own_size", own_size), size("state_size", state_size)];
            too_large(&ranges, own_size.saturating_add(state_size).saturating_mul(frames.into()))
        };
        // SAFETY: memory of the size for these numbers.
        let memory = unsafe {
            let bytes = sys::fxs_rewind_size(frames, own_size, state_size);
            let init = |at| sys::fxs_rewind_init(at, frames, own_size, state_size);
            Memory::holding(bytes, init, error)?
        };
        Ok(Self { memory, own_size, state_size })
    }

    /// Keeps a world as it is, under its frame, and the game's own bytes. Later frames are dropped.
    #[doc = errors!(fxs_rewind_push Lengths)]
    #[doc(alias = "fxs_rewind_push")]
    pub fn push(&mut self, world: &World, own: &[u8]) -> Result<(), Error> {
        let own = own_of(own, self.own_size)?;
        // SAFETY: a ring, a world, and as many bytes as it takes.
        let status = unsafe { sys::fxs_rewind_push(self.memory.as_mut_ptr(), world.as_ptr(), own) };
        done(status, || match status {
            sys::FXS_E_ROOM => {
                let (value, most) = (signed(world.save_size()), signed(self.state_size));
                Error::Range { name: "bytes of the state", value, least: 0, most }
            }
            _ => self.fault(status, world.frame(), 1),
        })
    }

    /// The error of a status for a frame that is not one of those kept, or so many behind.
    #[cold]
    fn fault(&self, status: i32, frame: u32, behind: i64) -> Error {
        let newest = |first| i64::from(first) + self.len() as i64 - 1;
        let kept = self
            .oldest()
            .map(|first| ("frame", frame.into(), first.into(), newest(first) + behind));
        fault(status, "frame", frame.into(), kept.as_slice())
    }

    /// Loads the state of a frame into a world, and the game's own bytes.
    #[doc = errors!(fxs_rewind_load Lengths Memory)]
    #[doc(alias = "fxs_rewind_load")]
    pub fn load(&self, frame: u32, world: &mut World, own: &mut [u8]) -> Result<(), Error> {
        own_of(own, self.own_size)?;
        let state = self.state(frame);
        let state = state.ok_or_else(|| self.fault(sys::FXS_E_RANGE, frame, 0))?;
        world.make_room(state)?;
        let (ring, mut at) = (self.memory.as_ptr(), 0);
        // SAFETY: a ring, a world, and room for the bytes.
        let status = unsafe {
            sys::fxs_rewind_load(ring, frame, world.as_mut_ptr(), own.as_mut_ptr(), &raw mut at)
        };
        done(status, || bytes_fault("state", at, status))
    }

    /// The kept state of a frame.
    #[doc(alias = "fxs_rewind_state")]
    #[must_use]
    pub fn state(&self, frame: u32) -> Option<&[u8]> {
        // SAFETY: a ring, which is borrowed.
        unsafe { state_of(self.memory.as_ptr(), frame) }
    }

    /// Number of frames that are kept.
    #[doc(alias = "fxs_rewind_count")]
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: a ring.
        unsafe { sys::fxs_rewind_count(self.memory.as_ptr()) as usize }
    }

    /// Whether it keeps no frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The oldest frame that is kept.
    #[doc(alias = "fxs_rewind_oldest")]
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        // SAFETY: a ring.
        (!self.is_empty()).then(|| unsafe { sys::fxs_rewind_oldest(self.memory.as_ptr()) })
    }
}

/// The inputs of all players of a game that rolls back: those that came, and those predicted.
/// [`History`] has an example.
pub struct Inputs {
    memory: Memory,
    players: u32,
    window: u32,
}

impl Inputs {
    /// `window`: how many frames there may be from the first with an unknown or wrongly predicted
    /// input. `frame`: the first that is stepped.
    #[doc = errors!(fxs_inputs_init Memory)]
    #[doc(alias = "fxs_inputs_size")]
    #[doc(alias = "fxs_inputs_init")]
    pub fn new(players: u32, window: u32, frame: u32) -> Result<Self, Error> {
        let ranges = [
            ("players", players.into(), 1, sys::FXS_INPUT_PLAYERS_MAX.into()),
            ("window", window.into(), 1, sys::FXS_INPUT_FRAMES_MAX.into()),
        ];
        let error = || fault(sys::FXS_E_CONFIG, "players", players.into(), &ranges);
        // SAFETY: memory of the size for these numbers.
        let memory = unsafe {
            let bytes = sys::fxs_inputs_size(players, window);
            Memory::holding(bytes, |at| sys::fxs_inputs_init(at, players, window, frame), error)?
        };
        Ok(Self { memory, players, window })
    }

    /// Adds the input of a player for a frame, in any order. `false` for a frame after the window:
    /// it must come again later.
    #[doc = errors!(fxs_inputs_put)]
    #[doc(alias = "fxs_inputs_put")]
    pub fn put(&mut self, player: u32, frame: u32, value: i64) -> Result<bool, Error> {
        // SAFETY: inputs.
        let status = unsafe { sys::fxs_inputs_put(self.memory.as_mut_ptr(), player, frame, value) };
        if status == sys::FXS_E_RANGE {
            return Ok(false);
        }
        done(status, || match status {
            sys::FXS_E_ID => {
                let most = i64::from(self.players) - 1;
                Error::Range { name: "player", value: player.into(), least: 0, most }
            }
            _ => self.contradiction(player, frame, value),
        })?;
        Ok(true)
    }

    /// The error of a second value. A copy of the inputs is taken up to the frame: these do not
    /// change.
    #[cold]
    fn contradiction(&self, player: u32, frame: u32, value: i64) -> Error {
        let bytes = unsafe { sys::fxs_inputs_size(self.players, self.window) };
        let mut values = Vec::new();
        let room = reserve(&mut values, self.players.into());
        let (Ok(mut copy), Ok(())) = (Memory::new(bytes), room) else {
            return Error::Memory { bytes };
        };
        values.resize(self.players as usize, 0);
        let mut next = self.redo();
        if next.wrapping_sub(frame) as i32 > 0 {
            next = frame;
        }
        // SAFETY: as many bytes as the inputs have, and room for one value of each player.
        unsafe {
            let at = copy.as_mut_ptr::<u8>();
            at.copy_from_nonoverlapping(self.memory.as_ptr(), bytes as usize);
            while sys::fxs_inputs_take(at.cast(), next, values.as_mut_ptr()) == sys::FXS_OK
                && next != frame
            {
                next = next.wrapping_add(1);
            }
        }
        Error::Contradiction { player, frame, first: values[player as usize], value }
    }

    /// The inputs to step a frame with, one a player. Take each frame in order; an earlier one may
    /// be taken again.
    #[doc = errors!(fxs_inputs_take Lengths)]
    #[doc(alias = "fxs_inputs_take")]
    pub fn take(&mut self, frame: u32, values: &mut [i64]) -> Result<(), Error> {
        let must = self.players as usize;
        if values.len() != must {
            return Err(Error::Lengths { name: "values", value: values.len(), must });
        }
        // SAFETY: inputs, and room for one of each player.
        let status =
            unsafe { sys::fxs_inputs_take(self.memory.as_mut_ptr(), frame, values.as_mut_ptr()) };
        done(status, || fault(status, "frame", frame.into(), &[]))
    }

    /// The first frame that was stepped on a wrong prediction; without one, the next to take.
    #[doc(alias = "fxs_inputs_redo")]
    #[must_use]
    pub fn redo(&self) -> u32 {
        // SAFETY: inputs.
        unsafe { sys::fxs_inputs_redo(self.memory.as_ptr()) }
    }

    /// The first frame for which an input is not known: all before it are final.
    #[doc(alias = "fxs_inputs_confirmed")]
    #[must_use]
    pub fn confirmed(&self) -> u32 {
        // SAFETY: inputs.
        unsafe { sys::fxs_inputs_confirmed(self.memory.as_ptr()) }
    }
}

/// The room of a history to begin with. All but `own_size` and `window` grows.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Room {
    /// Frames that may be unconfirmed.
    pub window: u32,
    /// Most bytes of the game's own state: it may be shorter, as a body with few victims is.
    pub own_size: u64,
    /// States to keep of frames before those.
    pub past: u32,
    /// Commands of one frame.
    pub commands: u64,
    /// Events of one frame.
    pub events: u64,
}

impl Room {
    /// A window, and the most bytes of the game's own.
    pub const fn new(window: u32, own_size: u64) -> Self {
        Self { window, own_size, past: 0, commands: 64, events: 64 }
    }
}

/// A frame that was just stepped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Whether all its inputs are known.
    pub is_final: bool,
    /// Of the world right after the step; `None` if the world has not changed since.
    pub hash: Option<u64>,
    /// Since the last push, the reactions last.
    pub commands: &'a [Command],
    /// How many commands came after the step, as reactions to its events.
    pub reactions: usize,
    /// Of the step, then the game's own.
    pub events: &'a [Event],
}

impl Frame<'_> {
    pub(crate) fn raw(&self) -> sys::fxs_pushed {
        sys::fxs_pushed {
            hash: self.hash.unwrap_or_default(),
            command_count: self.commands.len() as u64,
            reaction_count: self.reactions as u64,
            event_count: self.events.len() as u64,
            is_final: self.is_final.into(),
            has_hash: self.hash.is_some().into(),
        }
    }
}

/// The events of a push, for effects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventChanges {
    /// They were predicted, and are taken back.
    pub taken_back: Vec<Event>,
    /// They are predicted now.
    pub predicted: Vec<Event>,
}

impl EventChanges {
    /// Empties both lists, which have room for so many rows.
    pub(crate) fn empty(&mut self, rows: u64) -> Result<(), Error> {
        for list in [&mut self.taken_back, &mut self.predicted] {
            list.clear();
            reserve(list, rows)?;
        }
        Ok(())
    }
}

/// A confirmed frame: scores, sounds, the match log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confirmed {
    /// Its number.
    pub frame: u32,
    /// Of the world right after its step.
    pub hash: u64,
    /// As the world took them.
    pub commands: Vec<Command>,
    /// Of the step, then the game's own.
    pub events: Vec<Event>,
}

/// The frames that are not confirmed: their states, commands and events. It says which events a
/// prediction made and which it took back, and gives each frame once when it is certain.
///
/// ```
/// use fixsync::*;
///
/// const WINDOW: u32 = 8; // frames that may be predicted
/// let mut world = World::new(Config::new(8))?;
/// for id in 0..2 {
///     let ball = Collider::new(id, Shape::Sphere { radius: q!(1) });
///     world.add(&ball.at([id as i32 * q!(6), 0, 0]))?;
/// }
/// let mut inputs = Inputs::new(2, 2 * WINDOW, 0)?;
/// let mut history = History::new(Room::new(WINDOW, 1), &world, &[0])?;
/// let (mut events, mut changes, mut sure) = (Vec::new(), EventChanges::default(), Confirmed::default());
/// let (mut shown, mut stopped, mut hits, mut own) = (0, 0, 0, [0]);
///
/// for now in 0..10 {
///     inputs.put(0, now, q!(1).into())?; // it runs; the inputs of player 1 come late:
///     if let Some(late) = now.checked_sub(3) {
///         inputs.put(1, late, if late == 2 || late == 3 { q!(1).into() } else { 0 })?;
///     }
///     let (redo, known) = (inputs.redo(), inputs.confirmed());
///     history.settle(redo.min(known))?;
///     if redo != history.head() {
///         history.back(redo, &mut world, &mut own)?;
///     }
///     for frame in redo..=now {
///         if history.free() == 0 {
///             break;
///         }
///         let mut values = [0; 2];
///         inputs.take(frame, &mut values)?;
///         let mut rows = Vec::new();
///         for (id, dx) in (0..2).zip(values) {
///             let [x, y, z] = world.get(id)?.pose.position;
///             rows.push(Command::move_to(id, [x + dx as i32, y, z]));
///         }
///         world.apply(&rows)?;
///         world.step(&mut events)?;
///         let is_final = frame < known;
///         let frame = Frame { is_final, commands: &rows, events: &events, ..Frame::default() };
///         history.push(&world, &own, frame, &mut changes)?;
///         shown += changes.predicted.iter().filter(|e| e.kind() == EventKind::Enter).count();
///         stopped += changes.taken_back.iter().filter(|e| e.kind() == EventKind::Enter).count();
///     }
///     while history.confirm(&mut sure)? {
///         hits += sure.events.iter().filter(|e| e.kind() == EventKind::Enter).count();
///     }
/// }
/// assert_eq!((shown, stopped, hits), (2, 1, 1));
/// assert!(history.state(history.first()).is_some());
/// # Ok::<(), fixsync::Error>(())
/// ```
pub struct History {
    memory: Memory,
    room: sys::fxs_history_room,
    own: Vec<u8>, // how many bytes the game's own state has, and they
}

impl History {
    /// Begins before the next frame of a world, with the game's own state.
    #[doc = errors!(fxs_history_init Memory)]
    #[doc(alias = "fxs_history_size")]
    #[doc(alias = "fxs_history_init")]
    pub fn new(room: Room, world: &World, own: &[u8]) -> Result<Self, Error> {
        let room = sys::fxs_history_room {
            own_size: room.own_size.saturating_add(LENGTH_BYTES as u64),
            state_size: 2 * world.save_size(),
            command_room: room.commands,
            event_room: room.events,
            window: room.window,
            past: room.past,
        };
        let mut kept = Vec::new();
        // SAFETY: a room.
        let own = match unsafe { sys::fxs_history_size(&raw const room) } {
            0 => core::ptr::null(), // no history either
            _ => put_own(&mut kept, own, room.own_size)?,
        };
        let init = |at| unsafe { sys::fxs_history_init(at, &raw const room, world.as_ptr(), own) };
        // SAFETY: a world, and as many bytes as it takes.
        Ok(Self { memory: unsafe { Self::memory(&room, init)? }, room, own: kept })
    }

    /// Memory for a history with this room.
    ///
    /// # Safety
    /// `init` makes a history with this room.
    unsafe fn memory(
        room: &sys::fxs_history_room,
        init: impl FnOnce(*mut sys::fxs_history) -> i32,
    ) -> Result<Memory, Error> {
        let error = || {
            let most = sys::FXS_HISTORY_FRAMES_MAX.into();
            let ranges = [
                ("window", room.window.into(), 1, most),
                ("past", room.past.into(), 0, most),
                ("events", signed(room.event_room), 0, i64::from(u32::MAX) - 1),
                ("commands", signed(room.command_room), 0, sys::FXS_MEMORY_MAX / ROW),
                size("own_size", room.own_size.saturating_sub(LENGTH_BYTES as u64)),
                size("state_size", room.state_size),
            ];
            let frames = u64::from(room.window).saturating_add(room.past.into());
            let frame = room.own_size.saturating_add(room.state_size);
            let commands = room.command_room.saturating_mul(ROW as u64);
            let rows = room.event_room.saturating_mul(16).saturating_add(commands);
            too_large(&ranges, frame.saturating_add(rows).saturating_mul(frames))
        };
        // SAFETY: memory of the size for this room.
        unsafe { Memory::holding(sys::fxs_history_size(room), init, error) }
    }

    /// Keeps the frame that was just stepped, with the state after it and the game's own.
    #[doc = errors!(fxs_history_push)]
    #[doc(alias = "fxs_history_push")]
    pub fn push(
        &mut self,
        world: &World,
        own: &[u8],
        frame: Frame,
        changes: &mut EventChanges,
    ) -> Result<(), Error> {
        let own = put_own(&mut self.own, own, self.room.own_size)?;
        let pushed = frame.raw();
        loop {
            changes.empty(self.room.event_room)?;
            let mut count = sys::fxs_event_changes::default();
            // SAFETY: a history, a world, so many rows, and room for all events of a frame twice.
            let status = unsafe {
                sys::fxs_history_push(
                    self.memory.as_mut_ptr(),
                    world.as_ptr(),
                    own,
                    &raw const pushed,
                    frame.commands.as_ptr().cast(),
                    frame.events.as_ptr().cast(),
                    changes.taken_back.as_mut_ptr().cast(),
                    changes.predicted.as_mut_ptr().cast(),
                    &raw mut count,
                )
            };
            if status == sys::FXS_OK {
                // SAFETY: the call wrote so many.
                unsafe {
                    changes.taken_back.set_len(count.taken_back as usize);
                    changes.predicted.set_len(count.predicted as usize);
                }
                return Ok(());
            }
            if status != sys::FXS_E_ROOM {
                return Err(self.push_fault(status, world, &frame));
            }
            self.grow(world, &frame)?;
        }
    }

    #[cold]
    fn push_fault(&self, status: i32, world: &World, frame: &Frame) -> Error {
        let (head, pushed) = (self.head(), i64::from(self.room.window - self.free()));
        let next = head.wrapping_add(1).into();
        let ranges = [
            ("frame of the world", world.frame().into(), next, next),
            ("reactions", frame.reactions as i64, 0, frame.commands.len() as i64),
            ("frames in the window", pushed + 1, 1, self.room.window.into()),
        ];
        fault(status, "frame", head.into(), &ranges)
    }

    /// The error of a status for a frame that is not between the oldest and the head.
    #[cold]
    fn fault(&self, status: i32, frame: u32) -> Error {
        let range = ("frame", frame.into(), self.first().into(), self.head().into());
        fault(status, "frame", frame.into(), &[range])
    }

    /// Moves the history to memory in which a frame has its room.
    #[cold]
    fn grow(&mut self, world: &World, frame: &Frame) -> Result<(), Error> {
        let (state, events) = (world.save_size(), frame.events.len() as u64);
        let mut room = self.room;
        if state > room.state_size {
            room.state_size = 2 * state;
        } else if events > room.event_room {
            room.event_room = 2 * events;
        } else {
            room.command_room = 2 * room.command_room + frame.commands.len() as u64;
        }
        let init = |at| unsafe { sys::fxs_history_grow(at, &raw const room, self.memory.as_ptr()) };
        // SAFETY: a history, which has no more room.
        (self.memory, self.room) = (unsafe { Self::memory(&room, init)? }, room);
        Ok(())
    }

    /// Makes all frames before a frame final: they were stepped on the real inputs.
    #[doc = errors!(fxs_history_settle)]
    #[doc(alias = "fxs_history_settle")]
    pub fn settle(&mut self, frame: u32) -> Result<(), Error> {
        // SAFETY: a history.
        let status = unsafe { sys::fxs_history_settle(self.memory.as_mut_ptr(), frame) };
        done(status, || self.fault(status, frame))
    }

    /// Loads the state before a frame that is not final into a world, and the game's own. `own` has
    /// room for `own_size` bytes; the number of those that are the state is returned.
    #[doc = errors!(fxs_history_back Lengths Memory)]
    #[doc(alias = "fxs_history_back")]
    pub fn back(&mut self, frame: u32, world: &mut World, own: &mut [u8]) -> Result<usize, Error> {
        own_of(own, self.room.own_size - LENGTH_BYTES as u64)?;
        if let Some(state) = self.state(frame) {
            world.make_room(state)?;
        }
        let (history, kept) = (self.memory.as_mut_ptr(), self.own.as_mut_ptr());
        // SAFETY: a history, a world, and room for the bytes.
        let status = unsafe { sys::fxs_history_back(history, frame, world.as_mut_ptr(), kept) };
        done(status, || self.fault(status, frame))?;
        let (length, rest) = self.own.split_at(LENGTH_BYTES);
        let length = length.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        own[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    /// Gives the oldest final frame, once; `false` if no final frame is left.
    #[doc = errors!(Memory)]
    #[doc(alias = "fxs_history_confirm")]
    pub fn confirm(&mut self, out: &mut Confirmed) -> Result<bool, Error> {
        out.commands.clear();
        out.events.clear();
        reserve(&mut out.commands, self.room.command_room)?;
        reserve(&mut out.events, self.room.event_room)?;
        let mut raw = sys::fxs_confirmed::default();
        let (rows, events) = (out.commands.as_mut_ptr(), out.events.as_mut_ptr());
        // SAFETY: a history, and room for the rows of any frame.
        let status = unsafe {
            let history = self.memory.as_mut_ptr();
            sys::fxs_history_confirm(history, &raw mut raw, rows.cast(), events.cast())
        };
        if status == sys::FXS_E_ABSENT {
            return Ok(false);
        }
        done(status, || fault(status, "frame", self.first().into(), &[]))?;
        // SAFETY: the call wrote so many.
        unsafe {
            out.commands.set_len(raw.commands as usize);
            out.events.set_len(raw.events as usize);
        }
        (out.frame, out.hash) = (raw.frame, raw.hash);
        Ok(true)
    }

    /// The frame that is stepped next.
    #[doc(alias = "fxs_history_head")]
    #[must_use]
    pub fn head(&self) -> u32 {
        // SAFETY: a history.
        unsafe { sys::fxs_history_head(self.memory.as_ptr()) }
    }

    /// The oldest frame that [`confirm`](Self::confirm) has not given.
    #[doc(alias = "fxs_history_first")]
    #[must_use]
    pub fn first(&self) -> u32 {
        // SAFETY: a history.
        unsafe { sys::fxs_history_first(self.memory.as_ptr()) }
    }

    /// How many frames can be pushed before one must be confirmed; 0: the window is full.
    #[doc(alias = "fxs_history_free")]
    #[must_use]
    pub fn free(&self) -> u32 {
        // SAFETY: a history.
        unsafe { sys::fxs_history_free(self.memory.as_ptr()) }
    }

    /// The kept state before a frame.
    #[doc(alias = "fxs_history_states")]
    #[must_use]
    pub fn state(&self, frame: u32) -> Option<&[u8]> {
        // SAFETY: a history, which is borrowed, and its ring.
        unsafe { state_of(sys::fxs_history_states(self.memory.as_ptr()), frame) }
    }
}
