use crate::error::{done, fault};
use crate::memory::{Memory, reserve};
use crate::rollback::own_of;
use crate::*;
use alloc::vec::Vec;
use core::fmt;

/// Settings of a [`Rollback`]. `players`, `numbers`, `prediction_max`, `match` and `data` are the same
/// on all peers.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Secure random bytes, new for each match and each start.
    pub random: [u8; 16],
    /// [`hash64`] of what the match is: its id, the game, the seed.
    pub r#match: u64,
    /// [`hash64`] of what the game plays with: frame data, level.
    pub data: u64,
    /// The game's own bytes.
    pub own_size: u64,
    /// Whether the own bytes begin with 8 bytes, little-endian: how many after them are the state.
    /// Else all are.
    pub own_has_length: bool,
    /// 1..=64.
    pub players: u32,
    /// By player, the peer that plays it: 0 is this one; others are 1, 2, ..., as this machine
    /// numbers them; 0 after the last player.
    pub peers: [u8; 64],
    /// Numbers in an input, 1..=16.
    pub numbers: u32,
    /// Frames that may be predicted, 0..=256; 0: lockstep.
    pub prediction_max: u32,
    /// Frames from a local input to the frame that it is for, 0..=64.
    pub input_delay: u32,
    /// Frames that the sync test goes back, 0..=64; 0: off.
    pub check: u32,
    /// Whether [`Request::Guess`] asks for each unknown input; else the last one is repeated.
    pub guesses: bool,
    /// Whether the game's clock runs a fifth slower while [`Pace::is_ahead`]; else one tick in five
    /// steps no frame then.
    pub slows: bool,
    /// States to keep of confirmed frames, for [`Rollback::kept`].
    pub past: u32,
}

impl Settings {
    /// All players are local, for the sync test; 8 frames may be predicted.
    pub const fn new(players: u32, own_size: u64) -> Self {
        Self {
            random: [0; 16],
            r#match: 0,
            data: 0,
            own_size,
            own_has_length: false,
            players,
            peers: [0; 64],
            numbers: 1,
            prediction_max: 8,
            input_delay: 0,
            check: 0,
            guesses: false,
            slows: false,
            past: 60,
        }
    }

    /// Of a match of two, of which this peer plays one.
    pub const fn duel(player: u32, own_size: u64, random: [u8; 16]) -> Self {
        let mut settings = Self::new(2, own_size);
        settings.random = random;
        settings.peers[if player == 0 { 1 } else { 0 }] = 1;
        settings
    }
}

/// What a game must do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// World and own bytes now hold the state before the frame: read the game's state.
    Load {
        /// Its number.
        frame: u32,
    },
    /// The input of a player is not known: perhaps [`Rollback::guess`]. [`Rollback::inputs`] has
    /// the last one.
    Guess {
        /// Its number.
        frame: u32,
        /// Whose input it is.
        player: u32,
        /// Frames since the last known one.
        age: u32,
    },
    /// Step the frame with [`Rollback::inputs`], then [`Rollback::push`].
    Step {
        /// Its number.
        frame: u32,
        /// Bit i: the input of player i is not the real one.
        predicted: u64,
        /// Whether it was stepped before.
        is_again: bool,
    },
    /// The frame is final, each once: scores, sounds, the match log. [`Rollback::confirmed`] has
    /// it, and [`Rollback::inputs`] its inputs.
    Confirmed {
        /// Its number.
        frame: u32,
    },
}

/// Parts of a frame that peers compare, each by a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Part {
    /// Inputs of all players: a peer sent different ones.
    Inputs = sys::FXS_PART_INPUTS,
    /// The world after the frame, reactions included.
    World = sys::FXS_PART_WORLD,
    /// The game's own bytes.
    Own = sys::FXS_PART_OWN,
    /// Events of the step and of the game.
    Events = sys::FXS_PART_EVENTS,
    /// The number that the game gave.
    Shown = sys::FXS_PART_SHOWN,
}

impl Part {
    const ALL: [Self; 5] = [Self::Inputs, Self::World, Self::Own, Self::Events, Self::Shown];
}

