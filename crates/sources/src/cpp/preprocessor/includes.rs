//! Which files of a scan include which others.

use rustc_hash::{FxHashMap, FxHashSet};

/// The paths of the files, and the includes between them.
#[derive(Debug, Default)]
pub(super) struct Includes {
    paths: FxHashMap<u32, Box<str>>,
    /// Files by the last part of their paths.
    by_name: FxHashMap<Box<str>, Vec<u32>>,
    of: FxHashMap<u32, Vec<Box<str>>>,
}

impl Includes {
    pub(super) fn add_file(&mut self, file: u32, path: &str) {
        self.paths.insert(file, path.into());
        let same_name = self.by_name.entry(name_of(path).into()).or_default();
        same_name.push(file);
    }

    /// Adds `"x/y.h"` or `<x/y.h>`.
    pub(super) fn add(&mut self, file: u32, written: &str) {
        let path = written.trim_matches(['"', '<', '>', ' ']);
        self.of.entry(file).or_default().push(path.into());
    }

    fn path(&self, file: u32) -> &str {
        self.paths.get(&file).map_or("", |path| path)
    }

    /// Whether other files may include a file.
    pub(super) fn is_header(&self, file: u32) -> bool {
        let path = self.path(file);
        let ending = path.rsplit('.').next().unwrap_or_default();
        let compiled = ["c", "cc", "cpp", "cu", "cxx", "hip", "mm", "mu", "sycl"];
        !compiled.contains(&ending)
    }

    /// The files that a file includes, directly or not.
    pub(super) fn reached_from(&self, file: u32) -> FxHashSet<u32> {
        let mut reached = FxHashSet::default();
        let mut open = vec![file];
        while let Some(next) = open.pop() {
            for path in self.of.get(&next).into_iter().flatten() {
                let found = self.resolved(next, path);
                open.extend(found.into_iter().filter(|found| reached.insert(*found)));
            }
        }
        reached
    }

    /// The file beside the one that includes it, or else all whose paths end like this.
    pub(super) fn resolved(&self, from: u32, path: &str) -> Vec<u32> {
        let candidates = self.by_name.get(name_of(path));
        let candidates = candidates.map_or(&[][..], |all| all);
        let beside = beside(self.path(from), path);
        let mut exact = candidates.iter().filter(|file| self.path(**file) == beside);
        if let Some(exact) = exact.next() {
            return vec![*exact];
        }
        let mut end = path;
        while let Some(rest) = end.strip_prefix("../").or(end.strip_prefix("./")) {
            end = rest;
        }
        let ends = |file: &&u32| {
            let before = self.path(**file).strip_suffix(end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        candidates.iter().filter(ends).copied().collect()
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn beside(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
