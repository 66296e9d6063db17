//! Whom a change hurts, where the declarations of both revisions say more than its rule.

use opatlas_diff::change::Change;
use opatlas_diff::revision::{Comparison, Revision, compare};
use opatlas_diff::rules::{Audience, Level, Profile};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

fn catalogue(entries: &str) -> Catalogue {
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, entries.as_bytes().to_vec());
    Catalogue::read(&bundle, Release::V2_9, None)
}

fn between(old: &str, new: &str) -> Comparison {
    let (old, new) = (catalogue(old), catalogue(new));
    let revision = |catalogue| Revision {
        catalogue,
        view: None,
    };
    compare(revision(&old), revision(&new))
}

fn schemas(old: &str, new: &str) -> Comparison {
    let entry = |schema: &str| format!("- func: {schema}\n  variants: function, method\n");
    between(&entry(old), &entry(new))
}

fn only<'a>(comparison: &'a Comparison, rule: &str) -> &'a Change {
    let mut found = comparison
        .changes
        .iter()
        .filter(|c| c.rule.id.as_str() == rule);
    let rules: Vec<_> = comparison
        .changes
        .iter()
        .map(|c| c.rule.id.as_str())
        .collect();
    let change = found
        .next()
        .unwrap_or_else(|| panic!("{rule} is not among {rules:?}"));
    assert!(found.next().is_none());
    change
}

#[test]
fn python_callers_are_hurt_where_python_binds_the_operator() {
    let renamed = |name: &str| {
        let schema = |argument: &str| format!("{name}(Tensor self, int {argument}) -> Tensor");
        schemas(&schema("n"), &schema("count"))
    };
    let bound = renamed("fold");
    let change = only(&bound, "argument-renamed");
    assert!(change.impacts.breaks.contains(Audience::PythonKeyword));
    assert!(!change.impacts.breaks.contains(Audience::TorchOps));
    let unbound = renamed("fold_backward");
    let change = only(&unbound, "argument-renamed");
    assert!(!change.impacts.breaks.contains(Audience::PythonKeyword));
    assert!(change.impacts.breaks.contains(Audience::TorchOps));
    assert_eq!(change.level, Level::Breaking);
    let of_python = Profile::Python.level(change.rule, change.level, change.impacts);
    assert!(of_python < Level::Breaking, "{of_python}");
}

#[test]
fn symbolic_sizes_are_a_risk_to_backends_and_nothing_to_cpp_callers() {
    let found = schemas(
        "fold(Tensor self, int n) -> Tensor",
        "fold(Tensor self, SymInt n) -> Tensor",
    );
    let change = only(&found, "argument-type-symint");
    assert!(!change.impacts.breaks.contains(Audience::Backend));
    assert!(change.impacts.risks.contains(Audience::Backend));
    assert!(!change.impacts.risks.contains(Audience::Cpp));
}

#[test]
fn what_breaks_backends_cannot_pass_their_profile() {
    let found = schemas(
        "fold(Tensor self) -> Tensor",
        "fold(Tensor self, int n=0) -> Tensor",
    );
    let change = only(&found, "argument-added-with-default");
    assert!(change.impacts.breaks.contains(Audience::Backend));
    let of_backend = Profile::Backend.level(change.rule, change.level, change.impacts);
    assert_eq!(of_backend, Level::Breaking);
}

#[test]
fn a_kernel_that_moves_into_a_structured_operator_is_not_lost() {
    let out = "glue.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)";
    let converted = |keys: &[&str]| {
        let lines: String = keys
            .iter()
            .map(|key| format!("    {key}: glue\n"))
            .collect();
        let old = format!(
            "- func: glue(Tensor self) -> Tensor\n  dispatch:\n{lines}\
             - func: {out}\n  dispatch:\n    CPU: glue_out\n"
        );
        let new = format!(
            "- func: glue(Tensor self) -> Tensor\n  structured_delegate: glue.out\n\
             - func: {out}\n  structured: True\n  dispatch:\n    CPU: glue_out\n"
        );
        let found = between(&old, &new);
        let change = only(&found, "dispatch-kernel-removed");
        (change.level, change.impacts.risks.is_empty())
    };
    assert_eq!(converted(&["CPU"]), (Level::Info, true));
    assert_eq!(converted(&["CPU", "MPS"]), (Level::Dangerous, false));
}