/// The first frame that differs: on another peer, or when it was stepped again here. It prints as
/// "frame 60: world differs when it is stepped again".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desync {
    /// Its number.
    pub frame: u32,
    /// The other peer; 0: the sync test.
    pub peer: u32,
    /// Bit i: player i is of the other peer.
    pub players: u64,
    /// The first part that differs.
    pub part: Part,
    /// All parts that differ.
    pub parts: Vec<Part>,
    /// By part, the hash here; of the sync test, of the last step.
    pub ours: [u64; 5],
    /// By part, the hash there; of the sync test, of the step before.
    pub theirs: [u64; 5],
    /// Of the sync test: the first own byte that differs.
    pub own_at: Option<u64>,
}

impl fmt::Display for Desync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = ["inputs", "world", "own", "events", "shown"][self.part as usize];
        write!(f, "frame {}: {part} differs ", self.frame)?;
        match self.peer {
            0 => write!(f, "when it is stepped again")?,
            peer => write!(f, "from that of peer {peer}")?,
        }
        if let (Part::Shown, [.., ours], [.., theirs]) = (self.part, self.ours, self.theirs) {
            write!(f, ": {ours} and {theirs}: the own bytes lack a value")?;
        }
        self.own_at.map_or(Ok(()), |at| write!(f, ", own byte {at}"))
    }
}

/// How a peer and the others run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Bit i: no frame can be stepped before an input of player i.
    pub waiting: u64,
    /// Frames that were stepped again since the start.
    pub resteps: u64,
    /// Q16.16 frames that this peer is ahead of the others' average.
    pub ahead: i32,
    /// It runs a fifth slower, until the others are as far.
    pub is_ahead: bool,
    /// The frame that is stepped next.
    pub head: u32,
    /// The oldest frame that is not confirmed.
    pub first: u32,
    /// Every other peer has returned the random bytes.
    pub is_connected: bool,
}

/// One peer of a match that rolls back, with packets, time sync, desync detection and a sync test.
/// It asks the game for one thing at a time; it knows nothing of the network.
///
/// ```
/// use fixsync::*;
///
/// // The mistake: `speed` is part of the state, and not saved.
/// let mut world = World::new(Config::new(8))?;
/// world.add(&Collider::new(0, Shape::Sphere { radius: q!(1) }))?;
/// let (mut speed, mut own) = (0, []);
/// let (mut events, mut changes) = (Vec::new(), EventChanges::default());
/// let mut rollback = Rollback::new(Settings { check: 8, ..Settings::new(1, 0) }, &world, &own)?;
/// for frame in 0..60 {
///     rollback.tick(&[i64::from(frame % 5 == 0)])?;
///     while let Some(request) = rollback.next(&mut world, &mut own)? {
///         if let Request::Step { .. } = request {
///             speed += rollback.inputs()[0] as i32;
///             let [x, y, z] = world.get(0)?.pose.position;
///             world.move_to(0, [x + speed, y, z])?;
///             world.step(&mut events)?;
///             let frame = Frame { events: &events, ..Frame::default() };
///             rollback.push(&world, &own, frame, 0, &mut changes)?;
///         }
///     }
///     if let Some(desync) = rollback.desync() {
///         assert_eq!(desync.to_string(), "frame 0: world differs when it is stepped again");
///         let states = [0, 1].map(|which| rollback.kept(which, Part::World).unwrap());
///         let mut rows = Vec::new();
///         state_differences(states[0], states[1], &mut rows)?;
///         assert_eq!(rows[0].to_string(), "collider 0, x: 2 and 1 (0.00003 and 0.00002 units)");
///         return Ok(());
///     }
/// }
/// panic!("the sync test finds nothing");
/// # #[allow(unreachable_code)]
/// # Ok::<(), fixsync::Error>(())
/// ```
///
/// Two peers of one process:
///
/// ```
/// use fixsync::*;
///
/// let world = World::new(Config::new(2))?;
/// let mut peers = Vec::new();
/// for me in 0..2 {
///     let settings = Settings { guesses: true, ..Settings::duel(me, 0, [me as u8; 16]) };
///     peers.push((world.clone(), Rollback::new(settings, &world, &[])?));
/// }
/// let (mut events, mut changes, mut bytes) = (Vec::new(), EventChanges::default(), Vec::new());
/// for _ in 0..20 {
///     for me in 0..2 {
///         peers[me].1.packet(1, &mut bytes)?; // the other peer is number 1
///         peers[1 - me].1.receive(1, &bytes)?;
///     }
///     for (world, rollback) in &mut peers {
///         rollback.set_delay(1)?;
///         let pace: Pace = rollback.pace();
///         if !pace.is_connected {
///             continue;
///         }
///         rollback.tick(&[1])?;
///         while let Some(request) = rollback.next(world, &mut [])? {
///             match request {
///                 Request::Load { .. } => {}
///                 Request::Guess { .. } => rollback.guess(&[1])?,
///                 Request::Step { .. } => {
///                     world.step(&mut events)?;
///                     rollback.push(world, &[], Frame::default(), 0, &mut changes)?;
///                 }
///                 Request::Confirmed { frame } => {
///                     assert_eq!(rollback.confirmed().frame, frame);
///                 }
///             }
///         }
///         let desync: Option<Desync> = rollback.desync();
///         assert!(desync.is_none() && rollback.player(0)?.late < 8);
///     }
/// }
/// assert!(peers[0].1.pace().first > 10);
/// # Ok::<(), fixsync::Error>(())
/// ```
pub struct Rollback {
    memory: Memory,
    settings: sys::fxs_rollback_settings,
    inputs: Vec<i64>,
    confirmed: Confirmed,
    count: usize, // inputs that the last request has
}

