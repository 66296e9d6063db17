//! Collects findings.
//!
//! A file can have millions of findings. Each has a small [`Mark`], but only the first
//! [`MOST_OF_A_RULE`] per rule are kept in full. Deduplication, suppression, and counts are
//! therefore exact.

mod followers;
mod mark;
mod review;

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Complaints, Diagnostic, Finding, Fix, Related, RuleId, Severity};
use opatlas_source::suggest::Budget;
use opatlas_source::{Message, NATIVE_FUNCTIONS, Stop};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::findings::{Findings, MOST_FINDINGS, MOST_OF_A_RULE, Omitted};
use super::{Rule, registry};
use followers::drop_followers;
use mark::{COUNTED, Mark};

pub use review::Review;

/// A message or a help longer than this many bytes is cut.
const LONGEST_TEXT: usize = 4 << 10;

const MOST_RELATED: usize = 64;

/// Collects findings, except those of rules that do not apply to the release.
#[derive(Debug)]
pub struct Sink {
    release: Release,
    files: Vec<Box<str>>,
    marks: Vec<Mark>,
    full: Vec<Finding>,
    by_rule: FxHashMap<RuleId, usize>,
    /// Diagnostics that readers counted without keeping.
    unread: FxHashMap<RuleId, usize>,
    last_is_full: bool,
    in_error: FxHashSet<Box<str>>,
    /// Start of the last entry with an error.
    last_in_error: Option<u32>,
    /// Finds the nearest name for a misspelled one; shared by all checks.
    pub suggestions: Budget,
    stop: Stop,
}

impl Sink {
    /// An empty sink for the rules of a release.
    #[must_use]
    pub fn new(release: Release) -> Self {
        Self {
            release,
            files: Vec::new(),
            marks: Vec::new(),
            full: Vec::new(),
            by_rule: FxHashMap::default(),
            unread: FxHashMap::default(),
            last_is_full: false,
            in_error: FxHashSet::default(),
            last_in_error: None,
            suggestions: Budget::default(),
            stop: Stop::never(),
        }
    }

    /// Ends the loops of checks ([`Self::while_wanted`]) when `stop` is set.
    #[must_use]
    pub fn until(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// The items until a stop is requested.
    pub fn while_wanted<I: IntoIterator>(
        &self,
        items: I,
    ) -> impl Iterator<Item = I::Item> + use<I> {
        let stop = self.stop.clone();
        items.into_iter().take_while(move |_| !stop.is_requested())
    }

    /// Reports on an entry of `native_functions.yaml`; spans are relative to the entry.
    pub fn entry(&mut self, placed: &PlacedEntry, diagnostic: Diagnostic) {
        let namespace = &*placed.entry.namespace;
        let name = placed.entry.name.as_ref().map(|name| name.as_str());
        let operator = match (name, namespace) {
            (Some(name), "aten") => Operator::Named(name),
            (Some(name), _) => Operator::Qualified(namespace, name),
            (None, _) => Operator::None,
        };
        let is_error = |rule: &Rule| rule.severity == Severity::Error;
        let rule = registry::of(diagnostic.rule);
        if is_error(rule)
            && rule.applies_to(self.release)
            && self.last_in_error != Some(placed.base)
        {
            self.last_in_error = Some(placed.base);
            operator.note(&mut self.in_error);
        }
        self.push(NATIVE_FUNCTIONS, operator, diagnostic.shifted(placed.base));
    }

    /// Reports on a file of the bundle.
    pub fn file(&mut self, file: &str, diagnostic: Diagnostic) {
        self.push(file, Operator::None, diagnostic);
    }

    /// Reports what a reader found in a file.
    pub fn complaints(&mut self, file: &str, complaints: &Complaints) {
        for diagnostic in complaints {
            self.file(file, diagnostic.clone());
        }
        self.more(complaints);
    }

    /// Adds diagnostics that a reader counted without keeping.
    pub fn more(&mut self, complaints: &Complaints) {
        for &(rule, count) in complaints.more() {
            if registry::of(rule).applies_to(self.release) {
                *self.unread.entry(rule).or_default() += count;
            }
        }
    }

    /// Reports on an operator in a file other than `native_functions.yaml`.
    pub fn about(&mut self, file: &str, operator: &str, diagnostic: Diagnostic) {
        self.push(file, Operator::Named(operator), diagnostic);
    }

    /// Adds a related place to the last finding.
    pub fn relate(&mut self, related: Related) {
        if let Some(last) = self.full.last_mut().filter(|_| self.last_is_full)
            && last.related.len() < MOST_RELATED
        {
            last.related.push(related);
        }
    }

    /// The number of findings so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.marks.len()
    }

