//! Edits that findings carry: what they give is read, and the finding is gone.

use std::collections::BTreeMap;

use opatlas_diff::official;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{Fixed, Reading, Wanted};
use opatlas_rules::{self as rules, fix, registry};
use opatlas_service::Snapshot;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS};

fn findings(text: &str, release: Release) -> Vec<Finding> {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    opatlas_rules::check(&Catalogue::read(&bundle, release, None)).into_kept()
}

/// Applies each edit alone: the finding is then gone, and the file can still be read.
fn each_mends(text: &str, release: Release, wrong: &mut BTreeMap<&'static str, String>) -> usize {
    let before = findings(text, release);
    let mut tried = 0;
    for finding in before
        .iter()
        .filter(|f| f.fix.is_some() && &*f.file == NATIVE_FUNCTIONS)
    {
        tried += 1;
        let (fixed, made) = fix::apply(text, &[finding]);
        let after = findings(&fixed, release);
        let broken = after.iter().any(|f| f.rule == "yaml-syntax");
        let same = |f: &&Finding| {
            f.rule == finding.rule
                && f.message == finding.message
                && f.span.start == finding.span.start
        };
        if made.len() != 1 || broken || after.iter().any(|f| same(&f)) {
            let example = || format!("{text}\n=> {fixed}\n{}", &*finding.message);
            wrong.entry(finding.rule.as_str()).or_insert_with(example);
        }
    }
    tried
}

fn none_wrong(wrong: BTreeMap<&'static str, String>) {
    let listed: Vec<String> = wrong
        .iter()
        .map(|(rule, text)| format!("== {rule}\n{text}"))
        .collect();
    assert!(wrong.is_empty(), "{}", listed.join("\n"));
}

#[test]
fn examples_with_an_edit_are_mended_by_it() {
    let mut wrong = BTreeMap::new();
    for rule in registry::all().filter(|rule| rule.bad.file == NATIVE_FUNCTIONS) {
        let release = rule.until.unwrap_or(Release::LATEST);
        each_mends(rule.bad.text, release, &mut wrong);
    }
    none_wrong(wrong);
}

#[test]
fn edits_mend_recorded_documents() {
    let mut wrong = BTreeMap::new();
    let mut tried = 0;
    for (file, key) in [
        ("validator.jsonl.gz", "yaml"),
        ("documents_fuzz.jsonl.gz", "yaml"),
    ] {
        for row in opatlas_conformance::golden(file) {
            if let Some(text) = row[key].as_str() {
                tried += each_mends(text, Release::V2_9, &mut wrong);
            }
        }
    }
    for row in opatlas_conformance::golden("schemas_fuzz.jsonl.gz") {
        let schema = row["schema"].as_str().unwrap();
        if !schema.contains(['\'', '\n', '\\']) {
            tried += each_mends(&format!("- func: '{schema}'\n"), Release::V2_9, &mut wrong);
        }
    }
    assert!(tried > 500, "only {tried} edits");
    none_wrong(wrong);
}

fn mend(text: &str, wanted: Wanted, release: Release) -> Fixed {
    fix::mend(NATIVE_FUNCTIONS, text, wanted, |text| {
        let bundle = Bundle::of_native_functions(text.as_bytes());
        Reading::of(&Catalogue::read(&bundle, release, None))
    })
}

/// What of a finding does not depend on where it stands.
fn faults(text: &str, release: Release) -> Vec<String> {
    let found = findings(text, release);
    let faults = found.iter().filter(|f| f.severity != Severity::Info);
    let mut said: Vec<String> = faults
        .map(|f| format!("{} {:?} {}", f.rule, f.operator, &*f.message))
        .collect();
    said.sort_unstable();
    said
}

