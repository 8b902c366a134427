//! Peers of a match that rolls back: planted faults are found, a good game is the one that never
//! was rolled back.
use fixsync::*;
use std::sync::atomic::{AtomicI32, Ordering};

static CALLS: AtomicI32 = AtomicI32::new(0);

/// Two balls on a line that push and hit each other. Own bytes: health and score of both.
struct Game {
    fault: &'static str,
    world: World,
    numbers: [i32; 4], // health, then score
    steps: i32,
    speed: f64,
    order: Vec<i32>, // a map that outlives a frame
}

impl Game {
    fn new(fault: &'static str) -> Self {
        let mut world = World::new(Config::new(2)).unwrap();
        for id in 0..2 {
            let ball = Collider::new(id, Shape::Sphere { radius: 4 });
            world.add(&ball.at([20 * id as i32, 0, 0])).unwrap();
        }
        let numbers = [100, 100, 0, 0];
        Self { fault, world, numbers, steps: 0, speed: 1.0, order: (0..7).collect() }
    }

    fn own(&self) -> [u8; 16] {
        let mut saved = self.numbers;
        if self.fault == "unsaved" {
            saved[..2].fill(0);
        }
        let mut own = [0; 16];
        for (bytes, number) in own.chunks_mut(4).zip(saved) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        own
    }

    fn load(&mut self, own: &[u8; 16]) {
        for (i, bytes) in own.chunks(4).enumerate() {
            if self.fault != "unsaved" || i > 1 {
                self.numbers[i] = i32::from_le_bytes(bytes.try_into().unwrap());
            }
        }
    }

    fn way(&mut self, input: i64) -> i32 {
        let way = (input & 3) as i32 - 1;
        match self.fault {
            "static" if CALLS.fetch_add(1, Ordering::Relaxed) % 97 == 0 => way + 1,
            "clock" if self.steps % 50 == 0 => way + 1,
            "float" if way != 0 => {
                self.speed = if self.speed > 3.0 { 1.0 } else { self.speed * 1.01 };
                (f64::from(way) * self.speed) as i32
            }
            "order" => {
                self.order.rotate_left(3);
                if self.order[0] == 3 { -way } else { way }
            }
            _ => way,
        }
    }

    /// Steps a frame: its commands, reactions, events and hash.
    fn step(&mut self, inputs: &[i64]) -> (Vec<Command>, usize, Vec<Event>, u64) {
        self.steps += 1;
        let (mut rows, mut events) = (Vec::new(), Vec::new());
        for (id, input) in inputs.iter().enumerate() {
            let x = self.world.get(id as u32).unwrap().pose.position[0] + 3 * self.way(*input);
            rows.push(Command::move_to(id as u32, [x.clamp(-200, 200), 0, 0]));
        }
        self.world.apply(&rows).unwrap();
        self.world.step(&mut events).unwrap();
        let (hash, mut reactions) = (self.world.hash(), Vec::new());
        for event in events.clone().iter().filter(|event| event.kind() == EventKind::Enter) {
            self.numbers[event.b as usize] -= 1 + event.a as i32;
            self.numbers[2 + event.a as usize] += 1;
            let score = self.numbers[2 + event.a as usize];
            events.push(Event::game(event.a, event.b, 16, score).unwrap());
            let to = 20 * event.b as i32 + score % 5;
            reactions.push(Command::move_to(event.b, [to, 0, 0]));
        }
        self.world.apply(&reactions).unwrap();
        let count = reactions.len();
        rows.append(&mut reactions);
        (rows, count, events, hash)
    }
}

struct Peer {
    game: Game,
    rollback: Rollback,
    confirmed: Vec<(Vec<i64>, u64)>,
    again: u32,
}

impl Peer {
    fn new(fault: &'static str, settings: Settings) -> Self {
        let game = Game::new(fault);
        let rollback = Rollback::new(settings, &game.world, &game.own()).unwrap();
        Self { game, rollback, confirmed: Vec::new(), again: 0 }
    }

