//! Files of a folder that a test fills.

use std::path::Path;

/// Writes a file, and makes the folders above it.
pub fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
