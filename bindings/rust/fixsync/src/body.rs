use crate::error::{answer, bytes_fault, done, fault};
use crate::memory::reserve;
use crate::*;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The parts and attacks of one kind of fighter: a table that `fixsync frame-data` writes.
///
/// ```
/// use fixsync::FrameData;
///
/// assert!(FrameData::new(vec![1, 2, 3]).is_err());
/// let json = r#"{"parts": {"fist": {"shape": ["sphere", "0.5"], "active": false}},
///     "attacks": {"jab": {"frames": 9, "active": {"fist": [[2, 4]]}}}}"#;
/// let fighter = FrameData::from_json(json)?; // the file's text
/// assert_eq!((fighter.attack("jab"), fighter.attack("kick")), (Some(0), None));
/// assert_eq!(fighter.part("fist"), Some(0));
/// assert_eq!((fighter.attack_name(0), fighter.part_name(0)), (Some("jab"), Some("fist")));
/// let error = FrameData::from_json(&json.replace("9", "0")).unwrap_err();
/// assert_eq!(error.to_string(), "attacks.jab.frames must be 1..2147483647, not 0");
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameData {
    table: Vec<u8>,
    names: Vec<String>, // of parts, then of attacks; of a table alone none
}

impl FrameData {
    /// A table of its bytes.
    #[doc = errors!(fxs_frame_data_check)]
    #[doc(alias = "fxs_frame_data_check")]
    pub fn new(table: Vec<u8>) -> Result<Self, Error> {
        let mut at = 0;
        // SAFETY: bytes and their number.
        let status =
            unsafe { sys::fxs_frame_data_check(table.as_ptr(), table.len() as u64, &raw mut at) };
        done(status, || bytes_fault("frame data", at, status))?;
        Ok(Self { table, names: Vec::new() })
    }

    /// The frame data of a JSON file, with the names of parts and attacks.
    #[doc = errors!(fxs_frame_data_read)]
    #[doc(alias = "fxs_frame_data_read")]
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let (from, size) = (json.as_ptr().cast(), json.len() as u64);
        let room = 4 * size + u64::from(sys::FXS_FRAME_DATA_MESSAGE_MAX);
        let (mut table, mut rest, mut out) = (0, 0, Vec::new());
        reserve(&mut out, room)?;
        out.resize(room as usize, 0);
        // SAFETY: text and its size, and room as it is given.
        let status = unsafe {
            sys::fxs_frame_data_read(
                from,
                size,
                out.as_mut_ptr(),
                room,
                &raw mut table,
                &raw mut rest,
            )
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if status == sys::FXS_E_TEXT {
            return Err(Error::FrameData { reason: text(&out[..table as usize]) });
        }
        done(status, || Error::Memory { bytes: room })?;
        let names = &out[table as usize..(table + rest) as usize];
        let names = names.split(|byte| *byte == 0).map(text);
        let mut read = Self { names: names.collect(), table: Vec::new() };
        read.names.pop(); // behind the last 0
        out.truncate(table as usize);
        read.table = out;
        Ok(read)
    }

    fn index_of(&self, name: &str, first: u32, count: u32) -> Option<u32> {
        let names = self.names.get(first as usize..(first + count) as usize)?;
        names.iter().position(|one| one == name).map(|i| i as u32)
    }

    /// The part of a name, if the frame data was JSON.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<u32> {
        self.index_of(name, 0, self.parts())
    }

    /// The attack of a name, if the frame data was JSON.
    #[must_use]
    pub fn attack(&self, name: &str) -> Option<u32> {
        self.index_of(name, self.parts(), self.attacks())
    }

    /// The name of a part, if the frame data was JSON.
    #[must_use]
    pub fn part_name(&self, part: u32) -> Option<&str> {
        let names = self.names.get(..self.parts() as usize)?;
        names.get(part as usize).map(String::as_str)
    }

    /// The name of an attack, if the frame data was JSON.
    #[must_use]
    pub fn attack_name(&self, attack: u32) -> Option<&str> {
        let names = self.names.get(self.parts() as usize..)?;
        names.get(attack as usize).map(String::as_str)
    }

    fn count(&self, at: usize) -> u32 {
        self.table[at..at + 4].iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> u32 {
        self.count(4)
    }

    /// Number of attacks.
    #[must_use]
    pub fn attacks(&self) -> u32 {
        self.count(8)
    }
}

