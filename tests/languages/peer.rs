//! A peer in Rust of the match of `test_languages.py`: PLAYER RANDOM LOG FRAMES.
use fixsync::*;
use std::io::BufRead;

struct Pit {
    random: Random,
    numbers: [i32; 4], // health, then scores
}

impl Pit {
    fn save(&self) -> [u8; 24] {
        let mut own = [0; 24];
        own[..8].copy_from_slice(&self.random.0.to_le_bytes());
        for (to, number) in own[8..].chunks_mut(4).zip(self.numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        own
    }

    fn load(own: &[u8; 24]) -> Self {
        let numbers =
            [8, 12, 16, 20].map(|i| i32::from_le_bytes(own[i..i + 4].try_into().unwrap()));
        Self { random: Random(u64::from_le_bytes(own[..8].try_into().unwrap())), numbers }
    }

    fn dice(&mut self, count: u64) -> Result<i32, Error> {
        Ok(self.random.below(count)? as i32)
    }

    fn step(&mut self, world: &mut World, inputs: &[i64]) -> Result<Vec<Event>, Error> {
        for (id, input) in (0..).zip(inputs.chunks(2)) {
            let x = world.get(id)?.pose.position[0] + 2 * ((input[0] & 3) as i32 - 1);
            world.move_to(id, [x.clamp(-40, 40), 0, 0])?;
        }
        let mut events = Vec::new();
        world.step(&mut events)?;
        for row in events.clone() {
            let (a, b) = (row.a, row.b);
            if row.kind() != EventKind::Enter || a > 1 {
                continue;
            }
            if b > 1 {
                self.numbers[2 + a as usize] += 1;
                events.push(Event::game(a, b, 16, self.numbers[2 + a as usize])?);
                world.move_to(b, [self.dice(81)? - 40, 0, 0])?;
                continue;
            }
            for i in 0..2 {
                if inputs[2 * i + 1] & 1 == 1 {
                    self.numbers[1 - i] -= 1 + self.dice(3)?;
                    events.push(Event::game(i as u32, 1 - i as u32, 17, self.numbers[1 - i])?);
                }
            }
        }
        Ok(events)
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
    let mut game = Pit { random: Random(5), numbers: [100, 100, 0, 0] };
    let mut own = game.save();
    let duel = Settings::duel(arguments[1].parse()?, 24, arguments[2].as_bytes().try_into()?);
    let settings = Settings { r#match: 7, data: 9, numbers: 2, prediction_max: 12, ..duel };
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
                        let events = game.step(&mut world, rollback.inputs())?;
                        own = game.save();
                        let shown = hash64(&own[8..16], 0);
                        let frame = Frame { events: &events, ..Frame::default() };
                        rollback.push(&world, &own, frame, shown, &mut changes)?;
                    }
                    Request::Confirmed { frame } if frame < frames => {
                        for input in rollback.inputs().chunks(2) {
                            log.input_list(input)?;
                        }
                        log.step(rollback.recorded())?;
                    }
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
