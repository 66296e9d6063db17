//! The validator accepts every line that the implementation of an operator prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

const RELEASE: &str = "2.15.0";

/// Keys of backends outside the tree, keys that PyTorch has kernels on, and keys of no backend.
const OUTSIDE: [&str; 9] = [
    "PrivateUse1",
    "XLA",
    "AutogradXLA",
    "SparsePrivateUse1",
    "CPU",
    "MPS",
    "AutogradCPU",
    "Autograd",
    "FuncTorchBatched",
];

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

/// An entry with more lines of `dispatch`.
fn with_more(entry: &str, lines: &str) -> String {
    let line = lines.replace('\n', "\n    ");
    let entry = &entry.replacen("\n  dispatch: {}\n", "\n  dispatch:\n", 1);
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
            .fold(entry, |entry, line| with_more(&entry, line));
        whole.push_str(&entry);
    }
    assert_eq!(
        placed,
        lines.len(),
        "some lines belong to no entry: {lines:?}"
    );
    whole
}

/// The errors in a file, without their places.
fn refusals(bundle: &Bundle, release: Release) -> BTreeSet<String> {
    let findings = opatlas_rules::check(&Catalogue::read(bundle, release, None));
    let said = |finding: &Finding| format!("{}: {}", finding.rule.as_str(), &*finding.message);
    let kept = findings.into_kept();
    let stopping = kept.iter().filter(|f| f.severity == Severity::Error);
    stopping.map(said).collect()
}

#[test]
fn the_validator_accepts_every_line_of_dispatch() {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let (mut printed, mut failed) = (0, String::new());
    let release = Release::from_label(RELEASE).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let maker = FaceMaker::new(&catalogue);
    let text = str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    let before = refusals(&bundle, release);
    for key in release.data().dispatch_keys_known.iter() {
        let mut lines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (id, _) in catalogue.iter() {
            let kernel = maker.implementation(id, key).in_tree;
            if let Some(kernel) = kernel.filter(|kernel| !kernel.is_declared) {
                lines.entry(kernel.entry).or_default().insert(kernel.yaml);
            }
        }
        if lines.is_empty() {
            continue;
        }
        printed += lines.len();
        let mut changed = bundle.clone();
        changed.insert(NATIVE_FUNCTIONS, with_lines(text, &lines).as_bytes());
        for refusal in refusals(&changed, release).difference(&before).take(3) {
            let _ = writeln!(failed, "{key}: {refusal}");
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(printed > 10_000, "{printed} lines");
}

/// Backend files by their first lines, each with the names on its lists.
type Files = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Adds the file of one operator.
fn add(files: &mut Files, yaml: &str) {
    let (head, lists) = yaml.split_at(yaml.find("supported:").or(yaml.find("autograd:")).unwrap());
    let file = files.entry(head.to_owned()).or_default();
    let mut list = String::new();
    for line in lists.lines() {
        match line.strip_prefix("- ") {
            Some(name) => drop(
                file.entry(list.clone())
                    .or_default()
                    .insert(name.to_owned()),
            ),
            None => line.clone_into(&mut list),
        }
    }
}

#[test]
fn the_validator_accepts_every_backend_file() {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let (mut printed, mut failed) = (0, String::new());
    let release = Release::from_label(RELEASE).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let maker = FaceMaker::new(&catalogue);
    let before = refusals(&bundle, release);
    for key in OUTSIDE {
        let (mut concrete, mut symbolic) = (Files::new(), Files::new());
        for (id, _) in catalogue.iter() {
            let faces = maker.implementation(id, key);
            for (files, stub) in [
                (&mut concrete, faces.backend),
                (&mut symbolic, faces.backend_symint),
            ] {
                stub.inspect(|stub| add(files, &stub.yaml));
            }
        }
        for (head, lists) in concrete.iter().chain(&symbolic) {
            let mut file = head.clone();
            for (list, names) in lists {
                printed += names.len();
                let names: String = names.iter().map(|name| format!("- {name}\n")).collect();
                let _ = writeln!(file, "{list}\n{names}");
            }
            let mut changed = bundle.clone();
            changed.insert("backends/acme.yaml", file.as_bytes());
            for refusal in refusals(&changed, release).difference(&before).take(3) {
                let _ = writeln!(failed, "{key}: {refusal}");
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(printed > 5_000, "{printed} operators");
}