/// Phase of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Phase {
    /// No attack is under way.
    None,
    /// A part is still to come.
    Startup,
    /// A part is on.
    Active,
    /// After the last time.
    Recovery,
}

/// Several colliders of one owner that move, turn, mirror and attack together. Calls that change
/// the world append its commands to `rows`, for a history or a recorder.
///
/// ```
/// use fixsync::*;
/// use std::sync::Arc;
///
/// # let bytes = [
/// #     &b"FXF1"[..], &[2, 0, 0, 0, 1, 0, 0, 0],
/// #     &[0, 0, 1, 0], &[0; 4], &[0; 12], &[0, 0, 1, 0], &[0; 8],
/// #     &[0, 1, 0, 0], &[0; 4], &[0, 0, 1, 0], &[0; 8], &[0, 0, 1, 0], &[0; 8],
/// #     &[9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 104, 0, 0, 0],
/// #     &[2, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0],
/// # ].concat();
/// let fighter = Arc::new(FrameData::new(bytes)?); // of `fixsync frame-data fighter.json -o`
/// assert_eq!((fighter.parts(), fighter.attacks()), (2, 1)); // torso, fist; jab
/// let mut world = World::new(Config::new(8).layers(&[(0, 1)])?)?;
/// let (mut rows, mut events) = (Vec::new(), Vec::new());
/// let mut hero = Body::add(&mut world, &fighter, &[1, 2], 1, Pose::default(), false, &mut rows)?;
/// world.add(&Collider::new(5, Shape::Sphere { radius: q!(1) }).at([q!(2.5), 0, 0]).owner(2))?;
///
/// assert!(hero.can_start(0)?);
/// hero.start(&mut world, 0, &mut rows)?;
/// let mut hit = None;
/// while hero.attack().is_some() {
///     world.step(&mut events)?;
///     for event in &events {
///         if event.kind() == EventKind::Enter && hero.strike(event.b)? {
///             assert!(hero.has_hit());
///             hit = Some((event.a, event.b, hero.attack_frame(), hero.phase(), hero.hit()));
///         }
///     }
///     hero.tick(&mut world, &mut rows)?;
/// }
/// assert_eq!((hit, hero.has_hit()), (Some((2, 5, 2, Phase::Active, 0)), false)); // it is over
///
/// hero.set_pose(&mut world, Pose::at([q!(1), 0, 0]), &mut rows)?;
/// hero.mirror(&mut world, true, &mut rows)?;
/// hero.cancel(&mut world, &mut rows)?;
/// assert_eq!((hero.pose(&world)?.position, hero.is_mirrored()), ([q!(1), 0, 0], true));
/// let saved = hero.save(); // beside the world's state
/// assert_eq!(hero.save_into(&mut [1; Body::SAVE_MAX]), saved);
/// hero.load(&saved)?;
/// assert!(hash64(&saved, 0) == hero.hash() && saved.len() <= Body::SAVE_MAX);
/// hero.remove(&mut world, &mut rows)?;
/// assert_eq!(world.len(), 1);
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    raw: sys::fxs_body,
    frame_data: Arc<FrameData>,
}

const ROWS: u64 = sys::FXS_BODY_ROWS as u64;

/// Appends the rows that a call writes.
///
/// # Safety
/// The call writes at most `FXS_BODY_ROWS`, and returns how many.
unsafe fn added(
    world: &mut World,
    rows: &mut Vec<Command>,
    name: &'static str,
    value: u32,
    most: u32,
    call: impl FnOnce(*mut sys::fxs_world, *mut sys::fxs_command) -> i32,
) -> Result<(), Error> {
    reserve(rows, rows.len() as u64 + ROWS)?;
    let at = rows.len();
    // SAFETY: within the room. The first row is read after an error, whether it was written or not.
    let to = unsafe { rows.as_mut_ptr().add(at) };
    unsafe { to.write(Command(sys::fxs_command::default())) };
    let status = call(world.as_mut_ptr(), to.cast());
    let count = answer(status, || match status {
        sys::FXS_E_RANGE => {
            Error::Range { name, value: value.into(), least: 0, most: i64::from(most) - 1 }
        }
        // SAFETY: written above. Where a command was refused, it is this one.
        _ => world.fault(status, unsafe { (*to).0.collider.id }),
    })?;
    // SAFETY: the call wrote so many.
    unsafe { rows.set_len(at + count as usize) };
    Ok(())
}

