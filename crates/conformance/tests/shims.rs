//! The C shim of AOTInductor against torchgen: the headers of releases, and changed schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use opatlas_diff::rules::{Audience, ChangeRuleId, Group};
use opatlas_diff::{Change, Note, Revision, compare};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::shim::{
    DeviceShim, ShimLists, device_shims, device_shims_with, lost_shims, version_entry,
};
use opatlas_pytorch::release::Release;
use opatlas_pytorch::ways::facts;
use opatlas_schema::parse::parse_schema;
use opatlas_source::NATIVE_FUNCTIONS;
use serde::Deserialize;

/// The releases whose headers were recorded and whose list names operators by overload.
const RECORDED: [&str; 10] = [
    "2.6.0", "2.7.1", "2.8.0", "2.9.0", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0",
];

fn release(version: &str) -> Release {
    Release::parse(version).unwrap().release
}

/// The declarations of the generated headers.
fn headers(release: Release) -> BTreeSet<String> {
    let shims = facts(release).unwrap().shims();
    let declared = shims.map(|shim| {
        let (device, function, parameters) = (shim.device, shim.function, shim.parameters);
        format!("AOTI_TORCH_EXPORT AOTITorchError aoti_torch_{device}_{function}({parameters});")
    });
    declared.collect()
}

#[test]
fn declarations_are_those_of_the_headers_of_releases() {
    for version in RECORDED {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = release(version);
        let lists = ShimLists::of_release(release).unwrap();
        let catalogue = Catalogue::read(&bundle, release, None);
        let generated: BTreeSet<String> = catalogue
            .iter()
            .flat_map(|(id, _)| device_shims(&catalogue, id, &lists))
            .flat_map(|shim| shim.declarations)
            .collect();
        let headers = headers(release);
        let more: Vec<_> = generated.difference(&headers).take(9).collect();
        let less: Vec<_> = headers.difference(&generated).take(9).collect();
        assert!(
            more.is_empty() && less.is_empty(),
            "{version}: more {more:#?}, less {less:#?}"
        );
        assert!(generated.len() > 290, "{version}: {}", generated.len());
    }
}

/// The declarations that torchgen generates for a changed schema of a listed operator.
#[derive(Deserialize)]
struct Recorded {
    operator: String,
    schema: String,
    versions: serde_json::Value,
    declarations: BTreeMap<String, Vec<String>>,
    breaks: bool,
}

/// `add.Tensor` of `aten.add.Tensor`.
fn operator_name(listed: &str) -> &str {
    let name = listed.strip_prefix("aten.").unwrap();
    name.strip_suffix(".default").unwrap_or(name)
}

/// The lists with the versions of one operator.
fn with_versions(known: &ShimLists, row: &Recorded, release: Release) -> ShimLists {
    let name = operator_name(&row.operator);
    let list = |list: &str, is_listed: bool| match is_listed {
        true => format!("{list} = {{\"{}\": {}}}\n", row.operator, row.versions),
        false => format!("{list} = {{}}\n"),
    };
    let text = [
        list("inductor_fallback_ops", known.fallback(name).is_some()),
        list("aten_shimified_ops", known.shimified(name).is_some()),
    ];
    ShimLists::read(&text.concat(), release).unwrap()
}

fn by_device(shims: Vec<DeviceShim>) -> BTreeMap<String, Vec<String>> {
    let shims = shims.into_iter();
    shims.map(|shim| (shim.device, shim.declarations)).collect()
}

#[test]
fn changed_schemas_are_declared_as_torchgen_declares_them() {
    for version in ["2.9.0", "2.15.0"] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = release(version);
        let catalogue = Catalogue::read(&bundle, release, None);
        let known = ShimLists::of_release(release).unwrap();
        let file = format!("aoti_shims_{version}.jsonl.gz");
        let rows = opatlas_conformance::golden_as::<Recorded>(&file);
        assert_eq!(rows.len(), 200);
        for row in &rows {
            let id = catalogue.find(operator_name(&row.operator)).unwrap();
            let schema = parse_schema(&row.schema, 0).schema.unwrap();
            let lists = with_versions(&known, row, release);
            let after = device_shims_with(&catalogue, id, &schema, &lists);
            let before = device_shims(&catalogue, id, &known);
            let lost = lost_shims(&before, &after);
            assert_eq!(!lost.is_empty(), row.breaks, "{}", row.schema);
            assert_eq!(by_device(after), row.declarations, "{}", row.schema);
        }
    }
}

#[test]
fn the_version_that_keeps_all_declarations_is_found() {
    for version in ["2.9.0", "2.15.0"] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = release(version);
        let catalogue = Catalogue::read(&bundle, release, None);
        let known = ShimLists::of_release(release).unwrap();
        let file = format!("aoti_shims_{version}.jsonl.gz");
        let mut found = 0;
        for row in opatlas_conformance::golden_as::<Recorded>(&file) {
            let id = catalogue.find(operator_name(&row.operator)).unwrap();
            let (old, new) = (
                catalogue.operator(id).schema(),
                parse_schema(&row.schema, 0).schema.unwrap(),
            );
            let before = device_shims(&catalogue, id, &known);
            let entry = version_entry(&before, old, (&catalogue, id), &new, &known);
            // torchgen was asked with `new_arg` as the one argument of a version.
            if row.breaks || !row.versions.to_string().contains("new_arg\"") {
                continue;
            }
            found += 1;
            let expected = format!("\"{}\":{}", row.operator, row.versions);
            assert_eq!(entry.unwrap().replace(' ', ""), expected);
        }
        assert!(found >= 15, "{version}: {found}");
    }
}

