//! An operator that calls a removed one fails, and is listed as a consequence of the removal.

use opatlas_diff::causes::causes;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Comparison, Note, Revision, compare};
use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_source::NATIVE_FUNCTIONS;
use opatlas_verdict::View;

use super::release_view::with_view;

fn of(view: View<'_>) -> Revision<'_> {
    Revision {
        catalogue: view.inputs.catalogue,
        view: Some(view),
    }
}

/// Removes an entry, compares, and checks what follows.
fn check(entry: &str, callers: &[&str]) {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let text = std::str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    let begin = text.find(&format!("\n- func: {entry}(")).unwrap() + 1;
    let end = begin + text[begin..].find("\n- func: ").unwrap() + 1;
    let mut head = bundle.clone();
    head.insert(
        NATIVE_FUNCTIONS,
        [&text[..begin], &text[end..]].concat().into_bytes(),
    );
    with_view(&bundle, Release::V2_9, &Observed::default(), |base| {
        with_view(&head, Release::V2_9, &Observed::default(), |head| {
            let comparison = compare(of(base), of(head));
            let causes = causes(&comparison, base.inputs.catalogue, head.inputs.catalogue);
            is_listed(&comparison, entry, callers);
            let lost =
                |i: &usize| comparison.changes[*i].rule.id == ChangeRuleId::BackendSupportLost;
            for cause in causes
                .iter()
                .filter(|cause| cause.changes().any(|i| lost(&i)))
            {
                let first = &comparison.changes[cause.first()];
                assert_eq!(&*first.operator, entry, "{:?}", first.rule.id);
            }
        });
    });
}

fn is_listed(comparison: &Comparison, entry: &str, callers: &[&str]) {
    let mut removals = comparison
        .changes
        .iter()
        .filter(|change| *change.operator == *entry);
    let failing = removals.find_map(|change| {
        change.notes.iter().find_map(|note| match note {
            Note::CallersFail(names) => Some(names),
            _ => None,
        })
    });
    let failing = failing.unwrap();
    for caller in callers {
        assert!(
            failing.iter().any(|name| **name == **caller),
            "{caller}: {failing:?}"
        );
    }
    for change in &comparison.changes {
        if change.rule.id == ChangeRuleId::BackendSupportLost && *change.operator != *entry {
            let needed = Note::NeedsRemoved(vec![entry.into()]);
            assert!(change.notes.contains(&needed), "{}", change.operator);
        }
    }
}

#[test]
fn softmax_fails_without_its_kernel() {
    check("_softmax", &["softmax.int", "special_softmax"]);
}

#[test]
fn expand_as_fails_without_expand() {
    check("expand", &["expand_as", "broadcast_to"]);
}