impl Body {
    /// The most bytes that [`save`](Self::save) returns: 24, and 4 for each victim.
    pub const SAVE_MAX: usize = 24 + 4 * sys::FXS_VICTIMS_MAX as usize;

    /// Makes a body and adds its parts to the world. `ids`: one for each part. `owner`: of all
    /// parts; not 0, or they hit each other.
    #[doc = errors!(fxs_body_add Lengths Memory)]
    #[doc(alias = "fxs_body_add")]
    pub fn add(
        world: &mut World,
        frame_data: &Arc<FrameData>,
        ids: &[u32],
        owner: u32,
        pose: Pose,
        is_mirrored: bool,
        rows: &mut Vec<Command>,
    ) -> Result<Self, Error> {
        let must = frame_data.parts() as usize;
        if ids.len() != must {
            return Err(Error::Lengths { name: "ids", value: ids.len(), must });
        }
        let mut body = Self { raw: sys::fxs_body::default(), frame_data: frame_data.clone() };
        let (raw, table) = (&mut body.raw, frame_data.table.as_ptr());
        // SAFETY: a checked table, as many ids as it has parts, and room as it is given.
        unsafe {
            added(world, rows, "is_mirrored", 0, 2, |world, to| {
                let mirrored = is_mirrored.into();
                sys::fxs_body_add(raw, table, world, ids.as_ptr(), owner, &pose.raw(), mirrored, to)
            })?;
        }
        Ok(body)
    }

    fn table(&self) -> *const u8 {
        self.frame_data.table.as_ptr()
    }

