//! Whole runtimes: from the registrations that every `aten` operator has in a real process, its
//! table as the process computed it.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_dispatch::{Precedence, Registered, resolve};
use opatlas_pytorch::handwritten::{self, FROM_SOURCES, Handwritten, SourceFile};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use serde::Deserialize;

#[derive(Deserialize)]
struct Head {
    files: Vec<String>,
    reasons: BTreeMap<String, String>,
    keysets: Vec<Vec<String>>,
}

/// An operator: groups `(reason, file, keys)`, keys answered by their fallback, registrations by
/// key as file and whether the kernel is a fallthrough. Keys in no group are missing.
#[derive(Deserialize)]
struct Row {
    op: String,
    t: Vec<(String, usize, usize)>,
    fb: usize,
    r: BTreeMap<String, Vec<usize>>,
}

fn read(release: &str) -> (Head, Vec<Row>) {
    let mut lines =
        opatlas_conformance::golden_lines(&format!("dispatch_runtime_{release}.jsonl.gz"));
    let head = serde_json::from_str(&lines.next().unwrap()).unwrap();
    let rows = lines.map(|line| serde_json::from_str(&line).unwrap());
    (head, rows.collect())
}

fn check(release: &str) {
    let (head, rows) = read(release);
    let keys = Keys::of(Release::parse(release).unwrap().release);
    let registered = |row: &Row| -> Registered {
        row.r
            .keys()
            .map(|name| keys.lookup(name).unwrap())
            .collect()
    };
    for row in &rows {
        let mut expected = vec![("missing", None, false); keys.count()];
        for (reason, file, set) in &row.t {
            let (reason, passes) = reason
                .strip_suffix('~')
                .map_or((&**reason, false), |r| (r, true));
            for name in &head.keysets[*set] {
                let slot = keys.slot(name).unwrap();
                expected[slot.index()] = (head.reasons[reason].as_str(), Some(*file), passes);
            }
        }
        for name in &head.keysets[row.fb] {
            let slot = keys.slot(name).unwrap();
            let passes = keys.fallthrough_fallbacks().contains(slot);
            expected[slot.index()] = ("backend fallback", None, passes);
        }
        let table = resolve(keys, &registered(row), keys.fallbacks());
        for (slot, expected) in keys.slots().zip(expected) {
            let rule = table.rule(slot);
            let source = rule.source(slot).map(|source| &row.r[keys.name(source)]);
            let passes = match source {
                Some(source) => source.len() > 1,
                None => rule == Precedence::Fallback && keys.fallthrough_fallbacks().contains(slot),
            };
            let ours = (
                rule.reason().as_str(),
                source.map(|source| source[0]),
                passes,
            );
            assert_eq!(
                ours,
                expected,
                "{release} {} {}",
                row.op,
                keys.name(Key::Runtime(slot))
            );
        }
    }
}

#[test]
fn tables_are_those_of_the_process() {
    let recorded = opatlas_conformance::recorded("dispatch_runtime");
    assert!(recorded.len() >= 4, "{recorded:?}");
    recorded.iter().for_each(|release| check(release));
}

/// Whether generated code makes the registrations of a file, going by its name.
fn is_generated(file: &str) -> bool {
    let fixed = [
        "VariableType.cpp",
        "ADInplaceOrViewType.cpp",
        "TraceType.cpp",
    ];
    file.starts_with("Register") || fixed.contains(&file)
}

#[test]
fn what_no_file_declares_is_hand_written() {
    for release in opatlas_conformance::recorded("dispatch_runtime") {
        let (head, rows) = read(&release);
        let release = Release::parse(&release).unwrap().release;
        let keys = Keys::of(release);
        let recorded: BTreeSet<_> = rows
            .iter()
            .flat_map(|row| row.r.iter().map(|(key, made)| (&*row.op, &**key, made)))
            .map(|(op, key, made)| (op, key, head.files[made[0]].as_str(), made.len() > 1))
            .filter(|(_, _, file, _)| !is_generated(file))
            .collect();
        // No recorded process has a device of these keys.
        let is_recorded = |row: &Handwritten| !FROM_SOURCES.contains(&keys.name(row.key));
        let ours: BTreeSet<_> = handwritten::all(release)
            .filter(is_recorded)
            .map(|row| {
                (
                    row.operator,
                    keys.name(row.key),
                    row.file.map_or("null", SourceFile::name),
                    row.fallthrough,
                )
            })
            .collect();
        assert!(
            ours.symmetric_difference(&recorded).next().is_none(),
            "{release}"
        );
    }
}
