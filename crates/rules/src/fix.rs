//! Applies the edits that findings offer.

use std::collections::BTreeMap;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::Operator;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Applicability, Finding, Fix, RuleId, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::findings::Findings;
use crate::shown::Shown;

/// Which edits to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Safe edits ([`Applicability::Safe`]) of errors and warnings.
    Safe,
    /// All edits.
    Suggested,
}

impl Wanted {
    /// Whether to apply the edit of a finding. Edits of suppressed findings are never applied.
    #[must_use]
    pub fn takes(self, finding: &Finding) -> bool {
        let Some(fix) = &finding.fix else {
            return false;
        };
        let is_safe = fix.applicability == Applicability::Safe && is_fault(finding);
        !finding.suppressed && (self == Self::Suggested || is_safe)
    }
}

/// The result of [`mend`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// The number of applied edits by rule.
    pub made: BTreeMap<RuleId, usize>,
    /// The number of refused edits by rule: they do not fix their finding, cause new findings, or
    /// lose or repeat an operator.
    pub refused: BTreeMap<RuleId, usize>,
}

impl Fixed {
    /// The total number of applied edits.
    #[must_use]
    pub fn applied(&self) -> usize {
        self.made.values().sum()
    }
}

/// What [`mend`] compares before and after an edit.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The operators by name, each with the operator that it is generated from.
    pub operators: FxHashMap<Box<str>, Option<Box<str>>>,
    /// The number of operators whose name an earlier one has.
    pub repeated: usize,
}

impl Reading {
    /// Runs the rules over a catalogue and counts its operators.
    #[must_use]
    pub fn of(catalogue: &Catalogue) -> Self {
        Self::with(catalogue, crate::check(catalogue).into_kept())
    }

    /// Like [`Reading::of`], with only the findings that are shown, so that only these are fixed.
    #[must_use]
    pub fn shown(catalogue: &Catalogue, shown: Shown, base: Option<&Findings>) -> Self {
        let listed = shown.list(&crate::check(catalogue), base);
        Self::with(catalogue, listed.findings)
    }

    fn with(catalogue: &Catalogue, findings: Vec<Finding>) -> Self {
        let name = |operator: &Operator| -> Box<str> { operator.qualified_name().into() };
        let named = catalogue.iter().map(|(_, operator)| {
            let base = operator.generated_from().map(|id| catalogue.operator(id));
            (name(operator), base.map(name))
        });
        let operators: FxHashMap<_, _> = named.collect();
        Self {
            findings,
            repeated: catalogue.iter().len() - operators.len(),
            operators,
        }
    }
}

/// Applies edits in text order, and returns the new text with the findings whose edits were
/// applied. Skips edits that overlap an earlier one or do not fit the text. All findings must be
/// about the file that contains `text`.
#[must_use]
pub fn apply<'f>(text: &str, findings: &[&'f Finding]) -> (String, Vec<&'f Finding>) {
    let mut edits: Vec<(&Fix, &Finding)> = findings
        .iter()
        .filter_map(|finding| Some((finding.fix.as_ref()?, *finding)))
        .filter(|(fix, _)| fits(text, fix.span))
        .collect();
    edits.sort_by(|(a, _), (b, _)| (a.span, &a.replacement).cmp(&(b.span, &b.replacement)));
    let mut fixed = String::with_capacity(text.len());
    let mut made = Vec::new();
    let mut done = None;
    for (fix, finding) in edits {
        if done.is_some_and(|done| fix.span.start <= done) {
            continue; // touches the edit before it
        }
        let from = done.unwrap_or(0) as usize;
        fixed.push_str(&text[from..fix.span.start as usize]);
        fixed.push_str(&fix.replacement);
        made.push(finding);
        done = Some(fix.span.end);
    }
    fixed.push_str(&text[done.unwrap_or(0) as usize..]);
    (fixed, made)
}

/// The maximum number of rounds in [`mend`]: an edit may enable another one.
pub const MOST_ROUNDS: usize = 16;

/// The maximum number of times that [`mend`] reads the text again; later edits are refused.
pub const MOST_READINGS: usize = 256;

/// Whether the edit of a finding fixes it, adds no error or warning to any file, and neither loses nor
/// repeats an operator. `before` is the reading of `text`, and `read` reads the bundle with the given
/// text as that file.
#[must_use]
pub fn works(
    text: &str,
    finding: &Finding,
    before: &Reading,
    read: impl FnOnce(&str) -> Reading,
) -> bool {
    let (after, made) = apply(text, &[finding]);
    !made.is_empty() && improves(before, &made, &read(&after))
}

