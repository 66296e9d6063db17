//! The validator accepts every line that the implementation of an operator prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

const RELEASES: [&str; 2] = ["2.3.1", "2.15.0"];

/// The entries of a file by the names of their operators, and what comes before the first.
fn entries(text: &str) -> (String, Vec<(String, String)>) {
    let mut items = text.split("\n- func: ");
    let head = items.next().unwrap().to_owned();
    let named = items.map(|item| {
        let (name, _) = item.split_once('(').unwrap();
        let name = name.strip_prefix("aten::").unwrap_or(name);
        (name.to_owned(), format!("\n- func: {item}"))
    });
    (head, named.collect())
}

/// An entry with one more line of `dispatch`.
fn with_line(entry: &str, line: &str) -> String {
    if let Some((before, after)) = entry.split_once("\n  dispatch:\n") {
        return format!("{before}\n  dispatch:\n    {line}\n{after}");
    }
    let (first, rest) = entry[1..].split_once('\n').unwrap_or((&entry[1..], ""));
    format!("\n{first}\n  dispatch:\n    {line}\n{rest}")
}

fn with_lines(text: &str, lines: &BTreeMap<String, BTreeSet<String>>) -> String {
    let (mut whole, entries) = entries(text);
    let mut placed = 0;
    for (name, entry) in entries {
        let lines = lines.get(&name);
        placed += usize::from(lines.is_some());
        let entry = lines
            .into_iter()
            .flatten()
            .fold(entry, |entry, line| with_line(&entry, line));
        whole.push_str(&entry);
    }
    assert_eq!(placed, lines.len(), "some lines belong to no entry: {lines:?}");
    whole
}

/// The findings that stop a file, without their places.
fn refusals(bundle: &Bundle, release: Release) -> BTreeSet<String> {
    let findings = opatlas_rules::check(&Catalogue::read(bundle, release, None));
    let said = |finding: &Finding| format!("{}: {}", finding.rule.as_str(), &*finding.message);
    let kept = findings.into_kept();
    let stopping = kept.iter().filter(|f| f.severity != Severity::Info);
    stopping.map(said).collect()
}

#[test]
fn the_validator_accepts_every_line_of_dispatch() {
    let (mut printed, mut failed) = (0, String::new());
    for version in RELEASES {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let maker = FaceMaker::new(&catalogue);
        let text = str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
        let before = refusals(&bundle, release);
        for key in release.data().dispatch_keys_known.iter() {
            let mut lines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (id, _) in catalogue.iter() {
                let Some(kernel) = maker.implementation(id, key).in_tree else {
                    continue;
                };
                if !kernel.is_declared {
                    lines.entry(kernel.entry).or_default().insert(kernel.yaml);
                }
            }
            printed += lines.len();
            let mut changed = bundle.clone();
            changed.insert(NATIVE_FUNCTIONS, with_lines(text, &lines).as_bytes());
            let after = refusals(&changed, release);
            for refusal in after.difference(&before).take(3) {
                let _ = writeln!(failed, "{version} {key}: {refusal}");
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(printed > 10_000, "{printed} lines");
}

#[test]
fn the_validator_accepts_every_backend_file() {
    let (mut printed, mut failed) = (0, String::new());
    for version in RELEASES {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let maker = FaceMaker::new(&catalogue);
        let before = refusals(&bundle, release);
        for key in release.data().dispatch_keys_known.iter() {
            for is_symbolic in [false, true] {
                let mut lists: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
                let mut head = BTreeSet::new();
                for (id, _) in catalogue.iter() {
                    let faces = maker.implementation(id, key);
                    let stub = if is_symbolic { faces.backend_symint } else { faces.backend };
                    let Some(stub) = stub else { continue };
                    let mut list = "";
                    for line in stub.yaml.lines() {
                        match line.strip_prefix("- ") {
                            Some(name) => {
                                lists.entry(list).or_default().insert(name.to_owned());
                            }
                            None if line.contains(": ") => {
                                head.insert(line.to_owned());
                            }
                            None => {
                                list = ["supported", "autograd", "symint"]
                                    .into_iter()
                                    .find(|known| line == format!("{known}:"))
                                    .unwrap();
                            }
                        }
                    }
                }
                if lists.is_empty() {
                    continue;
                }
                let mut file: String = head.iter().map(|line| format!("{line}\n")).collect();
                for (list, names) in lists {
                    printed += names.len();
                    let _ = writeln!(file, "{list}:");
                    for name in names {
                        let _ = writeln!(file, "- {name}");
                    }
                }
                let mut changed = bundle.clone();
                changed.insert("backends/acme.yaml", file.as_bytes());
                let after = refusals(&changed, release);
                for refusal in after.difference(&before).take(3) {
                    let _ = writeln!(failed, "{version} {key}: {refusal}");
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(printed > 10_000, "{printed} operators");
}
