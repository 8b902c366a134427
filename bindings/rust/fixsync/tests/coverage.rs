//! Every function of C is in fixsync-sys, and has a safe form or a written reason; every public item
//! of the crate is in a doc test.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn sources() -> Vec<String> {
    let files = fs::read_dir(here().join("src")).unwrap();
    files.map(|file| text(&file.unwrap().path())).collect()
}

fn is_of_a_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// The names that stand behind some text.
fn named<'a>(text: &'a str, before: &str) -> impl Iterator<Item = String> + use<'a> {
    let parts: Vec<&str> = text.split(before).skip(1).collect();
    parts.into_iter().filter_map(|part| {
        let end = part.find(|sign| !is_of_a_name(sign))?;
        Some(part[..end].to_string())
    })
}

fn headers() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for header in ["fixsync.h", "fixsync_kit.h"] {
        let text = text(&here().join("../../../csrc").join(header));
        for line in text.lines().filter(|line| line.starts_with("FXS_API ")) {
            let (before, _) = line.split_once('(').unwrap();
            let name = before.rsplit([' ', '*']).next().unwrap();
            found.insert(name.to_string());
        }
    }
    found
}

#[test]
fn every_function_of_the_headers_is_declared() {
    let raw = text(&here().join("../fixsync-sys/src/raw.rs"));
    let declared: BTreeSet<_> = named(&raw, "    pub fn ").collect();
    assert!(declared.len() > 150, "{}", declared.len());
    assert_eq!(declared, headers());
}

#[test]
fn every_function_of_c_has_a_safe_form_or_a_written_reason() {
    let all = sources().concat();
    let safe: BTreeSet<_> = named(&all, "sys::").filter(|name| name.starts_with("fxs_")).collect();
    let list = text(&here().join("unwrapped.txt"));
    let headers = headers();
    let mut left: BTreeSet<_> = headers.difference(&safe).collect();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (name, reason) = line.split_once("  ").expect("a name, two spaces, a reason");
        assert!(reason.len() > 10, "{name} has no reason");
        let of = |function: &str| match name.strip_suffix('*') {
            Some(start) => function.starts_with(start),
            None => function == name,
        };
        assert!(left.iter().any(|function| of(function)), "{name} names no function left out");
        left.retain(|function| !of(function));
    }
    assert_eq!(left, BTreeSet::new());
}

#[test]
fn every_public_item_is_in_a_doc_test() {
    let mut documented = String::new();
    let mut names = BTreeSet::new();
    for source in sources() {
        let mut inside = false;
        for line in source.lines().map(str::trim_start) {
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            match comment {
                Some(words) if words.trim_start().starts_with("```") => inside = !inside,
                Some(words) if inside => documented.extend([words, "\n"]),
                _ => {}
            }
        }
        let items = ["pub fn ", "pub const fn ", "pub struct ", "pub enum ", "pub type "];
        for before in items.into_iter().chain(["pub const ", "#[macro_export]\nmacro_rules! "]) {
            names.extend(named(&source, before));
        }
    }
    names.remove("fn"); // of pub const fn
    let words: BTreeSet<_> = documented.split(|sign| !is_of_a_name(sign)).collect();
    let missing: Vec<_> = names.iter().filter(|name| !words.contains(name.as_str())).collect();
    assert!(names.len() > 150);
    // For calls of sys, and what the macros are made of.
    assert_eq!(missing, ["as_mut_ptr", "as_ptr", "read_literal"]);
}
