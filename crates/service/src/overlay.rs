//! Judges entries that are laid over a revision's `native_functions.yaml`.
//!
//! An entry replaces the one of the same operator, or is added. Replaced entries are blanked out
//! and the given ones are appended, so both keep their positions.

use std::collections::BTreeSet;
use std::ops::Range;

use opatlas_operators::entry::Entry;
use opatlas_operators::file::NativeFunctions;
use opatlas_report::findings::SourceText;
use opatlas_rules::{Introduced, introduced};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Span, Stop, Stopped, TAGS};

use super::snapshot::Snapshot;

/// Entries laid over a revision.
#[derive(Debug)]
pub struct Overlay {
    /// The entries as given.
    pub entries: SourceText,
    /// The operators whose entries are added.
    pub added: BTreeSet<String>,
    /// The operators whose entries are replaced.
    pub replaced: BTreeSet<String>,
    /// Why the entries are judged without those of the revision, if they are.
    pub alone: Option<&'static str>,
    start: u32,
}

/// The findings about entries laid over a revision.
#[derive(Debug)]
pub struct OverlayFindings<'s> {
    /// Findings in the entries.
    pub own: Vec<&'s Finding>,
    /// Findings that the revision has only with the entries.
    pub elsewhere: Introduced,
}

impl Overlay {
    /// Lays entries over a revision, and returns the files to judge.
    pub fn of(base: &Snapshot, entries: &[u8], stop: &Stop) -> Result<(Self, Bundle), Stopped> {
        let given = NativeFunctions::read_until(&entries.into(), None, stop)?;
        let file = &base.catalogue.native_functions;
        let is_divided = |file: &NativeFunctions| file.chunks().len() == file.entries.len();
        let alone = if !given.is_list || !given.diagnostics.is_empty() || !is_divided(&given) {
            Some("the text is not a plain list of entries, so it is checked without the revision")
        } else if !file.is_list || !file.diagnostics.is_empty() || !is_divided(file) {
            Some("the file of the revision cannot be divided into entries, so it is left out")
        } else {
            None
        };
        let names = |file: &NativeFunctions| -> BTreeSet<String> {
            file.entries
                .iter()
                .filter_map(|placed| qualified(&placed.entry))
                .collect()
        };
        let own = names(&given);
        let mut overlay = Self {
            entries: SourceText::new(NATIVE_FUNCTIONS, given.text.clone()),
            added: own,
            replaced: BTreeSet::new(),
            alone,
            start: 0,
        };
        if alone.is_some() {
            let mut bundle = Bundle::of_native_functions(given.text.as_bytes());
            if let Some(tags) = base.bundle.file(TAGS) {
                bundle.insert(TAGS, tags.clone());
            }
            return Ok((overlay, bundle));
        }
        let mut text = String::with_capacity(file.text.len() + given.text.len() + 1);
        if !file.entries.is_empty() {
            text.push_str(&overlay.without_replaced(file));
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        overlay.start = u32::try_from(text.len()).unwrap_or(u32::MAX);
        text.push_str(&given.text);
        let mut bundle = base.bundle.clone();
        bundle.insert(NATIVE_FUNCTIONS, text.into_bytes());
        Ok((overlay, bundle))
    }

    fn without_replaced(&mut self, file: &NativeFunctions) -> String {
        let mut text = file.text.as_bytes().to_vec();
        for (placed, chunk) in file.entries.iter().zip(file.chunks()) {
            let Some(name) = qualified(&placed.entry) else {
                continue;
            };
            if !self.added.contains(&name) && !self.replaced.contains(&name) {
                continue;
            }
            self.added.remove(&name);
            self.replaced.insert(name);
            for byte in &mut text[range(*chunk)] {
                if !matches!(*byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        // Chunks consist of whole lines, so no character is split.
        String::from_utf8(text).unwrap_or_default()
    }

    /// The findings in the judged files that the stored revision does not have.
    #[must_use]
    pub fn findings<'s>(&self, base: &Snapshot, judged: &'s Snapshot) -> OverlayFindings<'s> {
        let own = judged.listed().filter(|finding| self.has(finding));
        let mut elsewhere = match self.alone {
            Some(_) => Introduced::default(),
            None => introduced(base.findings(), judged.findings()),
        };
        elsewhere.new.retain(|finding| !self.has(finding));
        OverlayFindings {
            own: own.collect(),
            elsewhere,
        }
    }

    fn has(&self, finding: &Finding) -> bool {
        self.place(&finding.file, finding.span).is_some()
    }

    /// Translates a position in the judged file to one in the entries, if it is there.
    #[must_use]
    pub fn place(&self, file: &str, span: Span) -> Option<Span> {
        let is_own = file == NATIVE_FUNCTIONS && span.start >= self.start;
        is_own.then(|| Span::new(span.start - self.start, span.end - self.start))
    }
}

fn qualified(entry: &Entry) -> Option<String> {
    let name = entry.name.as_ref()?.as_str();
    Some(match &*entry.namespace {
        "aten" => name.to_owned(),
        namespace => format!("{namespace}::{name}"),
    })
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;

    const BASE: &str = "\
- func: one(Tensor self) -> Tensor
  variants: function  # ∑
# about two
- func: two(Tensor self) -> Tensor
  autogen: two.out
";

    fn laid(base: &str, entries: &str) -> (String, String, Vec<String>, Vec<String>) {
        let base = Bundle::of_native_functions(base.as_bytes());
        let base = Snapshot::read(base, Release::LATEST, None);
        Stop::unstopped(|stop| {
            let (overlay, bundle) = Overlay::of(&base, entries.as_bytes(), stop)?;
            let judged = Snapshot::read(bundle, Release::LATEST, Some(&base));
            let found = overlay.findings(&base, &judged);
            let own = found.own.iter().map(|finding| {
                let span = overlay.place(&finding.file, finding.span).unwrap();
                format!("{} {}", finding.rule, span.slice(entries))
            });
            let elsewhere = found.elsewhere.new.iter().map(|finding| {
                let at = judged.source(&finding.file).unwrap().lines(finding.span);
                format!("{} {}", finding.rule, at.start.line)
            });
            let names = |names: &BTreeSet<String>| Vec::from_iter(names.clone()).join(" ");
            Ok((
                names(&overlay.added),
                names(&overlay.replaced),
                own.collect(),
                elsewhere.collect(),
            ))
        })
    }

    #[test]
    fn an_entry_is_added_or_replaces_the_one_of_its_operator() {
        let (added, replaced, own, elsewhere) = laid(
            BASE,
            "- func: one(Tensor self, int n) -> Tensor\n- func: three(Tensor self) -> Tensor\n",
        );
        assert_eq!((&*added, &*replaced), ("three", "one"));
        assert!(
            own.is_empty() && elsewhere.is_empty(),
            "{own:?} {elsewhere:?}"
        );
    }

    #[test]
    fn findings_know_the_neighbours_and_keep_their_places() {
        // The group of `two` now has a declared and a generated out variant.
        let (added, _, own, elsewhere) = laid(
            BASE,
            "- func: two.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n- func: g(Dubble x) -> Tensor\n",
        );
        assert_eq!(added, "g two.out");
        assert!(own.contains(&"type-unknown Dubble".to_owned()), "{own:?}");
        let all: Vec<_> = own.iter().chain(&elsewhere).collect();
        assert!(all.len() > 1, "the neighbour goes unseen: {all:?}");
    }

    #[test]
    fn what_cannot_be_laid_over_is_judged_alone() {
        for entries in [
            "",
            "func: f",
            "- func: [",
            "--- \n- func: f(Tensor self) -> Tensor\n",
        ] {
            let (_, replaced, own, elsewhere) = laid(BASE, entries);
            assert!(
                replaced.is_empty() && elsewhere.is_empty(),
                "{entries}: {elsewhere:?}"
            );
            assert!(entries.starts_with("---") || !own.is_empty(), "{entries}");
        }
        let (added, _, own, _) = laid("[]", "- func: f(Tensor self) -> Tensor\n");
        assert_eq!((&*added, own.len()), ("f", 0));
    }
}
