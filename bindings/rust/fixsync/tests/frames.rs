//! Frames: they allocate nothing, and errors change nothing.
use fixsync::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;
thread_local!(static COUNT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
static ALL: AtomicU64 = AtomicU64::new(0);

// SAFETY: it is the system's, and counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        ALL.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn crowd(count: u32) -> World {
    let mut world = World::new(Config::new(count)).unwrap();
    for id in 0..count {
        let shape = match id % 3 {
            0 => Shape::Sphere { radius: q!(1) },
            1 => Shape::Box { half_x: q!(1), half_y: q!(0.5), half_z: q!(1) },
            _ => Shape::Capsule { radius: q!(0.5), half_height: q!(0.5) },
        };
        world.add(&Collider::new(id, shape)).unwrap();
    }
    world
}

/// Where a collider is in a frame.
fn place(id: u32, frame: u32) -> [i32; 3] {
    let mut random = Random(u64::from(frame) << 32 | u64::from(id));
    [0; 3].map(|_| random.between(q!(-4).into(), q!(4).into()).unwrap() as i32)
}

fn frame(world: &mut World, rows: &mut Vec<Command>, events: &mut Events) {
    let now = world.frame();
    rows.clear();
    for id in 0..world.capacity() {
        rows.push(Command::move_to(id, place(id, now)));
    }
    world.apply(rows).unwrap();
    world.step(events).unwrap();
}

