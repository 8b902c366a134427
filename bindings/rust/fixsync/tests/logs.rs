//! The logs of `replay_logs` through Rust: every event, answer and hash; and a log that Rust writes.
use fixsync::*;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let file = fs::File::open(path).unwrap();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

fn i32_of(value: &Value) -> i32 {
    value.as_i64().unwrap().try_into().unwrap()
}

fn u32_of(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn list<const N: usize>(value: &Value) -> [i32; N] {
    let numbers: Vec<_> = value.as_array().unwrap().iter().map(i32_of).collect();
    numbers.try_into().unwrap()
}

fn shape_of(value: &Value) -> Shape {
    let n = |i: usize| i32_of(&value[i]);
    match value[0].as_str().unwrap() {
        "sphere" => Shape::Sphere { radius: n(1) },
        "capsule" => Shape::Capsule { radius: n(1), half_height: n(2) },
        "cylinder" => Shape::Cylinder { radius: n(1), half_height: n(2) },
        "box" => Shape::Box { half_x: n(1), half_y: n(2), half_z: n(3) },
        "sector" => Shape::Sector {
            radius: n(1),
            half_angle: Yaw(n(2) as u16),
            half_height: n(3),
            inner_radius: value.get(4).map_or(0, i32_of),
        },
        kind => panic!("{kind}"),
    }
}

fn pose_of(position: &Value, yaw: &Value) -> Pose {
    Pose::at(list(position)).turned(Yaw(u32_of(yaw) as u16))
}

fn masks(pairs: &Value) -> [u32; 32] {
    let Some(pairs) = pairs.as_array() else { return [u32::MAX; 32] };
    let mut masks = [0; 32];
    for pair in pairs {
        let (a, b) = (u32_of(&pair[0]), u32_of(&pair[1]));
        masks[a as usize] |= 1 << b;
        masks[b as usize] |= 1 << a;
    }
    masks
}

fn solid_of(value: &Value) -> Solid {
    let (layer, heights) = (u32_of(&value[1]), [i32_of(&value[2]), i32_of(&value[3])]);
    if value[0] == "cylinder" {
        return Solid::pillar(list(&value[4]), i32_of(&value[5]), heights, layer).unwrap();
    }
    let vertices: Vec<[i32; 2]> = value[4].as_array().unwrap().iter().map(list).collect();
    Solid::prism(&vertices, heights, layer).unwrap()
}

enum Question {
    Query(Query),
    Cast(Cast),
}

fn question_of(row: &Value) -> Option<Question> {
    let shape = || shape_of(&row[1]);
    let pose = || pose_of(&row[2], &row[3]);
    match row[0].as_str().unwrap() {
        "query" => {
            let owner = row.get(5).map_or(0, u32_of);
            let query = Query::new(&shape(), pose()).mask(u32_of(&row[4])).exclude_owner(owner);
            let query = match row.get(6).map(u32_of) {
                None => query,
                Some(1) => query.hit_when(Contact::Touching),
                Some(_) => query.hit_when(Contact::Overlapping),
            };
            Some(Question::Query(query))
        }
        "cast" => {
            let cast = Cast::new(&shape(), pose(), list(&row[4])).mask(u32_of(&row[5]));
            let cast = cast.exclude_owner(u32_of(&row[6])).limit(u32_of(&row[7]));
            Some(Question::Cast(match u32_of(&row[8]) {
                2 => cast.hit_when(Contact::Overlapping),
                1 => cast.hit_when(Contact::Touching),
                _ => cast,
            }))
        }
        _ => None,
    }
}

fn commands_of(row: &Value, to: &mut Vec<Command>) {
    let id = || u32_of(&row[1]);
    to.push(match row[0].as_str().unwrap() {
        "add" => Command::add(&Collider {
            id: id(),
            shape: shape_of(&row[2]),
            pose: pose_of(&row[3], &row[4]),
            layer: u32_of(&row[5]),
            owner: u32_of(&row[6]),
            offset: list(&row[7]),
            active: row[8].as_bool().unwrap(),
        }),
        "remove" => Command::remove(id()),
        "move" => Command::move_to(id(), list(&row[2])),
        "turn" => Command::turn(id(), Yaw(u32_of(&row[2]) as u16)),
        "pose" => Command::set_pose(id(), pose_of(&row[2], &row[3])),
        "shape" => Command::set_shape(id(), &shape_of(&row[2])),
        "offset" => Command::set_offset(id(), list(&row[2])),
        "owner" => Command::set_owner(id(), u32_of(&row[2])),
        "layer" => Command::set_layer(id(), u32_of(&row[2])),
        "active" => Command::set_active(id(), row[2].as_bool().unwrap()),
        "layers" => {
            let rows = masks(&row[1]).into_iter().zip(0..);
            to.extend(rows.map(|(mask, layer)| Command::set_layers(layer, mask)));
            return;
        }
        name => panic!("{name}"),
    });
}

/// Plays a log, and compares all that it says: frames, hits, the last hash, and the log again.
fn played(text: &str) -> (usize, u64, u64, String) {
    let mut lines = text.lines().map(|line| (line, serde_json::from_str::<Value>(line).unwrap()));
    let (_, header) = lines.next().unwrap();
    let mut config = Config::new(u32_of(&header["capacity"]));
    config.layers = masks(&header["layers"]);
    if header["hit_when"] == 2 {
        config.hit_when = Contact::Overlapping;
    }
    let mut world = match header.get("level") {
        Some(level) => {
            let solids: Vec<_> = level["solids"].as_array().unwrap().iter().map(solid_of).collect();
            World::in_level(config, Arc::new(Level::new(&solids).unwrap())).unwrap()
        }
        None => World::new(config).unwrap(),
    };
    let mut recorder = Recorder::new(&world, 60).unwrap();
    let (mut events, mut ids, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let (mut frames, mut hits) = (0, 0);
    for (line, frame) in lines.filter(|(_, line)| line.get("frame").is_some()) {
        let (mut commands, mut questions) = (Vec::new(), Vec::new());
        for row in frame["commands"].as_array().unwrap() {
            match question_of(row) {
                Some(question) => questions.push(question),
                None => commands_of(row, &mut commands),
            }
        }
        world.apply(&commands).unwrap();
        hits += world.step(&mut events).unwrap().hits;
        let hash = world.hash();
        assert_eq!(frame["hash"], format!("{hash:016x}"), "{line}");
        let kind = |event: &Event| match event.kind() {
            EventKind::Enter => 1,
            EventKind::Stay => 2,
            EventKind::Exit => 3,
            EventKind::Game(kind) => kind,
        };
        let rows: Vec<_> = events.iter().map(|e| [e.a, e.b, kind(e), e.contact() as u32]).collect();
        assert_eq!(frame["events"], serde_json::to_value(rows).unwrap(), "{line}");
        recorder.commands(&commands).unwrap();
        for question in &questions {
            match question {
                Question::Query(query) => recorder.query(query).unwrap(),
                Question::Cast(cast) => recorder.cast(cast).unwrap(),
            }
        }
        assert_eq!(frame["queries"].as_array().unwrap().len(), questions.len());
        for (question, answer) in questions.iter().zip(frame["queries"].as_array().unwrap()) {
            match question {
                Question::Query(query) => {
                    world.query(query, &mut ids).unwrap();
                    assert_eq!(*answer, serde_json::to_value(&ids).unwrap(), "{line}");
                    recorder.ids(&ids).unwrap();
                }
                Question::Cast(cast) => {
                    world.cast(cast, &mut found).unwrap();
                    let rows: Vec<_> = found
                        .iter()
                        .map(|h| {
                            [
                                i64::from(h.id),
                                i64::from(h.fraction),
                                i64::from(h.normal[0]),
                                i64::from(h.normal[1]),
                                i64::from(h.normal[2]),
                            ]
                        })
                        .collect();
                    assert_eq!(*answer, serde_json::to_value(rows).unwrap(), "{line}");
                    recorder.hits(&found).unwrap();
                }
            }
        }
        recorder.step(Recorded::new(&events, hash)).unwrap();
        frames += 1;
    }
    (frames, hits, world.hash(), recorder.finish().unwrap())
}

#[test]
fn every_log_is_played_to_its_golden() {
    let goldens = fs::read_to_string(root().join("replay_logs/goldens.csv")).unwrap();
    let mut count = 0;
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("logs");
    fs::create_dir_all(&to).unwrap();
    for line in goldens.lines().skip(1) {
        let row: Vec<_> = line.split(',').collect();
        let text = unpacked(&root().join(format!("replay_logs/{}.jsonl.gz", row[0])));
        let (frames, hits, hash, again) = played(&text);
        assert_eq!(format!("{},{frames},{hits},{hash:016x}", row[0]), line);
        // The frames are written again, to the byte.
        let frames_of = |text: &str| -> Vec<String> {
            text.lines().filter(|l| l.starts_with("{\"frame\"")).map(str::to_string).collect()
        };
        assert_eq!(frames_of(&again), frames_of(&text), "{}", row[0]);
        fs::write(to.join(format!("{}.jsonl", row[0])), again).unwrap(); // `test` replays them
        count += 1;
    }
    assert_eq!(count, 10);
}
