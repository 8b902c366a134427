//! The goldens of the C kernel and kit, run with the library that cargo built; and functions of the
//! crate fixsync against those of C, in many cases.
use fixsync::{Error, Random, Yaw, sys};
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// What both goldens print with.
#[unsafe(no_mangle)]
extern "C" fn golden_print(text: *const u8, size: u32) {
    // SAFETY: the golden gives so many characters.
    let text = unsafe { std::slice::from_raw_parts(text, size as usize) };
    PRINTED.lock().unwrap().extend_from_slice(text);
}

fn expected(name: &str) -> String {
    let native = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/native");
    let text = fs::read_to_string(native.join(name)).unwrap();
    text.split_inclusive('\n').filter(|line| !line.starts_with('2')).collect()
}

#[test]
fn the_goldens_are_those_of_every_other_build() {
    type Golden = unsafe extern "C" fn(i32, i32) -> i32;
    let goldens: [(&str, Golden); 2] = [
        ("golden.txt", fixsync_tests::run_golden),
        ("golden_kit.txt", fixsync_tests::run_golden_kit),
    ];
    for (name, run) in goldens {
        PRINTED.lock().unwrap().clear();
        // SAFETY: numbers alone; one golden at a time.
        assert_eq!(unsafe { run(1, 0) }, 0);
        let printed = String::from_utf8(PRINTED.lock().unwrap().clone()).unwrap();
        assert_eq!(printed, expected(name));
    }
}

/// An answer of the crate is the number of C, or an error where C has a negative status.
fn same<T: PartialEq + Debug>(safe: Result<T, Error>, c: (i32, T), of: impl Debug) {
    match safe {
        Ok(value) => assert_eq!((true, value), (c.0 >= 0, c.1), "{of:?}"),
        Err(error) => assert!(c.0 < 0, "{error}: {of:?}"),
    }
}

#[test]
fn numbers_are_those_of_c() {
    let mut random = Random(1);
    let mut any = move || {
        let small = random.between(-3, 3).unwrap() as i32;
        let number = random.next() as i32;
        [small, number, number >> 8, number >> 16, i32::MIN, i32::MAX]
            [random.below(6).unwrap() as usize]
    };
    macro_rules! compare {
        ($($name:ident($($argument:expr),*) = $c:ident($($given:expr),*) -> $zero:expr;)*) => {$({
            let mut out = $zero;
            // SAFETY: it writes what `out` is.
            let status = unsafe { sys::$c($($given),*, &mut out) };
            same(fixsync::$name($($argument),*), (status, out), ($($argument),*,));
        })*};
    }
    for _ in 0..100_000 {
        let (a, b, c, part) = (any(), any(), any(), any().unsigned_abs() % 65538);
        let (v, w) = ([any(), any(), any()], [any(), any(), any()]);
        compare! {
            mul(a, b) = fxs_mul(a, b) -> 0;
            div(a, b) = fxs_div(a, b) -> 0;
            mul_div(a, b, c) = fxs_mul_div(a, b, c) -> 0;
            sqrt(a) = fxs_sqrt(a) -> 0;
            lerp(a, b, part) = fxs_lerp(a, b, part) -> 0;
            clamp(a, b, c) = fxs_clamp(a, b, c) -> 0;
            approach(a, b, c) = fxs_approach(a, b, c) -> 0;
            hypot(v) = fxs_hypot(v[0], v[1], v[2]) -> 0;
            dot(v, w) = fxs_dot(&raw const v, &raw const w) -> 0;
            scale(v, c) = fxs_scale(&raw const v, c) -> [0; 3];
            with_length(v, c) = fxs_with_length(&raw const v, c) -> [0; 3];
            along(v, part, Some(w)) = fxs_along(&raw const v, part, &raw const w) -> [0; 3];
            bounce(v, w, part) = fxs_bounce(&raw const v, &raw const w, part) -> [0; 3];
            slide(v, w) = fxs_slide(&raw const v, &raw const w) -> [0; 3];
        }
        let (dx, dz) = (i64::from(a) * 3, i64::from(b) * 2);
        let (yaw, end, half_angle) = (Yaw(c as u16), Yaw(a as u16), Yaw(part as u16));
        // SAFETY: numbers alone.
        let (of, faces, towards) = unsafe {
            (
                sys::fxs_yaw_of(dx, dz),
                sys::fxs_faces(yaw.0.into(), half_angle.0.into(), dx, dz),
                sys::fxs_turn_towards(yaw.0.into(), end.0.into(), part),
            )
        };
        same(fixsync::yaw_of(dx, dz), (of, Yaw(of as u16)), (dx, dz));
        same(fixsync::faces(yaw, half_angle, [dx, dz]), (faces, faces == 1), (yaw, part, dx, dz));
        same(
            fixsync::turn_towards(yaw, end, part),
            (towards, Yaw(towards as u16)),
            (yaw, end, part),
        );
    }
}
