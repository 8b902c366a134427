use crate::error::{bytes_fault, done, fault};
use crate::memory::{filled, reserve};
use crate::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A match log, which `fixsync replay` verifies. For each frame: the commands as the world took
/// them, the questions, their answers in order, then [`step`](Self::step). A rollback game records
/// confirmed frames.
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// let mut log = Recorder::new(&world, 60)?;
/// let ball = Shape::Sphere { radius: q!(1) };
/// let commands = [Command::add(&Collider::new(1, ball)), Command::add(&Collider::new(2, ball))];
/// let query = Query::new(&ball, Pose::default());
/// let cast = Cast::new(&ball, Pose::default(), [9, 0, 0]);
/// let (mut events, mut ids, mut hits) = (Vec::new(), Vec::new(), Vec::new());
///
/// world.apply(&commands)?;
/// world.step(&mut events)?;
/// world.query(&query, &mut ids)?;
/// world.cast(&cast, &mut hits)?;
/// log.commands(&commands)?;
/// log.query(&query)?;
/// log.cast(&cast)?;
/// log.ids(&ids)?;
/// log.hits(&hits)?;
/// log.step(Recorded::new(&events, world.hash()))?;
///
/// world.step(&mut events)?;
/// log.step(Recorded { hash: None, ..Recorded::new(&events, 0) })?;
/// events.push(Event::game(1, 2, 16, 30)?);
/// world.step(&mut Vec::new())?;
/// log.step(Recorded { has_game: true, ..Recorded::new(&events, world.hash()) })?;
/// log.line(r#"{"frame":3,"commands":[],"queries":[],"events":[]}"#)?;
/// let text = log.finish()?;
/// assert_eq!(text.lines().count(), 6);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    raw: sys::fxs_recorder,
    /// Of its text `raw.size` bytes are written.
    text: Vec<u8>,
}

/// What a log has of a frame. Unknown parts are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded<'a> {
    /// Of its step, then the game's own.
    pub events: Option<&'a [Event]>,
    /// Whether the game has events of its own, in this frame or in others.
    pub has_game: bool,
    /// Of the world after the step.
    pub hash: Option<u64>,
    /// In a log with a sim: [`hash64`] of all that the simulation saves after the step. With it,
    /// replaying names the first frame in which anything differs.
    pub state: Option<u64>,
}

impl<'a> Recorded<'a> {
    /// The events of a step, and the hash of the world after it.
    #[must_use]
    pub const fn new(events: &'a [Event], hash: u64) -> Self {
        Self { events: Some(events), has_game: false, hash: Some(hash), state: None }
    }
}

