use std::sync::Arc;

use super::{LEAST_MAX_CHARS, parts, sections};
use crate::changes::outline::Class;
use crate::changes::{Files, NewFindings, Report, Side};
use crate::findings::SourceText;
use crate::room::UNBOUNDED;
use opatlas_diff::causes::causes;
use opatlas_diff::policy::{Context, Line, Policy, judge};
use opatlas_diff::{Revision, compare};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;

/// The number of bins that best-fit-decreasing opens, by the book: class by class, the largest
/// first, each into the fullest bin that still takes it.
fn textbook(classes: &[Vec<usize>], room: usize) -> usize {
    let mut free: Vec<usize> = Vec::new();
    for class in classes {
        let mut sizes = class.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        for size in sizes {
            let best = free.iter_mut().filter(|free| **free >= size).min();
            match best {
                Some(free) => *free -= size,
                None => free.push(room - size),
            }
        }
    }
    free.len()
}

#[test]
fn no_more_parts_than_by_the_book() {
    let (mut old, mut new) = (String::new(), String::new());
    for i in 0..150 {
        let name = format!("op{i}_{}", "n".repeat(i * 7 % 90));
        old += &format!("- func: {name}(Tensor self, int size=0, int[2] hint=0) -> Tensor\n");
        match i % 3 {
            0 => new += &format!("- func: {name}(Tensor self, int shape=1) -> Tensor\n"),
            1 => {
                new += &format!(
                    "- func: {name}(Tensor self, *, SymInt size=0, int hint=0) -> Tensor\n"
                )
            }
            _ => {}
        }
    }
    let read = |text: &str| {
        Catalogue::read(
            &Bundle::of_native_functions(text.as_bytes()),
            Release::LATEST,
            None,
        )
    };
    let (base, head) = (read(&old), read(&new));
    let side = |catalogue| Revision {
        catalogue,
        view: None,
    };
    let comparison = compare(side(&base), side(&head));
    let policy = Policy::default();
    let context = Context {
        base: &base,
        head: &head,
        head_line: Line::of(head.release),
        today: jiff::civil::date(2026, 1, 1),
    };
    let judgement = judge(&comparison, &policy, &[], context);
    let source = |text: &str| SourceText::new("native_functions.yaml", Arc::from(text));
    let (old, new) = (source(&old), source(&new));
    let side = |title, native_functions| Side {
        title,
        files: Files {
            native_functions,
            derivatives: None,
            tags: None,
        },
        file_url: None,
    };
    let none = crate::findings::Findings {
        findings: &[],
        omitted: &[],
        sources: std::collections::BTreeMap::new(),
        room: &UNBOUNDED,
    };
    let causes = causes(&comparison, &base, &head);
    let mut report = Report {
        comparison: &comparison,
        causes: &causes,
        judgement: &judgement,
        policy: &policy,
        exceptions: &[],
        found: NewFindings {
            new: &none,
            gone: 0,
            head_errors: 0,
        },
        cards: &[],
        notes: &[],
        base: side("a", &old),
        head: side("b", &new),
        further: &[],
        permalink: None,
        rules_url: None,
        max_chars: None,
        room: &UNBOUNDED,
    };
    for most in [LEAST_MAX_CHARS, 4_500, 10_000, 30_000] {
        report.max_chars = Some(most);
        let overhead = parts::overhead(&report, &sections::items(&report, None));
        let items = sections::items(&report, Some(most - overhead));
        let classes = Class::ALL.map(|class| {
            let own = items.iter().filter(|item| item.class == class);
            own.map(|item| item.text.chars().count()).collect()
        });
        let parts = parts::parts(&report).len();
        assert!(parts > 1);
        assert_eq!(parts, textbook(&classes, most - overhead), "{most}");
    }
}
