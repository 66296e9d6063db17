//! All registrations of a revision: generated code for its files, backend files, and registrations known
//! from outside (`docs/spec/dispatch.md`, section 6; releases in 8.3).
//!
//! A row takes 16 bytes; a [`Registration`] with names and positions is assembled on demand. Registrations
//! do not depend on a build, which only affects tables.

mod functionalize;
mod generated;
mod native;
mod outside;
mod shown;
mod sources;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::known::Provenance;
use super::observed::{Observed, ObservedRegistration};
use super::origin::Origin;
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::handwritten::{self, SourceFile};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_source::Span;

pub(crate) use sources::SourceFallbacks;

pub use generated::{AutogradKind, autograd_kind, cpp_name, gets_autograd};

/// The inputs for registrations: one revision under one release.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The operators.
    pub catalogue: &'a Catalogue,
    /// `derivatives.yaml`, if the bundle has it.
    pub derivatives: Option<&'a Derivatives>,
    /// The formulas of each operator.
    pub matches: &'a DerivativeMatches,
    /// Backend files, with their names in the bundle.
    pub backends: &'a [(Box<str>, Arc<BackendFile>)],
    /// Registrations recorded from a process.
    pub observed: &'a Observed,
    /// Whether the release's handwritten registrations were recorded from this revision.
    pub provenance: Provenance,
}

impl<'a> Inputs<'a> {
    /// Inputs for a revision's files alone, without observations of a process.
    #[must_use]
    pub fn of_files(catalogue: &'a Catalogue) -> Self {
        static UNOBSERVED: OnceLock<Observed> = OnceLock::new();
        Self {
            catalogue,
            derivatives: catalogue.derivatives.as_deref(),
            matches: &catalogue.derivative_matches,
            backends: &catalogue.backends,
            observed: UNOBSERVED.get_or_init(Observed::default),
            provenance: Provenance::Assumed,
        }
    }
}

/// A registration with names and positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration<'a> {
    /// The runtime or alias key.
    pub key: Key,
    /// The kernel's C++ name; `None` if only its file is known.
    pub kernel: Option<std::borrow::Cow<'a, str>>,
    /// Its origin.
    pub origin: Origin,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// The file that declares it: one of the bundle, or a PyTorch source file if it is handwritten.
    pub file: Option<&'a str>,
    /// The position, if the file is in the bundle.
    pub span: Option<Span>,
    /// Whether a later registration on the same key replaced it.
    pub overridden: bool,
}

/// The registrations of all operators of a revision, in registration order. The last one on a key wins.
#[derive(Debug, Clone, Default)]
pub struct Registrations {
    rows: Vec<Row>,
    ends: Vec<u32>,
}

/// A registration with names and positions as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: Key,
    /// Its origin.
    pub origin: Origin,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    source: RowSource,
}

/// Where the kernel's name and position are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowSource {
    /// A kernel of this operator, by its index.
    Kernel(OperatorId, u16),
    /// The operator itself.
    Operator,
    /// A set of its formulas, by index.
    Formulas(u8),
    /// A backend file, the position in it, and whether the kernel takes symbolic sizes.
    Backend(u16, Span, bool),
    /// A wrapper around the functional kernel of a backend file.
    BackendWrapper(u16, Span),
    /// PyTorch's source file.
    Source(Option<SourceFile>),
    /// A registration in the revision's sources.
    Scanned(u32),
    /// An observed registration.
    Observed(u32),
}

// A release has some 30,000 rows, and so has every imported commit.
const _: () = assert!(size_of::<Row>() == 16);

impl Row {
    fn new(key: Key, origin: Origin, source: RowSource) -> Self {
        Self {
            key,
            origin,
            fallthrough: false,
            source,
        }
    }

    /// Whether torchgen generates it around the functional kernel of a backend file.
    pub fn is_wrapper(&self) -> bool {
        matches!(self.source, RowSource::BackendWrapper(..))
    }

    /// The registration in the revision's sources.
    pub fn scanned<'a>(&self, inputs: Inputs<'a>) -> Option<&'a opatlas_sources::Registration> {
        match self.source {
            RowSource::Scanned(index) => inputs.catalogue.sources.rows().get(index as usize),
            _ => None,
        }
    }

    /// What was observed.
    pub fn observed<'a>(&self, inputs: Inputs<'a>) -> Option<&'a ObservedRegistration> {
        match self.source {
            RowSource::Observed(index) => inputs.observed.rows().get(index as usize),
            _ => None,
        }
    }

    pub(super) fn source_file(&self) -> Option<&'static str> {
        match self.source {
            RowSource::Source(file) => file.map(SourceFile::name),
            _ => None,
        }
    }
}

