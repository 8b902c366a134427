//! The frames of frames.c with the crate: `frames COLLIDERS FRAMES` prints the last hash. callgrind
//! counts the instructions of `frames()` alone.
use fixsync::*;

fn x_of(id: u32, frame: u32) -> i32 {
    (id % 32 * 98304 + (frame + id) % 64 * 512) as i32
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn frames(world: &mut World, rows: &mut Vec<Command>, events: &mut Events, count: u32) {
    let n = world.capacity();
    for frame in 0..count {
        rows.clear();
        rows.extend(
            (0..n).map(|id| Command::move_to(id, [x_of(id, frame), 0, (id / 32 * 98304) as i32])),
        );
        world.apply(rows).unwrap();
        world.step(events).unwrap();
        for id in 0..n {
            world.turn(id, Yaw(((frame + id) * 512) as u16)).unwrap();
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<u32> =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [n, count] = numbers[..] else { return Err("frames COLLIDERS FRAMES".into()) };
    let mut world = World::new(Config { hit_capacity: 4096, ..Config::new(n) })?;
    for id in 0..n {
        let shape = Shape::Box { half_x: 65536, half_y: 65536, half_z: 65536 };
        world.add(&Collider::new(id, shape).at([x_of(id, 0), 0, (id / 32 * 98304) as i32]))?;
    }
    let (mut rows, mut events) = (Vec::with_capacity(n as usize), Vec::with_capacity(1 << 16));
    frames(&mut world, &mut rows, &mut events, count);
    println!("{:016x}", world.hash());
    Ok(())
}
