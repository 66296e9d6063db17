//! Recorded data and real releases for tests of the core.
//!
//! [`golden`] reads what `recorders/` recorded from real PyTorch releases, and [`release`] reads the
//! YAML files that `make releases` fetches. The tests themselves are in `tests/conformance.rs`, which
//! links the core but not the program.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Every release that the tests read, oldest first.
pub fn versions() -> Vec<&'static str> {
    let patches = Release::all().flat_map(|release| release.data().patches);
    patches.copied().collect()
}

/// The rows of a recorded file in `tests/golden/`, without its first line, which says what recorded
/// it (`recorders/README.md`).
pub fn golden(name: &str) -> Vec<Value> {
    golden_as(name)
}

/// The rows of a recorded file, decoded as `T`.
pub fn golden_as<T: DeserializeOwned>(name: &str) -> Vec<T> {
    golden_lines(name)
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

/// The rows of a recorded file as JSON text.
pub fn golden_lines(name: &str) -> impl Iterator<Item = String> + use<> {
    let path = golden_dir().join(name);
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = BufReader::new(GzDecoder::new(file)).lines();
    let head: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let recorder = &head["recorded_by"]["recorder"];
    assert!(recorder.is_string(), "{name} does not say what recorded it");
    lines.map(|line| line.unwrap())
}

/// The first line of a recorded file.
pub fn golden_head(name: &str) -> Value {
    let file = File::open(golden_dir().join(name)).unwrap();
    let mut line = String::new();
    BufReader::new(GzDecoder::new(file))
        .read_line(&mut line)
        .unwrap();
    serde_json::from_str(&line).unwrap()
}

/// The releases that have a recorded file `KIND_RELEASE.jsonl.gz` of their own.
pub fn recorded(kind: &str) -> Vec<String> {
    let names = std::fs::read_dir(golden_dir()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let release = |name: String| {
        let release = name.strip_prefix(kind)?.strip_prefix('_')?;
        Some(release.strip_suffix(".jsonl.gz")?.to_owned())
    };
    let mut found: Vec<_> = names.filter_map(release).collect();
    found.sort();
    found
}

/// The root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden_dir() -> PathBuf {
    root().join("tests/golden")
}

/// The folder that releases are fetched into.
pub fn releases_dir() -> PathBuf {
    std::env::var_os("OPATLAS_RELEASES_DIR")
        .map_or_else(|| root().join(".cache/releases"), PathBuf::from)
}

/// A real release's files; `None`, with the reason printed, where they have not been fetched.
pub fn release(version: &str) -> Option<Bundle> {
    let folder = releases_dir().join(version);
    let mut bundle = Bundle::default();
    for name in [
        "native_functions.yaml",
        "tags.yaml",
        "derivatives.yaml",
        "deprecated.yaml",
    ] {
        if let Ok(bytes) = std::fs::read(folder.join(name)) {
            bundle.insert(name, bytes);
        }
    }
    if bundle.file("native_functions.yaml").is_none() {
        assert!(
            std::env::var_os("OPATLAS_REQUIRE_RELEASES").is_none(),
            "release {version} is not in {}; `make releases` fetches it",
            folder.display()
        );
        println!("skipped: release {version} is not in {}", folder.display());
        return None;
    }
    Some(bundle)
}
