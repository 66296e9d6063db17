//! A parsed revision under the rules of one release.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{OperatorId, split_qualified};
use opatlas_pytorch::release::Release;
use opatlas_report::changes::Files;
use opatlas_report::findings::SourceText;
use opatlas_rules::{Findings, check_until};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::suggest::nearest;
use opatlas_source::{Bundle, DERIVATIVES, Digest, NATIVE_FUNCTIONS, Stop, Stopped, TAGS};

use super::address::Resolved;
use super::dispatch::Dispatch;
use super::error::ServiceError;

const SUGGESTIONS: usize = 3;
const OVERLOADS: usize = 1_000;

/// Limits of an ordinary revision. A release has 3,300 operators, the longest entry 1,500 bytes,
/// and the file 600,000 bytes.
const ORDINARY_OPERATORS: usize = 8_000;
const ORDINARY_ENTRY: usize = 16 << 10;
const ORDINARY_FILE: usize = 2 << 20;

/// An immutable, shared revision. Expensive parts are computed on first use.
#[derive(Debug)]
pub struct Snapshot {
    /// The digest of the bundle.
    pub digest: Digest,
    /// Its files.
    pub bundle: Bundle,
    /// Its operators.
    pub catalogue: Catalogue,
    pub(super) dispatch: Dispatch,
    findings: OnceLock<Findings>,
    is_ordinary: OnceLock<bool>,
    sources: BTreeMap<Box<str>, OnceLock<SourceText>>,
}

/// Counts of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Operators that are declared by entries and vendor files.
    pub operators: usize,
    /// Operators that `autogen` adds.
    pub generated: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity info.
    pub infos: usize,
}

impl Snapshot {
    /// Reads a bundle. Shares equal entries with `previous`, which does not change the result.
    #[must_use]
    pub fn read(bundle: Bundle, release: Release, previous: Option<&Self>) -> Self {
        Stop::unstopped(|stop| Self::of(bundle.digest(), bundle.clone(), release, previous, stop))
    }

    pub(super) fn of(
        digest: Digest,
        bundle: Bundle,
        release: Release,
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let catalogue = match previous {
            Some(same) if same.digest == digest => same.catalogue.under(&bundle, release, stop)?,
            _ => {
                let previous = previous.map(|previous| &previous.catalogue);
                Catalogue::read_until(&bundle, release, previous, stop)?
            }
        };
        Ok(Self::of_catalogue(digest, bundle, catalogue))
    }

    fn of_catalogue(digest: Digest, mut bundle: Bundle, catalogue: Catalogue) -> Self {
        // Keep only one copy of the largest file in memory.
        bundle.share(NATIVE_FUNCTIONS, &catalogue.native_functions.text);
        let names = bundle
            .files()
            .map(|(name, _)| (name.into(), OnceLock::new()));
        Self {
            digest,
            sources: names.collect(),
            bundle,
            catalogue,
            dispatch: Dispatch::default(),
            findings: OnceLock::new(),
            is_ordinary: OnceLock::new(),
        }
    }

    /// The release whose rules apply.
    #[must_use]
    pub fn release(&self) -> Release {
        self.catalogue.release
    }

    /// The findings in a stable order. If there are very many, the last ones are only counted. Runs
    /// the rules on first use.
    pub fn findings(&self) -> &Findings {
        self.findings
            .get_or_init(|| Stop::unstopped(|stop| check_until(self.inputs(), stop)))
    }

    pub(super) fn check(&self, stop: &Stop) -> Result<(), Stopped> {
        if self.findings.get().is_none() {
            let findings = check_until(self.inputs(), stop)?;
            // Another thread may have been faster; its findings are equal.
            let _ = self.findings.set(findings);
        }
        Ok(())
    }

    /// All findings except suppressed ones. Errors are always listed, because PyTorch's generator
    /// ignores suppressions.
    pub fn listed(&self) -> impl Iterator<Item = &Finding> {
        self.findings().listed()
    }

    /// Whether PyTorch's generator accepts the bundle, that is, whether there are no errors.
    pub fn is_valid(&self) -> bool {
        opatlas_rules::is_valid(self.findings())
    }

    #[must_use]
    pub(super) fn is_checked(&self) -> bool {
        self.findings.get().is_some()
    }

    /// Counts operators and listed findings, including those that are only counted. Runs the rules.
    pub fn summary(&self) -> Summary {
        let all = self.catalogue.operators.len();
        let operators = self.catalogue.entry_of.len() + self.catalogue.vendor_operators();
        let count = |severity| self.findings().count(severity);
        Summary {
            operators,
            generated: all - operators,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        }
    }

    /// The text of `native_functions.yaml`.
    pub fn native_functions(&self) -> &SourceText {
        self.source(NATIVE_FUNCTIONS)
            .expect("a bundle without native_functions.yaml is not admitted")
    }