#[test]
fn ten_thousand_frames_allocate_nothing() {
    let mut world = crowd(16);
    let (mut rows, mut events, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let (mut hits, mut state) = (Vec::new(), Vec::new());
    let query = Query::new(&Shape::Sphere { radius: q!(9) }, Pose::default());
    let cast = Cast::new(&Shape::Sphere { radius: q!(1) }, Pose::default(), [q!(20), 0, 0]);
    let mut play = |world: &mut World, count: u32| {
        for _ in 0..count {
            frame(world, &mut rows, &mut events);
            world.query(&query, &mut ids).unwrap();
            world.cast(&cast, &mut hits).unwrap();
            state.clear();
            world.save_into(&mut state);
            world.load(&state).unwrap();
        }
    };
    // Lists grow to the most that any frame needs: play the same frames before.
    let start = world.save();
    play(&mut world, 10_000);
    world.load(&start).unwrap();
    let before = COUNT.get();
    play(&mut world, 10_000);
    assert_eq!(COUNT.get() - before, 0);
    assert!(ALL.load(Ordering::Relaxed) > 0, "the counter counts");
}

#[test]
fn a_small_world_grows_and_steps_as_a_large_one() {
    let config = |hits| Config { hit_capacity: hits, ..Config::new(64) };
    let (mut small, mut large) =
        (World::new(config(0)).unwrap(), World::new(config(9999)).unwrap());
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for id in 0..64 {
        for world in [&mut small, &mut large] {
            world.add(&Collider::new(id, Shape::Sphere { radius: q!(1) })).unwrap();
        }
    }
    for _ in 0..3 {
        assert_eq!(small.step(&mut a).unwrap(), large.step(&mut b).unwrap());
        assert_eq!((small.hash(), &a), (large.hash(), &b));
    }
    assert_eq!(a.len(), 64 * 63 / 2);
    let mut empty = World::new(config(0)).unwrap();
    empty.load(&large.save()).unwrap(); // it has no room for so many hits
    assert_eq!(empty.hash(), large.hash());
    let mut copy = World::new(config(0)).unwrap();
    copy.copy_from(&large).unwrap();
    assert_eq!(copy.hash(), large.hash());
}

#[test]
fn bad_input_gets_an_error_and_changes_nothing() {
    let mut world = crowd(4);
    let before = world.hash();
    let ball = Shape::Sphere { radius: q!(1) };
    let far = Collider::new(9, ball);
    let half_angle = Yaw(32769);
    let wide = Shape::Sector { radius: 5, half_angle, half_height: 1, inner_radius: 0 };
    let hole = Shape::Sector { radius: 5, half_angle: Yaw(1), half_height: 1, inner_radius: 5 };
    let mut list = Vec::new();
    let mut hits = Vec::new();
    let mut on = crowd(4);
    let mut ride = |ids: &[u32], x: i32, mover: Mover| {
        carry(&mut on, ids, [x, 0, 0], &[mover], &mut Vec::new())
    };
    let mover = Mover::new(0);
    let mut planes = TwoPlanes::new(Config::new(4)).unwrap();
    let man = Hitbox::new(0, Ground::Circle { radius: 5 }, [1, 2]);
    let mut brawl = |command: PlanesCommand| planes.apply(&[command]);
    let said = [
        (brawl(PlanesCommand::set_layers(16, 0)), "row 0: layer must be 0..15, not 16"),
        (brawl(PlanesCommand::set_layers(300, 0)), "row 0: layer must be 0..15, not 300"),
        (
            brawl(PlanesCommand::add(&Hitbox { layer: 1 << 20, ..man })),
            "row 0: layer must be 0..15, not 1048576",
        ),
        (
            brawl(PlanesCommand::add(&Hitbox { side: [0, 2], ..man })),
            "row 0: side half_x must be 1..536870911, not 0",
        ),
        (
            world.query(&Query::new(&wide, Pose::default()), &mut list),
            "half_angle must be 1..32768, not 32769",
        ),
        (world.add(&far), "id must be 0..3, not 9"),
        (world.add(&Collider::new(1, ball)), "id 1: an id that is already in the world"),
        (world.set_shape(1, &wide), "half_angle must be 1..32768, not 32769"),
        (world.set_shape(1, &hole), "inner_radius must be 0..4, not 5"),
        (world.set_layer(1, 32), "layer must be 0..31, not 32"),
        (world.set_layer(1, 256), "layer must be 0..31, not 256"),
        (world.move_many(&[1, 7], &[[0; 3]; 2]), "row 1: id must be 0..3, not 7"),
        (world.move_many(&[1], &[]), "length of positions must be 1, not 0"),
        (world.apply(&[Command::set_layer(1, 256)]), "row 0: layer must be 0..31, not 256"),
        (world.apply(&[Command::set_layers(256, 0)]), "row 0: layer must be 0..31, not 256"),
        (
            world.apply(&[Command::remove(3), Command::add(&Collider::new(3, ball).layer(900))]),
            "row 1: layer must be 0..31, not 900",
        ),
        (
            world.apply(&[Command::set_shape(1, &wide)]),
            "row 0: half_angle must be 1..32768, not 32769",
        ),
        (
            world.apply(&[Command::remove(3), Command::add(&Collider::new(3, wide))]),
            "row 1: half_angle must be 1..32768, not 32769",
        ),
        (world.contact(0, 8).map(drop), "id must be 0..3, not 8"),
        (Random(1).below(0).map(drop), "count must be 1..9223372036854775807, not 0"),
        (world.outline(0, 2).map(drop), "segments must be 3..65536, not 2"),
        (
            world.load(b"FXS1"),
            "state, byte 0: not a saved state, or one that this world cannot hold",
        ),
        (
            world.query(&Query::new(&Shape::Sphere { radius: -5 }, Pose::default()), &mut list),
            "radius must be 1..536870911, not -5",
        ),
        (
            world.cast(&Cast::new(&ball, Pose::default(), [0, 1 << 30, 0]), &mut hits),
            "motion y must be -536870911..536870911, not 1073741824",
        ),
        (
            world.cast_many(
                &[
                    Cast::new(&ball, Pose::default(), [0; 3]),
                    Cast::new(&hole, Pose::default(), [0; 3]),
                ],
                &mut Vec::new(),
                &mut hits,
            ),
            "row 1: inner_radius must be 0..4, not 5",
        ),
        (World::new(Config::new(0)).map(drop), "capacity must be 1..2147483648, not 0"),
        (mul(q!(900), q!(900)).map(drop), "the product is outside int32"),
        (hypot([i32::MIN; 3]).map(drop), "the length is outside int32"),
        (div(9, 0).map(drop), "b 0: an argument or a result out of range"),
        (mul_div(9, 9, 0).map(drop), "c 0: an argument or a result out of range"),
        (mul_div(i32::MAX, 2, 1).map(drop), "the quotient is outside int32"),
        (with_length([0; 3], 1).map(drop), "length of v 0: an argument or a result out of range"),
        (with_length([1; 3], -1).map(drop), "length must be 0..2147483647, not -1"),
        (Level::from_bytes(b"no").map(drop), "level, byte 0: bytes that are not a level"),
        (lerp(0, 1, 65537).map(drop), "fraction must be 0..65536, not 65537"),
        (ride(&[0, 9], 0, mover), "id must be 0..3, not 9"),
        (ride(&[2, 1], 0, mover), "next id must be 3..3, not 1"),
        (
            ride(&[1, 2], 0, Mover::new(2)),
            "id of a collider and a mover 2: an id that is already in the world",
        ),
        (ride(&[1], 1 << 30, mover), "motion x must be -536870911..536870911, not 1073741824"),
        (ride(&[1], 0, Mover { passes: 1, ..mover }), "passes must be 2..64, not 1"),
    ];
    for (error, words) in said {
        assert_eq!(error.unwrap_err().to_string(), words);
    }
    assert_eq!(world.hash(), before);
}

#[test]
fn an_error_names_the_sector_that_cannot_be_pushed() {
    let mut world = crowd(4);
    let wedge = Shape::Sector { radius: 5, half_angle: Yaw(9), half_height: 1, inner_radius: 0 };
    world.set_shape(2, &wedge).unwrap();
    for (a, b) in [(1, 2), (2, 1)] {
        let error = world.push_out(a, b).unwrap_err().to_string();
        assert_eq!(error, "id 2: not defined for these shapes");
    }
    assert_eq!(world.push_out(2, 9).unwrap_err().to_string(), "id must be 0..3, not 9");
}

#[test]
fn a_mover_is_blocked_by_the_layers_that_its_layer_meets() {
    let mut world = World::new(Config::new(4).layers(&[(0, 1)]).unwrap()).unwrap();
    let ball = Shape::Sphere { radius: q!(1) };
    world.add(&Collider::new(0, ball)).unwrap();
    world.add(&Collider::new(1, ball).at([q!(3), 0, 0]).layer(2)).unwrap(); // it passes this
    world.add(&Collider::new(2, ball).at([q!(6), 0, 0]).layer(1)).unwrap();
    let mut hits = Vec::new();
    let now = Mover::new(0).move_by(&mut world, [q!(9), 0, 0], &mut hits).unwrap();
    assert_eq!((hits.len(), hits[0].id, now.is_on_wall()), (1, 2, true));
    assert!(!now.is_on_ceiling() && !now.is_stuck());
}

#[test]
fn an_explanation_is_text() {
    let ball = Shape::Sphere { radius: q!(1) };
    let wedge =
        Shape::Sector { radius: q!(4), half_angle: Yaw(5461), half_height: q!(1), inner_radius: 0 };
    let why = |a: &Shape, x: i32, y: i32, z: i32| {
        let there = (&ball, Pose::at([x, y, z]));
        explain((a, Pose::default()), there, Contact::Touching).unwrap().to_string()
    };
    assert_eq!(why(&ball, 0, 0, 0), "they meet");
    let high = "height: one is 1 unit above the other; \
                beside: at one height they would meet if a were 3 units thicker";
    assert_eq!(why(&ball, q!(5), q!(3), 0), high);
    assert_eq!(
        why(&ball, q!(2) + 1, 0, 0),
        "beside: they would meet if a were 0.00002 units thicker"
    );
    let beyond = "beside: they would meet if b were 2 units thicker; beyond the radius";
    assert_eq!(why(&wedge, q!(7), 0, 0), beyond);
    let side = why(&wedge, 0, 0, q!(3));
    assert!(side.contains(" thicker; outside the wedge, half_angle "), "{side}");
}

#[test]
fn worlds_are_sent_and_shared() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<World>();
    is_shared::<Level>();
    is_shared::<Rollback>();
    let world = crowd(8);
    std::thread::scope(|threads| {
        let other = threads.spawn(|| world.hash());
        assert_eq!(other.join().unwrap(), world.hash());
    });
}

#[test]
#[ignore = "C reads one byte too many: the address sanitizer of bindings/rust/test must see it"]
fn a_planted_overflow() {
    let bytes = Box::new([1; 100]);
    // SAFETY: none.
    unsafe { sys::fxs_hash64(bytes.as_ptr(), 101, 0) };
}
