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
                    let (half_angle, half_height, inner_radius) = (Yaw(b as u16), c, d);
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
        assert_eq!(Command::set_shape(1, &shape).kind(), CommandKind::SetShape { id: 1, shape });
        assert_eq!(shape.overlap(pose, &ball, pose).is_err(), check.is_err(), "{shape:?}");
        assert_eq!(ball.overlap(pose, &shape, pose).is_err(), check.is_err(), "{shape:?}");
        let _ = shape.push_out(pose, &ball, pose);
        let _ = shape.lift(pose, &ball, pose);
        let _ = ball.side(pose, &shape, pose);
        let _ = shape.outline(pose, 8);
    }
    let wrong =
        Shape::Sector { radius: i32::MIN, half_angle: Yaw(1), half_height: 1, inner_radius: 0 };
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
            let _ = (slide(v, w), forward(Yaw(b as u16), a));
            let _ = faces(Yaw(b as u16), Yaw(a as u16), [a.into(), b.into()]);
            let (p, q) = (Q(a), Q(b));
            let _ = (p.checked_add(q), p.checked_sub(q), p.checked_mul(q), p.checked_div(q));
            let _ = (p.checked_neg(), p.to_f32_nearest(), Yaw::degrees(a).turned_by(b));
            let _ = yaw_between(Yaw(a as u16), Yaw(b as u16));
            for c in ENDS {
                let _ = (mul_div(a, b, c), clamp(a, b, c), approach(a, b, c));
            }
            for steps in STEPS {
                let _ = (lerp(a, b, steps), turn_towards(Yaw(a as u16), Yaw(b as u16), steps));
                let _ = (along(v, steps, Some(w)), along(v, steps, None), bounce(v, w, steps));
            }
        }
    }
    for a in LONG_ENDS {
        for b in LONG_ENDS {
            let _ = (yaw_of(a, b), length([a, b, a]), faces(Yaw(0), Yaw(1), [a, b]));
        }
    }
}

#[test]
fn an_operator_outside_i32_panics_in_every_build_and_names_both_numbers() {
    let said = |call: fn() -> Q| {
        let caught = std::panic::catch_unwind(call).unwrap_err();
        caught.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let end = " is outside -32768..32767.99998";
    assert_eq!(said(|| Q::MAX + Q(1)), format!("{} + {}{end}", Q::MAX, Q(1)));
    assert_eq!(said(|| Q::MIN - Q::ONE), format!("-32768 - 1{end}"));
    assert_eq!(said(|| Q::units(200) * Q::units(-200)), format!("200 * -200{end}"));
    assert_eq!(said(|| Q::ONE / Q::ZERO), format!("1 / 0{end}"));
    assert_eq!(said(|| -Q::MIN), format!("0 - -32768{end}"));
    assert_eq!(said(|| Q::MIN.abs()), format!("0 - -32768{end}"));
    assert_eq!(said(|| [Q::MAX, Q::ONE].into_iter().sum()), format!("{} + 1{end}", Q::MAX));
    assert!(std::panic::catch_unwind(|| Q::units(32768)).is_err());
    for a in ENDS {
        for b in ENDS {
            let (p, q) = (Q(a), Q(b));
            assert_eq!(p.checked_add(q).map(Q::raw), a.checked_add(b));
            assert_eq!(p.checked_sub(q).map(Q::raw), a.checked_sub(b));
            assert_eq!(p.checked_mul(q).map(Q::raw), mul(a, b).ok());
            assert_eq!(p.checked_div(q).map(Q::raw), div(a, b).ok());
        }
    }
}

#[test]
fn floats_are_rounded_to_the_nearest_number_and_back() {
    let mut random = Random(9);
    let halves = [0.5, 1.5, -0.5, -1.5, 2.5].map(|n: f32| n / 65536.0);
    let ends = [32768.0, -32768.0, 32767.99, 1e9, -1e9, f32::MAX, f32::INFINITY, f32::NAN, -0.0];
    let any = (0..20_000).map(|_| f32::from_bits(random.next() as u32));
    let near = (0..20_000).map(|n| (n * 7919 - 80_000_000) as f32 / 2500.0);
    for value in any.chain(near).chain(halves).chain(ends) {
        let exact = (f64::from(value) * 65536.0).round(); // halves away from zero
        let is_inside = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&exact);
        assert_eq!(Q::from_f32_nearest(value), is_inside.then_some(Q(exact as i32)), "{value}");
    }
    for raw in ENDS {
        assert_eq!(f64::from(Q(raw)), f64::from(raw) / 65536.0);
        assert_eq!(Q(raw).to_f32_nearest(), (f64::from(raw) / 65536.0) as f32);
        assert_eq!(Q(raw).to_string().parse(), Ok(Q(raw)));
    }
    for steps in 0..=u16::MAX {
        let yaw = Yaw(steps);
        assert_eq!(Yaw::from_radians_nearest(yaw.to_radians_nearest()), Some(yaw));
        assert_eq!(Yaw::from_radians_nearest(-yaw.to_radians_nearest()), Some(-yaw));
    }
    assert_eq!(Yaw::from_radians_nearest(f32::NAN), None);
    assert_eq!(Yaw::from_radians_nearest(1e30), None);
}

/// A call that returns an error has changed nothing.
fn tried<T>(world: &mut World, call: impl FnOnce(&mut World) -> Result<T, Error>) {
    let before = world.hash();
    if let Err(error) = call(world) {
        assert!(!error.to_string().is_empty());
        assert_eq!(world.hash(), before, "{error}");
    }
}

