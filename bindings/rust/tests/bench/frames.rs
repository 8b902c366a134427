//! The frames of frames.c with the crate: `frames COLLIDERS FRAMES` prints the last hash and a sum of
//! the small calls. callgrind counts the instructions of the exported functions alone.
use fixsync::*;
use std::hint::black_box;

const CALLS: u32 = 10_000;

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

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn get(world: &World, n: u32) -> u64 {
    let mut sum = 0;
    for i in 0..CALLS {
        let row = world.get(i % n).unwrap();
        sum += u64::from(row.owner) + u64::from(row.pose.position[0] as u32);
    }
    sum
}

/// As `get`, with all fields in memory.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn get_whole(world: &World, n: u32) -> u64 {
    let mut sum = 0;
    for i in 0..CALLS {
        let row = black_box(world.get(i % n).unwrap());
        sum += u64::from(row.owner) + u64::from(row.pose.position[0] as u32);
    }
    sum
}

#[unsafe(export_name = "move")]
#[inline(never)]
extern "C" fn move_all(world: &mut World, n: u32) {
    for i in 0..CALLS {
        world.move_to(i % n, [i as i32, 0, 0]).unwrap();
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn query(world: &mut World, ids: &mut Vec<u32>) -> u64 {
    let mut sum = 0;
    for i in 0..CALLS {
        let row = Query::new(&Shape::Sphere { radius: 1 }, Pose::at([i as i32, 0, 0])).mask(1);
        world.query(&row, ids).unwrap();
        sum += ids.len() as u64;
    }
    sum
}

#[unsafe(export_name = "mul")]
#[inline(never)]
extern "C" fn mul_all() -> u64 {
    (0..CALLS as i32).map(|i| u64::from(mul(i * 100, 70_000).unwrap() as u32)).sum()
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
    let got = get(&world, n);
    assert_eq!(got, get_whole(&world, n));
    let sum = got + mul_all();
    move_all(&mut world, n);
    println!("{}", sum + query(&mut world, &mut Vec::with_capacity(n as usize)));
    Ok(())
}