/// Text as a JSON string of a match log, with its quotes: a name for [`Recorder::about`].
///
/// ```
/// assert_eq!(fixsync::log_text("a \"pit\"")?, r#""a \"pit\"""#);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_recorder_text)]
#[doc(alias = "fxs_recorder_text")]
pub fn log_text(text: &str) -> Result<String, Error> {
    let (from, size, mut bytes) = (text.as_ptr().cast(), text.len() as u64, Vec::<u8>::new());
    // SAFETY: text and its size, and room as it is given.
    unsafe {
        filled(
            &mut bytes,
            |to, room, count| sys::fxs_recorder_text(from, size, to.cast(), room, count),
            |status, at| bytes_fault("text", at, status),
        )?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Recorder {
    fn empty() -> Self {
        Self { raw: sys::fxs_recorder::default(), text: Vec::new() }
    }

    /// Calls with room for more text, again with more of it until it is enough.
    fn write(
        &mut self,
        name: &'static str,
        mut call: impl FnMut(*mut sys::fxs_recorder, *mut core::ffi::c_char, u64) -> i32,
    ) -> Result<(), Error> {
        loop {
            let room = self.text.capacity() as u64;
            let status = call(&raw mut self.raw, self.text.as_mut_ptr().cast(), room);
            if status != sys::FXS_E_ROOM {
                // SAFETY: the recorder has written so many bytes.
                unsafe { self.text.set_len(self.raw.size as usize) };
                return done(status, || fault(status, name, self.raw.frame.into(), &[]));
            }
            reserve(&mut self.text, (2 * room).max(4096))?;
        }
    }

    /// Begins the log of a world as it is. `tick_rate`: frames a second, not 0.
    #[doc = errors!(fxs_recorder_begin)]
    #[doc(alias = "fxs_recorder_begin")]
    pub fn new(world: &World, tick_rate: u32) -> Result<Self, Error> {
        if tick_rate == 0 {
            return Err(Error::Range {
                name: "tick_rate",
                value: 0,
                least: 1,
                most: u32::MAX.into(),
            });
        }
        Self::about(world, &format!(r#"{{"tick_rate":{tick_rate}}}"#), None)
    }

    /// Begins a log with other keys of its first line, as canonical JSON:
    /// `{"tick_rate":60,"meta":{"arena":"pit"}}`. `data` in it is [`hash64`] of what the game plays
    /// with. `state`: of a simulation that begins later.
    ///
    /// ```
    /// use fixsync::{Config, Recorded, Recorder, World};
    ///
    /// let world = World::new(Config::new(8))?;
    /// let data = fixsync::hash64(b"all frame data", 0);
    /// let about = format!(r#"{{"sim":"duel","seed":7,"build":"1.4","data":"{data:016x}"}}"#);
    /// let mut log = Recorder::about(&world, &about, None)?;
    /// log.inputs(&[1, 2])?; // of two players
    /// log.input_list(&[3, 4])?; // of a third
    /// log.step(Recorded::default())?; // nothing is known: replaying the log computes it
    /// log.inputs(&[1, 2, 3])?;
    /// let state = fixsync::hash64(b"all that the game saves", 0);
    /// log.step(Recorded { state: Some(state), ..Recorded::new(&[], world.hash()) })?;
    /// log.end()?;
    /// assert!(log.text().starts_with(r#"{"format":"fixsync-match""#));
    /// let own = fixsync::semantics();
    /// let said = format!(r#","semantics":{own},"build":"1.4","data":"{data:016x}"}}"#);
    /// assert!(log.text().lines().next().unwrap().ends_with(&said));
    /// log.clear(); // it is in a file
    /// # Ok::<(), fixsync::Error>(())
    /// ```
    #[doc = errors!(fxs_recorder_begin)]
    pub fn about(world: &World, about: &str, state: Option<&[u8]>) -> Result<Self, Error> {
        let (mut made, mut at, mut last) = (Self::empty(), 0, sys::FXS_OK);
        let (from, size) = state.map_or((core::ptr::null(), 0), |s| (s.as_ptr(), s.len() as u64));
        let written = made.write("frame", |raw, text, room| {
            let (words, length) = (about.as_ptr().cast(), about.len() as u64);
            // SAFETY: a world, texts and their sizes, and so much room.
            last = unsafe {
                let world = world.as_ptr();
                sys::fxs_recorder_begin(
                    raw,
                    world,
                    words,
                    length,
                    from,
                    size,
                    text,
                    room,
                    &raw mut at,
                )
            };
            last
        });
        match last {
            sys::FXS_E_TEXT => Err(Error::Bytes { name: "about", at, status: Status::Text }),
            _ => written.map(|()| made),
        }
    }

    /// Adds commands of this frame.
    #[doc = errors!(fxs_recorder_commands)]
    #[doc(alias = "fxs_recorder_commands")]
    pub fn commands(&mut self, commands: &[Command]) -> Result<(), Error> {
        let (rows, n) = (commands.as_ptr().cast(), commands.len() as u64);
        // SAFETY: so many rows, and so much room.
        self.write("commands of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_commands(raw, rows, n, text, room)
        })
    }

    /// Adds the inputs of the next players of this frame, in a log with a sim.
    #[doc = errors!(fxs_recorder_inputs)]
    #[doc(alias = "fxs_recorder_inputs")]
    pub fn inputs(&mut self, inputs: &[i64]) -> Result<(), Error> {
        // SAFETY: so many numbers, and so much room.
        self.write("inputs of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_inputs(raw, inputs.as_ptr(), inputs.len() as u64, text, room)
        })
    }

    /// Adds the input of the next player of this frame, a list of numbers.
    #[doc = errors!(fxs_recorder_input_list)]
    #[doc(alias = "fxs_recorder_input_list")]
    pub fn input_list(&mut self, input: &[i64]) -> Result<(), Error> {
        // SAFETY: so many numbers, and so much room.
        self.write("input of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_input_list(raw, input.as_ptr(), input.len() as u64, text, room)
        })
    }

    /// Adds a query that is made right after the step of this frame.
    #[doc = errors!(fxs_recorder_query)]
    #[doc(alias = "fxs_recorder_query")]
    pub fn query(&mut self, query: &Query) -> Result<(), Error> {
        // SAFETY: a row, and so much room.
        self.write("query of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_query(raw, &raw const query.0, text, room)
        })
    }

    /// Adds a cast that is made right after the step of this frame.
    #[doc = errors!(fxs_recorder_cast)]
    #[doc(alias = "fxs_recorder_cast")]
    pub fn cast(&mut self, cast: &Cast) -> Result<(), Error> {
        // SAFETY: a row, and so much room.
        self.write("cast of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_cast(raw, &raw const cast.0, text, room)
        })
    }

    /// Adds the answer to the next question, a query.
    #[doc = errors!(fxs_recorder_ids)]
    #[doc(alias = "fxs_recorder_ids")]
    pub fn ids(&mut self, ids: &[u32]) -> Result<(), Error> {
        // SAFETY: so many numbers, and so much room.
        self.write("ids of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_ids(raw, ids.as_ptr(), ids.len() as u64, text, room)
        })
    }

    /// Adds the answer to the next question, a cast.
    #[doc = errors!(fxs_recorder_hits)]
    #[doc(alias = "fxs_recorder_hits")]
    pub fn hits(&mut self, hits: &[CastHit]) -> Result<(), Error> {
        let (rows, n) = (hits.as_ptr().cast(), hits.len() as u64);
        // SAFETY: so many rows, and so much room.
        self.write("hits of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_hits(raw, rows, n, text, room)
        })
    }

    /// Ends this frame.
    #[doc = errors!(fxs_recorder_step)]
    #[doc(alias = "fxs_recorder_step")]
    pub fn step(&mut self, frame: Recorded) -> Result<(), Error> {
        let events = frame.events.unwrap_or_default();
        let game = events.iter().filter(|row| matches!(row.kind(), EventKind::Game(_))).count();
        let recorded = sys::fxs_recorded {
            hash: frame.hash.unwrap_or_default(),
            state: frame.state.unwrap_or_default(),
            event_count: (events.len() - game) as u64,
            game_count: game as u64,
            has_events: frame.events.is_some().into(),
            has_game: frame.has_game.into(),
            has_hash: frame.hash.is_some().into(),
            has_state: frame.state.is_some().into(),
        };
        let rows = events.as_ptr().cast();
        // SAFETY: so many rows, and so much room.
        self.write("frame", |raw, text, room| unsafe {
            sys::fxs_recorder_step(raw, &raw const recorded, rows, text, room)
        })
    }

    /// Adds the frame of the last [`Request::Confirmed`]: its inputs in a log with a sim, else its
    /// commands. The `state` is then that of a simulation that saves the world, then its own state.
    #[doc = errors!(fxs_recorder_step)]
    #[doc(alias = "fxs_rollback_recorded")]
    pub fn frame(&mut self, rollback: &Rollback) -> Result<(), Error> {
        let (frame, numbers) = rollback.recorded(self.raw.has_inputs);
        if self.raw.has_inputs == 0 {
            self.commands(&rollback.confirmed().commands)?;
        } else if numbers == 1 {
            self.inputs(rollback.inputs())?;
        } else {
            for input in rollback.inputs().chunks(numbers) {
                self.input_list(input)?;
            }
        }
        self.step(frame)
    }

    /// Adds a frame as text: a line of another log, without its line feed.
    #[doc = errors!(fxs_recorder_line)]
    #[doc(alias = "fxs_recorder_line")]
    pub fn line(&mut self, line: &str) -> Result<(), Error> {
        let (from, size) = (line.as_ptr().cast(), line.len() as u64);
        // SAFETY: text and its size, and so much room.
        self.write("line of frame", |raw, text, room| unsafe {
            sys::fxs_recorder_line(raw, from, size, text, room)
        })
    }

    /// Writes the last line.
    #[doc = errors!(fxs_recorder_end)]
    #[doc(alias = "fxs_recorder_end")]
    pub fn end(&mut self) -> Result<(), Error> {
        // SAFETY: so much room.
        self.write("end at frame", |raw, text, room| unsafe {
            sys::fxs_recorder_end(raw, text, room)
        })
    }

    /// The text since the last [`clear`](Self::clear).
    #[must_use]
    pub fn text(&self) -> &str {
        core::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Forgets the text, which is in a file.
    pub fn clear(&mut self) {
        self.raw.size = 0;
        self.text.clear();
    }

    /// Writes the last line, and returns the text.
    #[doc = errors!(fxs_recorder_end)]
    pub fn finish(mut self) -> Result<String, Error> {
        self.end()?;
        Ok(String::from_utf8_lossy(&self.text).into_owned())
    }
}
