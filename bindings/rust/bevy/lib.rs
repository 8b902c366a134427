//! A [fixsync](fixsync) world as a resource of Bevy: it is stepped once a frame, its events are
//! messages, entities stand where their colliders are, and gizmos draw outlines.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_fixsync::{Arena, ColliderId, Enter, FixsyncPlugin, FixsyncSystems};
//! use fixsync::{Collider, Config, Shape, q};
//!
//! fn walk(mut arena: ResMut<Arena>) -> Result {
//!     let [x, y, z] = arena.get(1)?.pose.position;
//!     arena.move_to(1, [x + q!(0.25), y, z])?;
//!     Ok(())
//! }
//!
//! fn report(mut enters: MessageReader<Enter>) {
//!     for enter in enters.read() {
//!         println!("frame {}: {} meets {}", enter.frame, enter.a, enter.b);
//!     }
//! }
//!
//! fn main() -> Result {
//!     let mut world = fixsync::World::new(Config::new(8))?;
//!     let ball = Shape::Sphere { radius: q!(1) };
//!     world.add(&Collider::new(1, ball))?;
//!     world.add(&Collider::new(2, ball).at([q!(9), 0, 0]))?;
//!     let mut app = App::new();
//!     app.add_plugins((MinimalPlugins, FixsyncPlugin::default()))
//!         .insert_resource(Arena(world))
//!         .add_systems(FixedUpdate, walk.before(FixsyncSystems::Step))
//!         .add_systems(FixedUpdate, report.after(FixsyncSystems::Step));
//!     app.world_mut().spawn((ColliderId(1), Transform::default()));
//!     Ok(()) // app.run() in a game
//! }
//! ```
//!
//! A game with rollback steps the world itself, since a rollback steps a frame again: give it
//! [`FixsyncPlugin::without_step`], and see docs/bevy.md.
#![deny(missing_docs)]

use bevy_app::{App, FixedUpdate, Plugin, PostUpdate};
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::{Quat, Vec3};
use bevy_transform::TransformSystems;
use bevy_transform::components::Transform;
use core::ops::{Deref, DerefMut};
use fixsync::{Contact, EventKind, to_f32_nearest};

/// The world that decides hits. A clone of it is a snapshot.
#[derive(Resource, Clone, Debug)]
pub struct Arena(pub fixsync::World);

impl Deref for Arena {
    type Target = fixsync::World;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Arena {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// The collider whose pose an entity's [`Transform`] takes. Choose ids yourself: the number of an
/// `Entity` differs between machines.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColliderId(pub u32);

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name {
                /// The frame that was stepped.
                pub frame: u32,
                /// The lower id.
                pub a: u32,
                /// The higher id.
                pub b: u32,
                /// The contact now; `Apart` for [`Exit`].
                pub contact: Contact,
            }
        )*
    };
}

messages! {
    /// A pair is a hit, and was none in the frame before.
    Enter
    /// A pair is a hit, and was one in the frame before.
    Stay
    /// A pair was a hit in the frame before.
    Exit
}

/// Sets of the plugin's systems, to order yours by.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixsyncSystems {
    /// Steps the world and writes the messages.
    Step,
    /// Moves entities to their colliders, in `PostUpdate`.
    Show,
}

/// Adds the messages and the systems. Insert an [`Arena`]; without one they do nothing.
#[must_use]
#[derive(Clone, Debug)]
pub struct FixsyncPlugin {
    schedule: Option<Interned<dyn ScheduleLabel>>,
}

impl Default for FixsyncPlugin {
    /// Steps in `FixedUpdate`.
    fn default() -> Self {
        Self::in_schedule(FixedUpdate)
    }
}

impl FixsyncPlugin {
    /// Steps in another schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: Some(schedule.intern()) }
    }

    /// Only shows the world. The game steps it, and sends messages of frames that are confirmed.
    pub fn without_step() -> Self {
        Self { schedule: None }
    }
}

impl Plugin for FixsyncPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<Enter>().add_message::<Stay>().add_message::<Exit>();
        let is_there = resource_exists::<Arena>;
        if let Some(schedule) = self.schedule {
            app.add_systems(schedule, step.in_set(FixsyncSystems::Step).run_if(is_there));
        }
        let shown = show.in_set(FixsyncSystems::Show).before(TransformSystems::Propagate);
        app.add_systems(PostUpdate, shown.run_if(is_there));
        #[cfg(feature = "gizmos")]
        {
            let drawn = outlines::draw_outlines.after(FixsyncSystems::Show);
            app.init_resource::<Outlines>().add_systems(PostUpdate, drawn.run_if(is_there));
        }
    }
}

