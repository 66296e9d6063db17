//! Drift: the registrations of a process compared with those that follow from the files of a revision
//! (`docs/probe.md`). If a whole operator differs, it is one difference; otherwise there is one per key.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::observed::{Observed, ObservedRegistration};
use crate::origin::Origin;
use crate::registrations::{Inputs, Registration, Registrations};
use opatlas_pytorch::handwritten;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_source::{Stop, Stopped};

const AUTOGRAD: &str = "AutogradFunctionality";

opatlas_source::words! {
    /// How a process differs from the files.
    pub enum DriftKind {
        /// Declared in the files, but missing in the process.
        OperatorAbsent = "operator absent",
        /// Present in the process, in a namespace that the files use, but not declared.
        OperatorUndeclared = "operator undeclared",
        /// A registration that follows from the files but is missing in the process.
        Absent = "absent",
        /// A registration of the process that does not follow from the files.
        Undeclared = "undeclared",
        /// Both register a kernel on the key, but not the same one.
        OtherKernel = "other kernel",
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftRow<'a> {
    /// Its kind.
    pub kind: DriftKind,
    /// The operator, `base_name[.overload]`, with its namespace unless that is `aten`.
    pub operator: Cow<'a, str>,
    /// The runtime or alias key; `None` if the whole operator differs.
    pub key: Option<&'a str>,
    /// The origin of the registration that follows from the files.
    pub expected: Option<Origin>,
    /// Its file: one of the bundle, or a PyTorch source file.
    pub expected_file: Option<&'a str>,
    /// The registration of the process.
    pub found: Option<&'a ObservedRegistration>,
}

/// All differences between a process and a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift<'a> {
    /// The differences, by operator and key.
    pub rows: Vec<DriftRow<'a>>,
    /// Backends with kernels in the files but not in the build of the process. Registrations that are
    /// missing on their keys are not differences.
    pub left_out: Vec<&'static str>,
    /// The number of equal registrations.
    pub same: u32,
    /// The number of registrations in namespaces that the files do not use.
    pub elsewhere: u32,
}

impl Drift<'_> {
    /// The number of differences of a kind.
    #[must_use]
    pub fn count(&self, kind: DriftKind) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }
}

/// Compares a process with a revision. `registrations` must be computed from `inputs`, without observed
/// ones.
///
/// # Errors
/// [`Stopped`].
pub fn drift<'a>(
    inputs: Inputs<'a>,
    registrations: &'a Registrations,
    process: &'a Observed,
    stop: &Stop,
) -> Result<Drift<'a>, Stopped> {
    let comparison = Comparison::new(inputs, registrations, process);
    let mut drift = Drift {
        left_out: comparison.left_out.clone(),
        ..Drift::default()
    };
    let mut declared = FxHashSet::default();
    let mut namespaces = FxHashSet::default();
    for (id, operator) in inputs.catalogue.iter() {
        stop.check()?;
        let name = operator.qualified_name().to_owned();
        let found: Vec<_> = process.of(&name).map(|(_, row)| row).collect();
        let expected = registrations.of(inputs, id);
        let expected: Vec<_> = expected.filter(|row| counts(row)).collect();
        comparison.operator(name.clone(), &expected, &found, &mut drift);
        namespaces.insert(namespace(&name).to_owned());
        declared.insert(name);
    }
    let mut known = FxHashSet::default();
    for row in process.rows() {
        match &*row.operator {
            name if declared.contains(name) => {}
            name if !namespaces.contains(namespace(name)) => drift.elsewhere += 1,
            _ if comparison.is_handwritten(row) => drift.same += 1,
            name if known.insert(name) => drift.rows.push(DriftRow {
                kind: DriftKind::OperatorUndeclared,
                operator: Cow::Borrowed(name),
                key: None,
                expected: None,
                expected_file: None,
                found: Some(row),
            }),
            _ => {}
        }
    }
    drift
        .rows
        .sort_by(|a, b| (&a.operator, a.key, a.kind).cmp(&(&b.operator, b.key, b.kind)));
    Ok(drift)
}

/// Whether a process shows the registration.
fn counts(row: &Registration<'_>) -> bool {
    !row.overridden
}

/// Whether generated code makes the registration. PyTorch's handwritten code also registers kernels for
/// backends that a build leaves out.
fn follows_from_files(row: &Registration<'_>) -> bool {
    row.origin != Origin::HandWritten
}

fn namespace(operator: &str) -> &str {
    operator.split_once("::").map_or("aten", |(first, _)| first)
}

struct Comparison {
    keys: &'static Keys,
    left_out: Vec<&'static str>,
}

