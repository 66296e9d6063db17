//! Registrations that no YAML file declares: handwritten in C++ (`TORCH_LIBRARY_IMPL` in autocast,
//! functorch, named tensors, ...) or in Python (`torch/_meta_registrations.py`).
//!
//! They were recorded from a process of each release (Linux CUDA build, after `import torch`;
//! `docs/spec/dispatch.md`, sections 7 and 8.5). Those of XPU, which no such build has, were read from
//! PyTorch's sources. They override generated registrations at the same
//! key, because they are made later.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::keys::{Key, Keys};
use crate::release::Release;

/// The keys of devices that the recorded builds do not support, whose registrations were read from
/// PyTorch's sources. A build without the device does not have them.
pub const FROM_SOURCES: [&str; 1] = ["XPU"];

/// A handwritten registration of a release.
#[derive(Clone, Copy, Eq, PartialEq, Debug)]
pub struct Handwritten {
    /// The operator in namespace `aten`: `add.Tensor`.
    pub operator: &'static str,
    /// The dispatch key.
    pub key: Key,
    /// The source file; `None` for Python kernels whose file was not recorded.
    pub file: Option<SourceFile>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// Whether `native_functions.yaml` declares the operator.
    pub declared: bool,
}

/// A source file of PyTorch, as a number to save memory.
#[derive(Clone, Copy, Eq, PartialEq, Debug)]
pub struct SourceFile(u8);

impl SourceFile {
    /// Its name without its folder.
    #[must_use]
    pub fn name(self) -> &'static str {
        FILES.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// All handwritten registrations of a release, sorted by operator and key name.
pub fn all(release: Release) -> impl Iterator<Item = Handwritten> {
    (0..ENDS.len()).flat_map(move |operator| rows_of(release, operator))
}

/// The registrations of one operator, `base_name[.overload]` in namespace `aten`.
pub fn of_operator(release: Release, operator: &str) -> impl Iterator<Item = Handwritten> + use<> {
    let found = index().get(operator).copied();
    found
        .into_iter()
        .flat_map(move |operator| rows_of(release, usize::from(operator)))
}

/// The operators of a release without an entry in `native_functions.yaml`.
pub fn operators_without_yaml(release: Release) -> impl Iterator<Item = &'static str> {
    let undeclared = move |&operator: &usize| rows_of(release, operator).any(|row| !row.declared);
    (0..ENDS.len()).filter(undeclared).map(name)
}

/// `releases` has a bit for each minor release.
struct Row {
    key: u8,
    file: Option<u8>,
    fallthrough: bool,
    declared: bool,
    releases: u64,
}

// NAMES concatenates all sorted operator names; ENDS has the ends of each operator's name and ROWS.
include!(concat!(env!("OUT_DIR"), "/handwritten.rs"));

fn index() -> &'static FxHashMap<&'static str, u16> {
    static INDEX: OnceLock<FxHashMap<&'static str, u16>> = OnceLock::new();
    INDEX.get_or_init(|| (0..ENDS.len()).map(name).zip(0..).collect())
}

/// The starts of an operator's name and rows.
fn starts(operator: usize) -> (u32, u16) {
    operator
        .checked_sub(1)
        .and_then(|before| ENDS.get(before).copied())
        .unwrap_or_default()
}

fn name(operator: usize) -> &'static str {
    let (start, end) = (starts(operator).0, starts(operator + 1).0);
    NAMES.get(start as usize..end as usize).unwrap_or_default()
}

fn rows_of(release: Release, operator: usize) -> impl Iterator<Item = Handwritten> {
    let (start, end) = (starts(operator).1, starts(operator + 1).1);
    let rows = ROWS
        .get(usize::from(start)..usize::from(end))
        .unwrap_or_default();
    let keys = Keys::of(release);
    let own = rows
        .iter()
        .filter(move |row| row.releases >> release.index() & 1 == 1);
    own.filter_map(move |row| {
        Some(Handwritten {
            operator: name(operator),
            key: keys.lookup(KEYS.get(usize::from(row.key))?)?,
            file: row.file.map(SourceFile),
            fallthrough: row.fallthrough,
            declared: row.declared,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_found_by_name() {
        let rows: Vec<_> = of_operator(Release::V2_9, "abs").collect();
        assert!(!rows.is_empty() && rows.iter().all(|row| row.operator == "abs" && row.declared));
        assert_eq!(of_operator(Release::V2_9, "no_such_operator").count(), 0);
        let one_by_one = (0..ENDS.len())
            .map(name)
            .flat_map(|n| of_operator(Release::V2_9, n));
        assert!(one_by_one.eq(all(Release::V2_9)));
    }

    /// Counts of `docs/spec/dispatch.md`, section 8.5.
    #[test]
    fn every_release_has_the_recorded_number() {
        let counts = [
            2985, 3280, 3523, 3602, 3583, 3731, 3752, 3884, 4022, 4028, 4038, 4046, 4071, 3503,
            3526, 3537,
        ];
        for (release, count) in Release::all().zip(counts) {
            let keys = Keys::of(release);
            let is_recorded = |row: &Handwritten| !FROM_SOURCES.contains(&keys.name(row.key));
            let recorded = all(release).filter(|row| row.declared && is_recorded(row));
            assert_eq!(recorded.count(), count, "{release}");
        }
    }

    #[test]
    fn some_operators_have_no_entry() {
        let of = |release| operators_without_yaml(release).collect::<Vec<_>>();
        assert_eq!(of(Release::V2_9).len(), 9);
        assert!(of(Release::V2_9).contains(&"quantized_lstm.input"));
        assert!(!of(Release::V2_13).contains(&"shallow_copy_data_"));
        assert!(of(Release::V2_14).contains(&"shallow_copy_data_"));
    }
}
