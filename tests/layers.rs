//! The core stays pure and its layers stay in order: each crate below `crates/` uses only those above
//! it in [`LAYERS`] and a short list of libraries, and neither I/O nor a clock nor async code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the core from the bottom up, each with the libraries that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &["memchr", "sha2"]),
    ("yaml", &["memchr", "rustc-hash"]),
    ("pytorch", &["rustc-hash"]),
    ("schema", &[]),
    ("operators", &["indexmap", "rustc-hash"]),
    ("rules", &["memchr", "rustc-hash"]),
    ("dispatch", &["rustc-hash"]),
    ("diff", &["jiff", "rustc-hash", "sha2", "wildmatch"]),
    (
        "report",
        &["annotate-snippets", "jiff", "rustc-hash", "serde_json"],
    ),
];

/// What reaches outside a plain function of its input.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time",
    "Instant::now",
    "SystemTime",
    "Timestamp::now",
    "Zoned::now",
    "async fn",
    "async move",
    ".await",
    "println!",
    "eprintln!",
    "dbg!",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")
}

/// The dependencies that a crate's manifest names, those of its tests apart.
fn dependencies(layer: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(crates().join(layer).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    assert!(
        !manifest.contains_key("target"),
        "{layer} has dependencies by platform"
    );
    let table = manifest["dependencies"].as_table().unwrap();
    table.keys().cloned().collect()
}

/// The Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_crate_of_the_core_is_a_layer() {
    let layers: BTreeSet<_> = LAYERS
        .iter()
        .map(|(layer, _)| (*layer).to_owned())
        .collect();
    let folders: BTreeSet<_> = fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, layers);
}

#[test]
fn layers_use_only_those_below_them_and_the_listed_libraries() {
    let mut below = BTreeSet::new();
    for (layer, libraries) in LAYERS {
        for dependency in dependencies(layer) {
            let allowed = match dependency.strip_prefix("opatlas-") {
                Some(other) => below.contains(other),
                None => libraries.contains(&dependency.as_str()),
            };
            assert!(allowed, "crates/{layer} must not depend on {dependency}");
        }
        below.insert(*layer);
    }
}

#[test]
fn the_core_does_no_io_has_no_clock_and_waits_for_nothing() {
    let mut read = 0;
    for (layer, _) in LAYERS {
        let mut files = Vec::new();
        sources(&crates().join(layer).join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap());
            for (number, line) in code.enumerate() {
                for impure in IMPURE {
                    assert!(
                        !line.contains(impure),
                        "{}:{}: `{impure}` in the core",
                        file.display(),
                        number + 1
                    );
                }
            }
            read += 1;
        }
    }
    assert!(read > 250, "only {read} files were read");
}
