//! A body rolls back: its saved bytes grow with the victims of its attack. The argument is the table
//! that `fixsync frame-data examples/fighter.json -o fighter.bin` makes.

use fixsync::*;
use std::sync::Arc;

const SLASH: u32 = 2; // in the order that `fixsync frame-data` prints

struct Game {
    world: World,
    hero: Body,
    history: History,
}

impl Game {
    /// Steps a frame and keeps it. Returns how many bytes the hero's state has.
    fn step(&mut self, slashes: bool) -> Result<usize, Error> {
        let (mut rows, mut events) = (Vec::new(), Vec::new());
        if slashes {
            self.hero.start(&mut self.world, SLASH, &mut rows)?;
        }
        self.world.step(&mut events)?;
        let (hash, before) = (Some(self.world.hash()), rows.len());
        for event in events.iter().filter(|event| event.kind() == EventKind::Enter) {
            self.hero.strike(event.b)?; // its victim
        }
        self.hero.tick(&mut self.world, &mut rows)?;
        let (own, reactions) = (self.hero.save(), rows.len() - before);
        let kept = Frame { hash, commands: &rows, reactions, events: &events, is_final: false };
        self.history.push(&self.world, &own, kept, &mut EventChanges::default())?;
        Ok(own.len())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = std::env::args().nth(1).ok_or("the table of examples/fighter.json?")?;
    let fighter = Arc::new(FrameData::new(std::fs::read(table)?)?);
    let mut world = World::new(Config::new(16).layers(&[(0, 2)])?)?; // bodies meet attacks
    let mut rows = Vec::new();
    let ids = [0, 1, 2, 3];
    let hero = Body::add(&mut world, &fighter, &ids, 1, Pose::default(), false, &mut rows)?;
    for id in 8..10 {
        let victim = Collider::new(id, Shape::Sphere { radius: q!(1) });
        world.add(&victim.at([q!(2), 0, 0]).owner(id))?;
    }
    let room = Room::new(8, Body::SAVE_MAX as u64);
    let history = History::new(room, &world, &hero.save())?;
    let mut game = Game { world, hero, history };

    let mut sizes = Vec::new();
    for frame in 0..6 {
        sizes.push(game.step(frame == 0)?); // predicted: the hero slashes in frame 0
    }
    let mut own = [0; Body::SAVE_MAX];
    let size = game.history.back(0, &mut game.world, &mut own)?; // it did so in frame 1
    game.hero.load(&own[..size])?;
    for frame in 0..6 {
        sizes.push(game.step(frame == 1)?);
    }
    println!("{sizes:?}");
    assert_eq!(sizes, [24, 24, 24, 24, 32, 32, 24, 24, 24, 24, 24, 32]); // 4 bytes a victim
    Ok(())
}