    fn tick(&mut self, inputs: &[i64]) {
        let Self { game, rollback, .. } = self;
        let (mut own, mut changes) = (game.own(), EventChanges::default());
        if !rollback.tick(inputs).unwrap() {
            return;
        }
        while let Some(request) = rollback.next(&mut game.world, &mut own).unwrap() {
            match request {
                Request::Load { .. } => game.load(&own),
                Request::Guess { .. } => unreachable!(),
                Request::Step { frame, is_again, .. } => {
                    assert_eq!(frame, game.world.frame());
                    let (commands, reactions, events, hash) = game.step(rollback.inputs());
                    own = game.own();
                    let shown = hash64(&game.numbers.map(|n| n as u8), 1);
                    let (commands, events, hash) = (&commands[..], &events[..], Some(hash));
                    let kept = Frame { hash, commands, reactions, events };
                    rollback.push(&game.world, &own, kept, shown, &mut changes).unwrap();
                    self.again += u32::from(is_again);
                    for event in &changes.predicted {
                        if game.fault == "reaction" && event.kind() == EventKind::Game(16) {
                            game.numbers[2 + event.a as usize] += 10;
                            own = game.own();
                        }
                    }
                }
                Request::Confirmed { frame } => {
                    assert_eq!(frame as usize, self.confirmed.len());
                    let hash = rollback.confirmed().hash;
                    self.confirmed.push((rollback.inputs().to_vec(), hash));
                }
            }
        }
    }
}

/// An input that is held for some frames.
fn held(player: u32, frame: u32) -> i64 {
    Random(u64::from(2 * (frame / 7) + player)).below(3).unwrap() as i64
}

fn sync_test(fault: &'static str, check: u32) -> Option<(u32, Desync, Vec<Difference>)> {
    let mut peer = Peer::new(fault, Settings { check, ..Settings::new(2, 16) });
    for frame in 0..2000 {
        peer.tick(&[held(0, frame), held(1, frame)]);
        if let Some(desync) = peer.rollback.desync() {
            let mut rows = Vec::new();
            let [ours, theirs] = [0, 1].map(|which| peer.rollback.kept(which, Part::World));
            state_differences(ours.unwrap(), theirs.unwrap(), &mut rows).unwrap();
            return Some((frame, desync, rows));
        }
    }
    assert_eq!(peer.confirmed.len() as u32, 2000 - check - 1);
    None
}

const FAULTS: [(&str, Part); 6] = [
    ("unsaved", Part::Shown),
    ("static", Part::World),
    ("clock", Part::World),
    ("float", Part::World),
    ("order", Part::World),
    ("reaction", Part::Own),
];

#[test]
fn the_sync_test_names_frame_and_part_of_planted_faults_and_nothing_of_a_good_game() {
    for check in [2, 8] {
        assert!(sync_test("", check).is_none());
        for (fault, part) in FAULTS {
            let (at, desync, rows) = sync_test(fault, check).expect(fault);
            assert_eq!((desync.peer, desync.part), (0, part), "{fault}");
            assert!(at - desync.frame <= 2 * check + 2, "{fault}: in {at}, {desync}");
            assert_eq!(desync.own_at.is_some(), part == Part::Own, "{fault}");
            if part == Part::World {
                assert!(rows[0].to_string().starts_with("collider "), "{}", rows[0]);
            }
        }
    }
}

