//! Which kernels of a backend must change with an upgrade, against the declarations that torchgen
//! of both releases makes. The backend lists every operator that both have.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_diff::declarations::{Declarations, SourceFits, compare};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use serde_json::Value;

/// The recorded declaration of each operator, by name.
type Recorded = BTreeMap<String, Value>;

fn recorded(version: &str) -> Recorded {
    let rows = opatlas_conformance::golden(&format!("signatures_{version}.jsonl.gz"));
    let named = rows.into_iter().skip(1);
    named
        .map(|row| (row["name"].as_str().unwrap().to_owned(), row))
        .collect()
}

/// What a stub declares for an operator.
fn declared(row: &Value, symint: bool) -> &str {
    let concrete = row.get("dispatcher_int").filter(|_| !symint);
    concrete.unwrap_or(&row["dispatcher"]).as_str().unwrap()
}

fn in_one_spelling(text: &str) -> String {
    text.replace("c10::optional", "::std::optional")
}

/// A file that lists these operators, every second one under `symint` too.
fn file(names: &[&str]) -> (BackendFile, BTreeSet<String>) {
    let symint: Vec<&&str> = names.iter().step_by(2).collect();
    let list = |names: Vec<&&str>| names.iter().map(|n| format!("- {n}\n")).collect::<String>();
    let text = format!(
        "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n{}symint:\n{}",
        list(names.iter().collect()),
        list(symint.clone())
    );
    let symint = symint.iter().map(ToString::to_string).collect();
    (BackendFile::read(text.as_bytes()), symint)
}

fn catalogue(version: &str) -> Option<Catalogue> {
    let bundle = opatlas_conformance::release(version)?;
    let release = Release::from_label(version).unwrap().release;
    Some(Catalogue::read(&bundle, release, None))
}

fn check(from: &str, to: &str) -> Option<Declarations> {
    let (old, new) = (recorded(from), recorded(to));
    let names: Vec<&str> = old
        .keys()
        .filter(|n| new.contains_key(*n))
        .map(|n| &**n)
        .collect();
    let (file, symint) = file(&names);
    let found = compare(
        &file,
        &SourceFits::default(),
        &catalogue(from)?,
        &catalogue(to)?,
    );
    let wanted = names.iter().filter_map(|name| {
        let symint = symint.contains(*name);
        let (old, new) = (declared(&old[*name], symint), declared(&new[*name], symint));
        let differs = in_one_spelling(old) != in_one_spelling(new);
        differs.then(|| {
            (
                (*name).to_owned(),
                Some(old.to_owned()),
                Some(new.to_owned()),
            )
        })
    });
    let wanted: Vec<_> = wanted.collect();
    // The recordings come from the dispatcher, which names every kernel after its operator.
    let plain = |text: &Option<String>| Some(text.as_deref()?.replacen("_symint(", "(", 1));
    let ours = found.kernels.iter();
    let ours: Vec<_> = ours
        .map(|k| (k.operator.clone(), plain(&k.old), plain(&k.new)))
        .collect();
    assert_eq!(ours, wanted, "{from} -> {to}");
    Some(found)
}

/// `parse_backend_yaml` of torchgen appends `_symint` to the kernels of operators under `symint`.
#[test]
fn kernels_with_symbolic_sizes_have_their_own_name() {
    let catalogue = |second: &str| {
        let text = format!("- func: glue(Tensor self, SymInt n{second}) -> Tensor\n");
        let bundle = Bundle::of_native_functions(text.into_bytes());
        Catalogue::read(&bundle, Release::LATEST, None)
    };
    let (base, head) = (catalogue(""), catalogue(", int dim"));
    let (file, _) = file(&["glue"]);
    let found = compare(&file, &SourceFits::default(), &base, &head);
    let new = found.kernels[0].new.as_deref();
    let expected = "at::Tensor glue_symint(const at::Tensor & self, c10::SymInt n, int64_t dim)";
    assert_eq!(new, Some(expected));
}

#[test]
fn kernels_change_where_their_declarations_do() {
    let mut versions = opatlas_conformance::recorded("signatures");
    versions.sort_by_key(|v| Release::from_label(v).unwrap().release);
    for pair in versions.windows(2) {
        check(&pair[0], &pair[1]);
    }
    let (first, last) = (versions.first().unwrap(), versions.last().unwrap());
    check(first, last);
    // A downgrade is a comparison like any other.
    check(last, first);
}

#[test]
fn a_type_that_is_only_written_in_another_way_changes_no_kernel() {
    let Some(found) = check("2.3.1", "2.6.0") else {
        return;
    };
    assert_eq!(found.respelled, [("c10::optional", "::std::optional")]);
    assert!(!found.kernels.is_empty());
    assert!(check("2.9.0", "2.9.0").unwrap().kernels.is_empty());
}

#[test]
fn other_names_of_parameters_change_no_types() {
    let Some(found) = check("2.0.1", "2.3.1") else {
        return;
    };
    let of = |name: &str| found.kernels.iter().find(|k| k.operator == name).unwrap();
    assert!(of("batch_norm_backward_elemt").only_names);
    assert!(!of("std.correction").only_names);
}

#[test]
fn conversion_to_structured_changes_lists_of_tensors() {
    let read = |entries: &str| {
        let mut bundle = opatlas_source::Bundle::default();
        bundle.insert("native_functions.yaml", entries.as_bytes().to_vec());
        Catalogue::read(&bundle, Release::V2_9, None)
    };
    let schemas = [
        "glue(Tensor[] tensors, int dim) -> Tensor",
        "glue.out(Tensor[] tensors, int dim, *, Tensor(a!) out) -> Tensor(a!)",
    ];
    let before = format!(
        "- func: {}\n  dispatch:\n    CPU: glue\n- func: {}\n  dispatch:\n    CPU: glue_out\n",
        schemas[0], schemas[1]
    );
    let after = format!(
        "- func: {}\n  structured_delegate: glue.out\n- func: {}\n  structured: True\n  dispatch:\n    CPU: glue_out\n",
        schemas[0], schemas[1]
    );
    let (file, _) = file(&["glue", "glue.out"]);
    let found = compare(&file, &SourceFits::default(), &read(&before), &read(&after));
    let changed: Vec<_> = found.kernels.iter().map(|k| &*k.operator).collect();
    assert_eq!(changed, ["glue", "glue.out"]);
    let new = found.kernels[0].new.as_deref();
    assert_eq!(
        new,
        Some("at::Tensor glue(const at::ITensorListRef & tensors, int64_t dim)")
    );
}