    /// The files in which a comparison finds changes.
    #[must_use]
    pub fn changed_files(&self) -> Files<'_> {
        Files {
            native_functions: self.native_functions(),
            derivatives: self.source(DERIVATIVES),
            tags: self.source(TAGS),
        }
    }

    /// A file of the bundle as text; `None` if it does not exist.
    pub fn source(&self, file: &str) -> Option<&SourceText> {
        let slot = self.sources.get(file)?;
        let content = self.bundle.content(file)?;
        Some(slot.get_or_init(|| match file {
            NATIVE_FUNCTIONS if !self.catalogue.native_functions.has_conflicts() => {
                SourceText::new(file, Arc::clone(&self.catalogue.native_functions.text))
            }
            _ => SourceText::new(file, opatlas_yaml::decode_whole(content)),
        }))
    }

    /// The text of all files with findings, by name.
    #[must_use]
    pub fn sources<'f>(
        &self,
        findings: impl IntoIterator<Item = &'f Finding>,
    ) -> BTreeMap<Box<str>, SourceText> {
        let mut sources = BTreeMap::new();
        for finding in findings {
            if !sources.contains_key(&finding.file)
                && let Some(source) = self.source(&finding.file)
            {
                sources.insert(finding.file.clone(), source.clone());
            }
        }
        sources
    }

    /// The operator with a qualified name. Fails with [`ServiceError::UnknownOperator`] with
    /// similar names; `revision` provides the title in the error.
    pub fn find(&self, revision: &Resolved, name: &str) -> Result<OperatorId, ServiceError> {
        self.find_in(|| revision.title(), name)
    }

    /// Like [`Snapshot::find`], with a title for the error.
    pub fn find_in(
        &self,
        title: impl FnOnce() -> String,
        name: &str,
    ) -> Result<OperatorId, ServiceError> {
        let found = self.catalogue.find_qualified(name);
        found.ok_or_else(|| {
            let overloads = self.overloads(name);
            ServiceError::UnknownOperator {
                revision: title(),
                name: name.chars().take(128).collect(),
                suggestions: if overloads.is_empty() {
                    self.near(name)
                } else {
                    overloads.iter().take(SUGGESTIONS).cloned().collect()
                },
                overloads,
            }
        })
    }

    fn overloads(&self, name: &str) -> Vec<String> {
        let (namespace, base) = split_qualified(name);
        let ids = self.catalogue.overloads(base).iter();
        let operators = ids.map(|&id| self.catalogue.operator(id));
        let operators = operators.filter(|operator| operator.namespace() == namespace);
        let names = operators.map(|operator| operator.qualified_name().to_owned());
        names.take(OVERLOADS).collect()
    }

    fn near(&self, name: &str) -> Vec<String> {
        let wanted = name.strip_prefix("aten::").unwrap_or(name);
        let names = self.catalogue.operators.iter();
        let names: Vec<_> = names.map(|operator| operator.qualified_name()).collect();
        if let Some(near) = nearest(wanted, names.iter().map(|n| &**n)) {
            return vec![near.to_owned()];
        }
        // Other overloads of the right base.
        let base = wanted.split('.').next().unwrap_or(wanted);
        self.overloads(base).into_iter().take(SUGGESTIONS).collect()
    }

    /// Whether it is at most about as large as a release, so that its operators are cheap to
    /// describe.
    pub fn is_ordinary(&self) -> bool {
        *self.is_ordinary.get_or_init(|| {
            let catalogue = &self.catalogue;
            let mut entries = catalogue.native_functions.entries.iter();
            let mut files = self.bundle.files();
            catalogue.operators.len() <= ORDINARY_OPERATORS
                && files.all(|(_, bytes)| bytes.len() <= ORDINARY_FILE)
                && entries.all(|placed| placed.entry.span.len() <= ORDINARY_ENTRY)
        })
    }

    /// The parts that it may share with other snapshots, by address, and their estimated size in
    /// bytes, as measured on releases.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        /// An operator without its entry: findings, tables, indexes.
        const OPERATOR: usize = 400;
        /// An entry in the file's indexes.
        const PLACED: usize = 512;
        /// A parsed entry, and this many times its text.
        const ENTRY: usize = 1 << 10;
        const TEXT: usize = 8;
        let file = &self.catalogue.native_functions;
        let own = (16 << 10) + self.catalogue.operators.len() * OPERATOR;
        let own = (std::ptr::from_ref(self).addr(), own);
        let placed = (Arc::as_ptr(file).addr(), file.entries.len() * PLACED);
        let files = self.bundle.files().map(|(name, bytes)| {
            // Other files are in memory as text and parsed.
            let times = if name == NATIVE_FUNCTIONS { 1 } else { 2 };
            (Arc::as_ptr(bytes).addr(), bytes.len() * times)
        });
        let entries = file.entries.iter().map(|placed| {
            let entry = &placed.entry;
            let text = entry.span.len();
            (Arc::as_ptr(entry).addr(), ENTRY + text * TEXT)
        });
        let parts = [own, placed].into_iter().chain(files).chain(entries);
        parts.map(|(part, bytes)| (part, bytes as u64))
    }

    #[must_use]
    pub(super) fn weight(&self) -> u64 {
        self.parts().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_with_large_parts_are_not_ordinary() {
        let is_ordinary = |entries: &[String]| {
            let bundle = Bundle::of_native_functions(entries.concat().into_bytes());
            Snapshot::read(bundle, Release::LATEST, None).is_ordinary()
        };
        let entry = |at: usize, note: &str| format!("- func: f{at}() -> ()  # {note}\n");
        assert!(is_ordinary(&[entry(0, "short"), entry(1, "short")]));
        let long = "long".repeat(ORDINARY_ENTRY / 4);
        assert!(!is_ordinary(&[
            entry(0, "short"),
            format!("- func: g() -> ()\n  tags: [{long}]\n")
        ]));
        let many: Vec<_> = (0..3_000).map(|at| entry(at, &long[..1_000])).collect();
        assert!(!is_ordinary(&many), "the file is large");
    }
}
