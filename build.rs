//! Tells the program the digest of its sources, and cargo what the program takes in as it is built.

#[path = "build/engine.rs"]
mod engine;

fn main() {
    engine::emit().expect("the sources can be read");
    println!("cargo::rerun-if-changed=build.rs");
    // The user interface, which the program carries.
    println!("cargo::rerun-if-changed=web/dist");
}
