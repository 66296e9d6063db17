//! Decodes `data/macros.toml` into a Rust static, so that the program parses nothing when it starts.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

/// The file of known macros, from the root of this crate.
const MACROS: &str = "../../data/macros.toml";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={MACROS}");
    let text = fs::read_to_string(MACROS).expect(MACROS);
    let table: toml::Table = text.parse().expect(MACROS);
    let mut source = String::from("static KNOWN: &[Known] = &[\n");
    for item in table["macro"].as_array().expect("macro is a list") {
        let text = |key: &str| item.get(key).and_then(toml::Value::as_str);
        let parameters = item["parameters"].as_array().expect("a list of parameters");
        let parameters: Vec<_> = parameters.iter().filter_map(|p| p.as_str()).collect();
        writeln!(
            source,
            "Known {{ name: {:?}, parameters: &{parameters:?}, library: {:?}, variable: {:?}, \
             def: {:?}, imp: {:?}, key: {:?}, kernel: {:?} }},",
            text("name").expect("a macro has a name"),
            text("library"),
            text("variable"),
            text("def"),
            text("impl"),
            text("key"),
            text("kernel"),
        )
        .expect("strings take everything");
    }
    let nothing = table["nothing"].as_array().expect("nothing is a list");
    let nothing: Vec<_> = nothing.iter().filter_map(|name| name.as_str()).collect();
    writeln!(source, "];\nstatic NOTHING: &[&str] = &{nothing:?};").expect("as above");
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(directory.join("macros.rs"), source).expect("macros.rs");
}
