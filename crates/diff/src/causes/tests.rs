use super::*;
use crate::revision::{Revision, compare};
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;

fn read(text: &str) -> Catalogue {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    Catalogue::read(&bundle, Release::LATEST, None)
}

/// Each cause as its edited operators, the rule of its first edit, and the number of consequences.
fn found(old: &str, new: &str) -> Vec<(String, &'static str, usize)> {
    let (base, head) = (read(old), read(new));
    let side = |catalogue| Revision {
        catalogue,
        view: None,
    };
    let comparison = compare(side(&base), side(&head));
    let causes = causes(&comparison, &base, &head);
    let mut all: Vec<usize> = causes.iter().flat_map(Cause::changes).collect();
    all.sort_unstable();
    let every: Vec<usize> = (0..comparison.changes.len()).collect();
    assert_eq!(all, every, "every change has one cause");
    let shown = causes.iter().map(|cause| {
        let names: Vec<&str> = cause.edited.iter().map(|e| &*e.operator).collect();
        let rule = comparison.changes[cause.first()].rule.id.as_str();
        (names.join(" "), rule, cause.consequences.len())
    });
    shown.collect()
}

const LOGIT: &str = "\
- func: logit(Tensor self, float? eps=None) -> Tensor
- func: logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)
- func: logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)
";

#[test]
fn the_same_edit_of_all_forms_is_one_cause() {
    let found = found(LOGIT, &LOGIT.replace("eps", "epsilon"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "logit logit.out logit_");
    assert_eq!(found[0].1, "argument-renamed");
}

#[test]
fn what_is_generated_follows() {
    let old = "- func: scale(Tensor self, int n) -> Tensor\n  autogen: scale.out\n";
    let found = found(old, &old.replace("int n", "int m"));
    assert_eq!(
        found,
        [("scale".to_owned(), "argument-renamed", found[0].2)]
    );
    assert!(found[0].2 == 0 || found[0].2 == 1);
}

#[test]
fn a_removed_form_leaves_one_cause() {
    let new: String = LOGIT
        .split_inclusive('\n')
        .filter(|l| !l.contains("logit_("))
        .collect();
    let found = found(LOGIT, &new);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&*found[0].0, found[0].2 > 0),
        ("logit_", true),
        "{found:?}"
    );
}

/// Removals that have an unused type in common are one cause, whatever the operators are called.
#[test]
fn a_type_that_is_gone_is_the_cause() {
    let old = "\
- func: all.dimname(Tensor self, Dimname dim) -> Tensor
- func: all(Tensor self) -> Tensor
- func: cat.names(Tensor[] tensors, Dimname dim) -> Tensor
- func: names(Tensor self) -> Dimname[]?
- func: align_as(Tensor self, Tensor other) -> Tensor
- func: stays(Tensor self) -> Tensor
- func: other(Tensor self) -> Tensor
";
    let new = "- func: all(Tensor self) -> Tensor\n- func: stays(Tensor self) -> Tensor\n";
    let found = found(old, new);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found
            .iter()
            .any(|cause| cause.0 == "align_as all.dimname cat.names names")
    );
}

#[test]
fn other_edits_stay_apart() {
    let old = "- func: f(Tensor self) -> Tensor\n- func: g(Tensor self, int n=0) -> Tensor\n";
    let new = "- func: f(Tensor input) -> Tensor\n- func: g(Tensor self, int n=1) -> Tensor\n";
    assert_eq!(found(old, new).len(), 2);
}

#[test]
fn forms_have_one_stem() {
    for name in [
        "add.Tensor",
        "add_.Tensor",
        "add.out",
        "_foreach_add.List",
        "add_copy",
        "x::add_",
    ] {
        assert_eq!(stem(name), "add", "{name}");
    }
    assert_eq!(stem("__and__.Scalar"), "__and__");
    assert_eq!(stem("_"), "_");
}