impl Rollback {
    /// Begins before the next frame of a world. World and own bytes are the same on all peers.
    #[doc = errors!(fxs_rollback_init Lengths Memory)]
    #[doc(alias = "fxs_rollback_size")]
    #[doc(alias = "fxs_rollback_init")]
    pub fn new(settings: Settings, world: &World, own: &[u8]) -> Result<Self, Error> {
        let raw = sys::fxs_rollback_settings {
            random: settings.random,
            r#match: settings.r#match,
            data: settings.data,
            own_size: settings.own_size,
            state_size: 2 * world.save_size(),
            command_room: 64,
            event_room: 64,
            past: settings.past,
            players: settings.players,
            numbers: settings.numbers,
            prediction_max: settings.prediction_max,
            input_delay: settings.input_delay,
            check: settings.check,
            guesses: settings.guesses.into(),
            slows: settings.slows.into(),
            own_has_length: settings.own_has_length.into(),
            zero: 0,
            peers: settings.peers,
        };
        own_of(own, raw.own_size)?;
        let init = |at| unsafe {
            sys::fxs_rollback_init(at, &raw const raw, world.as_ptr(), own.as_ptr())
        };
        // SAFETY: settings, a world, and as many bytes as they say.
        let memory = unsafe { Self::memory(&raw, init)? };
        let mut inputs = Vec::new();
        let count = raw.players as usize * raw.numbers as usize;
        reserve(&mut inputs, count as u64)?;
        inputs.resize(count, 0);
        Ok(Self { memory, settings: raw, inputs, confirmed: Confirmed::default(), count: 0 })
    }

    /// Memory for a peer of these settings.
    ///
    /// # Safety
    /// `init` makes a peer with these settings.
    unsafe fn memory(
        settings: &sys::fxs_rollback_settings,
        init: impl FnOnce(*mut sys::fxs_rollback) -> i32,
    ) -> Result<Memory, Error> {
        let error = || {
            let s = settings;
            let players = s.players.into();
            let highest = s.peers.iter().copied().max().unwrap_or_default().into();
            let ranges = [
                ("players", players, 1, sys::FXS_ROLLBACK_PLAYERS_MAX.into()),
                ("numbers", s.numbers.into(), 1, sys::FXS_INPUT_NUMBERS_MAX.into()),
                ("prediction_max", s.prediction_max.into(), 0, sys::FXS_PREDICTION_MAX.into()),
                ("input_delay", s.input_delay.into(), 0, sys::FXS_INPUT_DELAY_MAX.into()),
                ("check", s.check.into(), 0, sys::FXS_CHECK_MAX.into()),
                ("past", s.past.into(), 0, sys::FXS_HISTORY_FRAMES_MAX.into()),
                ("peer of a player", highest, 0, players - 1),
            ];
            fault(sys::FXS_E_CONFIG, "peers", highest, &ranges)
        };
        // SAFETY: memory of the size for these settings.
        unsafe { Memory::holding(sys::fxs_rollback_size(settings), init, error) }
    }

