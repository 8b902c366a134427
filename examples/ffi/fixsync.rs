//! Calls the kernel from Rust without a binding generator:
//!
//!     cmake -S csrc -B build/static && cmake --build build/static
//!     rustc -L build/static -l static=fixsync examples/ffi/fixsync.rs && ./fixsync
//!
//! The argument `layout` prints the layout of the structures, to compare it with a C compiler's.

use std::mem::{offset_of, size_of};

const ONE: i32 = 65536;
const SPHERE: u8 = 0;
const CAPSULE: u8 = 1;
const TOUCHING: u32 = 1;
const KINDS: [&str; 4] = ["", "ENTER", "STAY", "EXIT"];

#[repr(C)]
struct Config {
    capacity: u32,
    hit_capacity: u32,
    hit_when: u32,
    layers: [u32; 32],
}

#[repr(C)]
#[derive(Default)]
struct Collider {
    id: u32,
    kind: u8,
    layer: u8,
    active: u8,
    zero: u8,
    yaw: u16,
    half_angle: u16,
    owner: u32,
    x: i32,
    y: i32,
    z: i32,
    ox: i32,
    oy: i32,
    oz: i32,
    size: [i32; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    a: u32,
    b: u32,
    kind: u32,
    contact: u32,
}

#[repr(C)]
#[derive(Default)]
struct Counts {
    hits: u64,
    events: u64,
}

/// Opaque: the caller's memory, at least fxs_world_size bytes, aligned to 8.
#[repr(C)]
struct World {
    _private: [u8; 0],
}

extern "C" {
    fn fxs_version() -> u32;
    fn fxs_world_size(config: *const Config) -> u64;
    fn fxs_world_init(memory: *mut World, config: *const Config) -> i32;
    fn fxs_world_add(world: *mut World, collider: *const Collider) -> i32;
    fn fxs_world_move(world: *mut World, id: u32, x: i32, y: i32, z: i32) -> i32;
    fn fxs_world_step(world: *mut World, events: *mut Event, room: u64, counts: *mut Counts)
        -> i32;
    fn fxs_world_save_size(world: *const World) -> u64;
    fn fxs_world_save(world: *const World, out: *mut u8);
    fn fxs_world_load(world: *mut World, bytes: *const u8, size: u64, at: *mut u64) -> i32;
    fn fxs_world_hash(world: *const World) -> u64;
}

macro_rules! show {
    ($name:literal, $type:ty, $($field:ident),+) => {
        print!("{} {}", $name, size_of::<$type>());
        $(print!(" {}:{}", stringify!($field), offset_of!($type, $field));)+
        println!();
    };
}

fn show_layout() {
    show!("fxs_config", Config, capacity, hit_capacity, hit_when, layers);
    show!(
        "fxs_collider",
        Collider,
        id,
        kind,
        layer,
        active,
        zero,
        yaw,
        half_angle,
        owner,
        x,
        y,
        z,
        ox,
        oy,
        oz,
        size
    );
    show!("fxs_event", Event, a, b, kind, contact);
    show!("fxs_counts", Counts, hits, events);
}

fn ok(status: i32) {
    assert!(status >= 0, "fixsync: status {}", status);
}

/// A ball flies through a body; after a rollback it does so again.
fn play() {
    let config =
        Config { capacity: 4, hit_capacity: 8, hit_when: TOUCHING, layers: [u32::MAX; 32] };
    let body = Collider {
        id: 1,
        kind: CAPSULE,
        active: 1,
        owner: 1,
        size: [ONE / 2, ONE, 0],
        ..Default::default()
    };
    let ball = Collider {
        id: 2,
        kind: SPHERE,
        active: 1,
        owner: 2,
        x: -2 * ONE,
        size: [ONE / 4, 0, 0],
        ..Default::default()
    };
    let mut events = [Event::default(); 16];
    let mut counts = Counts::default();
    let mut hashes = Vec::new();
    // Safety: the memory is large enough and aligned; every pointer is to a live value.
    unsafe {
        assert_eq!(fxs_version() >> 8, 3, "the library is not fixsync 0.3");
        let mut memory = vec![0u64; fxs_world_size(&config) as usize / 8 + 1];
        let world = memory.as_mut_ptr().cast::<World>();
        ok(fxs_world_init(world, &config));
        ok(fxs_world_add(world, &body));
        ok(fxs_world_add(world, &ball));
        let mut saved = vec![0u8; fxs_world_save_size(world) as usize];
        fxs_world_save(world, saved.as_mut_ptr());
        for _ in 0..2 {
            let mut at = 0;
            ok(fxs_world_load(world, saved.as_ptr(), saved.len() as u64, &mut at));
            for frame in 1..9 {
                ok(fxs_world_move(world, 2, (frame - 4) * ONE / 2, 0, 0));
                ok(fxs_world_step(world, events.as_mut_ptr(), events.len() as u64, &mut counts));
                for event in &events[..counts.events as usize] {
                    println!(
                        "{} {} {} {} {}",
                        frame, event.a, event.b, KINDS[event.kind as usize], event.contact
                    );
                }
            }
            hashes.push(fxs_world_hash(world));
        }
    }
    assert_eq!(hashes[0], hashes[1], "the frames differ after a rollback");
    println!("hash {:016x}", hashes[0]);
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("layout") {
        show_layout();
    } else {
        play();
    }
}