    /// Whether further findings of a rule are only counted, so that checks can skip help texts.
    #[must_use]
    pub fn is_full(&self, rule: RuleId) -> bool {
        self.by_rule
            .get(&rule)
            .is_some_and(|&n| n >= MOST_OF_A_RULE)
    }

    /// The operators of `native_functions.yaml` with errors so far.
    #[must_use]
    pub fn operators_in_error(&self) -> FxHashSet<Box<str>> {
        self.in_error.clone()
    }

    fn file_index(&mut self, file: &str) -> u16 {
        let known = self.files.iter().rposition(|known| **known == *file);
        let index = known.unwrap_or_else(|| {
            self.files.push(file.into());
            self.files.len() - 1
        });
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    fn push(&mut self, file: &str, operator: Operator<'_>, diagnostic: Diagnostic) {
        self.last_is_full = false;
        let rule = registry::of(diagnostic.rule);
        if !rule.applies_to(self.release) {
            return;
        }
        let mut hasher = FxHasher::default();
        hash_of(&diagnostic.message, &mut hasher);
        operator.hash_into(&mut hasher);
        let mut mark = Mark {
            rule,
            span: diagnostic.span,
            hash: hasher.finish(),
            file: self.file_index(file),
            suppressed: false,
            full: COUNTED,
        };
        let count = self.by_rule.entry(rule.id).or_default();
        *count += 1;
        if *count <= MOST_OF_A_RULE {
            mark.full = u32::try_from(self.full.len()).unwrap_or(COUNTED);
            self.last_is_full = true;
            self.full.push(finding(rule, file, operator, diagnostic));
        }
        self.marks.push(mark);
    }

    /// All findings sorted by file, position, rule, and message, without duplicates and without
    /// those that follow from another. `review` may suppress findings and report on
    /// `native_functions.yaml`.
    #[must_use]
    pub fn into_findings(mut self, review: impl FnOnce(&mut Review<'_>)) -> Findings {
        self.sort();
        drop_followers(&mut self.marks);
        let reports = {
            let mut review_of = Review::new(&self.files, &mut self.marks, &self.suggestions);
            review(&mut review_of);
            review_of.reports
        };
        if !reports.is_empty() {
            self.complaints(NATIVE_FUNCTIONS, &reports);
            self.sort();
        }
        self.choose()
    }

    fn sort(&mut self) {
        // Files are compared by name.
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by(|&a, &b| self.files[a].cmp(&self.files[b]));
        let mut rank = vec![0_u16; order.len()];
        for (place, &index) in (0..).zip(&order) {
            rank[index] = place;
        }
        for mark in &mut self.marks {
            mark.file = rank[mark.file as usize];
        }
        self.files = order.iter().map(|&i| self.files[i].clone()).collect();
        let full = &self.full;
        let message = |mark: &Mark| full.get(mark.full as usize).map(|f| &*f.message);
        // Findings that are only counted come last.
        self.marks.sort_by(|a, b| {
            let key = |m: &Mark| (m.file, m.span.start, m.span.end, m.rule.id);
            let text = || match (message(a), message(b)) {
                (Some(a), Some(b)) => a.cmp(b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            };
            key(a)
                .cmp(&key(b))
                .then_with(text)
                .then_with(|| match message(a) {
                    Some(_) => std::cmp::Ordering::Equal,
                    None => a.hash.cmp(&b.hash),
                })
        });
        self.marks.dedup_by(|later, first| same(full, later, first));
    }

    /// Keeps the most severe findings in full and counts the others.
    fn choose(self) -> Findings {
        let mut room = MOST_FINDINGS;
        let mut is_kept = vec![false; self.full.len()];
        for severity in [Severity::Error, Severity::Warning, Severity::Info] {
            for mark in &self.marks {
                let in_full = mark.full != COUNTED && mark.rule.severity == severity;
                if in_full && room > 0 {
                    is_kept[mark.full as usize] = true;
                    room -= 1;
                }
            }
        }
        let mut full: Vec<Option<Finding>> = self.full.into_iter().map(Some).collect();
        let mut kept = Vec::with_capacity(is_kept.iter().filter(|is| **is).count());
        let mut omitted: BTreeMap<RuleId, Omitted> = BTreeMap::new();
        let mut omit = |rule: &'static Rule, count| {
            let zero = Omitted {
                rule: rule.id,
                severity: rule.severity,
                count: 0,
            };
            omitted.entry(rule.id).or_insert(zero).count += count;
        };
        for mark in &self.marks {
            let index = mark.full as usize;
            if is_kept.get(index).copied().unwrap_or(false) {
                kept.extend(full[index].take().map(|finding| Finding {
                    suppressed: mark.suppressed,
                    ..finding
                }));
            } else if !mark.suppressed || mark.rule.severity == Severity::Error {
                omit(mark.rule, 1);
            }
        }
        for (rule, count) in self.unread {
            omit(registry::of(rule), count);
        }
        Findings::new(kept, omitted.into_values().collect())
    }
}

#[derive(Debug, Clone, Copy)]
enum Operator<'n> {
    None,
    Named(&'n str),
    Qualified(&'n str, &'n str),
}

/// Hashes a prefix and the length: names can be long, and many findings can share one.
fn hash_of(text: &str, hasher: &mut FxHasher) {
    text.as_bytes()[..text.len().min(512)].hash(hasher);
    text.len().hash(hasher);
}

impl Operator<'_> {
    fn hash_into(self, hasher: &mut FxHasher) {
        if let Self::Named(name) | Self::Qualified(_, name) = self {
            hash_of(name, hasher);
        }
        if let Self::Qualified(namespace, _) = self {
            hash_of(namespace, hasher);
        }
    }

    fn note(self, names: &mut FxHashSet<Box<str>>) {
        match self {
            Self::Named(name) if !names.contains(name) => {
                names.insert(name.into());
            }
            Self::Qualified(namespace, name) => {
                names.insert(format!("{namespace}::{name}").into());
            }
            _ => {}
        }
    }

    fn name(self) -> Option<Box<str>> {
        match self {
            Self::None => None,
            Self::Named(name) => Some(clipped(name).into()),
            Self::Qualified(namespace, name) => {
                Some(clipped(&format!("{namespace}::{name}")).into())
            }
        }
    }
}

fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

fn shown(text: Message) -> Message {
    if text.len() > LONGEST_TEXT {
        text.cut(LONGEST_TEXT)
    } else {
        text
    }
}

fn finding(
    rule: &'static Rule,
    file: &str,
    operator: Operator<'_>,
    diagnostic: Diagnostic,
) -> Finding {
    let related = diagnostic.related.into_iter().take(MOST_RELATED);
    let related = related.map(|(message, span)| Related {
        message: shown(message),
        file: None,
        span,
    });
    let fits = |fix: &Fix| fix.replacement.len() <= LONGEST_TEXT;
    Finding {
        rule: rule.id,
        severity: rule.severity,
        message: shown(diagnostic.message),
        file: file.into(),
        span: diagnostic.span,
        operator: operator.name(),
        help: diagnostic.help.map(shown),
        related: related.collect(),
        fix: diagnostic.fix.filter(fits),
        suppressed: false,
    }
}

fn same(full: &[Finding], a: &Mark, b: &Mark) -> bool {
    let alike = |a: &Mark, b: &Mark| {
        (a.file, a.span, a.hash) == (b.file, b.span, b.hash) && a.rule.id == b.rule.id
    };
    match (full.get(a.full as usize), full.get(b.full as usize)) {
        (Some(a), Some(b)) => a == b,
        _ => alike(a, b),
    }
}
