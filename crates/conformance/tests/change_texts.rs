//! A change has two different texts: over real releases and over edited files, no change says that
//! something became what it was.

use opatlas_diff::rules::Level;
use opatlas_diff::{Change, Revision, compare};
use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_report::changes::message;
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};
use opatlas_verdict::View;

use super::release_view::with_view;

fn side(view: View<'_>) -> Revision<'_> {
    Revision {
        catalogue: view.inputs.catalogue,
        view: Some(view),
    }
}

/// Finds sentences that say `from X to X`, or `X became X`.
fn says_nothing(sentence: &str) -> bool {
    let codes: Vec<&str> = sentence.split('`').collect();
    codes.windows(3).any(|parts| {
        let is_between = [" to ", " became ", " instead of "].contains(&parts[1]);
        is_between && parts[0] == parts[2]
    })
}

fn expect_difference(change: &Change) {
    // A moved entry and another spelling change no text.
    if change.level == Level::None {
        return;
    }
    let sentence = message(change).to_string();
    let rule = change.rule.id;
    assert!(
        !says_nothing(&sentence),
        "{rule} {}: {sentence}",
        change.operator
    );
    if let (Some(old), Some(new)) = (&change.old, &change.new) {
        assert_ne!(old.text, new.text, "{rule} {}: {sentence}", change.operator);
    }
}

/// Checks a comparison; returns the number of changes.
fn check(base: (&Bundle, Release), head: (&Bundle, Release)) -> usize {
    with_view(base.0, base.1, &Observed::default(), |base| {
        with_view(head.0, head.1, &Observed::default(), |head| {
            let changes = compare(side(base), side(head)).changes;
            changes.iter().for_each(|change| expect_difference(change));
            changes.len()
        })
    })
}

#[test]
fn changes_between_releases_differ_in_their_texts() {
    let versions = [
        "2.0.1", "2.3.1", "2.6.0", "2.9.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0", "2.0.1",
    ];
    for step in versions.windows(2) {
        let [Some(base), Some(head)] = [0, 1].map(|at| opatlas_conformance::release(step[at]))
        else {
            return;
        };
        let [old, new] = [0, 1].map(|at| Release::parse(step[at]).unwrap().release);
        assert!(check((&base, old), (&head, new)) > 10, "{step:?}");
    }
}

#[test]
fn changes_of_edited_files_differ_in_their_texts() {
    let Some(base) = opatlas_conformance::release("2.15.0") else {
        return;
    };
    let release = Release::V2_15;
    for (file, from, to) in [
        (NATIVE_FUNCTIONS, "Scalar alpha=1", "float alpha=1"),
        (NATIVE_FUNCTIONS, "Tensor other", "Tensor rhs"),
        (NATIVE_FUNCTIONS, "int dim", "SymInt dim"),
        (NATIVE_FUNCTIONS, "    CPU, CUDA: ", "    CPU: "),
        (
            NATIVE_FUNCTIONS,
            "    CompositeExplicitAutograd: ",
            "    CompositeImplicitAutograd: ",
        ),
        (NATIVE_FUNCTIONS, "  autogen: ", "  # autogen: "),
        (NATIVE_FUNCTIONS, "Tensor(a!) out)", "Tensor(a!) result)"),
        (DERIVATIVES, "Tensor other", "Tensor rhs"),
        (
            DERIVATIVES,
            "output_differentiability: [False]",
            "output_differentiability: [True]",
        ),
        (DERIVATIVES, "  result: auto_", "  # result: auto_"),
        (DERIVATIVES, ": grad", ":  grad"),
        (DERIVATIVES, "grad * ", "grad *"),
        (TAGS, "- tag: pointwise", "- tag: elementwise"),
    ] {
        let text = std::str::from_utf8(base.file(file).unwrap()).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        let mut head = base.clone();
        head.insert(file, text.replace(from, to).into_bytes());
        let _ = check((&base, release), (&head, release));
        let _ = check((&head, release), (&base, release));
    }
}

/// Spaces in formulas have no meaning.
#[test]
fn formulas_with_other_spaces_did_not_change() {
    let Some(base) = opatlas_conformance::release("2.15.0") else {
        return;
    };
    let text = std::str::from_utf8(base.file(DERIVATIVES).unwrap()).unwrap();
    let mut head = base.clone();
    head.insert(DERIVATIVES, text.replace("grad * ", "grad *").into_bytes());
    assert_eq!(check((&base, Release::V2_15), (&head, Release::V2_15)), 0);
}