/// Two peers at 80 ms with 5 % loss, until both have confirmed so many frames.
fn played(fault: &'static str, frames: usize, prediction_max: u32) -> [Peer; 2] {
    let mut peers = [0, 1].map(|me| {
        let settings = Settings::duel(me, 16, [me as u8 + 1; 16]);
        Peer::new(fault, Settings { prediction_max, r#match: hash64(b"duel", 0), ..settings })
    });
    peers[1].game.steps = 17; // another clock
    peers[1].game.order.rotate_left(1);
    let (mut random, mut flying, mut bytes) = (Random(3), Vec::new(), Vec::new());
    for now in 0.. {
        assert!(now < 20 * frames, "the match does not end");
        for (me, peer) in peers.iter_mut().enumerate() {
            flying.retain(|(at, to, packet): &(usize, usize, Vec<u8>)| {
                let is_here = *at <= now && *to == me;
                if is_here {
                    peer.rollback.receive(1, packet).unwrap();
                }
                !is_here
            });
            let pace = peer.rollback.pace();
            peer.tick(&[held(me as u32, pace.head)]);
            peer.rollback.packet(1, &mut bytes).unwrap();
            if !random.chance(5, 100).unwrap() {
                flying.push((now + 4 + random.below(3).unwrap() as usize, 1 - me, bytes.clone()));
            }
        }
        if peers.iter().all(|peer| peer.confirmed.len() >= frames) {
            break;
        }
    }
    peers
}

#[test]
fn two_peers_confirm_what_one_that_was_never_rolled_back_does() {
    let mut straight = Game::new("");
    let frames: Vec<_> = (0..1000)
        .map(|frame| {
            let inputs = vec![held(0, frame), held(1, frame)];
            let (_, _, _, hash) = straight.step(&inputs);
            (inputs, hash)
        })
        .collect();
    for prediction_max in [0, 8] {
        for peer in played("", 1000, prediction_max) {
            assert_eq!(peer.confirmed[..1000], frames);
            assert_eq!(peer.again > 100, prediction_max > 0, "{}", peer.again);
            assert_eq!(peer.rollback.desync(), None);
        }
    }
}

#[test]
fn two_peers_name_frame_and_part_of_planted_faults() {
    for (fault, part) in FAULTS {
        let peers = played(fault, 2000, 12);
        let found = [0, 1].map(|me: usize| peers[me].rollback.desync().expect(fault));
        assert_eq!(found[0].frame, found[1].frame, "{fault}");
        for (me, desync) in found.iter().enumerate() {
            assert!(desync.parts.contains(&part), "{fault}: {desync:?}");
            assert_eq!((desync.peer, desync.players), (1, 1 << (1 - me)));
            assert_eq!(desync.ours, found[1 - me].theirs);
        }
        let [a, b] = [0, 1].map(|me: usize| peers[me].rollback.kept(0, Part::World).unwrap());
        let mut rows = Vec::new();
        state_differences(a, b, &mut rows).unwrap();
        assert_eq!(found[0].parts.contains(&Part::World), !rows.is_empty(), "{fault}");
    }
}

#[test]
fn a_peer_refuses_with_name_value_and_range() {
    let world = World::new(Config::new(2)).unwrap();
    let new = |settings| Rollback::new(settings, &world, &[0; 3]).map(drop);
    let good = Settings::new(2, 3);
    let mut rollback = Rollback::new(Settings::duel(0, 3, [7; 16]), &world, &[0; 3]).unwrap();
    let mut other =
        Rollback::new(Settings { r#match: 5, ..Settings::duel(1, 3, [8; 16]) }, &world, &[0; 3])
            .unwrap();
    let mut hello = Vec::new();
    other.packet(1, &mut hello).unwrap();
    let mut peers = [0; 64];
    peers[1] = 2;
    for (result, words) in [
        (new(Settings { players: 65, ..good }), "players must be 1..64, not 65"),
        (new(Settings { numbers: 0, ..good }), "numbers must be 1..16, not 0"),
        (new(Settings { prediction_max: 257, ..good }), "prediction_max must be 0..256, not 257"),
        (new(Settings { input_delay: 65, ..good }), "input_delay must be 0..64, not 65"),
        (new(Settings { check: 65, ..good }), "check must be 0..64, not 65"),
        (new(Settings { peers, ..good }), "peer of a player must be 0..1, not 2"),
        (new(Settings { own_size: 4, ..good }), "length of own must be 4, not 3"),
        (rollback.tick(&[1, 2]).map(drop), "length of inputs must be 1, not 2"),
        (rollback.set_delay(65), "input_delay must be 0..64, not 65"),
        (rollback.packet(2, &mut Vec::new()), "peer must be 1..1, not 2"),
        (rollback.receive(0, &[]), "peer must be 1..1, not 0"),
        (
            rollback.receive(1, &[0; 9]),
            "packet of peer 1: a packet that is cut, damaged or malformed: 0, here 0",
        ),
        (rollback.receive(1, &hello), "packet of peer 1: a packet of another match: 5, here 0"),
        (rollback.player(2).map(drop), "player must be 0..1, not 2"),
    ] {
        let error = result.expect_err(words).to_string();
        let is_packet = words.starts_with("packet of peer 1: a packet that");
        assert!(error == words || is_packet && error.starts_with("packet of peer 1"), "{error}");
    }
    assert_eq!(rollback.tick(&[1]), Ok(false)); // not connected
    assert!(!rollback.pace().is_connected);
}