/// An edit can lose operators without a finding: if it gives two entries one signature, one group
/// replaces the other and its generated operators. It can repeat one: torchgen generates operators
/// whose name a declared one has.
fn improves(before: &Reading, mended: &[&Finding], after: &Reading) -> bool {
    let is_mended = |base: &str| {
        mended
            .iter()
            .any(|finding| finding.operator.as_deref() == Some(base))
    };
    // A wrong operator may be generated from the one that a finding is about.
    let wrong = before.operators.iter().filter(|(name, base)| {
        !after.operators.contains_key(*name) && base.as_deref().is_some_and(is_mended)
    });
    after.operators.len() + wrong.count() >= before.operators.len()
        && after.repeated <= before.repeated
        && does_good(before, mended, &after.findings)
}

/// Applies the edits to one file that work ([`works`]). `read` reads the bundle with the given text as
/// that file.
#[must_use]
pub fn mend(file: &str, text: &str, wanted: Wanted, read: impl FnMut(&str) -> Reading) -> Fixed {
    let mut mending = Mending {
        read,
        readings: 0,
        refused: FxHashSet::default(),
        made: BTreeMap::new(),
    };
    let mut text = text.to_owned();
    let mut before = (mending.read)(&text);
    let mut seen = FxHashSet::default();
    for _ in 0..MOST_ROUNDS {
        let offered = mending.offered(file, wanted, &before.findings);
        let (_, chosen) = apply(&text, &offered);
        if chosen.is_empty() || !seen.insert(text.clone()) {
            break;
        }
        let mut good = Vec::new();
        mending.select(&text, &before, &chosen, &mut good);
        for finding in &good {
            *mending.made.entry(finding.rule).or_default() += 1;
        }
        if !good.is_empty() {
            text = apply(&text, &good).0;
            before = (mending.read)(&text);
        }
    }
    let mut refused = BTreeMap::new();
    for (rule, _, _) in &mending.refused {
        *refused.entry(*rule).or_default() += 1;
    }
    Fixed {
        text,
        made: mending.made,
        refused,
    }
}

/// A finding without its position.
type Key = (RuleId, Box<str>, Box<str>);

fn key(finding: &Finding) -> Key {
    let about = finding.operator.as_deref().unwrap_or("");
    let about = format!("{}\n{about}", finding.file);
    (finding.rule, about.into(), (*finding.message).into())
}

struct Mending<R> {
    read: R,
    readings: usize,
    refused: FxHashSet<Key>,
    made: BTreeMap<RuleId, usize>,
}

impl<R: FnMut(&str) -> Reading> Mending<R> {
    fn offered<'f>(&self, file: &str, wanted: Wanted, findings: &'f [Finding]) -> Vec<&'f Finding> {
        findings
            .iter()
            .filter(|finding| &*finding.file == file && wanted.takes(finding))
            .filter(|finding| !self.refused.contains(&key(finding)))
            .collect()
    }

    /// Adds the useful ones among the chosen edits: all at once if that works, otherwise half by
    /// half.
    fn select<'f>(
        &mut self,
        text: &str,
        before: &Reading,
        chosen: &[&'f Finding],
        good: &mut Vec<&'f Finding>,
    ) {
        if self.readings < MOST_READINGS {
            self.readings += 1;
            let tried: Vec<&Finding> = good.iter().chain(chosen).copied().collect();
            let after = (self.read)(&apply(text, &tried).0);
            if improves(before, &tried, &after) {
                good.extend(chosen);
                return;
            }
        }
        match chosen {
            [] => {}
            [one] => {
                self.refused.insert(key(one));
            }
            _ => {
                let (first, second) = chosen.split_at(chosen.len() / 2);
                self.select(text, before, first, good);
                self.select(text, before, second, good);
            }
        }
    }
}

