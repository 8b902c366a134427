//! Compiles the goldens of the C kernel, to link them with the library that cargo built.
use std::env;
use std::path::PathBuf;

fn main() {
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../..");
    let native = root.join("tests/native");
    println!("cargo:rerun-if-changed={}", native.display());
    for name in ["golden", "golden_kit"] {
        let mut build = cc::Build::new();
        build.std("c11").opt_level(1).warnings(false).include(root.join("csrc")).include(&native);
        build.define("golden_run", format!("run_{name}").as_str());
        build.file(native.join(name).with_extension("c")).compile(name);
    }
}
