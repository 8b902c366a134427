//! Compiles the kernel and the kit as one source: fixsync.c of the package or, in a clone of the
//! project, all files of csrc.
//!
//! A target without a C library, such as wasm32-unknown-unknown, gets a string.h: Rust's own runtime
//! has the functions.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn sources(folder: &Path) -> Vec<PathBuf> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let files = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<_> = files
        .map(|entry| entry.expect("an entry of a folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    found.sort();
    found
}

const STRING_H: &str = "#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
";

fn written(to: &Path, text: &str) {
    fs::write(to, text).unwrap_or_else(|e| panic!("{}: {e}", to.display()));
}

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let packed = here.join("c");
    let mut build = cc::Build::new();
    let (include, source) = if packed.join("fixsync.c").exists() {
        println!("cargo:rerun-if-changed=c");
        (packed.clone(), packed.join("fixsync.c"))
    } else {
        let csrc = here.join("../../../csrc");
        let mut text = String::from("#define FXS_ONE_SOURCE\n");
        for file in sources(&csrc).into_iter().chain(sources(&csrc.join("kit"))) {
            let path = file.display().to_string().replace('\\', "/");
            text.extend(["#include \"", &path, "\"\n"]);
        }
        let one = out.join("fixsync.c");
        written(&one, &text);
        (csrc, one)
    };
    // An unoptimised kernel is some ten times as slow: a debug build of a game has a fast one.
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        build.opt_level(2);
    }
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "unknown" || os == "none") {
        let libc = out.join("libc");
        fs::create_dir_all(&libc).unwrap_or_else(|e| panic!("{}: {e}", libc.display()));
        written(&libc.join("string.h"), STRING_H);
        build.include(libc);
    }
    build.std("c11").include(&include).file(source).warnings(false).compile("fixsync");
    println!("cargo:include={}", include.display());
}
