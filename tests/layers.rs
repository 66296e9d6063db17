//! What Cargo cannot enforce: the crates stay in their order ([`CORE`], then [`ADAPTERS`]), the core
//! uses few libraries, no I/O, no clock and no async code, and the command line does not reach into
//! HTTP.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the core from the bottom up, each with the libraries that it may use.
const CORE: &[(&str, &[&str])] = &[
    ("source", &["memchr", "sha2"]),
    ("yaml", &["memchr", "rustc-hash"]),
    ("pytorch", &["rustc-hash"]),
    ("schema", &[]),
    ("runtime", &[]),
    (
        "sources",
        &[
            "memchr",
            "rustc-hash",
            "toml",
            "tree-sitter",
            "tree-sitter-cpp",
            "tree-sitter-python",
        ],
    ),
    (
        "operators",
        &["hashbrown", "indexmap", "memchr", "rayon", "rustc-hash"],
    ),
    ("dispatch", &["rustc-hash"]),
    ("verdict", &["rustc-hash"]),
    ("rules", &["memchr", "rustc-hash"]),
    ("topics", &[]),
    ("ask", &["rustc-hash"]),
    ("diff", &["jiff", "rustc-hash", "sha2", "wildmatch"]),
    (
        "report",
        &[
            "annotate-snippets",
            "jiff",
            "percent-encoding",
            "rustc-hash",
            "serde",
            "serde_json",
            "similar",
        ],
    ),
];

/// The crate that tests the core. It reads files, and no layer depends on it.
const CONFORMANCE: &str = "conformance";

/// The crates between the core and the program, from the bottom up. None uses a later one.
const ADAPTERS: &[&str] = &["model", "store", "service", "lsp", "wire"];

/// The parts of the program, each with those that it must not use.
const PARTS: &[(&str, &[&str])] = &[
    ("http", &["cli"]),
    ("cli", &["http"]),
    ("mcp", &["cli", "http"]),
];

/// The commands that start the HTTP server, describe it or ask it.
const MAY_USE_HTTP: &[&str] = &["serve.rs", "settings.rs", "openapi.rs", "mcp.rs", "api.rs"];

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

/// The adapter that is as pure as the core.
const PURE_ADAPTER: &str = "lsp";

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
fn every_crate_has_its_place() {
    let layers: BTreeSet<_> = CORE.iter().map(|(layer, _)| (*layer).to_owned()).collect();
    let layers: BTreeSet<_> = layers
        .into_iter()
        .chain(ADAPTERS.iter().map(|adapter| (*adapter).to_owned()))
        .collect();
    let folders: BTreeSet<_> = fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|folder| folder != CONFORMANCE)
        .collect();
    assert_eq!(folders, layers);
}

#[test]
fn layers_use_only_those_below_them_and_the_listed_libraries() {
    let mut below = BTreeSet::new();
    for (layer, libraries) in CORE {
        for dependency in dependencies(layer) {
            let allowed = match dependency.strip_prefix("opatlas-") {
                Some(other) => below.contains(other),
                None => libraries.contains(&dependency.as_str()),
            };
            assert!(allowed, "crates/{layer} must not depend on {dependency}");
        }
        below.insert(*layer);
    }
    for adapter in ADAPTERS {
        for dependency in dependencies(adapter) {
            let other = dependency.strip_prefix("opatlas-");
            assert!(
                other.is_none_or(|other| below.contains(other)),
                "crates/{adapter} must not depend on {dependency}"
            );
        }
        below.insert(*adapter);
    }
}

#[test]
fn the_core_does_no_io_has_no_clock_and_waits_for_nothing() {
    let mut read = 0;
    let layers = CORE
        .iter()
        .map(|(layer, _)| crates().join(layer).join("src"));
    let adapter = crates().join(PURE_ADAPTER).join("src");
    for folder in layers.chain([adapter]) {
        let mut files = Vec::new();
        sources(&folder, &mut files);
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

/// The lines of a file outside comments, numbered from 1.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.enumerate().map(|(index, line)| (index + 1, line))
}

#[test]
fn parts_of_the_program_use_only_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut read = 0;
    for (part, forbidden) in PARTS {
        let mut files = Vec::new();
        sources(&src.join(part), &mut files);
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap();
            if *part == "cli" && MAY_USE_HTTP.contains(&name) {
                continue;
            }
            for (number, line) in code(&fs::read_to_string(&file).unwrap()) {
                for other in *forbidden {
                    assert!(
                        !line.contains(&format!("crate::{other}")),
                        "{}:{number}: `src/{part}` must not use `src/{other}`",
                        file.display()
                    );
                }
            }
            read += 1;
        }
    }
    assert!(read > 100, "only {read} files were read");
}

#[test]
fn types_of_requests_and_answers_are_in_wire() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http"),
        &mut files,
    );
    assert!(files.len() > 40);
    for file in files {
        for (number, line) in code(&fs::read_to_string(&file).unwrap()) {
            let derives = line.trim_start().starts_with("#[derive(");
            let wire = ["Serialize", "Deserialize", "ToSchema", "IntoParams"];
            assert!(
                !derives || !wire.iter().any(|name| line.contains(name)),
                "{}:{number}: move this type to crates/wire",
                file.display()
            );
        }
    }
}
