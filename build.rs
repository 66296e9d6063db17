//! Decodes the tables of `data/` into Rust statics, so that the program holds them as constants
//! and neither reads nor parses anything when it starts.

use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "build/engine.rs"]
mod engine;
#[path = "build/handwritten.rs"]
mod handwritten;
#[path = "build/releases.rs"]
mod releases;

fn main() {
    engine::emit().expect("the sources can be read");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    // The user interface, which the crate takes in as it is built.
    println!("cargo::rerun-if-changed=web/dist");
    let releases = read_json("data/releases.json");
    write_source("releases.rs", &releases::generate(&releases));
    let names = releases::names(&releases);
    let handwritten = read_json("data/handwritten.json");
    write_source(
        "handwritten.rs",
        &handwritten::generate(&handwritten, &names),
    );
}

/// A data file of this repository. A broken one must stop the build.
fn read_json(path: &str) -> serde_json::Value {
    let text = fs::read_to_string(Path::new(path)).expect(path);
    serde_json::from_str(&text).expect(path)
}

fn write_source(name: &str, text: &str) {
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(directory.join(name), text).expect(name);
}
