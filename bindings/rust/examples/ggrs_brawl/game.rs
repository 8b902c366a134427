//! Fighters who walk and punch. The world is the whole state of the game: its bytes are the
//! snapshot, and their hash is the checksum that peers compare.
use fixsync::*;

pub const LEFT: u8 = 1;
pub const RIGHT: u8 = 2;
pub const UP: u8 = 4;
pub const DOWN: u8 = 8;
pub const PUNCH: u8 = 16;

const BODY: u32 = 0;
const FIST: u32 = 1;
const SPEED: i32 = q_near!(0.1);

/// The results of a step, for the match log.
#[derive(Clone, Default)]
pub struct Record {
    moves: Vec<Command>,
    events: Events,
    hash: u64,
    state: Vec<u8>,
    /// Commands that answer the events: they belong to the next frame.
    reactions: Vec<Command>,
}

pub struct Game {
    pub world: World,
    /// A fault to find: in this frame, this game moves player 0 by one raw unit.
    pub fault: Option<u32>,
    /// The fault is there every other time that its frame is stepped, as in a game that looks at
    /// something besides its state.
    pub flickers: bool,
    visits: u32,
    players: u32,
    /// Frames that were stepped; a frame that is stepped again is replaced.
    records: Vec<Record>,
    log: Recorder,
    logged: usize,
}

impl Game {
    pub fn new(players: u32, fault: Option<u32>) -> Result<Self, Error> {
        let config = Config::new(2 * players).layers(&[(BODY, FIST), (BODY, BODY)])?;
        let mut world = World::new(config)?;
        for id in 0..players {
            let at = [id as i32 * q!(3), 0, 0];
            let body = Shape::Capsule { radius: q!(0.5), half_height: q!(0.5) };
            let fist = Shape::Sphere { radius: q!(0.5) };
            let reach = if id.is_multiple_of(2) { q!(0.75) } else { q!(-0.75) };
            world.add(&Collider::new(id, body).at(at).layer(BODY).owner(id + 1))?;
            let fist = Collider::new(players + id, fist).at(at).offset([reach, 0, 0]);
            world.add(&fist.layer(FIST).owner(id + 1).inactive())?;
        }
        let about = r#"{"tick_rate":60,"meta":{"game":"ggrs_brawl"}}"#;
        let log = Recorder::about(&world, about, None)?;
        Ok(Self {
            world,
            fault,
            flickers: false,
            visits: 0,
            players,
            records: Vec::new(),
            log,
            logged: 0,
        })
    }

    /// A step: a function of the world and the inputs.
    pub fn step(&mut self, inputs: &[u8]) -> Result<(), Error> {
        let frame = self.world.frame();
        let mut record = Record::default();
        for (id, input) in (0..self.players).zip(inputs) {
            let has = |key: u8| i32::from(input & key != 0);
            let [x, y, z] = self.world.get(id)?.pose.position;
            let mut to =
                [x + SPEED * (has(RIGHT) - has(LEFT)), y, z + SPEED * (has(UP) - has(DOWN))];
            if self.fault == Some(frame) && id == 0 {
                self.visits += 1;
                to[0] += i32::from(!self.flickers || self.visits % 2 == 1);
            }
            let fist = self.players + id;
            record.moves.push(Command::move_to(id, to));
            record.moves.push(Command::move_to(fist, to));
            record.moves.push(Command::set_active(fist, input & PUNCH != 0));
        }
        self.world.apply(&record.moves)?;
        self.world.step(&mut record.events)?;
        self.world.save_into(&mut record.state);
        record.hash = hash64(&record.state, 0);
        for event in record.events.iter().filter(|event| event.kind() == EventKind::Enter) {
            let (body, fist) = (event.a, event.b);
            if body < self.players && fist >= self.players {
                let [x, y, z] = self.world.get(body)?.pose.position;
                let back = if (fist - self.players).is_multiple_of(2) { q!(1) } else { q!(-1) };
                record.reactions.push(Command::move_to(body, [x + back, y, z]));
            }
        }
        self.world.apply(&record.reactions)?;
        self.records.truncate(frame as usize);
        self.records.push(record);
        Ok(())
    }

    /// Writes the frames before one to the log: those whose inputs are certain, each once.
    pub fn confirm(&mut self, end: usize) -> Result<(), Error> {
        for frame in self.logged..end.min(self.records.len()) {
            if let Some(before) = frame.checked_sub(1) {
                self.log.commands(&self.records[before].reactions)?;
            }
            let record = &self.records[frame];
            self.log.commands(&record.moves)?;
            self.log.step(Recorded::new(&record.events, record.hash))?;
            self.logged = frame + 1;
        }
        Ok(())
    }

    /// The hashes of the frames in the log.
    pub fn hashes(&self) -> impl Iterator<Item = u64> {
        self.records[..self.logged].iter().map(|record| record.hash)
    }

    /// Punches that hit, in the frames of the log.
    pub fn hits(&self) -> usize {
        self.records[..self.logged].iter().map(|record| record.reactions.len()).sum()
    }

    /// The first frame of both logs after which the states differ, and the fields that do.
    pub fn differences(&self, other: &Game) -> Result<Option<(usize, Vec<Difference>)>, Error> {
        let (ours, theirs) = (&self.records[..self.logged], &other.records[..other.logged]);
        let mut frames = ours.iter().zip(theirs);
        let Some(frame) = frames.position(|(a, b)| a.hash != b.hash) else { return Ok(None) };
        let mut rows = Vec::new();
        state_differences(&ours[frame].state, &theirs[frame].state, &mut rows)?;
        Ok(Some((frame, rows)))
    }

    pub fn log_text(&self) -> Result<String, Error> {
        self.log.clone().finish()
    }
}

/// The keys of a player: any function of player and frame.
pub fn pressed(player: usize, frame: i32) -> u8 {
    let mut random = Random((frame as u64 / 6) << 8 | player as u64);
    let keys = (random.next() >> 20) as u8;
    // They run into each other, and apart again.
    let is_even = (player as i32 + frame / 40) % 2 == 0;
    let towards = if is_even { RIGHT } else { LEFT };
    let walks = if keys.trailing_zeros() >= 2 { LEFT + RIGHT - towards } else { towards };
    walks | (keys & PUNCH) | (keys & UP & (keys >> 1)) | (keys & DOWN & (keys >> 2))
}
