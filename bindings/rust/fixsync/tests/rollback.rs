//! A peer that predicts the inputs of others ends as a game that was never rolled back.
use fixsync::*;
use std::collections::BTreeMap;

const PLAYERS: u32 = 3;
const FRAMES: u32 = 120;
const WINDOW: u32 = 12;

/// The world, and a score beside it: the game's own state.
#[derive(Clone)]
struct Game {
    world: World,
    score: [u8; 1],
}

fn game() -> Game {
    let mut world = World::new(Config::new(PLAYERS)).unwrap();
    for id in 0..PLAYERS {
        let ball = Shape::Sphere { radius: q!(1) };
        world.add(&Collider::new(id, ball).at([id as i32 * q!(1.5), 0, 0])).unwrap();
    }
    Game { world, score: [0] }
}

/// The real input of a player: how far it runs.
fn input(player: u32, frame: u32) -> i64 {
    Random(u64::from(player) << 32 | u64::from(frame / 3)).between(-3, 3).unwrap()
}

impl Game {
    fn step(&mut self, values: &[i64], rows: &mut Vec<Command>, events: &mut Events) {
        rows.clear();
        for (id, dx) in (0..PLAYERS).zip(values) {
            let [x, y, z] = self.world.get(id).unwrap().pose.position;
            rows.push(Command::move_to(id, [x + *dx as i32 * q!(0.25), y, z]));
        }
        self.world.apply(rows).unwrap();
        self.world.step(events).unwrap();
        let enters = events.iter().filter(|event| event.kind() == EventKind::Enter).count();
        self.score[0] = self.score[0].wrapping_add(enters as u8);
        if enters > 0 {
            events.push(Event::game(0, 0, 16, self.score[0].into()).unwrap());
        }
    }
}

/// The frames of a game that knows all inputs.
fn straight() -> Vec<Confirmed> {
    let (mut game, mut frames) = (game(), Vec::new());
    for frame in 0..FRAMES {
        let values: Vec<_> = (0..PLAYERS).map(|player| input(player, frame)).collect();
        let mut made = Confirmed { frame, ..Confirmed::default() };
        game.step(&values, &mut made.commands, &mut made.events);
        made.hash = game.world.hash();
        frames.push(made);
    }
    assert!(frames.iter().map(|frame| frame.events.len()).sum::<usize>() > 50);
    frames
}

/// How often it went back, and what it confirmed. `late`: when an input of another player comes.
fn predicted(late: impl Fn(u32, u32) -> u32) -> (usize, Vec<Confirmed>) {
    let mut game = game();
    let mut inputs = Inputs::new(PLAYERS, 2 * WINDOW, 0).unwrap();
    let mut history = History::new(Room::new(WINDOW, 1), &game.world, &game.score).unwrap();
    let (mut rows, mut events, mut changes) = (Vec::new(), Vec::new(), EventChanges::default());
    let (mut frames, mut backs, mut sure) = (Vec::new(), 0, Confirmed::default());
    let mut coming: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut shown: Vec<(u32, Event)> = Vec::new(); // what stands, as an audience hears it
    for player in 0..PLAYERS {
        for frame in 0..FRAMES {
            let delay = if player == 0 { 0 } else { late(player, frame).min(WINDOW - 1) };
            coming.entry(frame + delay).or_default().push((player, frame));
        }
    }
    for now in 0..FRAMES + WINDOW {
        for (player, frame) in coming.remove(&now).unwrap_or_default() {
            assert!(inputs.put(player, frame, input(player, frame)).unwrap());
        }
        let (redo, known) = (inputs.redo(), inputs.confirmed());
        history.settle(redo.min(known)).unwrap();
        if redo != history.head() {
            backs += 1;
            history.back(redo, &mut game.world, &mut game.score).unwrap();
        }
        for frame in redo..=now.min(FRAMES - 1) {
            assert!(history.free() > 0);
            let mut values = [0; PLAYERS as usize];
            inputs.take(frame, &mut values).unwrap();
            game.step(&values, &mut rows, &mut events);
            let is_final = frame < known;
            let kept = Frame { is_final, commands: &rows, events: &events, ..Frame::default() };
            history.push(&game.world, &game.score, kept, &mut changes).unwrap();
            for taken_back in &changes.taken_back {
                let at = shown.iter().position(|row| *row == (frame, *taken_back));
                shown.remove(at.expect("only what stands is taken back"));
            }
            shown.extend(changes.predicted.iter().map(|event| (frame, *event)));
        }
        while history.confirm(&mut sure).unwrap() {
            for (frame, event) in &shown {
                let is_right = *frame != sure.frame || sure.events.contains(event);
                assert!(is_right, "frame {frame}: {event:?} stands");
            }
            frames.push(sure.clone());
        }
    }
    (backs, frames)
}

