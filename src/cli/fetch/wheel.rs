//! Extracts the files that Opatlas reads from a wheel.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use zip::result::ZipError;

use super::FetchError;
use crate::cli::read::{self, Origin};
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

pub(super) const MEMBERS: [(&str, &str); 4] = [
    (
        NATIVE_FUNCTIONS,
        "torchgen/packaged/ATen/native/native_functions.yaml",
    ),
    (TAGS, "torchgen/packaged/ATen/native/tags.yaml"),
    (DERIVATIVES, "torchgen/packaged/autograd/derivatives.yaml"),
    (DEPRECATED, "torchgen/packaged/autograd/deprecated.yaml"),
];

/// The maximum size of a file in a wheel, in bytes. Real ones are under 1 MiB.
pub(super) const MAX_MEMBER: u64 = 8 << 20;

/// Reads the wheel in a folder. Older releases do not have all files.
pub(super) fn read_wheel(version: &str, folder: &Path) -> Result<Bundle, FetchError> {
    let broken = |reason: String| FetchError::Wheel {
        version: version.into(),
        reason,
    };
    let io = |path: &Path, source| FetchError::File {
        path: path.into(),
        source,
    };
    let files: io::Result<Vec<PathBuf>> = fs::read_dir(folder)
        .map_err(|e| io(folder, e))?
        .map(|file| Ok(file?.path()))
        .collect();
    let wheel = files
        .map_err(|e| io(folder, e))?
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .ok_or_else(|| broken("pip downloaded no wheel".into()))?;
    let file = read::open(&wheel, Origin::Found).map_err(|e| io(&wheel, e))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| broken(e.to_string()))?;
    let mut bundle = Bundle::default();
    for (name, member) in MEMBERS {
        let entry = match archive.by_name(member) {
            Ok(entry) => entry,
            // Older releases do not have all of them.
            Err(ZipError::FileNotFound) => continue,
            Err(error) => return Err(broken(format!("{member}: {error}"))),
        };
        let mut bytes = Vec::new();
        entry
            .take(MAX_MEMBER + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| broken(format!("{member}: {e}")))?;
        if bytes.len() as u64 > MAX_MEMBER {
            return Err(broken(format!("{member} has more than {MAX_MEMBER} bytes")));
        }
        bundle.insert(name, bytes);
    }
    match bundle.file(NATIVE_FUNCTIONS) {
        Some(_) => Ok(bundle),
        None => Err(broken(format!("it does not contain {}", MEMBERS[0].1))),
    }
}