impl Comparison {
    fn new(inputs: Inputs<'_>, registrations: &Registrations, process: &Observed) -> Self {
        let keys = Keys::of(inputs.catalogue.release);
        let (mut declared, mut found) = (FxHashSet::default(), FxHashSet::default());
        for (id, operator) in inputs.catalogue.iter() {
            let name = operator.qualified_name();
            for row in registrations.of(inputs, id).filter(counts) {
                let Some(backend) = backend(keys, row.key).filter(|_| follows_from_files(&row))
                else {
                    continue;
                };
                declared.insert(backend);
                let key = keys.name(row.key);
                let mut made = process.of(name).filter(|(_, found)| *found.key == *key);
                if !found.contains(backend) && made.any(|(_, found)| is_same(key, &row, found)) {
                    found.insert(backend);
                }
            }
        }
        let mut left_out: Vec<_> = declared.difference(&found).copied().collect();
        left_out.sort_unstable();
        Self { keys, left_out }
    }

    fn operator<'a>(
        &self,
        name: String,
        expected: &[Registration<'a>],
        found: &[&'a ObservedRegistration],
        drift: &mut Drift<'a>,
    ) {
        let row = |kind, key, expected: Option<&Registration<'a>>, found| DriftRow {
            kind,
            operator: Cow::Owned(name.clone()),
            key,
            expected: expected.map(|row| row.origin),
            expected_file: expected.and_then(|row| row.file),
            found,
        };
        if found.is_empty() {
            drift
                .rows
                .push(row(DriftKind::OperatorAbsent, None, None, None));
            return;
        }
        let by_key = found.iter().filter_map(|row| {
            let key = self.keys.lookup(&row.key)?;
            Some((key, *row))
        });
        let mut by_key: FxHashMap<Key, &'a ObservedRegistration> = by_key.collect();
        for registration in expected {
            let key = self.keys.name(registration.key);
            match by_key.remove(&registration.key) {
                Some(found) if is_same(key, registration, found) => drift.same += 1,
                Some(found) => {
                    let kind = DriftKind::OtherKernel;
                    drift
                        .rows
                        .push(row(kind, Some(key), Some(registration), Some(found)));
                }
                None if self.is_left_out(registration.key) => {}
                None => {
                    let kind = DriftKind::Absent;
                    drift
                        .rows
                        .push(row(kind, Some(key), Some(registration), None));
                }
            }
        }
        for (key, found) in by_key {
            let key = Some(self.keys.name(key));
            drift
                .rows
                .push(row(DriftKind::Undeclared, key, None, Some(found)));
        }
    }

    fn is_handwritten(&self, row: &ObservedRegistration) -> bool {
        let key = self.keys.lookup(&row.key);
        let mut own = handwritten::of_operator(self.keys.release(), &row.operator);
        own.any(|own| Some(own.key) == key)
    }

    fn is_left_out(&self, key: Key) -> bool {
        backend(self.keys, key).is_some_and(|backend| self.left_out.contains(&backend))
    }
}

/// The backend of a key. Autograd keys are in every build, so they have none.
fn backend(keys: &Keys, key: Key) -> Option<&'static str> {
    let slot: Slot = match key {
        Key::Runtime(slot) => slot,
        Key::Alias(_) => return None,
    };
    keys.backend(slot)
        .filter(|_| keys.functionality(slot) != AUTOGRAD)
}

/// Whether the process has the expected kernel, judging by its source file: generated code is in files
/// named after its purpose, handwritten code is in any other file.
fn is_same(key: &str, expected: &Registration<'_>, found: &ObservedRegistration) -> bool {
    let Some(file) = found.file.as_deref() else {
        return expected.fallthrough == found.fallthrough;
    };
    let of_code = match expected.origin {
        Origin::Declared | Origin::Structured | Origin::Autogen | Origin::ImplicitComposite => file
            .strip_prefix("Register")
            .is_some_and(|rest| rest.starts_with(key)),
        Origin::Autograd => file.starts_with("VariableType"),
        Origin::InplaceOrView => file.starts_with("ADInplaceOrViewType"),
        Origin::Functionalize => file.starts_with("RegisterFunctionalization"),
        Origin::Tracer => file.starts_with("TraceType"),
        Origin::BackendSelect => file.starts_with("RegisterBackendSelect"),
        Origin::HandWritten => expected.file.is_none_or(|expected| expected == file),
        // For registrations made in Python, a process reports `torch/library.py`.
        Origin::Source => expected
            .file
            .is_none_or(|expected| expected.ends_with(".py") || expected.ends_with(file)),
        Origin::BackendFile | Origin::Fallback | Origin::Observed => true,
    };
    of_code && expected.fallthrough == found.fallthrough
}
