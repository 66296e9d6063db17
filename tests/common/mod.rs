//! What the tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::Read as _;
use std::path::PathBuf;

use opatlas_source::Bundle;

/// Every release that the tests read.
pub const VERSIONS: [&str; 28] = [
    "2.0.0", "2.0.1", "2.1.0", "2.1.1", "2.1.2", "2.2.0", "2.2.1", "2.2.2", "2.3.0", "2.3.1",
    "2.4.0", "2.4.1", "2.5.0", "2.5.1", "2.6.0", "2.7.0", "2.7.1", "2.8.0", "2.9.0", "2.9.1",
    "2.10.0", "2.11.0", "2.12.0", "2.12.1", "2.13.0", "2.14.0", "2.14.1", "2.15.0",
];

/// The rows of a recorded file in `tests/golden/`.
pub fn golden(name: &str) -> Vec<serde_json::Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The folder that releases are fetched into.
pub fn releases_dir() -> PathBuf {
    std::env::var_os("OPATLAS_RELEASES_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cache/releases"),
        PathBuf::from,
    )
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