    /// Begins a frame with the local inputs: `numbers` numbers for each local player, by player.
    /// `false` before every other peer is connected: nothing is asked then.
    #[doc = errors!(Lengths)]
    #[doc(alias = "fxs_rollback_tick")]
    pub fn tick(&mut self, inputs: &[i64]) -> Result<bool, Error> {
        let players = &self.settings.peers[..self.settings.players as usize];
        let local = players.iter().map(|peer| usize::from(*peer == 0)).sum::<usize>();
        let must = local * self.settings.numbers as usize;
        if inputs.len() != must {
            return Err(Error::Lengths { name: "inputs", value: inputs.len(), must });
        }
        // SAFETY: a peer, and as many numbers as it takes.
        let status = unsafe { sys::fxs_rollback_tick(self.memory.as_mut_ptr(), inputs.as_ptr()) };
        if status == sys::FXS_E_ORDER {
            return Ok(false);
        }
        done(status, || fault(status, "inputs", 0, &[])).map(|()| true)
    }

    /// What the game must do next; `None` until the next tick. A `Step` that was not pushed is
    /// asked again, after a `Load`.
    #[doc = errors!(fxs_rollback_next Lengths Memory)]
    #[doc(alias = "fxs_rollback_next")]
    pub fn next(&mut self, world: &mut World, own: &mut [u8]) -> Result<Option<Request>, Error> {
        own_of(own, self.settings.own_size)?;
        let Confirmed { commands, events, .. } = &mut self.confirmed;
        commands.clear();
        events.clear();
        reserve(commands, self.settings.command_room)?;
        reserve(events, self.settings.event_room)?;
        let mut raw = sys::fxs_rollback_request::default();
        // SAFETY: a peer, a world, its own bytes, and room for inputs and rows of any frame.
        let status = unsafe {
            sys::fxs_rollback_next(
                self.memory.as_mut_ptr(),
                world.as_mut_ptr(),
                own.as_mut_ptr(),
                &raw mut raw,
                self.inputs.as_mut_ptr(),
                commands.as_mut_ptr().cast(),
                events.as_mut_ptr().cast(),
            )
        };
        let frame = raw.frame;
        done(status, || fault(status, "frame", frame.into(), &[]))?;
        self.count = match raw.r#type {
            sys::FXS_ROLLBACK_STEP | sys::FXS_ROLLBACK_CONFIRMED => self.inputs.len(),
            sys::FXS_ROLLBACK_GUESS => self.settings.numbers as usize,
            _ => 0,
        };
        Ok(Some(match raw.r#type {
            sys::FXS_ROLLBACK_LOAD => Request::Load { frame },
            sys::FXS_ROLLBACK_GUESS => Request::Guess { frame, player: raw.player, age: raw.age },
            sys::FXS_ROLLBACK_STEP => {
                Request::Step { frame, predicted: raw.predicted, is_again: raw.is_again == 1 }
            }
            sys::FXS_ROLLBACK_CONFIRMED => {
                // SAFETY: the call wrote so many.
                unsafe {
                    commands.set_len(raw.confirmed.commands as usize);
                    events.set_len(raw.confirmed.events as usize);
                }
                (self.confirmed.frame, self.confirmed.hash) = (frame, raw.confirmed.hash);
                Request::Confirmed { frame }
            }
            _ => return Ok(None),
        }))
    }

    /// Inputs of the last request: `numbers` numbers for each player; of `Guess`, the last known
    /// ones of its player.
    #[must_use]
    pub fn inputs(&self) -> &[i64] {
        &self.inputs[..self.count]
    }

    /// The frame of the last [`Request::Confirmed`].
    #[must_use]
    pub fn confirmed(&self) -> &Confirmed {
        &self.confirmed
    }

    /// What a log has of the frame of the last [`Request::Confirmed`], and how many numbers an
    /// input has.
    pub(crate) fn recorded(&self, has_inputs: u32) -> (Recorded<'_>, usize) {
        let mut raw = sys::fxs_recorded::default();
        let at = self.memory.as_ptr();
        // SAFETY: a peer.
        let is_known = unsafe { sys::fxs_rollback_recorded(at, has_inputs, &raw mut raw) == 0 };
        let (hash, has_state) = (is_known.then_some(raw.hash), raw.has_state == 1);
        let (events, state) = (Some(&self.confirmed.events[..]), has_state.then_some(raw.state));
        (Recorded { events, has_game: true, hash, state }, self.settings.numbers as usize)
    }

    /// Answers [`Request::Guess`] with the numbers of an input.
    #[doc = errors!(fxs_rollback_guess Lengths)]
    #[doc(alias = "fxs_rollback_guess")]
    pub fn guess(&mut self, input: &[i64]) -> Result<(), Error> {
        let must = self.settings.numbers as usize;
        if input.len() != must {
            return Err(Error::Lengths { name: "input", value: input.len(), must });
        }
        // SAFETY: a peer, and as many numbers as it takes.
        let status = unsafe { sys::fxs_rollback_guess(self.memory.as_mut_ptr(), input.as_ptr()) };
        done(status, || fault(status, "guess", input[0], &[]))
    }

    /// Answers [`Request::Step`], right after the step. `shown`: a hash of what players see
    /// (health, scores), or 0: peers compare it, so it finds a value that nobody saves.
    #[doc = errors!(fxs_rollback_push Lengths)]
    #[doc(alias = "fxs_rollback_push")]
    #[doc(alias = "fxs_rollback_grow")]
    pub fn push(
        &mut self,
        world: &World,
        own: &[u8],
        frame: Frame,
        shown: u64,
        changes: &mut EventChanges,
    ) -> Result<(), Error> {
        own_of(own, self.settings.own_size)?;
        let pushed = frame.raw();
        loop {
            changes.empty(self.settings.event_room)?;
            let mut count = sys::fxs_event_changes::default();
            // SAFETY: a peer, a world, so many rows, and room for all events of a frame twice.
            let status = unsafe {
                sys::fxs_rollback_push(
                    self.memory.as_mut_ptr(),
                    world.as_ptr(),
                    own.as_ptr(),
                    &raw const pushed,
                    shown,
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
                let most = frame.commands.len() as i64;
                let ranges = [("reactions", frame.reactions as i64, 0, most)];
                return Err(fault(status, "frame of the world", world.frame().into(), &ranges));
            }
            self.grow(world, &frame)?;
        }
    }

    /// Moves the peer to memory in which a frame has its room.
    #[cold]
    fn grow(&mut self, world: &World, frame: &Frame) -> Result<(), Error> {
        let (state, events) = (world.save_size(), frame.events.len() as u64);
        let mut settings = self.settings;
        if state > settings.state_size {
            settings.state_size = 2 * state;
        } else if events > settings.event_room {
            settings.event_room = 2 * events;
        } else {
            settings.command_room = 2 * settings.command_room + frame.commands.len() as u64;
        }
        let old = self.memory.as_ptr();
        let init = |at| unsafe { sys::fxs_rollback_grow(at, &raw const settings, old) };
        // SAFETY: a peer, which has no more room.
        (self.memory, self.settings) = (unsafe { Self::memory(&settings, init)? }, settings);
        Ok(())
    }

    /// Sets the input delay for the ticks to come, 0..=64 frames.
    #[doc = errors!(fxs_rollback_set_delay)]
    #[doc(alias = "fxs_rollback_set_delay")]
    pub fn set_delay(&mut self, input_delay: u32) -> Result<(), Error> {
        // SAFETY: a peer.
        let status = unsafe { sys::fxs_rollback_set_delay(self.memory.as_mut_ptr(), input_delay) };
        let range = ("input_delay", input_delay.into(), 0, sys::FXS_INPUT_DELAY_MAX.into());
        done(status, || fault(status, "input_delay", input_delay.into(), &[range]))
    }

    /// The range of the peers of a match.
    fn range_of(&self, peer: u32) -> Range {
        let most = self.settings.peers.iter().copied().max().unwrap_or_default();
        ("peer", peer.into(), 1, most.into())
    }

    /// Writes the next packet for a peer: to be sent once a frame, also while nothing is stepped.
    #[doc = errors!(fxs_rollback_packet)]
    #[doc(alias = "fxs_rollback_packet")]
    pub fn packet(&mut self, peer: u32, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let all = u64::from(self.settings.players * self.settings.numbers);
        let room = (320 + 10 * all).max(sys::FXS_PACKET_SIZE.into());
        bytes.clear();
        reserve(bytes, room)?;
        let mut size = 0;
        // SAFETY: a peer, and room as it is given.
        let status = unsafe {
            let (at, to) = (self.memory.as_mut_ptr(), bytes.as_mut_ptr());
            sys::fxs_rollback_packet(at, peer, to, room, &raw mut size)
        };
        done(status, || fault(status, "peer", peer.into(), &[self.range_of(peer)]))?;
        // SAFETY: the call wrote so many.
        unsafe { bytes.set_len(size as usize) };
        Ok(())
    }

    /// Takes a packet of a peer. Bytes of any kind do no harm: one that is refused changes nothing.
    #[doc = errors!(fxs_rollback_receive)]
    #[doc(alias = "fxs_rollback_receive")]
    #[doc(alias = "fxs_rollback_refusal")]
    pub fn receive(&mut self, peer: u32, bytes: &[u8]) -> Result<(), Error> {
        // SAFETY: a peer, and bytes.
        let status = unsafe {
            let (at, size) = (self.memory.as_mut_ptr(), bytes.len() as u64);
            sys::fxs_rollback_receive(at, peer, bytes.as_ptr(), size)
        };
        done(status, || {
            if status == sys::FXS_E_ID {
                return fault(status, "peer", peer.into(), &[self.range_of(peer)]);
            }
            let mut raw = sys::fxs_refusal::default();
            // SAFETY: a peer.
            unsafe { sys::fxs_rollback_refusal(self.memory.as_ptr(), peer, &raw mut raw) };
            let (ours, theirs, field) = (raw.ours, raw.theirs, raw.field);
            let (player, frame, status) = (raw.player, raw.frame, Status::of(status));
            Error::Packet { peer, status, field, ours, theirs, player, frame }
        })
    }

    /// How this peer and the others run: once before each tick.
    #[doc(alias = "fxs_rollback_pace")]
    pub fn pace(&mut self) -> Pace {
        let mut raw = sys::fxs_pace::default();
        // SAFETY: a peer.
        unsafe { sys::fxs_rollback_pace(self.memory.as_mut_ptr(), &raw mut raw) };
        Pace {
            waiting: raw.waiting,
            resteps: raw.resteps,
            ahead: raw.ahead,
            is_ahead: raw.is_ahead == 1,
            head: raw.head,
            first: raw.first,
            is_connected: raw.is_connected == 1,
        }
    }

    /// How the inputs of a player come.
    #[doc = errors!(fxs_rollback_player)]
    #[doc(alias = "fxs_rollback_player")]
    pub fn player(&self, player: u32) -> Result<sys::fxs_player_pace, Error> {
        let mut raw = sys::fxs_player_pace::default();
        // SAFETY: a peer.
        let status =
            unsafe { sys::fxs_rollback_player(self.memory.as_ptr(), player, &raw mut raw) };
        let range = ("player", player.into(), 0, i64::from(self.settings.players) - 1);
        done(status, || fault(status, "player", player.into(), &[range])).map(|()| raw)
    }

    /// The first frame that differs, of another peer or in the sync test. It stays the same from
    /// then on.
    #[doc(alias = "fxs_rollback_desync")]
    #[must_use]
    pub fn desync(&self) -> Option<Desync> {
        let mut raw = sys::fxs_desync::default();
        // SAFETY: a peer.
        let status = unsafe { sys::fxs_rollback_desync(self.memory.as_ptr(), &raw mut raw) };
        (status == sys::FXS_OK).then(|| {
            let differs = |part: &Part| raw.parts >> *part as u32 & 1 == 1;
            let is_own = raw.peer == 0 && raw.own_at < self.settings.own_size;
            Desync {
                frame: raw.frame,
                peer: raw.peer,
                players: raw.players,
                part: Part::ALL[raw.part as usize],
                parts: Part::ALL.into_iter().filter(differs).collect(),
                ours: raw.ours,
                theirs: raw.theirs,
                own_at: is_own.then_some(raw.own_at),
            }
        })
    }

    /// The bytes after the frame of [`desync`](Self::desync), to be sent to the other peer and
    /// compared by [`state_differences`]. `which`: of the sync test, 1 for the step before. `part`:
    /// `World` or `Own`.
    #[doc(alias = "fxs_rollback_kept")]
    #[must_use]
    pub fn kept(&self, which: u32, part: Part) -> Option<&[u8]> {
        let mut size = 0;
        // SAFETY: a peer, which is borrowed, gives the place of its bytes, and their number.
        unsafe {
            let at =
                sys::fxs_rollback_kept(self.memory.as_ptr(), which, part as u32, &raw mut size);
            (!at.is_null()).then(|| core::slice::from_raw_parts(at, size as usize))
        }
    }
}
