//! Decodes the tables of `data/` into Rust statics, so that the program need not parse them.

use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "build/autocast_lists.rs"]
mod autocast_lists;
#[path = "build/calls.rs"]
mod calls;
#[path = "build/handwritten.rs"]
mod handwritten;
#[path = "build/int_kernels.rs"]
mod int_kernels;
#[path = "build/libraries.rs"]
mod libraries;
#[path = "build/python.rs"]
mod python;
#[path = "build/python_functions.rs"]
mod python_functions;
#[path = "build/releases.rs"]
mod releases;
#[path = "build/ways.rs"]
mod ways;
#[path = "build/works.rs"]
mod works;

const DATA: &str = "../../data";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={DATA}");
    let releases = read_json("releases.json");
    write_source("releases.rs", &releases::generate(&releases));
    write_source("release_constants.rs", &releases::constants(&releases));
    let names = releases::names(&releases);
    write_source(
        "calls.rs",
        &calls::generate(
            &read_json("calls.json"),
            &read_json("rare_calls.json"),
            &names,
        ),
    );
    let recorded = fs::read_to_string(Path::new(DATA).join("ways.txt")).expect("ways.txt");
    write_source("ways.rs", &ways::generate(&recorded, &names));
    let works = fs::read_to_string(Path::new(DATA).join("works.txt")).expect("works.txt");
    write_source("works.rs", &works::generate(&works));
    let handwritten = read_json("handwritten.json");
    write_source(
        "handwritten.rs",
        &handwritten::generate(&handwritten, &names),
    );
    let int_kernels = read_json("int_kernels.json");
    write_source(
        "int_kernels.rs",
        &int_kernels::generate(&int_kernels, &names),
    );
    let lists = read_json("autocast_lists.json");
    write_source(
        "autocast_lists.rs",
        &autocast_lists::generate(&lists, &names),
    );
    let bindings = read_json("python_bindings.json");
    write_source("python.rs", &python::generate(&bindings, &names));
    let functions = fs::read_to_string(Path::new(DATA).join("python_calls.txt"));
    write_source(
        "python_functions.rs",
        &python_functions::generate(&functions.expect("python_calls.txt"), &names),
    );
    let libraries = read_json("libraries.json");
    write_source("libraries.rs", &libraries::generate(&libraries));
}

/// Broken data must stop the build.
fn read_json(name: &str) -> serde_json::Value {
    let text = fs::read_to_string(Path::new(DATA).join(name)).expect(name);
    serde_json::from_str(&text).expect(name)
}

fn write_source(name: &str, text: &str) {
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(directory.join(name), text).expect(name);
}
