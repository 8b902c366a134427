//! The feature `serde`: values come back as they were, in formats of text and of bytes.
#![cfg(feature = "serde")]
use fixsync::*;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn again<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) -> String {
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn values_come_back_as_they_were() {
    let shapes = [
        Shape::Sphere { radius: 1 },
        Shape::Capsule { radius: SIZE_MAX, half_height: 0 },
        Shape::Cylinder { radius: 2, half_height: 3 },
        Shape::Box { half_x: 4, half_y: 5, half_z: 6 },
        Shape::Sector { radius: 7, half_angle: 32768, half_height: 8, inner_radius: 6 },
    ];
    for shape in shapes {
        let pose = Pose { position: [i32::MIN, 0, i32::MAX], yaw: u16::MAX };
        let collider = Collider { pose, ..Collider::new(u32::MAX, shape).layer(31).owner(7) };
        again(collider.inactive());
    }
    assert_eq!(again(shapes[0]), r#"{"sphere":{"radius":1}}"#);
    assert_eq!(again(Pose::at([1, 2, 3])), r#"{"position":[1,2,3],"yaw":0}"#);
    again(Config::new(9).layers(&[(0, 31)]).unwrap());
    again(Contact::Overlapping);
    again(Mover { one_way: 1, ..Mover::new(3) });
    again(Random(u64::MAX));
    again(Event::game(1, 2, 16, -5).unwrap());
    again(EventKind::Game(u32::MAX));
    let circle = Hitbox::new(1, Ground::Circle { radius: 5 }, [1, 2]);
    again(Hitbox { ground: Ground::Rectangle { half_x: 1, half_z: 2 }, ..circle });
}

#[test]
fn rows_of_a_world_come_back_as_they_were() {
    let mut world = World::new(Config::new(2)).unwrap();
    for id in 0..2 {
        world.add(&Collider::new(id, Shape::Sphere { radius: q!(1) })).unwrap();
    }
    let (mut events, mut hits, mut met, mut moved) = Default::default();
    world.step(&mut events).unwrap();
    world.hits(&mut hits).unwrap();
    world.sweep(0, [q!(1), 0, 0], 0, None, &mut met).unwrap();
    world.separate(&[u32::MAX; 32], 1, &mut moved).unwrap();
    let sizes = [events.len(), hits.len(), met.len(), moved.len()];
    assert_eq!(sizes, [1, 1, 1, 2]);
    again(events);
    again(hits);
    again(met);
    again(moved);
}

#[test]
fn a_value_of_a_file_is_checked_when_it_is_used() {
    let shape = serde_json::from_str::<Shape>(r#"{"sphere":{"radius":-1}}"#).unwrap();
    assert_eq!(shape.check().unwrap_err().to_string(), "radius must be 1..536870911, not -1");
    let said = serde_json::from_str::<Shape>(r#"{"sphere":{"radius":1.5}}"#).unwrap_err();
    assert!(said.to_string().contains("expected i32"), "{said}");
    let collider = r#"{"id":1,"shape":{"sphere":{"radius":1}},"pose":{"position":[0,0,0],"yaw":0},
        "offset":[0,0,0],"layer":900,"owner":0,"active":true}"#;
    let mut world = World::new(Config::new(2)).unwrap();
    let error = world.add(&serde_json::from_str(collider).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "layer must be 0..31, not 900");
}
