//! Paths as text: without `..`, and as the user writes them.

use std::path::{Component, Path, PathBuf};

/// A path whose parents are the folders that contain it.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

/// The absolute path of a file, written like another path: from the current folder if that one is
/// relative.
pub(super) fn written_like(given: &Path, full: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    match here.filter(|_| given.is_relative()) {
        Some(here) => from(&here, &without_dots(full)),
        None => full.to_owned(),
    }
}

fn from(here: &Path, full: &Path) -> PathBuf {
    let (mut here, mut there) = (here.components(), full.components());
    while let (Some(a), Some(b)) = (here.clone().next(), there.clone().next())
        && a == b
    {
        here.next();
        there.next();
    }
    let up = here.map(|_| Component::ParentDir);
    up.chain(there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_a_folder() {
        for (here, full, expected) in [
            ("/p", "/p/tools/tags.yaml", "tools/tags.yaml"),
            ("/p/aten/src", "/p/tools/tags.yaml", "../../tools/tags.yaml"),
            ("/q", "/p/tags.yaml", "../p/tags.yaml"),
        ] {
            assert_eq!(from(Path::new(here), Path::new(full)), Path::new(expected));
        }
        let full = Path::new("/p/tags.yaml");
        assert_eq!(written_like(Path::new("/p/x"), full), full);
        assert_eq!(without_dots(Path::new("/p/a/../b")), Path::new("/p/b"));
    }
}
