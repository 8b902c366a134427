//! A peer in Rust of the match of `test_languages.py`: PLAYER RANDOM LOG FRAMES.
use fixsync::*;
use std::io::BufRead;

const JUMPS: usize = 8;
const OWN: usize = 8 + 28 + 4 * JUMPS;

type Stepped = (Vec<Event>, Vec<Command>, u64);

struct Pit {
    random: Random,
    numbers: [i32; 4], // health, then scores
    jumps: Vec<i32>,
}

impl Pit {
    fn save(&self) -> [u8; OWN] {
        let mut state = self.random.0.to_le_bytes().to_vec();
        let count = [self.jumps.len() as i32];
        for number in self.numbers.iter().chain(&count).chain(&self.jumps) {
            state.extend(number.to_le_bytes());
        }
        let mut own = [0; OWN];
        own[..8].copy_from_slice(&(state.len() as u64).to_le_bytes());
        own[8..][..state.len()].copy_from_slice(&state);
        own
    }

    fn load(own: &[u8; OWN]) -> Self {
        let number = |i: usize| i32::from_le_bytes(own[i..i + 4].try_into().unwrap());
        Self {
            random: Random(u64::from_le_bytes(own[8..16].try_into().unwrap())),
            numbers: [16, 20, 24, 28].map(number),
            jumps: (0..number(32) as usize).map(|i| number(36 + 4 * i)).collect(),
        }
    }

    fn dice(&mut self, count: u64) -> Result<i32, Error> {
        Ok(self.random.below(count)? as i32)
    }

    /// The events, the reactions, and the hash of the world before these.
    fn step(&mut self, world: &mut World, inputs: &[i64]) -> Result<Stepped, Error> {
        for (id, input) in (0..).zip(inputs.chunks(2)) {
            let x = world.get(id)?.pose.position[0] + 2 * ((input[0] & 3) as i32 - 1);
            world.move_to(id, [x.clamp(-40, 40), 0, 0])?;
        }
        let mut events = Vec::new();
        world.step(&mut events)?;
        let (mut reactions, hash) = (Vec::new(), world.hash());
        for row in events.clone() {
            let (a, b) = (row.a, row.b);
            if row.kind() != EventKind::Enter || a > 1 {
                continue;
            }
            if b > 1 {
                self.numbers[2 + a as usize] += 1;
                events.push(Event::game(a, b, 16, self.numbers[2 + a as usize])?);
                let x = self.dice(81)? - 40;
                self.jumps.drain(..self.jumps.len().saturating_sub(JUMPS - 1));
                self.jumps.push(x);
                world.move_to(b, [x, 0, 0])?;
                reactions.push(Command::move_to(b, [x, 0, 0]));
                continue;
            }
            for i in 0..2 {
                if inputs[2 * i + 1] & 1 == 1 {
                    self.numbers[1 - i] -= 1 + self.dice(3)? + self.jumps.len() as i32;
                    self.jumps.pop();
                    events.push(Event::game(i as u32, 1 - i as u32, 17, self.numbers[1 - i])?);
                }
            }
        }
        Ok((events, reactions, hash))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let frames: u32 = arguments[4].parse()?;
    let mut world = World::new(Config::new(8))?;
    for id in 0..5 {
        let x = if id == 1 { 20 } else { 10 * id as i32 };
        world.add(&Collider::new(id, Shape::Sphere { radius: 4 }).at([x, 0, 0]))?;
    }
    let mut game = Pit { random: Random(5), numbers: [100, 100, 0, 0], jumps: Vec::new() };
    let mut own = game.save();
    let random = arguments[2].as_bytes().try_into()?;
    let duel = Settings::duel(arguments[1].parse()?, OWN as u64, random);
    let duel = Settings { own_has_length: true, r#match: 7, data: 9, ..duel };
    let settings = Settings { numbers: 2, prediction_max: 12, ..duel };
    let mut rollback = Rollback::new(settings, &world, &own)?;
    let about =
        r#"{"tick_rate":60,"sim":"pit","seed":5,"names":{"game":{"16":"score","17":"punch"}}}"#;
    let mut log = Recorder::about(&world, about, None)?;
    let (mut changes, mut packet) = (EventChanges::default(), Vec::new());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let input = words.next().and_then(|word| word.split_once(','));
        for word in words {
            let byte = |i| u8::from_str_radix(&word[i..i + 2], 16);
            let bytes: Result<Vec<u8>, _> = (0..word.len()).step_by(2).map(byte).collect();
            rollback.receive(1, &bytes?)?;
        }
        if let Some((way, punch)) = input
            && rollback.tick(&[way.parse()?, punch.parse()?])?
        {
            while let Some(request) = rollback.next(&mut world, &mut own)? {
                match request {
                    Request::Load { .. } => game = Pit::load(&own),
                    Request::Step { .. } => {
                        let (events, commands, hash) = game.step(&mut world, rollback.inputs())?;
                        own = game.save();
                        let shown = hash64(&own[16..24], 0);
                        let (reactions, hash) = (commands.len(), Some(hash));
                        let (commands, events) = (&commands[..], &events[..]);
                        let frame = Frame { hash, commands, reactions, events };
                        rollback.push(&world, &own, frame, shown, &mut changes)?;
                    }
                    Request::Confirmed { frame } if frame < frames => log.frame(&rollback)?,
                    _ => {}
                }
            }
        }
        rollback.packet(1, &mut packet)?;
        let (pace, differs) = (rollback.pace(), u8::from(rollback.desync().is_some()));
        let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{} {} {differs} {hex}", pace.head, pace.first);
    }
    std::fs::write(&arguments[3], log.finish()?)?;
    Ok(())
}
