//! Rebuilds the program when the files of the web interface change, which it contains.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=web/dist");
}