/// All edits together, round after round, end in a file that has no new fault, and what is left
/// does no good.
#[test]
fn rounds_of_edits_end() {
    for row in opatlas_conformance::golden("documents_fuzz.jsonl.gz") {
        let text = row["yaml"].as_str().unwrap();
        for wanted in [Wanted::Safe, Wanted::Suggested] {
            let fixed = mend(text, wanted, Release::V2_9);
            let before = faults(text, Release::V2_9);
            let after = faults(&fixed.text, Release::V2_9);
            let new: Vec<_> = after.iter().filter(|f| !before.contains(f)).collect();
            assert!(new.is_empty(), "{text}\n=> {}\n{new:?}", fixed.text);
            let again = mend(&fixed.text, wanted, Release::V2_9);
            assert_eq!(again.applied(), 0, "{text}\n=> {}", fixed.text);
            assert_eq!(fixed.text == text, fixed.applied() == 0, "{text}");
        }
    }
}

/// What is read of an operator: its declaration, tags, kernels and dispatch table.
fn model(text: &str, release: Release) -> BTreeMap<String, Vec<String>> {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    let snapshot = Snapshot::read(bundle, release, None);
    let catalogue = &snapshot.catalogue;
    let mut operators: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, operator) in catalogue.iter() {
        let mut kernels: Vec<String> = catalogue
            .kernels(id)
            .iter()
            .map(|k| format!("{}: {:?}", k.key.as_str(), k.kernel))
            .collect();
        kernels.sort_unstable();
        let entry = operator.declared().map(|placed| {
            let entry = &placed.entry;
            let delegate = entry
                .structured_delegate
                .as_ref()
                .map(|d| d.value.to_string());
            format!("{:?} {} {delegate:?}", entry.variants, entry.structured)
        });
        let table: Vec<String> = snapshot
            .view()
            .table(id)
            .map(|cell| format!("{}: {:?} {:?}", cell.key, cell.kernel, cell.reason))
            .collect();
        let seen = format!(
            "{} {:?} {kernels:?} {entry:?} {table:?}",
            operator.canonical(),
            operator.tags
        );
        operators
            .entry(operator.qualified_name().to_string())
            .or_default()
            .push(seen);
    }
    operators
}

/// The operators that errors are about: PyTorch reads nothing of them.
fn refused(text: &str, release: Release) -> Vec<String> {
    let found = findings(text, release);
    let errors = found.iter().filter(|f| f.severity == Severity::Error);
    errors
        .filter_map(|f| f.operator.as_deref().map(str::to_owned))
        .collect()
}

/// Safe edits of a text: what could be read of an operator is read the same after them.
fn keeps_meaning(text: &str, release: Release) -> usize {
    let fixed = mend(text, Wanted::Safe, release);
    if fixed.applied() == 0 {
        assert_eq!(fixed.text, text);
        return 0;
    }
    let (before, after) = (model(text, release), model(&fixed.text, release));
    let refused = refused(text, release);
    let read = before
        .iter()
        .filter(|(name, _)| !refused.contains(name) && !refused.contains(&format!("aten::{name}")));
    for (name, read) in read {
        let new = after.get(name);
        assert_eq!(Some(read), new, "{name}: {text}\n=> {}", fixed.text);
    }
    officially_the_same(text, &fixed.text, &refused, release);
    fixed.applied()
}

/// PyTorch's own check finds each schema compatible with what it was, in both directions.
fn officially_the_same(old: &str, new: &str, refused: &[String], release: Release) {
    let read = |text: &str| {
        let bundle = Bundle::of_native_functions(text.as_bytes());
        Catalogue::read(&bundle, release, None)
    };
    let (old, new) = (read(old), read(new));
    for (_, operator) in old.iter() {
        let name = operator.qualified_name().to_string();
        if refused.contains(&name) || refused.contains(&format!("aten::{name}")) {
            continue;
        }
        let same = new.iter().find(|(_, it)| it.qualified_name() == name);
        let (_, same) = same.unwrap_or_else(|| panic!("{name} is gone"));
        let (before, after) = (
            operator.canonical().to_string(),
            same.canonical().to_string(),
        );
        let (Ok(a), Ok(b)) = (official::parse(&before), official::parse(&after)) else {
            assert_eq!(before, after);
            continue;
        };
        let verdict = official::compare(&a, &b);
        assert!(verdict.backward && verdict.forward, "{before} => {after}");
    }
}