#[test]
fn a_game_that_is_rolled_back_at_any_frame_confirms_the_frames_of_one_that_never_is() {
    let straight = straight();
    for delay in 0..WINDOW {
        let (backs, frames) = predicted(|_, _| delay);
        assert_eq!(frames, straight, "delay {delay}");
        assert_eq!(backs > 10, delay > 0, "{backs}");
    }
    for seed in 0..30 {
        let (_, frames) = predicted(|player, frame| {
            Random(seed << 40 | u64::from(player) << 32 | u64::from(frame)).below(12).unwrap()
                as u32
        });
        assert_eq!(frames, straight, "seed {seed}");
    }
}

#[test]
fn states_of_the_game_may_have_any_length_up_to_the_one_that_was_said() {
    const MOST: usize = 5;
    let mut game = game();
    let state = |frame: u32| vec![frame as u8 + 1; frame as usize % (MOST + 1)];
    let mut history = History::new(Room::new(8, MOST as u64), &game.world, &state(0)).unwrap();
    let (mut rows, mut events, mut changes) = (Vec::new(), Vec::new(), EventChanges::default());
    for frame in 0..8 {
        game.step(&[0; 3], &mut rows, &mut events);
        let made = Frame { commands: &rows, events: &events, ..Frame::default() };
        history.push(&game.world, &state(frame + 1), made, &mut changes).unwrap();
    }
    let mut own = [99; MOST];
    for frame in (0..8).rev() {
        let length = history.back(frame, &mut game.world, &mut own).unwrap();
        assert_eq!((game.world.frame(), &own[..length]), (frame, &state(frame)[..]));
    }
    let said = |done: Result<(), Error>| done.unwrap_err().to_string();
    let pushed = history.push(&game.world, &[0; MOST + 1], Frame::default(), &mut changes);
    assert_eq!(said(pushed), "length of own must be 0..5, not 6");
    let begun = History::new(Room::new(8, 2), &game.world, &[0; 3]).map(drop);
    assert_eq!(said(begun), "length of own must be 0..2, not 3");
    let back = history.back(0, &mut game.world, &mut own[1..]).map(drop);
    assert_eq!(said(back), "length of own must be 5, not 4");
}

#[test]
fn a_second_value_of_a_frame_names_the_first() {
    let mut random = Random(3);
    let mut inputs = Inputs::new(2, 6, u32::MAX - 20).unwrap();
    let mut came = std::collections::HashMap::new();
    let mut refused = [0; 2]; // of frames that were taken, and that were not
    for _ in 0..4000 {
        let mut below = |count| random.below(count).unwrap() as u32;
        let (player, value) = (below(2), i64::from(below(5)) - 2);
        let redo = inputs.redo();
        let frame = redo.wrapping_sub(6).wrapping_add(below(10));
        match inputs.put(player, frame, value) {
            Ok(true) => _ = came.entry((player, frame)).or_insert(value),
            Ok(false) => {}
            Err(error) => {
                let first = came[&(player, frame)];
                assert_eq!(error, Error::Contradiction { player, frame, first, value });
                refused[usize::from(frame.wrapping_sub(redo) < 1 << 31)] += 1;
            }
        }
        if random.below(3).unwrap() == 0 {
            _ = inputs.take(inputs.redo(), &mut [0; 2]);
        }
    }
    assert!(refused[0] > 50 && refused[1] > 50, "{refused:?}");
}