fn does_good(before: &Reading, mended: &[&Finding], after: &[Finding]) -> bool {
    let mut allowed: FxHashMap<Key, usize> = FxHashMap::default();
    for finding in &before.findings {
        *allowed.entry(key(finding)).or_default() += 1;
    }
    let mut fixed = FxHashSet::default();
    for finding in mended {
        let key = key(finding);
        if let Some(count) = allowed.get_mut(&key) {
            *count = count.saturating_sub(1);
        }
        fixed.insert(key);
    }
    // An entry that could not be read has warnings that its errors hid.
    let was_hidden = |finding: &Finding| {
        let operator = finding.operator.as_deref();
        finding.severity == Severity::Warning
            && operator.is_some_and(|name| !before.operators.contains_key(name))
    };
    after.iter().all(|finding| {
        let key = key(finding);
        if was_hidden(finding) && !fixed.contains(&key) {
            return true;
        }
        if !is_fault(finding) && !fixed.contains(&key) {
            return true;
        }
        match allowed.get_mut(&key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    })
}

fn is_fault(finding: &Finding) -> bool {
    finding.severity != Severity::Info
}

fn fits(text: &str, span: Span) -> bool {
    span.start <= span.end && text.get(span.start as usize..span.end as usize).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(start: u32, end: u32, replacement: &str) -> Finding {
        Finding {
            rule: RuleId::SchemaShape,
            severity: Severity::Error,
            message: opatlas_source::Message::prose(format!("{start}")),
            file: "native_functions.yaml".into(),
            span: Span::new(start, end),
            operator: None,
            help: None,
            related: Vec::new(),
            fix: Some(Fix {
                span: Span::new(start, end),
                replacement: replacement.into(),
                applicability: Applicability::Safe,
            }),
            suppressed: false,
        }
    }

    fn mended(text: &str, check: impl Fn(&str) -> Vec<Finding>) -> (String, usize, usize) {
        let fixed = mend("native_functions.yaml", text, Wanted::Safe, |text| {
            Reading {
                findings: check(text),
                operators: text
                    .match_indices('|')
                    .map(|(at, _)| (at.to_string().into(), None))
                    .collect(),
                repeated: text.matches("bbbb").count(),
            }
        });
        let refused = fixed.refused.values().sum();
        (fixed.text.clone(), fixed.applied(), refused)
    }

    #[test]
    fn edits_are_made_in_order_and_never_over_one_another() {
        let check = |findings: &[Finding], expected: &str, applied: usize| {
            let findings: Vec<&Finding> = findings.iter().collect();
            let (text, made) = apply("abcdef", &findings);
            assert_eq!((&*text, made.len()), (expected, applied));
        };
        check(&[], "abcdef", 0);
        check(&[finding(4, 5, "E"), finding(0, 1, "A")], "AbcdEf", 2);
        check(&[finding(0, 3, "X"), finding(2, 4, "Y")], "Xdef", 1);
        check(&[finding(3, 3, "-"), finding(3, 3, "-")], "abc-def", 1);
        check(&[finding(5, 99, "X")], "abcdef", 0);
        check(&[finding(6, 6, "!")], "abcdef!", 1);
        check(&[finding(0, 0, "!"), finding(0, 2, "?")], "!abcdef", 1);
    }

    /// Reports each `a`; the fix is `b`.
    fn letters(text: &str) -> Vec<Finding> {
        let faults = text.match_indices('a');
        let at = |at: usize| u32::try_from(at).unwrap();
        faults
            .map(|(i, _)| finding(at(i), at(i) + 1, "b"))
            .collect()
    }

    #[test]
    fn rounds_end_when_nothing_is_left() {
        assert_eq!(mended("aaa", letters), ("bbb".to_owned(), 3, 0));
        let one_by_one = |text: &str| {
            let mut found = letters(text);
            found.iter_mut().skip(1).for_each(|later| later.fix = None);
            found
        };
        assert_eq!(mended("aaa", one_by_one), ("bbb".to_owned(), 3, 0));
    }

    #[test]
    fn what_does_no_good_is_not_done() {
        // Fixing the third letter causes a new finding.
        let check = |text: &str| {
            let mut found = letters(text);
            if text.as_bytes()[2] == b'b' {
                let mut new = finding(0, 1, "");
                (new.rule, new.fix) = (RuleId::TypeUnknown, None);
                found.push(new);
            }
            found
        };
        assert_eq!(mended("aaaa", check), ("bbab".to_owned(), 3, 1));
        // No edit helps.
        assert_eq!(
            mended("a", |_| vec![finding(0, 1, "b")]),
            ("a".to_owned(), 0, 1)
        );
    }

    #[test]
    fn what_loses_an_operator_is_not_done() {
        let check = |text: &str| {
            let faults = text.match_indices(['a', '|']);
            let at = |at: usize| u32::try_from(at).unwrap();
            faults
                .map(|(i, _)| finding(at(i), at(i) + 1, "b"))
                .collect()
        };
        assert_eq!(mended("a|a", check), ("b|b".to_owned(), 2, 1));
    }

    #[test]
    fn what_repeats_an_operator_is_not_done() {
        assert_eq!(mended("aaaa", letters), ("bbba".to_owned(), 3, 1));
    }

    #[test]
    fn only_what_is_wanted_is_done() {
        let with = |change: fn(&mut Finding)| {
            let mut found = finding(0, 1, "b");
            change(&mut found);
            (Wanted::Safe.takes(&found), Wanted::Suggested.takes(&found))
        };
        assert_eq!(with(|_| {}), (true, true));
        assert_eq!(with(|f| f.severity = Severity::Info), (false, true));
        assert_eq!(with(|f| f.suppressed = true), (false, false));
        assert_eq!(with(|f| f.fix = None), (false, false));
        let suggested = |f: &mut Finding| {
            f.fix.as_mut().unwrap().applicability = Applicability::Suggested;
        };
        assert_eq!(with(suggested), (false, true));
    }
}
