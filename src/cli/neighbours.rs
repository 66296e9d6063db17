//! Finds the files of a file's bundle: in the layout of PyTorch's repository, of the package
//! `torchgen`, or in one folder.

use std::path::{Path, PathBuf};

use super::paths::{without_dots, written_like};
use opatlas_source::{DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

/// The paths of the files of a bundle in a layout, from its root.
type Layout = [(&'static str, &'static str); 4];

const LAYOUTS: [Layout; 3] = [
    [
        (
            NATIVE_FUNCTIONS,
            "aten/src/ATen/native/native_functions.yaml",
        ),
        (TAGS, "aten/src/ATen/native/tags.yaml"),
        (DERIVATIVES, "tools/autograd/derivatives.yaml"),
        (DEPRECATED, "tools/autograd/deprecated.yaml"),
    ],
    [
        (NATIVE_FUNCTIONS, "ATen/native/native_functions.yaml"),
        (TAGS, "ATen/native/tags.yaml"),
        (DERIVATIVES, "autograd/derivatives.yaml"),
        (DEPRECATED, "autograd/deprecated.yaml"),
    ],
    [
        (NATIVE_FUNCTIONS, NATIVE_FUNCTIONS),
        (TAGS, TAGS),
        (DERIVATIVES, DERIVATIVES),
        (DEPRECATED, DEPRECATED),
    ],
];

/// The name in a bundle of a file with a well-known name; `None` for any other file.
pub(super) fn fixed_name(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    [NATIVE_FUNCTIONS, TAGS, DERIVATIVES, DEPRECATED]
        .into_iter()
        .find(|fixed| *fixed == name)
}

/// Bundle names and paths, `native_functions.yaml` first. `None` if no layout has a
/// `native_functions.yaml`.
pub(super) fn around(
    path: &Path,
    exists: impl Fn(&Path) -> bool,
) -> Option<Vec<(&'static str, PathBuf)>> {
    let name = fixed_name(path);
    LAYOUTS.iter().find_map(|layout| {
        let root = match name {
            Some(name) => root(path, within(layout, name)?)?,
            // A backend file is only found next to the operators.
            None => path.parent()?.to_owned(),
        };
        let found: Vec<_> = layout
            .iter()
            .map(|(name, at)| (*name, root.join(at)))
            .filter(|(name, at)| Some(*name) == self::fixed_name(path) && at == path || exists(at))
            .collect();
        (found.first()?.0 == NATIVE_FUNCTIONS).then_some(found)
    })
}

/// The files around a path that is given as a revision, as paths from the current folder if that one
/// is: around a `native_functions.yaml`, or those of a folder that is the root of a layout or has the
/// file.
pub(super) fn of_revision(given: &Path) -> Vec<(&'static str, PathBuf)> {
    let Ok(full) = std::path::absolute(given) else {
        return Vec::new();
    };
    let full = without_dots(&full);
    let native = match given.is_dir() {
        true => LAYOUTS
            .iter()
            .map(|layout| full.join(layout[0].1))
            .find(|it| it.is_file()),
        false => (fixed_name(given) == Some(NATIVE_FUNCTIONS)).then_some(full),
    };
    let found = native.and_then(|native| around(&native, Path::is_file));
    let found = found.unwrap_or_default().into_iter();
    found
        .map(|(name, path)| (name, written_like(given, &path)))
        .collect()
}

fn within(layout: &Layout, name: &str) -> Option<&'static str> {
    let found = layout.iter().find(|(known, _)| *known == name);
    found.map(|(_, at)| *at)
}

fn root(path: &Path, end: &str) -> Option<PathBuf> {
    let end = Path::new(end);
    let depth = end.components().count();
    path.ends_with(end)
        .then(|| path.ancestors().nth(depth).unwrap_or(Path::new("")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, files: &[&str]) -> Option<Vec<String>> {
        let found = around(Path::new(path), |path| {
            files.iter().any(|file| Path::new(file) == path)
        });
        found.map(|found| {
            let paths = found.into_iter();
            paths.map(|(_, path)| path.display().to_string()).collect()
        })
    }

    const PYTORCH: [&str; 4] = [
        "/p/aten/src/ATen/native/native_functions.yaml",
        "/p/aten/src/ATen/native/tags.yaml",
        "/p/tools/autograd/derivatives.yaml",
        "/p/tools/autograd/deprecated.yaml",
    ];

    #[test]
    fn every_file_of_a_layout_finds_the_others() {
        for path in PYTORCH {
            assert_eq!(found(path, &PYTORCH).unwrap(), PYTORCH);
        }
        let packaged = [
            "torchgen/packaged/ATen/native/native_functions.yaml",
            "torchgen/packaged/autograd/derivatives.yaml",
        ];
        for path in packaged {
            assert_eq!(found(path, &packaged).unwrap(), packaged);
        }
        let flat = ["native_functions.yaml", "tags.yaml"];
        for path in flat {
            assert_eq!(found(path, &flat).unwrap(), flat);
        }
        assert_eq!(found("npu.yaml", &flat).unwrap(), flat);
        assert_eq!(found("/p/tools/autograd/derivatives.yaml", &[]), None);
    }

    #[test]
    fn a_file_that_is_not_saved_yet_is_its_own() {
        let alone = found(PYTORCH[0], &[]).unwrap();
        assert_eq!(alone, [PYTORCH[0]]);
    }
}
