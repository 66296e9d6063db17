//! New findings of a revision compared with its base.
//!
//! Findings match by rule, operator, and text, never by position, so moved entries keep their
//! findings. Each finding of the base matches one of the head, so a second equal finding is new.

use std::cmp::Reverse;

use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use rustc_hash::FxHashMap;

use crate::findings::{Findings, Omitted};

/// The findings that a change introduces, without suppressed ones unless they are errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduced {
    /// Findings of the head only, errors first, otherwise in the order of the head.
    pub new: Vec<Finding>,
    /// New findings that are only counted, by rule.
    pub omitted: Vec<Omitted>,
    /// The number of findings that the head no longer has.
    pub gone: usize,
    /// The number of errors in the head.
    pub head_errors: usize,
}

impl Introduced {
    /// The number of new findings of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let kept = self.new.iter().filter(|f| f.severity == severity).count();
        let omitted = self.omitted.iter().filter(|o| o.severity == severity);
        kept + omitted.map(|omitted| omitted.count).sum::<usize>()
    }
}

/// A finding without its position.
type Key<'f> = (RuleId, Option<&'f str>, &'f str);

fn key(finding: &Finding) -> Key<'_> {
    let operator = finding.operator.as_deref();
    (finding.rule, operator, &finding.message)
}

/// Compares the findings of two revisions.
#[must_use]
pub fn introduced(base: &Findings, head: &Findings) -> Introduced {
    let mut known: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    for finding in base.listed() {
        *known.entry(key(finding)).or_default() += 1;
    }
    let mut new: Vec<Finding> = Vec::new();
    for finding in head.listed() {
        match known.get_mut(&key(finding)).filter(|left| **left > 0) {
            Some(left) => *left -= 1,
            None => new.push(finding.clone()),
        }
    }
    new.sort_by_key(|finding| finding.severity);
    let gone = known.values().sum();
    Introduced {
        new,
        omitted: omitted(base.omitted(), head.omitted()),
        gone,
        head_errors: head.count(Severity::Error),
    }
}

fn omitted(base: &[Omitted], head: &[Omitted]) -> Vec<Omitted> {
    let of_base: FxHashMap<RuleId, usize> = base.iter().map(|o| (o.rule, o.count)).collect();
    let more = head.iter().filter_map(|omitted| {
        let before = of_base.get(&omitted.rule).copied().unwrap_or(0);
        let count = omitted.count.saturating_sub(before);
        (count > 0).then_some(Omitted { count, ..*omitted })
    });
    let mut more: Vec<Omitted> = more.collect();
    more.sort_by_key(|omitted| (omitted.severity, Reverse(omitted.count)));
    more
}

#[cfg(test)]
mod tests {
    use opatlas_operators::catalogue::Catalogue;
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    fn found(text: &str) -> Findings {
        let bundle = Bundle::of_native_functions(text.as_bytes());
        crate::check(&Catalogue::read(&bundle, Release::LATEST, None))
    }

    const BAD: &str = "- func: blend.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";
    const GOOD: &str = "- func: blend(Tensor self) -> Tensor\n";

    #[test]
    fn an_error_that_moved_is_not_new() {
        let (base, head) = (format!("{BAD}{GOOD}"), format!("{GOOD}# moved\n\n{BAD}"));
        let (base, head) = (found(&base), found(&head));
        let introduced = introduced(&base, &head);
        assert!(introduced.new.is_empty(), "{introduced:?}");
        assert_eq!(introduced.gone, 0);
        assert!(introduced.head_errors > 0);
    }

    #[test]
    fn a_second_finding_of_the_same_text_is_new() {
        let once = "- func: blend(Tensor self,Tensor b) -> Tensor\n";
        let twice = "- func: blend(Tensor self,Tensor b,Tensor c) -> Tensor\n";
        let (base, head) = (found(once), found(twice));
        let there = introduced(&base, &head);
        let back = introduced(&head, &base);
        assert_eq!(there.new.len(), back.gone);
        assert_eq!(there.gone, back.new.len());
    }

    #[test]
    fn what_is_gone_is_counted() {
        let (base, head) = (found(&format!("{GOOD}{BAD}")), found(GOOD));
        let introduced = introduced(&base, &head);
        assert!(introduced.new.is_empty(), "{introduced:?}");
        assert_eq!(introduced.gone, base.len());
        assert_eq!(introduced.head_errors, 0);
    }

    #[test]
    fn conventions_of_an_added_operator_are_new() {
        let added = "- func: flip_forward.dst(Tensor self, *, Tensor(a!) dst) -> Tensor(a!)\n";
        let introduced = introduced(&found(GOOD), &found(&format!("{GOOD}{added}")));
        let rules: Vec<RuleId> = introduced.new.iter().map(|f| f.rule).collect();
        assert_eq!(rules, [RuleId::OutOverloadNaming, RuleId::OutArgNaming]);
        assert!(
            introduced
                .new
                .iter()
                .all(|f| f.operator.as_deref() == Some("flip_forward.dst"))
        );
    }

    /// Findings beyond the limit are counted, and none is lost.
    #[test]
    fn more_than_are_kept_are_counted() {
        let many: String = (0..crate::MOST_OF_A_RULE + 7)
            .map(|i| BAD.replace("blend", &format!("blend{i}")))
            .collect();
        let (base, head) = (found(GOOD), found(&many));
        let introduced = introduced(&base, &head);
        let errors = introduced.count(Severity::Error);
        assert_eq!(errors, head.count(Severity::Error));
        assert_eq!(introduced.head_errors, errors);
        assert!(!introduced.omitted.is_empty());
    }
}
