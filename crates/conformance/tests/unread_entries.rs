//! An entry of a release whose YAML is broken costs one finding: nothing counts as missing.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

/// One in so many entries is broken, each alone.
const STEP: usize = 53;

fn faults(bundle: &Bundle) -> Vec<Finding> {
    let catalogue = Catalogue::read(bundle, Release::V2_9, None);
    let found = opatlas_rules::check(&catalogue).into_kept().into_iter();
    found
        .filter(|finding| finding.severity != Severity::Info)
        .collect()
}

#[test]
fn a_broken_entry_is_not_missing() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let text = String::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap().to_vec()).unwrap();
    let before = faults(&bundle);
    let is_known = |finding: &Finding| {
        let same = |known: &Finding| {
            (known.rule, &known.operator, &known.message)
                == (finding.rule, &finding.operator, &finding.message)
        };
        before.iter().any(same)
    };
    let mut broken = bundle.clone();
    let mut wrong = Vec::new();
    for (at, line) in text.match_indices("\n- func: ").step_by(STEP) {
        let end = at + line.len() + text[at + line.len()..].find('\n').unwrap();
        let changed = format!("{}\n variants: function{}", &text[..end], &text[end..]);
        broken.insert(NATIVE_FUNCTIONS, changed.into_bytes());
        let new = faults(&broken).into_iter().filter(|it| !is_known(it));
        let new: Vec<RuleId> = new.map(|finding| finding.rule).collect();
        if new != [RuleId::YamlSyntax] {
            wrong.push(format!("{}: {new:?}", &text[at + 1..end]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
