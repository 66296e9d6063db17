//! The cache of fetched files: a folder for each version.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

use super::FetchError;
use super::wheel::{MAX_MEMBER, MEMBERS};
use crate::cli::read::{self, Origin};

/// The files of a release in the cache.
pub(super) fn bundle(cache: &Path, version: &str) -> Result<Option<Bundle>, FetchError> {
    let folder = cache.join(version);
    let mut bundle = Bundle::default();
    for (name, _) in MEMBERS {
        let path = folder.join(name);
        match read::bytes(&path, Origin::Found, MAX_MEMBER) {
            Ok(bytes) => bundle.insert(name, bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(FetchError::File { path, source }),
        }
    }
    Ok(bundle.file(NATIVE_FUNCTIONS).is_some().then_some(bundle))
}

/// Puts the files into the cache, all or none: writes a new folder and renames it.
pub(super) fn keep(cache: &Path, version: &str, bundle: &Bundle) -> Result<(), FetchError> {
    let io = |path: &Path, source| FetchError::File {
        path: path.into(),
        source,
    };
    fs::create_dir_all(cache).map_err(|e| io(cache, e))?;
    let beside = tempfile::Builder::new()
        .prefix(".fetching-")
        .tempdir_in(cache)
        .map_err(|e| io(cache, e))?;
    for (name, bytes) in bundle.files() {
        let path = beside.path().join(name);
        fs::write(&path, bytes).map_err(|e| io(&path, e))?;
    }
    let target = cache.join(version);
    match fs::rename(beside.path(), &target) {
        Ok(()) => {
            // It was renamed, so there is nothing to remove.
            let _ = beside.keep();
            Ok(())
        }
        // Another process was faster.
        Err(_) if target.is_dir() => Ok(()),
        Err(error) => Err(io(&target, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_source::TAGS;

    #[test]
    fn the_cache_holds_all_or_nothing() {
        let cache = tempfile::tempdir().unwrap();
        assert!(super::bundle(cache.path(), "2.9.0").unwrap().is_none());
        let bundle = Bundle::of_native_functions(*b"[]\n");
        keep(cache.path(), "2.9.0", &bundle).unwrap();
        keep(cache.path(), "2.9.0", &bundle).unwrap();
        let found = super::bundle(cache.path(), "2.9.0").unwrap();
        assert_eq!(found, Some(bundle));
        // A file that cannot be read is not one that is absent.
        fs::create_dir_all(cache.path().join("2.8.0").join(TAGS)).unwrap();
        assert!(super::bundle(cache.path(), "2.8.0").is_err());
    }
}
