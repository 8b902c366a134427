//! An app without a window sees the events of each frame, and its entities move.
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_fixsync::{Arena, ColliderId, Enter, Exit, FixsyncPlugin, FixsyncSystems, Stay};
use fixsync::{Collider, Config, Contact, Pose, Shape, degrees, q};
use std::time::Duration;

/// What was heard: frame, kind, ids, contact.
#[derive(Resource, Default)]
struct Heard(Vec<(u32, &'static str, [u32; 2], Contact)>);

/// Collider 1 runs through collider 2.
fn run(mut arena: ResMut<Arena>) -> Result {
    let x = arena.get(1)?.pose.position[0];
    arena.set_pose(1, Pose::at([x + q!(1), 0, 0]).turned(degrees!(90)))?;
    Ok(())
}

fn listen(
    mut heard: ResMut<Heard>,
    mut enters: MessageReader<Enter>,
    mut stays: MessageReader<Stay>,
    mut exits: MessageReader<Exit>,
) {
    let rows = &mut heard.0;
    rows.extend(enters.read().map(|e| (e.frame, "enter", [e.a, e.b], e.contact)));
    rows.extend(stays.read().map(|e| (e.frame, "stay", [e.a, e.b], e.contact)));
    rows.extend(exits.read().map(|e| (e.frame, "exit", [e.a, e.b], e.contact)));
}

fn app(plugin: FixsyncPlugin) -> App {
    let mut world = fixsync::World::new(Config::new(4)).unwrap();
    let ball = Shape::Sphere { radius: q!(1) };
    world.add(&Collider::new(1, ball)).unwrap();
    world.add(&Collider::new(2, ball).at([q!(4), 0, 0])).unwrap();
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, plugin))
        .insert_resource(Time::<Fixed>::from_hz(64.0))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)))
        .insert_resource(Arena(world))
        .init_resource::<Heard>();
    app
}

#[test]
fn an_app_hears_enter_stay_and_exit_and_its_entities_stand_at_their_colliders() {
    let mut app = app(FixsyncPlugin::default());
    app.add_systems(FixedUpdate, run.before(FixsyncSystems::Step));
    app.add_systems(FixedUpdate, listen.after(FixsyncSystems::Step));
    let shown = app.world_mut().spawn((ColliderId(1), Transform::default())).id();
    let lost = app.world_mut().spawn((ColliderId(3), Transform::from_xyz(9.0, 9.0, 9.0))).id();
    while app.world().resource::<Arena>().frame() < 8 {
        app.update();
    }
    let (pair, overlapping) = ([1, 2], Contact::Overlapping);
    assert_eq!(
        app.world().resource::<Heard>().0,
        [
            (1, "enter", pair, Contact::Touching),
            (2, "stay", pair, overlapping),
            (3, "stay", pair, overlapping),
            (4, "stay", pair, overlapping),
            (5, "stay", pair, Contact::Touching),
            (6, "exit", pair, Contact::Apart),
        ]
    );
    let at = app.world().get::<GlobalTransform>(shown).unwrap().compute_transform();
    assert_eq!(at.translation, Vec3::new(8.0, 0.0, 0.0));
    assert!((at.rotation * Vec3::X).abs_diff_eq(Vec3::Z, 1e-6)); // from +X towards +Z
    assert_eq!(app.world().get::<Transform>(lost).unwrap().translation, Vec3::splat(9.0));
}

#[test]
fn a_game_that_steps_the_world_itself_is_shown_and_not_stepped() {
    let mut app = app(FixsyncPlugin::without_step());
    app.add_systems(Update, run);
    let shown = app.world_mut().spawn((ColliderId(1), Transform::default())).id();
    for _ in 0..3 {
        app.update();
    }
    assert_eq!(app.world().resource::<Arena>().frame(), 0);
    assert_eq!(app.world().get::<Transform>(shown).unwrap().translation.x, 3.0);
}

#[test]
fn between_two_matches_there_is_no_arena() {
    let mut app = app(FixsyncPlugin::in_schedule(Update));
    app.update();
    let arena = app.world_mut().remove_resource::<Arena>().unwrap();
    assert_eq!(arena.frame(), 1);
    app.update();
    app.insert_resource(arena).update();
    assert_eq!(app.world().resource::<Arena>().frame(), 2);
}
