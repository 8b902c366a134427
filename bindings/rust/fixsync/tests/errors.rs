//! An error names the argument or field that is wrong, its value, and what is allowed.
use fixsync::*;

fn said<T>(result: Result<T, Error>) -> String {
    result.map_or_else(|error| error.to_string(), |_| "no error".into())
}

#[test]
fn an_error_names_what_is_wrong() {
    let ball = Shape::Sphere { radius: 5 };
    let sector = Shape::Sector { radius: 9, half_angle: Yaw(1), half_height: 1, inner_radius: 0 };
    let (here, still) = (Pose::default(), [0; 3]);
    let mut world = World::new(Config::new(2)).unwrap();
    world.add(&Collider::new(0, ball)).unwrap();
    let moves = [Motion { id: 0, motion: [1, 0, 0] }; 2];
    let tall = Shape::Box { half_x: 5, half_y: 5, half_z: 5 };
    let good = Solid::pillar([0, 0], 5, [0, 9], 0).unwrap();
    let flat = Solid::pillar([0, 0], 5, [9, 1], 0).unwrap();
    let mut rows = Vec::new();
    let errors = [
        said(Recorder::new(&world, 0)),
        said(world.sweep_pairs(&moves, 0, None, &mut rows)),
        said(cast_pair((&ball, here, still), (&sector, here, still), Contact::Touching)),
        said(cast_pair((&sector, here, still), (&ball, here, still), Contact::Touching)),
        said(with_length([0; 3], 5)),
        said(Solid::of(&tall, Pose::at([7, i32::MIN, 0]), 0)),
        said(Level::new(&[good, flat])),
    ];
    assert_eq!(
        errors,
        [
            "tick_rate must be 1..4294967295, not 0",
            "next id must be 1..1, not 0",
            "kind 4: not defined for these shapes",
            "kind 4: not defined for these shapes",
            "length of v 0: an argument or a result out of range",
            "position y -2147483648: a centre (position and turned offset) or lift outside int32",
            "solid 1: bytes that are not a level",
        ]
    );
}