    /// Removes the parts from the world.
    #[doc = errors!(fxs_body_remove Memory)]
    #[doc(alias = "fxs_body_remove")]
    pub fn remove(&self, world: &mut World, rows: &mut Vec<Command>) -> Result<(), Error> {
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "", 0, 0, |world, to| {
                sys::fxs_body_remove(&raw const self.raw, self.table(), world, to)
            })
        }
    }

    /// Where it is.
    #[doc = errors!(fxs_body_pose)]
    #[doc(alias = "fxs_body_pose")]
    pub fn pose(&self, world: &World) -> Result<Pose, Error> {
        let mut out = sys::fxs_pose::default();
        // SAFETY: a body, its table, and a world.
        let status = unsafe {
            sys::fxs_body_pose(&raw const self.raw, self.table(), world.as_ptr(), &raw mut out)
        };
        done(status, || world.fault(status, self.raw.ids[0])).map(|()| Pose::of(&out))
    }

    /// Moves and turns all parts.
    #[doc = errors!(fxs_body_set_pose Memory)]
    #[doc(alias = "fxs_body_set_pose")]
    pub fn set_pose(
        &mut self,
        world: &mut World,
        pose: Pose,
        rows: &mut Vec<Command>,
    ) -> Result<(), Error> {
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "", 0, 0, |world, to| {
                sys::fxs_body_set_pose(&raw const self.raw, self.table(), world, &pose.raw(), to)
            })
        }
    }

    /// Turns it to its local +x (`false`) or -x by mirroring: for side views.
    #[doc = errors!(fxs_body_mirror Memory)]
    #[doc(alias = "fxs_body_mirror")]
    pub fn mirror(
        &mut self,
        world: &mut World,
        is_mirrored: bool,
        rows: &mut Vec<Command>,
    ) -> Result<(), Error> {
        let (raw, table) = (&mut self.raw, self.frame_data.table.as_ptr());
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "is_mirrored", 0, 2, |world, to| {
                sys::fxs_body_mirror(raw, table, world, is_mirrored.into(), to)
            })
        }
    }

    /// Begins an attack with its frame 0; one that is under way is cancelled first. `attack`: from
    /// 0, in the order that `fixsync frame-data` prints.
    #[doc = errors!(fxs_body_start Memory)]
    #[doc(alias = "fxs_body_start")]
    pub fn start(
        &mut self,
        world: &mut World,
        attack: u32,
        rows: &mut Vec<Command>,
    ) -> Result<(), Error> {
        let (raw, table, most) =
            (&mut self.raw, self.frame_data.table.as_ptr(), self.frame_data.attacks());
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "attack", attack, most, |world, to| {
                sys::fxs_body_start(raw, table, world, attack, to)
            })
        }
    }

    /// Moves the attack under way to its next frame, or ends it: once a frame, after the step.
    #[doc = errors!(fxs_body_tick Memory)]
    #[doc(alias = "fxs_body_tick")]
    pub fn tick(&mut self, world: &mut World, rows: &mut Vec<Command>) -> Result<(), Error> {
        let (raw, table) = (&mut self.raw, self.frame_data.table.as_ptr());
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "", 0, 0, |world, to| sys::fxs_body_tick(raw, table, world, to))
        }
    }

    /// Ends the attack under way, if there is one.
    #[doc = errors!(fxs_body_cancel Memory)]
    #[doc(alias = "fxs_body_cancel")]
    pub fn cancel(&mut self, world: &mut World, rows: &mut Vec<Command>) -> Result<(), Error> {
        let (raw, table) = (&mut self.raw, self.frame_data.table.as_ptr());
        // SAFETY: a body and its table, and room as it is given.
        unsafe {
            added(world, rows, "", 0, 0, |world, to| sys::fxs_body_cancel(raw, table, world, to))
        }
    }

    /// Whether an attack may begin now.
    #[doc = errors!(fxs_body_can_start)]
    #[doc(alias = "fxs_body_can_start")]
    pub fn can_start(&self, attack: u32) -> Result<bool, Error> {
        // SAFETY: a body and its table.
        let status = unsafe { sys::fxs_body_can_start(&raw const self.raw, self.table(), attack) };
        let most = i64::from(self.frame_data.attacks()) - 1;
        answer(status, || Error::Range { name: "attack", value: attack.into(), least: 0, most })
            .map(|is_so| is_so == 1)
    }

    /// The attack under way.
    #[must_use]
    pub fn attack(&self) -> Option<u32> {
        (self.raw.attack != sys::FXS_NO_ATTACK).then_some(self.raw.attack)
    }

    /// The frame of the attack under way, from 0.
    #[must_use]
    pub fn attack_frame(&self) -> u32 {
        self.raw.frame
    }

    /// Whether the attack under way has met a victim.
    #[must_use]
    pub fn has_hit(&self) -> bool {
        self.raw.has_hit == 1
    }

    /// Whether it faces its local -x.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.raw.is_mirrored == 1
    }

    /// The phase of the attack under way.
    #[doc(alias = "fxs_body_phase")]
    #[must_use]
    pub fn phase(&self) -> Phase {
        // SAFETY: a body and its table.
        match unsafe { sys::fxs_body_phase(&raw const self.raw, self.table()) } {
            sys::FXS_PHASE_STARTUP => Phase::Startup,
            sys::FXS_PHASE_ACTIVE => Phase::Active,
            sys::FXS_PHASE_RECOVERY => Phase::Recovery,
            _ => Phase::None,
        }
    }

    /// Which hit of the attack is under way, from 0.
    #[doc(alias = "fxs_body_hit")]
    #[must_use]
    pub fn hit(&self) -> u32 {
        // SAFETY: a body and its table.
        unsafe { sys::fxs_body_hit(&raw const self.raw, self.table()) }
    }

    /// Whether the hit under way strikes a victim, any number, for the first time.
    #[doc = errors!(fxs_body_strike)]
    #[doc(alias = "fxs_body_strike")]
    pub fn strike(&mut self, victim: u32) -> Result<bool, Error> {
        // SAFETY: a body.
        let status = unsafe { sys::fxs_body_strike(&raw mut self.raw, victim) };
        answer(status, || fault(status, "victim", victim.into(), &[])).map(|is_so| is_so == 1)
    }

    /// Its state, but for the ids.
    #[doc(alias = "fxs_body_save_size")]
    #[doc(alias = "fxs_body_save")]
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = [0; Self::SAVE_MAX];
        self.save_into(&mut bytes).to_vec()
    }

    /// Writes the bytes of [`save`](Self::save) into a buffer; those that are the state. The rest
    /// becomes 0.
    #[must_use]
    pub fn save_into<'a>(&self, bytes: &'a mut [u8; Self::SAVE_MAX]) -> &'a [u8] {
        bytes.fill(0);
        // SAFETY: a body, and room for its bytes.
        unsafe {
            let size = sys::fxs_body_save_size(&raw const self.raw) as usize;
            sys::fxs_body_save(&raw const self.raw, bytes.as_mut_ptr());
            &bytes[..size]
        }
    }

    /// XXH64 of the bytes that [`save`](Self::save) returns.
    #[doc(alias = "fxs_body_hash")]
    #[must_use]
    pub fn hash(&self) -> u64 {
        // SAFETY: a body.
        unsafe { sys::fxs_body_hash(&raw const self.raw) }
    }

    /// Replaces all but the ids by a saved state; load the world's with it.
    #[doc = errors!(fxs_body_load)]
    #[doc(alias = "fxs_body_load")]
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (table, size, mut at) = (self.table(), bytes.len() as u64, 0);
        // SAFETY: a body, its table, and bytes.
        let status = unsafe {
            sys::fxs_body_load(&raw mut self.raw, table, bytes.as_ptr(), size, &raw mut at)
        };
        done(status, || bytes_fault("body", at, status))
    }
}

