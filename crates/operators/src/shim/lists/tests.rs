use super::*;

const NEW: &str = r#"# Operators with a shim.
from __future__ import annotations

inductor_fallback_ops: dict[str, dict[str, object]] = {
    "aten.abs.default": {},  # elementwise
    'aten.add.Tensor': {"v2": {"new_args": ["alpha", "beta"], "since": "TORCH_VERSION_2_14_0"},
                        "since": "TORCH_VERSION_2_12_0"},
    "prims.sin.default": {},
}

aten_shimified_ops = {"aten.pad.default": {}}
"#;

fn versions(entry: Option<&ShimEntry>) -> Vec<(u32, Vec<Box<str>>)> {
    let versions = &entry.expect("the operator is listed").versions;
    let pairs = versions
        .iter()
        .map(|one| (one.number, one.new_arguments.clone()));
    pairs.collect()
}

fn error(text: &str, release: Release) -> String {
    ShimLists::read(text, release).unwrap_err().to_string()
}

#[test]
fn a_file_has_two_lists() {
    let lists = ShimLists::read(NEW, Release::V2_15).unwrap();
    let names: Vec<_> = lists.names().collect();
    assert_eq!(names, ["abs", "add.Tensor", "prims::sin", "pad"]);
    let add = versions(lists.fallback("add.Tensor"));
    assert_eq!(add, [(2, vec!["alpha".into(), "beta".into()])]);
    assert_eq!(versions(lists.shimified("pad")), []);
    assert!(lists.shimified("abs").is_none());
}

#[test]
fn a_set_has_no_versions() {
    let text = "inductor_fallback_ops = {\n    \"aten.abs.default\",\n}\n";
    let lists = ShimLists::read(text, Release::V2_6).unwrap();
    assert_eq!(versions(lists.fallback("abs")), []);
    assert_eq!(lists.with_version("abs", &["x"]), None);
}

#[test]
fn a_version_is_added_in_the_form_of_the_release() {
    let line = |release| {
        let lists = ShimLists::of_release(release).unwrap();
        lists.with_version("cat", &["new_arg"]).unwrap().1
    };
    assert_eq!(
        line(Release::V2_9),
        r#""aten.cat.default": {"v2": ["new_arg"]}"#
    );
    assert_eq!(
        line(Release::V2_15),
        r#""aten.cat.default": {"v2": {"new_args": ["new_arg"]}}"#
    );
    let lists = ShimLists::read(NEW, Release::V2_15).unwrap();
    let (lists, line) = lists.with_version("add.Tensor", &["gamma"]).unwrap();
    assert_eq!(
        line,
        r#""aten.add.Tensor": {"v2": {"new_args": ["alpha", "beta"], "since": "TORCH_VERSION_2_14_0"}, "since": "TORCH_VERSION_2_12_0", "v3": {"new_args": ["gamma"]}}"#
    );
    assert_eq!(versions(lists.fallback("add.Tensor")).len(), 2);
    assert_eq!(lists.with_version("sin", &["x"]), None);
}

/// Until 2.12, torchgen takes the keys of a dict for arguments without a word.
#[test]
fn a_version_in_the_form_of_another_release_does_not_help() {
    let of = |value: &str, release| {
        let text =
            format!("inductor_fallback_ops = {{\"aten.abs.default\": {{\"v2\": {value}}}}}\n");
        ShimLists::read(&text, release)
    };
    let lists = of("{\"new_args\": [\"x\"]}", Release::V2_12).unwrap();
    assert_eq!(
        versions(lists.fallback("abs")),
        [(2, vec!["new_args".into()])]
    );
    let error = of("[\"x\"]", Release::V2_15).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1, column 27: `aten.abs.default`: `v2` must be `{\"new_args\": [...]}` from PyTorch 2.13 on"
    );
}

#[test]
fn what_does_not_parse_is_an_error_with_its_place() {
    let cases = [
        (
            "x = 1\n",
            "line 2, column 1: the file does not assign `inductor_fallback_ops`",
        ),
        (
            "inductor_fallback_ops = {\n  \"a\": {},\n  f(): {},\n}\n",
            "line 3, column 3: expected a string, a list, a set or a dict",
        ),
        (
            "inductor_fallback_ops = {\"a\": {}",
            "line 1, column 33: expected `,` or `}`",
        ),
        (
            "inductor_fallback_ops = {\"a\": {}, \"b\"}",
            "line 1, column 38: a dict and a set are mixed",
        ),
        (
            "inductor_fallback_ops = {\"a",
            "line 1, column 26: expected a string that ends on its line, without escapes",
        ),
        (
            "inductor_fallback_ops = {\"a\": {\"w2\": []}}",
            "line 1, column 27: `a`: `w2` is not a version such as `v2`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text, Release::V2_15), expected, "{text}");
    }
    let deep = format!("inductor_fallback_ops = {}", "[".repeat(100_000));
    assert!(error(&deep, Release::V2_15).ends_with("nested too deeply"));
}
