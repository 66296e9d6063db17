//! Makes the edits that findings carry.

use std::collections::BTreeMap;

use opatlas_operators::catalogue::Catalogue;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Applicability, Finding, Fix, RuleId, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which edits are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Those of errors and warnings that are [`Applicability::Safe`].
    Safe,
    /// All that are offered.
    Suggested,
}

impl Wanted {
    /// Whether the edit of a finding is one of them. That of a suppressed finding never is.
    #[must_use]
    pub fn takes(self, finding: &Finding) -> bool {
        let Some(fix) = &finding.fix else {
            return false;
        };
        let is_safe = fix.applicability == Applicability::Safe && is_fault(finding);
        !finding.suppressed && (self == Self::Suggested || is_safe)
    }
}

/// A text with edits in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// How many edits were made for each rule.
    pub made: BTreeMap<RuleId, usize>,
    /// How many edits were wanted but not applied, because they do not fix their finding, cause
    /// others, or lose an operator, by rule.
    pub refused: BTreeMap<RuleId, usize>,
}

impl Fixed {
    /// How many edits were made.
    #[must_use]
    pub fn applied(&self) -> usize {
        self.made.values().sum()
    }
}

/// What [`mend`] must know of a bundle to tell whether an edit does good.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What the rules find in it.
    pub findings: Vec<Finding>,
    /// How many operators are declared or generated, those of one name counted once.
    pub operators: usize,
}

impl Reading {
    /// Runs the rules over a bundle that was read, and counts its operators.
    #[must_use]
    pub fn of(catalogue: &Catalogue) -> Self {
        let names: FxHashSet<_> = catalogue
            .iter()
            .map(|(_, operator)| (operator.namespace(), operator.name_text()))
            .collect();
        Self {
            findings: crate::check(catalogue).into_kept(),
            operators: names.len(),
        }
    }
}

/// The text with the edits of the findings, in the order of their places, and the findings whose
/// edits were made. Of edits that touch the same text only the first is made. Edits that do not
/// fit the text are left alone. All findings must be about the file `text` is of.
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

/// The maximum number of times that [`mend`] reads the text again. It refuses the remaining edits.
pub const MOST_READINGS: usize = 256;

/// Applies the useful edits to one file of a bundle: after each, the finding is fixed, no file has a
/// new error or warning, and there are no fewer operators. The last is not a matter of findings: an
/// edit can give two entries one signature, and then one group takes the place of the other, whose
/// generated operators are gone. `read` reads the bundle with the given text as that file.
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

/// The content of a finding without its position.
type Said = (RuleId, Box<str>, Box<str>);

fn said(finding: &Finding) -> Said {
    let about = finding.operator.as_deref().unwrap_or("");
    let about = format!("{}\n{about}", finding.file);
    (finding.rule, about.into(), (*finding.message).into())
}

struct Mending<R> {
    read: R,
    readings: usize,
    refused: FxHashSet<Said>,
    made: BTreeMap<RuleId, usize>,
}

impl<R: FnMut(&str) -> Reading> Mending<R> {
    fn offered<'f>(&self, file: &str, wanted: Wanted, findings: &'f [Finding]) -> Vec<&'f Finding> {
        findings
            .iter()
            .filter(|finding| &*finding.file == file && wanted.takes(finding))
            .filter(|finding| !self.refused.contains(&said(finding)))
            .collect()
    }

    /// Adds those of the chosen edits to the good ones that do good together with them: all at
    /// once if they do, and else half by half.
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
            if after.operators >= before.operators
                && does_good(&before.findings, &tried, &after.findings)
            {
                good.extend(chosen);
                return;
            }
        }
        match chosen {
            [] => {}
            [one] => {
                self.refused.insert(said(one));
            }
            _ => {
                let (first, second) = chosen.split_at(chosen.len() / 2);
                self.select(text, before, first, good);
                self.select(text, before, second, good);
            }
        }
    }
}

/// Whether the findings are fixed and there are no new ones.
fn does_good(before: &[Finding], mended: &[&Finding], after: &[Finding]) -> bool {
    let mut allowed: FxHashMap<Said, usize> = FxHashMap::default();
    for finding in before {
        *allowed.entry(said(finding)).or_default() += 1;
    }
    let mut fixed = FxHashSet::default();
    for finding in mended {
        let key = said(finding);
        if let Some(count) = allowed.get_mut(&key) {
            *count = count.saturating_sub(1);
        }
        fixed.insert(key);
    }
    after.iter().all(|finding| {
        let key = said(finding);
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
                operators: text.matches('|').count(),
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

    /// Every `a` is a fault whose edit makes it `b`.
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
        // Mending the third letter brings up a fault that was not there before.
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
        // The fault stays whatever is done.
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