#[test]
fn safe_edits_change_no_meaning() {
    let mut made = 0;
    for (file, key) in [
        ("validator.jsonl.gz", "yaml"),
        ("documents_fuzz.jsonl.gz", "yaml"),
    ] {
        for row in opatlas_conformance::golden(file) {
            if let Some(text) = row[key].as_str() {
                made += keeps_meaning(text, Release::V2_9);
            }
        }
    }
    for row in opatlas_conformance::golden("schemas_fuzz.jsonl.gz") {
        let schema = row["schema"].as_str().unwrap();
        if !schema.contains(['\'', '\n', '\\']) {
            made += keeps_meaning(&format!("- func: '{schema}'\n"), Release::V2_9);
        }
    }
    println!("{made} edits");
    assert!(made > 30, "only {made} edits");
}

/// A release's own files are left as they are, byte for byte.
#[test]
fn releases_are_left_alone() {
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            continue;
        };
        let release = Release::from_label(version).unwrap().release;
        for (name, bytes) in bundle.files() {
            let text = std::str::from_utf8(bytes).unwrap();
            let mut changed = bundle.clone();
            let fixed = fix::mend(name, text, Wanted::Safe, |text| {
                changed.insert(name, text.as_bytes());
                Reading::of(&Catalogue::read(&changed, release, None))
            });
            assert_eq!(fixed.text, text, "{name} of {version}: {:?}", fixed.made);
        }
    }
}

/// Slips in a real file are mended back to what stood there; all other operators stay the same.
#[test]
fn slips_in_a_release_are_undone() {
    let version = "2.9.0";
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    let original = std::str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    // Findings that an error hides would come up with its edit, which is then not made.
    let found = rules::check(&Catalogue::read(&bundle, release, None));
    let spoken_of: Vec<&str> = found.iter().filter_map(|f| f.operator.as_deref()).collect();
    let slip = |i: usize, line: &str| match i % 4 {
        0 => line.replacen(", ", ",", 1),
        1 => line.replacen(", ", ",  ", 1),
        2 => line.replacen(" -> ", "->", 1),
        _ => line.replacen(") -> Tensor", ") -> (Tensor)", 1),
    };
    let mut slips = 0;
    let lines = original.split_inclusive('\n').enumerate().map(|(i, line)| {
        let simple = line.starts_with("- func: ") && line.ends_with(") -> Tensor\n");
        // One in so many, so that most of the file stays as it is.
        let name = line.trim_start_matches("- func: ").split('(').next();
        let spoken = name.is_some_and(|name| spoken_of.contains(&name));
        if !simple || i % 97 > 3 || line.contains('[') || spoken {
            return line.to_owned();
        }
        slips += usize::from(slip(i, line) != line);
        slip(i, line)
    });
    let broken: String = lines.collect();
    assert!(slips > 10, "only {slips} slips");
    let mut changed = bundle.clone();
    let fixed = fix::mend(NATIVE_FUNCTIONS, &broken, Wanted::Safe, |text| {
        changed.insert(NATIVE_FUNCTIONS, text.as_bytes());
        Reading::of(&Catalogue::read(&changed, release, None))
    });
    assert_eq!(fixed.applied(), slips, "{:?}", fixed.refused);
    assert_eq!(fixed.text, original);
}

/// An edit that gives two entries the same signature puts one group in the place of the other, and
/// what PyTorch generates for that one is gone, although nothing is found that was not found before.
#[test]
fn no_edit_loses_an_operator() {
    let text = "\
- func: stir_.Scalar(Tensor(a!) self, Tensor value) -> Tensor
- func: stir_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)
  dispatch:
    CPU: stir__cpu
  dispatch:
  autogen: stir.Scalar_out
";
    let found = findings(text, Release::LATEST);
    let edit: Vec<&Finding> = found.iter().filter(|f| f.fix.is_some()).collect();
    let (edited, made) = fix::apply(text, &edit);
    let names = |text: &str| -> Vec<String> { model(text, Release::LATEST).into_keys().collect() };
    assert_eq!(made.len(), 1, "{edit:?}");
    assert!(names(&edited).len() < names(text).len(), "{edited}");
    let fixed = mend(text, Wanted::Suggested, Release::LATEST);
    assert_eq!(fixed.text, text);
    assert_eq!(fixed.refused.get(&edit[0].rule), Some(&1));
}

