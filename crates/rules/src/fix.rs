//! Applies the edits that findings carry.

use opatlas_source::Span;
use opatlas_source::diagnostic::{Finding, Fix};

/// A text with edits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// How many edits were made.
    pub applied: usize,
}

/// Makes the edits of the findings, in the order of their places. Of edits that touch the same
/// text only the first is made; the others belong to the next round. Suppressed findings and edits
/// that do not fit the text are left alone. All findings must be about the file `text` is of.
#[must_use]
pub fn apply(text: &str, findings: &[Finding]) -> Fixed {
    let mut fixes: Vec<&Fix> = findings
        .iter()
        .filter(|finding| !finding.suppressed)
        .filter_map(|finding| finding.fix.as_ref())
        .filter(|fix| fits(text, fix.span))
        .collect();
    fixes.sort_by(|a, b| (a.span, &a.replacement).cmp(&(b.span, &b.replacement)));
    let mut fixed = Fixed {
        text: String::with_capacity(text.len()),
        applied: 0,
    };
    let mut done = None;
    for fix in fixes {
        if done.is_some_and(|done| fix.span.start <= done) {
            continue; // touches the edit before it
        }
        let from = done.unwrap_or(0) as usize;
        fixed.text.push_str(&text[from..fix.span.start as usize]);
        fixed.text.push_str(&fix.replacement);
        fixed.applied += 1;
        done = Some(fix.span.end);
    }
    fixed.text.push_str(&text[done.unwrap_or(0) as usize..]);
    fixed
}

/// How many rounds [`apply_all`] makes at most.
pub const MOST_ROUNDS: usize = 16;

/// Makes edits until none is left: `check` gives the findings about a text, which mended text may
/// have new ones of. Ends after [`MOST_ROUNDS`], or when a text comes back that was there before.
#[must_use]
pub fn apply_all(text: &str, mut check: impl FnMut(&str) -> Vec<Finding>) -> Fixed {
    let mut fixed = Fixed {
        text: text.to_owned(),
        applied: 0,
    };
    let mut seen = vec![fixed.text.clone()];
    for _ in 0..MOST_ROUNDS {
        let next = apply(&fixed.text, &check(&fixed.text));
        if next.applied == 0 || seen.contains(&next.text) {
            break;
        }
        fixed.applied += next.applied;
        seen.push(next.text.clone());
        fixed.text = next.text;
    }
    fixed
}

fn fits(text: &str, span: Span) -> bool {
    span.start <= span.end && text.get(span.start as usize..span.end as usize).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_source::diagnostic::RuleId;
    use opatlas_source::diagnostic::Severity;

    fn finding(start: u32, end: u32, replacement: &str) -> Finding {
        Finding {
            rule: RuleId::SchemaShape,
            severity: Severity::Error,
            message: "".into(),
            file: "native_functions.yaml".into(),
            span: Span::new(start, end),
            operator: None,
            help: None,
            related: Vec::new(),
            fix: Some(Fix {
                span: Span::new(start, end),
                replacement: replacement.into(),
            }),
            suppressed: false,
        }
    }

    #[test]
    fn edits_are_made_in_order_and_never_over_one_another() {
        let check = |findings: &[Finding], expected: &str, applied: usize| {
            let fixed = apply("abcdef", findings);
            assert_eq!((&*fixed.text, fixed.applied), (expected, applied));
        };
        check(&[], "abcdef", 0);
        check(&[finding(4, 5, "E"), finding(0, 1, "A")], "AbcdEf", 2);
        check(&[finding(0, 3, "X"), finding(2, 4, "Y")], "Xdef", 1);
        check(&[finding(3, 3, "-"), finding(3, 3, "-")], "abc-def", 1);
        check(&[finding(5, 99, "X")], "abcdef", 0);
        check(&[finding(6, 6, "!")], "abcdef!", 1);
        check(&[finding(0, 0, "!"), finding(0, 2, "?")], "!abcdef", 1);
    }

    #[test]
    fn rounds_end_when_nothing_is_left_or_texts_repeat() {
        let fixed = apply_all("aaa", |text| match text.find('a') {
            Some(at) => vec![finding(at as u32, at as u32 + 1, "b")],
            None => Vec::new(),
        });
        assert_eq!((&*fixed.text, fixed.applied), ("bbb", 3));
        let turned = apply_all("a", |text| {
            vec![finding(0, 1, if text == "a" { "b" } else { "a" })]
        });
        assert_eq!(turned.text, "b");
    }
}