#[test]
fn calls_of_a_world_take_numbers_at_their_ends() {
    let ball = Shape::Sphere { radius: 1 };
    let huge = Shape::Box { half_x: SIZE_MAX, half_y: SIZE_MAX, half_z: SIZE_MAX };
    let floor = Solid::of(&huge, Pose::at([0, i32::MIN / 2, 0]), 0).unwrap();
    let level = std::sync::Arc::new(Level::new(&[floor]).unwrap());
    let mut world = World::in_level(Config::new(4), level.clone()).unwrap();
    let (mut events, mut ids, mut hits) = (Events::new(), Vec::new(), Vec::new());
    let (mut moved, mut pairs, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let vectors = ENDS.iter().flat_map(|a| ENDS.map(|b| [*a, b, *a]));
    for (turn, v) in vectors.enumerate() {
        let (w, step) = (&mut world, STEPS[turn % STEPS.len()]);
        let id = turn as u32 % 5; // 4 is not one
        let (yaw, shape) = (Yaw(v[0] as u16), if turn % 2 == 0 { ball } else { huge });
        let at = Pose::at(v).turned(yaw);
        tried(w, |w| w.add(&Collider { pose: at, offset: v, ..Collider::new(id, shape) }));
        tried(w, |w| w.add(&Collider::new(step, ball).layer(step).owner(step)));
        tried(w, |w| w.move_to(id, v));
        tried(w, |w| w.turn(id, yaw));
        tried(w, |w| w.set_pose(id, at));
        tried(w, |w| w.set_offset(id, v));
        tried(w, |w| w.set_shape(id, &shape));
        tried(w, |w| w.set_layer(id, step));
        tried(w, |w| w.set_owner(id, step));
        tried(w, |w| w.set_layers(&[step; 32]));
        tried(w, |w| w.move_many(&[id, step], &[v; 2]));
        let commands = [Command::move_to(id, v), Command::set_layers(step, step)];
        tried(w, |w| w.apply(&commands));
        tried(w, |w| w.separate(&[step; 32], step.min(65536), &mut moved));
        tried(w, |w| w.step(&mut events));
        let query = Query::new(&shape, at).mask(step).exclude_owner(step);
        tried(w, |w| w.query(&query, &mut ids));
        tried(w, |w| w.nearest(&query, step.into(), &mut ids));
        let cast = Cast::new(&shape, at, v).mask(step).limit(step);
        tried(w, |w| w.cast(&cast, &mut hits));
        tried(w, |w| w.sweep(id, v, step, None, &mut hits));
        tried(w, |w| w.sweep_pairs(&[Motion { id, motion: v }], step, None, &mut pairs));
        tried(w, |w| w.contact(id, LEVEL));
        tried(w, |w| w.push_out(id, LEVEL));
        tried(w, |w| w.lift(id, step));
        tried(w, |w| w.side(id, LEVEL));
        tried(w, |w| w.explain(id, step));
        tried(w, |w| w.explain_query(&query, id));
        tried(w, |w| w.outline(id, step.min(99)));
        tried(w, |w| move_and_slide(w, id, v, step, step, &mut hits));
        let (step_height, snap, floor_y_q30) = (v[0], v[1], v[2]);
        let mover = Mover { mask: step, passes: 2, ..Mover::new(id) };
        let walker = Mover { step_height, snap, floor_y_q30, ..mover };
        for mover in [mover, walker, Mover { passes: step, one_way: step, ..walker }] {
            tried(w, |w| mover.move_by(w, v, &mut hits));
            tried(w, |w| carry(w, &[id], v, &[mover], &mut rows));
        }
        let _ =
            (level.solid(step), level.contact(step, &shape, at), level.outline(0, step.min(99)));
        let _ = (level.query(&query, Contact::Touching, &mut ids), level.cast(&cast, &mut hits));
        let _ = cast_pair((&shape, at, v), (&ball, at, v), Contact::Overlapping);
        let _ = explain((&shape, at), (&ball, at), Contact::Touching).map(|why| why.to_string());
    }
}

#[test]
fn constructors_take_numbers_at_their_ends() {
    for a in ENDS {
        for b in ENDS {
            for c in ENDS {
                let _ =
                    Solid::pillar([b, c], c, [a, b], a as u32).map(|solid| Level::new(&[solid]));
                let corners = [[a, b], [b, c], [c, a]];
                let _ = Solid::prism(&corners, [a, c], 0).map(|solid| Level::new(&[solid]));
                let man = Hitbox::new(a as u32, Ground::Rectangle { half_x: b, half_z: c }, [a, b]);
                let ball = Hitbox::new(1, Ground::Circle { radius: b }, [c, a]);
                let ball = Hitbox { position: [a, b, c], layer: c as u32, ..ball };
                let _ = (man.contact(&ball), ball.push_out(&man), ball.lift(&man));
                let _ = ball.cast([a, b, c], &man, [c, b, a], Contact::Touching);
                let mut planes = TwoPlanes::new(Config::new(2)).unwrap();
                let _ = planes.apply(&[PlanesCommand::add(&ball), PlanesCommand::add(&man)]);
                let _ = planes.step(&mut Vec::new());
            }
            let _ = Solid::of(&Shape::Sphere { radius: a }, Pose::at([b; 3]), b as u32);
        }
        // Only numbers that are refused: the others would take the memory that they ask for.
        let big = a as u32;
        let _ = (Config::new(9).layers(&[(big, 0)]), Event::game(big, big, big, a).is_ok());
        let mut random = Random(a as u64);
        let (low, high, part) = (a.into(), i64::from(a) - 1, a as u64);
        let _ = (random.between(low, high), random.chance(part, part), random.below(part));
    }
}