/// The index of the last row for each key.
pub(super) fn last_to_key<'a>(
    rows: impl Iterator<Item = (usize, &'a Row)>,
) -> FxHashMap<Key, usize> {
    rows.map(|(at, row)| (row.key, at)).collect()
}

impl Registrations {
    /// Computes all registrations.
    #[must_use]
    pub fn new(inputs: Inputs<'_>) -> Self {
        let catalogue = inputs.catalogue;
        let builder = Builder {
            inputs,
            keys: Keys::of(catalogue.release),
            at: Generated::of(Keys::of(catalogue.release)),
            views: functionalize::Views::of(catalogue),
            backends: outside::BackendRows::new(inputs),
        };
        let mut all = Self {
            rows: Vec::new(),
            ends: Vec::with_capacity(catalogue.operators.len()),
        };
        for (id, _) in catalogue.iter() {
            builder.operator(id, &mut all.rows);
            all.ends.push(place(all.rows.len()));
        }
        // Rows stay in memory as long as the revision.
        all.rows.shrink_to_fit();
        all
    }

    /// The registrations of an operator, in registration order. `inputs` as for [`Self::new`].
    pub fn of<'a>(
        &'a self,
        inputs: Inputs<'a>,
        id: OperatorId,
    ) -> impl Iterator<Item = Registration<'a>> + use<'a> {
        let rows = self.rows_of(id);
        let last = last_to_key(rows.iter().enumerate());
        rows.iter().enumerate().map(move |(at, row)| Registration {
            overridden: last.get(&row.key) != Some(&at),
            ..shown::registration(inputs, id, row)
        })
    }

    pub(super) fn rows_of(&self, id: OperatorId) -> &[Row] {
        let index = id.index();
        let start = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .map_or(0, |&end| end as usize);
        let end = self.ends.get(index).map_or(start, |&end| end as usize);
        self.rows.get(start..end).unwrap_or_default()
    }
}

fn place(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

/// [`Registration::kernel`] of a row.
pub(super) fn kernel<'a>(
    inputs: Inputs<'a>,
    id: OperatorId,
    row: &Row,
) -> Option<std::borrow::Cow<'a, str>> {
    shown::kernel_name(inputs, id, row)
}

pub(super) fn assemble<'a>(inputs: Inputs<'a>, id: OperatorId, row: &Row) -> Registration<'a> {
    shown::registration(inputs, id, row)
}

/// The keys that generated code registers kernels on.
struct Generated {
    meta: Option<Key>,
    inplace_or_view: Option<Key>,
    tracer: Option<Key>,
    backend_select: Option<Key>,
    functionalize: Option<Key>,
}

impl Generated {
    fn of(keys: &Keys) -> Self {
        let key = |name| keys.slot(name).map(Key::Runtime);
        Self {
            meta: key("Meta"),
            inplace_or_view: key("ADInplaceOrView"),
            tracer: key("Tracer"),
            backend_select: key("BackendSelect"),
            functionalize: key("Functionalize"),
        }
    }
}

struct Builder<'a> {
    inputs: Inputs<'a>,
    keys: &'static Keys,
    at: Generated,
    views: functionalize::Views<'a>,
    backends: outside::BackendRows,
}

impl Builder<'_> {
    fn operator(&self, id: OperatorId, rows: &mut Vec<Row>) {
        // Nothing is generated for operators of vendor files.
        if self.inputs.catalogue.operator(id).vendor().is_none() {
            self.native(id, rows);
            self.generated(id, rows);
            self.functionalize(id, rows);
        }
        rows.extend_from_slice(self.backends.of(id));
        self.outside(id, rows);
    }

    fn outside(&self, id: OperatorId, rows: &mut Vec<Row>) {
        let operator = self.inputs.catalogue.operator(id);
        let observed = self.inputs.observed;
        // A bundle with observed registrations does not need those of another process.
        let is_listed = self.inputs.provenance == Provenance::Recorded || observed.is_empty();
        if is_listed && operator.namespace() == "aten" {
            let listed = handwritten::of_operator(self.keys.release(), operator.name_text());
            rows.extend(listed.map(|row| Row {
                key: row.key,
                origin: Origin::HandWritten,
                fallthrough: row.fallthrough,
                source: RowSource::Source(row.file),
            }));
        }
        sources::rows(self.inputs, self.keys, id, rows);
        if !observed.is_empty() {
            for (index, row) in observed.of(operator.qualified_name()) {
                rows.extend(self.keys.lookup(&row.key).map(|key| Row {
                    key,
                    origin: Origin::Observed,
                    fallthrough: row.fallthrough,
                    source: RowSource::Observed(index),
                }));
            }
        }
    }
}