#[test]
fn edits_that_give_another_operator_are_never_safe() {
    let safe = |text: &str| {
        let found = findings(text, Release::LATEST);
        found.iter().any(|finding| Wanted::Safe.takes(finding))
    };
    // Without the field it would have a composite kernel.
    let empty = "- func: scale(Tensor self) -> Tensor\n  dispatch: {}\n";
    let found = findings(empty, Release::LATEST);
    let edit = found
        .iter()
        .find(|f| f.rule == RuleId::DispatchEmpty)
        .unwrap();
    assert_eq!(edit.fix, None);
    assert!(!safe(empty));
    // A name that is near several others may be any of them.
    assert!(!safe(
        "- func: scale(Tensor self) -> Tensor\n  dispatch:\n    DPU: scale\n"
    ));
    // One that is near one other is that one.
    assert!(safe(
        "- func: scale(Tensor self) -> Tensor\n  varants: function\n"
    ));
    assert!(safe(
        "- func: scale(Tensor self) -> Tensor\n  Variants: function\n"
    ));
    assert!(safe("- func: scale(Tensor self,Tensor other) -> Tensor\n"));
}

/// A near name of an argument or operator is accepted, too, but computes something else.
#[test]
fn names_are_never_safe() {
    let operators = "\
- func: blend(Tensor self, Tensor vec2) -> Tensor
  structured_delegate: blend.out
- func: blend.out(Tensor self, Tensor vec2, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: blend_out
";
    let offered = |native: &str, formulas: &str, backend: &str| {
        let mut bundle = Bundle::of_native_functions(native.as_bytes());
        bundle.insert(DERIVATIVES, formulas.as_bytes());
        bundle.insert("backends/acme.yaml", backend.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
        let found = rules::check(&catalogue).into_kept().into_iter();
        let offered: Vec<Finding> = found.filter(|f| Wanted::Suggested.takes(f)).collect();
        let rules = offered.iter().map(|f| f.rule.as_str().to_owned());
        let is_safe = offered.iter().any(|finding| Wanted::Safe.takes(finding));
        (rules.collect::<Vec<String>>(), is_safe)
    };
    let only = |rule: &str| (vec![rule.to_owned()], false);
    let formulas =
        |formula: &str| format!("- name: blend(Tensor self, Tensor vec2) -> Tensor\n  {formula}\n");
    for (formula, rule) in [
        ("self: grad.mv(vec1)", "deriv-unknown-name"),
        ("sefl: grad", "deriv-unknown-arg"),
    ] {
        assert_eq!(offered(operators, &formulas(formula), ""), only(rule));
    }
    let delegate = operators.replace("delegate: blend.out", "delegate: blned.out");
    let rule = "structured-delegate-target-missing";
    assert_eq!(offered(&delegate, "", ""), only(rule));
    let backend = "backend: PrivateUse1\ncpp_namespace: acme\nsupported: [blned]\n";
    assert_eq!(offered(operators, "", backend), only("backend-op-exists"));
}

/// A backend may be called anything: another key is no misspelling of it.
#[test]
fn a_backend_keeps_its_name() {
    let fix = |backend: &str| {
        let mut bundle = Bundle::of_native_functions(*b"- func: scale(Tensor self) -> Tensor\n");
        let text = format!("backend: {backend}\ncpp_namespace: acme\nsupported: [scale]\n");
        bundle.insert("backends/acme.yaml", text.as_bytes());
        let found = rules::check(&Catalogue::read(&bundle, Release::LATEST, None));
        let key = found.iter().find(|f| f.rule == RuleId::BackendKey);
        let is_known = key.is_none();
        let fix = key.and_then(|key| key.fix.as_ref());
        (is_known, fix.map(|fix| fix.replacement.to_string()))
    };
    // Ascend's name of PrivateUse1.
    assert_eq!(fix("NPU"), (true, None));
    assert_eq!(fix("CPUU"), (false, None));
    assert_eq!(fix("xla"), (false, Some("XLA".to_owned())));
}
