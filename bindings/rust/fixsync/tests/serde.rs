//! The feature `serde`: values come back as they were, in formats of text and of bytes.
#![cfg(feature = "serde")]
use fixsync::*;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

#[allow(clippy::needless_pass_by_value, reason = "the calls are shorter")]
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
        Shape::Sector { radius: 7, half_angle: Yaw(32768), half_height: 8, inner_radius: 6 },
    ];
    for shape in shapes {
        let pose = Pose { position: [i32::MIN, 0, i32::MAX], yaw: Yaw(u16::MAX) };
        let collider = Collider { pose, ..Collider::new(u32::MAX, shape).layer(31).owner(7) };
        again(collider.inactive());
    }
    assert_eq!(again(shapes[0]), r#"{"sphere":{"radius":1}}"#);
    assert_eq!(again(Pose::at([1, 2, 3])), r#"{"position":[1,2,3],"yaw":0}"#);
    again(Config::new(9).layers(&[(0, 31)]).unwrap());
    assert_eq!(again(Contact::Overlapping), r#""overlapping""#);
    assert_eq!((again(Q(q!(-1.5))), again(degrees!(90))), ("-98304".into(), "16384".into()));
    again(Mover { mask: 2, one_way: 1, ..Mover::new(3) });
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
fn commands_and_events_come_back_as_they_were() {
    let ball = Shape::Sphere { radius: 3 };
    let rows = [
        Command::add(&Collider::new(1, ball).at([1, 2, 3]).layer(31).owner(9).inactive()),
        Command::remove(1),
        Command::move_to(1, [i32::MIN, 0, i32::MAX]),
        Command::turn(1, Yaw(65535)),
        Command::set_pose(1, Pose::at([4, 5, 6]).turned(Yaw(7))),
        Command::set_shape(1, &ball),
        Command::set_offset(1, [7, 8, 9]),
        Command::set_owner(1, u32::MAX),
        Command::set_layer(1, 31),
        Command::set_active(1, true),
        Command::set_layers(31, u32::MAX),
    ];
    for row in rows {
        assert_eq!(Command::from(row.kind()), row);
        again(row);
    }
    assert_eq!(again(rows[2]), r#"{"move_to":{"id":1,"position":[-2147483648,0,2147483647]}}"#);
    assert_eq!(again(rows[10]), r#"{"set_layers":{"layer":31,"mask":4294967295}}"#);
    assert_eq!(format!("{:?}", rows[3]), "Turn { id: 1, yaw: Yaw(65535) }");
    let ground = Ground::Rectangle { half_x: 1, half_z: 2 };
    let man = Hitbox { layer: 15, owner: 9, position: [1, 2, 3], ..Hitbox::new(1, ground, [3, 4]) };
    let planes = [
        PlanesCommand::add(&man),
        PlanesCommand::remove(1),
        PlanesCommand::move_to(1, [i32::MIN, 0, i32::MAX]),
        PlanesCommand::set_hitbox(1, &man),
        PlanesCommand::set_owner(1, u32::MAX),
        PlanesCommand::set_layer(1, 15),
        PlanesCommand::set_active(1, false),
        PlanesCommand::set_layers(15, u16::MAX),
    ];
    for row in planes {
        assert_eq!(PlanesCommand::from(row.kind()), row);
        again(row);
    }
    assert_eq!(again(planes[5]), r#"{"set_layer":{"id":1,"layer":15}}"#);
    let far = Command::set_layers(900, 1);
    assert_eq!(far.kind(), CommandKind::SetLayers { layer: 900, mask: 1 });

    let mut world = World::new(Config::new(3)).unwrap();
    let (mut reported, mut events) = (Vec::new(), Events::new());
    for place in [0, 0, 99] {
        for id in 1..3 {
            let _ = world.add(&Collider::new(id, ball));
            world.move_to(id, [id as i32 * place, 0, 0]).unwrap();
        }
        world.step(&mut events).unwrap();
        reported.extend(events.iter().map(|event| format!("{event}: {}", again(*event))));
    }
    assert_eq!(
        reported,
        [
            r#"Enter 1 2 Overlapping: {"enter":{"a":1,"b":2,"contact":"overlapping"}}"#,
            r#"Stay 1 2 Overlapping: {"stay":{"a":1,"b":2,"contact":"overlapping"}}"#,
            r#"Exit 1 2 Apart: {"exit":{"a":1,"b":2}}"#,
        ]
    );
}

#[test]
fn questions_come_back_as_they_were() {
    let (ball, there) = (Shape::Sphere { radius: 3 }, Pose::at([1, 2, 3]).turned(Yaw(65535)));
    let query = Query::new(&ball, there).mask(5).exclude_owner(6).hit_when(Contact::Overlapping);
    assert_eq!(
        again(query),
        r#"{"shape":{"sphere":{"radius":3}},"pose":{"position":[1,2,3],"yaw":65535},"mask":5,"exclude_owner":6,"hit_when":"overlapping"}"#
    );
    let older = again(Query::new(&ball, there)).replace(",\"hit_when\":null", "");
    assert_eq!(serde_json::from_str::<Query>(&older).unwrap(), Query::new(&ball, there));
    let sector = Shape::Sector { radius: 7, half_angle: Yaw(9), half_height: 8, inner_radius: 6 };
    again(Query::new(&sector, there));
    let cast = Cast::new(&ball, there, [SIZE_MAX, -SIZE_MAX, 0]);
    again(cast);
    again(cast.mask(5).exclude_owner(6).limit(7).hit_when(Contact::Overlapping));
    again(Motion { id: 1, motion: [SIZE_MAX, -SIZE_MAX, 0] });
    let hitbox = Hitbox::new(1, Ground::Circle { radius: 5 }, [1, 2]);
    let (motion, mask, hit_when) = ([1, 2, 3], 0xffff, Some(Contact::Overlapping));
    again(HitboxCast { hitbox, motion, mask, exclude_owner: 1, limit: 2, hit_when });
}

#[test]
fn a_file_with_a_value_that_the_kernel_refuses_is_refused_in_its_words() {
    fn refused<T: DeserializeOwned + Debug>(text: &str, words: &str) {
        let said = serde_json::from_str::<T>(text).unwrap_err().to_string();
        assert!(said.starts_with(words), "{said}");
    }
    refused::<Shape>(r#"{"sphere":{"radius":-1}}"#, "radius must be 1..536870911, not -1");
    refused::<Shape>(
        r#"{"sphere":{"radius":1.5}}"#,
        "invalid type: floating point `1.5`, expected i32",
    );
    refused::<Collider>(
        r#"{"id":1,"shape":{"sphere":{"radius":1}},"pose":{"position":[0,0,0],"yaw":0},
        "offset":[0,0,0],"layer":900,"owner":0,"active":true}"#,
        "layer must be 0..31, not 900",
    );
    let config = serde_json::to_string(&Config::new(9)).unwrap();
    refused::<Config>(&config.replace(":9,", ":0,"), "capacity must be 1..2147483648, not 0");
    refused::<Config>(&config.replacen("4294967295", "4294967293", 1), "layer 0: ");
    let mover = serde_json::to_string(&Mover::new(3)).unwrap();
    refused::<Mover>(&mover.replace("\"passes\":4", "\"passes\":1"), "passes must be 2..64, not 1");
    refused::<Event>(
        r#"{"game":{"a":1,"b":2,"kind":3,"value":0}}"#,
        "kind must be 16..4294967295, not 3",
    );
    refused::<Hit>(r#"{"a":1,"b":2,"contact":"apart"}"#, "contact 0: ");
    refused::<Command>(r#"{"set_layer":{"id":1,"layer":32}}"#, "layer must be 0..31, not 32");
    let man = Hitbox::new(1, Ground::Circle { radius: 5 }, [1, 2]);
    let cast = HitboxCast {
        hitbox: man,
        motion: [0; 3],
        mask: 7,
        exclude_owner: 0,
        limit: 0,
        hit_when: None,
    };
    let cast = serde_json::to_string(&cast).unwrap();
    refused::<HitboxCast>(
        &cast.replace("\"mask\":7", "\"mask\":65536"),
        "mask must be 0..65535, not 65536",
    );
    refused::<HitboxCast>(
        &cast.replace("\"motion\":[0,", "\"motion\":[536870912,"),
        "motion x must be -536870911..536870911, not 5",
    );
    refused::<PlanesCommand>(
        r#"{"set_layers":{"layer":16,"mask":1}}"#,
        "layer must be 0..15, not 16",
    );
    refused::<PlanesCommand>(
        r#"{"set_hitbox":{"id":1,"ground":{"circle":{"radius":1}},"side":[1,0]}}"#,
        "side half_y must be 1..536870911, not 0",
    );
    refused::<Motion>(
        r#"{"id":1,"motion":[0,-536870912,0]}"#,
        "motion y must be -536870911..536870911, not -5",
    );
    let ball = Shape::Sphere { radius: 3 };
    let query = serde_json::to_string(&Query::new(&ball, Pose::default())).unwrap();
    refused::<Query>(&query.replace("null", "\"apart\""), "hit_when 0: ");
    refused::<Query>(
        &query.replace("\"radius\":3", "\"radius\":0"),
        "radius must be 1..536870911, not 0",
    );
    let cast = serde_json::to_string(&Cast::new(&ball, Pose::default(), [0, 0, 5])).unwrap();
    refused::<Cast>(
        &cast.replace(",5]", ",536870912]"),
        "motion z must be -536870911..536870911, not 5",
    );
    refused::<Cast>(&cast.replace("null", "\"apart\""), "hit_when 0: ");
    let sector = r#"{"sector":{"radius":9,"half_angle":1,"half_height":1,"inner_radius":0}}"#;
    refused::<Cast>(
        &cast.replace(r#"{"sphere":{"radius":3}}"#, sector),
        "kind 4: not defined for these shapes",
    );
    let man = serde_json::to_string(&man).unwrap();
    refused::<Hitbox>(
        &man.replace("\"radius\":5", "\"radius\":0"),
        "ground size must be 1..536870911, not 0",
    );
    refused::<Hitbox>(&man.replace("\"layer\":0", "\"layer\":16"), "layer must be 0..15, not 16");
}