fn step(
    mut arena: ResMut<Arena>,
    mut events: Local<fixsync::Events>,
    mut enters: MessageWriter<Enter>,
    mut stays: MessageWriter<Stay>,
    mut exits: MessageWriter<Exit>,
) -> Result {
    let frame = arena.frame();
    arena.step(&mut events)?;
    for event in &*events {
        let (a, b, contact) = (event.a, event.b, event.contact());
        match event.kind() {
            EventKind::Enter => drop(enters.write(Enter { frame, a, b, contact })),
            EventKind::Stay => drop(stays.write(Stay { frame, a, b, contact })),
            EventKind::Exit => drop(exits.write(Exit { frame, a, b, contact })),
            EventKind::Game(_) => {} // no step makes one
        }
    }
    Ok(())
}

/// Floats are for the screen alone. An entity without a collider in the world stays where it is.
fn show(arena: Res<Arena>, mut shown: Query<(&ColliderId, &mut Transform)>) {
    for (&ColliderId(id), mut transform) in &mut shown {
        let Ok(collider) = arena.get(id) else { continue };
        let translation = Vec3::from(to_f32_nearest(collider.pose.position));
        let rotation = Quat::from_rotation_y(-collider.pose.yaw.to_radians_nearest());
        if (transform.translation, transform.rotation) != (translation, rotation) {
            (transform.translation, transform.rotation) = (translation, rotation);
        }
    }
}

#[cfg(feature = "gizmos")]
pub use outlines::Outlines;

#[cfg(feature = "gizmos")]
mod outlines {
    use super::{Arena, Res, Resource, Result, Vec3};
    use bevy_color::Color;
    use bevy_gizmos::config::DefaultGizmoConfigGroup;
    use bevy_gizmos::gizmos::{GizmoBuffer, Gizmos};

    type Buffer = GizmoBuffer<DefaultGizmoConfigGroup, ()>;

    /// How the outlines of all colliders and solids are drawn.
    #[derive(Resource, Clone, Debug)]
    pub struct Outlines {
        /// Whether they are drawn.
        pub is_on: bool,
        /// Pieces of a whole circle, 3..=65536.
        pub segments: u32,
        /// Colour of active colliders.
        pub active: Color,
        /// Colour of colliders that are not active.
        pub inactive: Color,
        /// Colour of the level.
        pub level: Color,
    }

    impl Default for Outlines {
        fn default() -> Self {
            let [active, inactive, level] =
                [[0.2, 0.9, 0.3], [0.5, 0.5, 0.5], [0.3, 0.6, 1.0]].map(Color::srgb_from_array);
            Self { is_on: true, segments: fixsync::OUTLINE_SEGMENTS, active, inactive, level }
        }
    }

    pub(crate) fn draw_outlines(
        arena: Res<Arena>,
        look: Res<Outlines>,
        mut gizmos: Gizmos,
    ) -> Result {
        if !look.is_on {
            return Ok(());
        }
        for collider in arena.colliders()? {
            let color = if collider.active { look.active } else { look.inactive };
            draw(&mut gizmos, &arena.outline(collider.id, look.segments)?, color);
        }
        let level = arena.level();
        for index in 0..level.map_or(0, |level| level.len()) {
            let outline = arena.outline(fixsync::LEVEL + index as u32, look.segments)?;
            draw(&mut gizmos, &outline, look.level);
        }
        Ok(())
    }

    /// The outline at the lowest and the highest y, and the edges between them.
    fn draw(gizmos: &mut Buffer, outline: &fixsync::Outline, color: Color) {
        let units = |raw: i64| raw as f32 / 65536.0;
        let [low, high] = outline.heights.map(units);
        for ring in [&outline.outer, &outline.hole] {
            let at = |i: usize, y| Vec3::new(units(ring[i][0]), y, units(ring[i][1]));
            for i in 0..ring.len() {
                let next = (i + 1) % ring.len();
                gizmos.line(at(i, low), at(next, low), color);
                gizmos.line(at(i, high), at(next, high), color);
            }
            // A round shape has an edge each quarter: all of them would hide it.
            for i in (0..ring.len()).step_by((ring.len() / 4).max(1)) {
                gizmos.line(at(i, low), at(i, high), color);
            }
        }
    }

    #[test]
    fn a_box_has_twelve_edges() -> Result<(), fixsync::Error> {
        let one = 1 << 16;
        let shape = fixsync::Shape::Box { half_x: one, half_y: 2 * one, half_z: 3 * one };
        let mut drawn = Buffer::default();
        draw(&mut drawn, &shape.outline(fixsync::Pose::at([one, 0, 0]), 24)?, Color::WHITE);
        let corners = drawn.buffer().list_positions;
        assert_eq!(corners.len(), 2 * 12);
        let offset = |corner: &Vec3| (corner - Vec3::X).abs();
        assert!(corners.iter().all(|corner| offset(corner) == Vec3::new(1.0, 2.0, 3.0)));
        Ok(())
    }
}

/// The program of the page for Bevy, compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/bevy.md")]
pub struct Page;