/// An attack that hits somebody for the first time, from [`strikes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Strike {
    /// Index of the body whose attack it is.
    pub attacker: u32,
    /// Index of the body that is struck.
    pub victim: u32,
    /// Of the attacker: the first one in order that meets the victim.
    pub part: u32,
    /// Of the victim, as the attack remembers it.
    pub owner: u32,
}

/// The new strikes of a frame: each attacker and victim once, with the best part. `events`: of the
/// last step. `bodies`: all that may attack or be struck. `mask`: the layers on which a part is
/// struck; a part on one of them does not strike. `rows` becomes the strikes, in the order of the
/// bodies, on which nothing else depends. Each attack remembers the owners of its victims, as
/// [`Body::strike`] does: at most 64 a hit; with more nobody is struck.
///
/// ```
/// use fixsync::*;
/// use std::sync::Arc;
///
/// # let bytes = [
/// #     &b"FXF1"[..], &[2, 0, 0, 0, 1, 0, 0, 0],
/// #     &[0, 0, 1, 0], &[0; 4], &[0; 12], &[0, 0, 1, 0], &[0; 8],
/// #     &[0, 1, 0, 0], &[0; 4], &[0, 0, 1, 0], &[0; 8], &[0, 0, 1, 0], &[0; 8],
/// #     &[9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 104, 0, 0, 0],
/// #     &[0, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0],
/// # ].concat();
/// let fighter = Arc::new(FrameData::new(bytes)?); // torso on layer 0, fist on layer 1; jab
/// let mut world = World::new(Config::new(8).layers(&[(0, 1)])?)?;
/// let (mut commands, mut events, mut rows) = (Vec::new(), Vec::new(), Vec::new());
/// let mut add = |ids, owner, x| {
///     Body::add(&mut world, &fighter, ids, owner, Pose::at([x, 0, 0]), false, &mut commands)
/// };
/// let (mut left, mut right) = (add(&[1, 2], 1, 0)?, add(&[3, 4], 2, q!(2.5))?);
/// left.start(&mut world, 0, &mut commands)?;
/// world.step(&mut events)?;
/// strikes(&world, &events, &mut [&mut left, &mut right], 1 << 0, &mut rows)?;
/// assert_eq!(rows, [Strike { attacker: 0, victim: 1, part: 1, owner: 2 }]);
/// strikes(&world, &events, &mut [&mut left, &mut right], 1 << 0, &mut rows)?;
/// assert!(rows.is_empty()); // once
/// # Ok::<(), fixsync::Error>(())
/// ```
#[doc = errors!(fxs_strikes)]
#[doc(alias = "fxs_strikes")]
pub fn strikes(
    world: &World,
    events: &[Event],
    bodies: &mut [&mut Body],
    mask: u32,
    rows: &mut Vec<Strike>,
) -> Result<(), Error> {
    rows.clear();
    let (n, count) = (events.len() as u64, bodies.len() as u64);
    reserve(rows, n)?;
    let mut marked: Vec<_> = bodies.iter().map(|body| body.raw).collect();
    let (at, from, to) = (world.as_ptr(), events.as_ptr().cast(), rows.as_mut_ptr().cast());
    // SAFETY: a world, so many events and bodies, and room for a row of each event.
    let status = unsafe { sys::fxs_strikes(at, from, n, mask, marked.as_mut_ptr(), count, to) };
    let most = sys::FXS_VICTIMS_MAX.into();
    let found = answer(status, || match status {
        sys::FXS_E_ROOM => Error::Range { name: "victims", value: most + 1, least: 0, most },
        _ => fault(status, "events", n as i64, &[]),
    })?;
    for (body, raw) in bodies.iter_mut().zip(marked) {
        body.raw = raw;
    }
    // SAFETY: the call wrote so many.
    unsafe { rows.set_len(found as usize) };
    Ok(())
}