/// The rule, operator and functions of each change of the shim between two releases.
fn changes_between(base: &str, head: &str) -> Option<Vec<(ChangeRuleId, String, Vec<String>)>> {
    let read = |version: &str| {
        let bundle = opatlas_conformance::release(version)?;
        Some(Catalogue::read(&bundle, release(version), None))
    };
    let (base, head) = (read(base)?, read(head)?);
    let of = |catalogue| Revision {
        catalogue,
        view: None,
    };
    let changes = compare(of(&base), of(&head)).changes.into_iter();
    let of_ways = changes.filter(|change| change.rule.group == Group::Way);
    let facts = |change: Arc<Change>| {
        let operator = change.operator.to_string();
        (change.rule.id, operator, change.subject.names())
    };
    Some(of_ways.map(facts).collect())
}

#[test]
fn operators_that_needed_a_version_are_found_in_all_steps() {
    let mut needed = Vec::new();
    for step in RECORDED.windows(2) {
        let Some(changes) = changes_between(step[0], step[1]) else {
            return;
        };
        for (rule, operator, _) in changes {
            needed.push(format!("{} {rule} {operator}", step[1]));
        }
    }
    let expected = [
        "2.7.1 shim-changed _flash_attention_backward",
        "2.12.1 shim-version-added _flash_attention_forward",
        "2.12.1 shim-version-added _scaled_dot_product_attention_math_for_mps",
        "2.14.1 shim-changed _cdist_backward",
        "2.14.1 shim-changed _pdist_backward",
    ];
    assert_eq!(needed, expected);
}

/// 2.15.0 with another text in the file against 2.15.0.
fn after_edit(from: &str, to: &str) -> Option<Vec<Arc<Change>>> {
    let bundle = opatlas_conformance::release("2.15.0")?;
    let text = std::str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    assert!(text.contains(from), "{from}");
    let mut edited = bundle.clone();
    edited.insert(NATIVE_FUNCTIONS, text.replacen(from, to, 1).into_bytes());
    let base = Catalogue::read(&bundle, Release::V2_15, None);
    let head = Catalogue::read(&edited, Release::V2_15, Some(&base));
    let of = |catalogue| Revision {
        catalogue,
        view: None,
    };
    let changes = compare(of(&base), of(&head)).changes.into_iter();
    let of_ways = changes.filter(|change| change.rule.group == Group::Way);
    Some(of_ways.collect())
}

const CUMPROD: &str =
    "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n";

#[test]
fn an_appended_argument_needs_a_version() {
    let to = CUMPROD.replace(") ->", ", bool reverse=False) ->");
    let Some(changes) = after_edit(CUMPROD, &to) else {
        return;
    };
    let [change] = &changes[..] else {
        panic!("{changes:#?}");
    };
    assert_eq!(change.rule.id, ChangeRuleId::ShimChanged);
    assert!(change.impacts.breaks.contains(Audience::Aoti));
    let functions = change.subject.names();
    assert!(functions.contains(&"aoti_torch_cpu_cumprod".to_owned()));
    let line = r#""aten.cumprod.default": {"v2": {"new_args": ["reverse"]}}"#;
    assert_eq!(change.notes, [Note::ShimVersion(line.into())]);
    let help = opatlas_report::changes::help(change).unwrap().to_string();
    assert!(help.contains(line), "{help}");
}

#[test]
fn no_version_keeps_a_renamed_argument() {
    let to = CUMPROD.replace("int dim", "int axis");
    let Some(changes) = after_edit(CUMPROD, &to) else {
        return;
    };
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].rule.id, ChangeRuleId::ShimChanged);
    assert!(changes[0].notes.is_empty());
}

#[test]
fn another_default_changes_no_declaration() {
    let to = CUMPROD.replace("dtype=None", "dtype=long");
    if let Some(changes) = after_edit(CUMPROD, &to) {
        assert!(changes.is_empty(), "{changes:#?}");
    }
}

#[test]
fn an_operator_that_goes_takes_its_functions_along() {
    let view = "- func: view_as_real(Tensor(a) self) -> Tensor(a)\n";
    for (from, to) in [
        (view, view.replace("view_as_real", "view_as_pairs")),
        (CUMPROD, CUMPROD.replace("-> Tensor", "-> Tensor[]")),
    ] {
        let Some(changes) = after_edit(from, &to) else {
            return;
        };
        assert_eq!(changes.len(), 1, "{to}: {changes:#?}");
        assert_eq!(changes[0].rule.id, ChangeRuleId::ShimRemoved);
    }
}

#[test]
fn stable_headers_pass_the_arguments_that_they_know() {
    let from = "- func: unsqueeze(Tensor(a) self, int dim) -> Tensor(a)\n";
    let to = from.replace("int dim", "int dim, int count=1");
    if let Some(changes) = after_edit(from, &to) {
        let rules: Vec<_> = changes.iter().map(|change| change.rule.id).collect();
        assert_eq!(rules, [ChangeRuleId::StableOperatorChanged]);
    }
}
