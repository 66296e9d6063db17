//! Computes a digest of everything that answers depend on, the program's sources included, so that
//! two builds that may answer differently never share an ETag.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

const SOURCES: [&str; 4] = ["src", "crates", "data", "Cargo.lock"];

const ROOT: &str = "../..";

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        let path = Path::new(ROOT).join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        add(&path, &mut hasher)?;
    }
    println!(
        "cargo::rustc-env=OPATLAS_SOURCE_DIGEST={:016x}",
        hasher.finish()
    );
    Ok(())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_file() {
        path.hash(hasher);
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let entries: io::Result<Vec<PathBuf>> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect();
    let mut entries = entries?;
    entries.sort();
    entries.iter().try_for_each(|entry| add(entry, hasher))
}
