//! The feature `serde` for types with a rule between their fields: a value that the kernel would
//! refuse is refused when it is read, with the same words.
use crate::rows::{check_layer, shape_of};
use crate::*;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

macro_rules! checked {
    ($($name:ident)*) => {
        $(
            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    $name::serialize(self, to) // the derived one: it is inherent
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    let value = $name::deserialize(from)?;
                    value.check().map_err(D::Error::custom)?;
                    Ok(value)
                }
            }
        )*
    };
}

checked!(Shape Collider Config Mover Hitbox HitboxCast Motion);

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Event", rename_all = "snake_case")]
enum EventRow {
    Enter { a: u32, b: u32, contact: Contact },
    Stay { a: u32, b: u32, contact: Contact },
    Exit { a: u32, b: u32 },
    Game { a: u32, b: u32, kind: u32, value: i32 },
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (a, b, contact) = (self.a, self.b, self.contact());
        let row = match self.kind() {
            EventKind::Enter => EventRow::Enter { a, b, contact },
            EventKind::Stay => EventRow::Stay { a, b, contact },
            EventKind::Exit => EventRow::Exit { a, b },
            EventKind::Game(kind) => EventRow::Game { a, b, kind, value: self.value() },
        };
        row.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let found =
            |a, b, kind, contact| hit(a, b, contact).map(|_| Self::of(a, b, kind, contact as u32));
        let event = match EventRow::deserialize(from)? {
            EventRow::Enter { a, b, contact } => found(a, b, sys::FXS_ENTER, contact),
            EventRow::Stay { a, b, contact } => found(a, b, sys::FXS_STAY, contact),
            EventRow::Exit { a, b } => Ok(Self::of(a, b, sys::FXS_EXIT, 0)),
            EventRow::Game { a, b, kind, value } => Self::game(a, b, kind, value),
        };
        event.map_err(D::Error::custom)
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Hit")]
struct HitRow {
    a: u32,
    b: u32,
    contact: Contact,
}

fn hit(a: u32, b: u32, contact: Contact) -> Result<Hit, Error> {
    match contact {
        Contact::Apart => Err(Error::Refused { name: "contact", value: 0, status: Status::Range }),
        _ => Ok(Hit::of(a, b, contact)),
    }
}

impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        HitRow { a: self.a, b: self.b, contact: self.contact() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Hit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let HitRow { a, b, contact } = HitRow::deserialize(from)?;
        hit(a, b, contact).map_err(D::Error::custom)
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let kind = CommandKind::deserialize(from)?;
        if let CommandKind::SetLayer { layer, .. } | CommandKind::SetLayers { layer, .. } = kind {
            check_layer(layer).map_err(D::Error::custom)?;
        }
        Ok(kind.into())
    }
}

impl Serialize for PlanesCommand {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.kind().serialize(to)
    }
}

impl<'de> Deserialize<'de> for PlanesCommand {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let kind = PlanesCommandKind::deserialize(from)?;
        kind.check().map_err(D::Error::custom)?;
        Ok(kind.into())
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Query")]
struct QueryRow {
    shape: Shape,
    pose: Pose,
    mask: u32,
    exclude_owner: u32,
    hit_when: Option<Contact>,
}

impl Serialize for Query {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let sys::fxs_query { shape, pose, mask, exclude_owner, hit_when } = self.0;
        let (shape, pose) = (shape_of(&shape), Pose::of(&pose));
        let hit_when = (hit_when != 0).then(|| Contact::of(hit_when));
        QueryRow { shape, pose, mask, exclude_owner, hit_when }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let row = QueryRow::deserialize(from)?;
        let QueryRow { shape, pose, mask, exclude_owner, hit_when } = row;
        let query = Self::new(&shape, pose).mask(mask).exclude_owner(exclude_owner);
        if hit_when == Some(Contact::Apart) {
            return Err(D::Error::custom(query.fault(sys::FXS_E_HIT_WHEN)));
        }
        Ok(hit_when.map_or(query, |contact| query.hit_when(contact)))
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Cast")]
struct CastRow {
    shape: Shape,
    pose: Pose,
    motion: [i32; 3],
    mask: u32,
    exclude_owner: u32,
    limit: u32,
    hit_when: Option<Contact>,
}

impl Serialize for Cast {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let sys::fxs_cast { shape, pose, motion, mask, exclude_owner, limit, hit_when } = self.0;
        let (shape, pose) = (shape_of(&shape), Pose::of(&pose));
        let hit_when = (hit_when != 0).then(|| Contact::of(hit_when));
        CastRow { shape, pose, motion, mask, exclude_owner, limit, hit_when }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Cast {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let row = CastRow::deserialize(from)?;
        let CastRow { shape, pose, motion, mask, exclude_owner, limit, hit_when } = row;
        let least = hit_when.unwrap_or(Contact::Touching);
        let point = (&Shape::Sphere { radius: 1 }, pose, [0; 3]);
        cast_pair((&shape, pose, motion), point, least).map_err(D::Error::custom)?;
        let cast = Self::new(&shape, pose, motion).mask(mask).exclude_owner(exclude_owner);
        let cast = cast.limit(limit);
        Ok(hit_when.map_or(cast, |contact| cast.hit_when(contact)))
    }
}
