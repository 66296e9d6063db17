//! The examples of rules about derivatives.yaml and backend files: the bad one gives exactly its
//! rule, the good one nothing; and where there is an edit, making it mends the bad one.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{Family, Rule, registry};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{Bundle, DEPRECATED};

fn findings(bundle: &Bundle, release: Release) -> Vec<Finding> {
    let mut findings = opatlas_rules::check(&Catalogue::read(bundle, release, None)).into_kept();
    findings.retain(|finding| !finding.suppressed);
    findings
}

fn rules_of_other_files() -> impl Iterator<Item = &'static Rule> {
    registry::all().filter(|rule| match rule.family {
        Family::Derivatives | Family::Backends => true,
        Family::Bindings => rule.bad.file == DEPRECATED,
        _ => false,
    })
}

fn names(findings: &[Finding]) -> Vec<&str> {
    findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect()
}

#[test]
fn examples_show_their_rule() {
    let mut wrong = Vec::new();
    for rule in rules_of_other_files() {
        for release in [rule.since, rule.until.unwrap_or(Release::LATEST)] {
            let bad = findings(&rule.bad.bundle(), release);
            let exactly = bad
                .iter()
                .all(|f| f.rule == rule.id && f.severity == rule.severity);
            if bad.is_empty() || !exactly {
                wrong.push(format!(
                    "{} {release}: bad gives {:?}",
                    rule.id,
                    names(&bad)
                ));
            }
            let good = findings(&rule.good.bundle(), release);
            if !good.is_empty() {
                wrong.push(format!(
                    "{} {release}: good gives {:?}",
                    rule.id,
                    names(&good)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn edits_mend_what_they_are_for() {
    let mut edits = 0;
    for rule in rules_of_other_files() {
        let bundle = rule.bad.bundle();
        let found = findings(&bundle, Release::LATEST);
        let Some(fix) = found.iter().find_map(|finding| finding.fix.as_ref()) else {
            continue;
        };
        edits += 1;
        let mut text = rule.bad.text.to_owned();
        let range = fix.span.start as usize..fix.span.end as usize;
        text.replace_range(range, &fix.replacement);
        let mut mended = bundle.clone();
        mended.insert(rule.bad.file, text.as_bytes());
        let left = findings(&mended, Release::LATEST);
        assert!(left.len() < found.len(), "{}: {text}\n{left:?}", rule.id);
    }
    assert!(edits >= 8, "only {edits} rules have an edit");
}

#[test]
fn findings_point_at_the_operator_too() {
    for rule in rules_of_other_files() {
        for finding in findings(&rule.bad.bundle(), Release::LATEST) {
            let known = finding.operator.as_deref().is_some_and(|name| {
                let catalogue = Catalogue::read(&rule.bad.bundle(), Release::LATEST, None);
                catalogue.find_qualified(name).is_some()
            });
            let elsewhere = finding.related.iter().any(|related| related.file.is_some());
            assert!(!known || elsewhere, "{}", rule.id);
            assert!(finding.help.is_some(), "{}", rule.id);
            assert!(
                !finding.span.is_empty() || finding.span.start == 0,
                "{}",
                rule.id
            );
        }
    }
}
