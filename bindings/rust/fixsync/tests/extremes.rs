//! Numbers at the ends of their types give an answer or an error, never a panic: these tests are
//! compiled with checks of overflow.
use fixsync::*;

const ENDS: [i32; 6] = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX];
const LONG_ENDS: [i64; 6] = [i64::MIN, i32::MIN as i64, -1, 0, u32::MAX as i64, i64::MAX];
const STEPS: [u32; 5] = [0, 1, 65536, u32::MAX - 1, u32::MAX];

fn shapes() -> Vec<Shape> {
    let mut found = Vec::new();
    for a in ENDS {
        found.push(Shape::Sphere { radius: a });
        for b in ENDS {
            found.push(Shape::Capsule { radius: a, half_height: b });
            found.push(Shape::Cylinder { radius: a, half_height: b });
            for c in ENDS {
                found.push(Shape::Box { half_x: a, half_y: b, half_z: c });
                for d in ENDS {
                    let (half_angle, half_height, inner_radius) = (b, c, d);
                    found.push(Shape::Sector { radius: a, half_angle, half_height, inner_radius });
                }
            }
        }
    }
    found
}

#[test]
fn a_shape_of_any_sizes_has_an_answer_or_an_error_that_names_a_size() {
    let (pose, ball) = (Pose::default(), Shape::Sphere { radius: 1 });
    for shape in shapes() {
        let check = shape.check();
        if let Err(error) = &check {
            assert!(error.to_string().contains(" must be "), "{shape:?}: {error}");
        }
        assert_eq!(shape.overlap(pose, &ball, pose).is_err(), check.is_err(), "{shape:?}");
        assert_eq!(ball.overlap(pose, &shape, pose).is_err(), check.is_err(), "{shape:?}");
        let _ = shape.push_out(pose, &ball, pose);
        let _ = shape.lift(pose, &ball, pose);
        let _ = ball.side(pose, &shape, pose);
        let _ = shape.outline(pose, 8);
    }
    let wrong = Shape::Sector { radius: i32::MIN, half_angle: 1, half_height: 1, inner_radius: 0 };
    let said = "radius must be 1..536870911, not -2147483648";
    assert_eq!(wrong.check().unwrap_err().to_string(), said);
}

#[test]
fn numbers_at_their_ends_have_an_answer_or_an_error() {
    for a in ENDS {
        let _ = sqrt(a);
        let _ = format_q(a);
        for b in ENDS {
            let (v, w) = ([a, b, a], [b, a, b]);
            let _ = (mul(a, b), div(a, b), hypot(v), dot(v, w), scale(v, b), with_length(v, b));
            let _ = (slide(v, w), forward(b as u16, a), faces(b as u16, a, [a.into(), b.into()]));
            for c in ENDS {
                let _ = (mul_div(a, b, c), clamp(a, b, c), approach(a, b, c));
            }
            for steps in STEPS {
                let _ = (lerp(a, b, steps), turn_towards(a as u16, b as u16, steps));
                let _ = (along(v, steps, Some(w)), along(v, steps, None), bounce(v, w, steps));
            }
        }
    }
    for a in LONG_ENDS {
        for b in LONG_ENDS {
            let _ = (yaw_of(a, b), length([a, b, a]), faces(0, 1, [a, b]));
        }
    }
}
