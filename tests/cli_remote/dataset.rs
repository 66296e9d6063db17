//! `opatlas export --dataset`: the files, their schema, and that they say what other surfaces say.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli_remote::Place;

const OLD: &str = "\
- func: half_of(Tensor self) -> Tensor
  dispatch:
    CPU: half_of_cpu
    MPS: half_of_mps
  autogen: half_of.out

- func: blend(Tensor self) -> Tensor
  dispatch:
    CPU: blend
";

/// A place with releases of four minor versions.
fn furnished() -> Place {
    let place = Place::new();
    let new = OLD.replace("    CPU: blend\n", "    CPU, MPS: blend\n");
    let newest = format!("{new}\n- func: extra(Tensor self) -> Tensor\n");
    let texts = [
        ("2.10.0", &new),
        ("2.7.0", &OLD.to_owned()),
        ("2.8.0", &OLD.to_owned()),
        ("2.9.0", &new),
        ("2.11.0", &newest),
        ("main", &newest),
    ];
    for (label, text) in texts {
        place.write(&format!("{label}/native_functions.yaml"), text);
        place.write(&format!("{label}/tags.yaml"), "[]\n");
        place.done(&["import", "--dir", label, "--label", label]);
    }
    place
}

fn read(place: &Place, path: &str) -> Value {
    let text = fs::read_to_string(place.path().join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What a release file says of an operator on a key: verdict, works, word.
fn said(file: &Value, operator: &str, key: &str) -> (String, String, String) {
    let find = |list: &str, field: &str, value: &str| {
        let rows = file[list].as_array().unwrap();
        rows.iter().position(|row| row[field] == value).unwrap()
    };
    let row = &file["operators"][find("operators", "name", operator)];
    let at = find("keys", "key", key);
    let letter = |field: &str| {
        let letter = row[field].as_str().unwrap().chars().nth(at).unwrap();
        letter.to_string()
    };
    let verdict = &file["verdicts"][find("verdicts", "letter", &letter("verdicts"))];
    let word = &file["words"][find("words", "letter", &letter("words"))];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        text(&verdict["verdict"]),
        text(&verdict["works"]),
        text(&word["word"]),
    )
}

#[test]
fn a_static_site_can_serve_what_a_database_or_a_server_has() {
    let place = furnished();
    let here = place.here(&["export", "--dataset", "data"]);
    assert_eq!(here.code, Some(0), "{here:?}");
    let paths = [
        "releases/2.7.0.json",
        "releases/2.8.0.json",
        "releases/2.9.0.json",
        "releases/2.10.0.json",
        "releases/2.11.0.json",
        "changes.json",
        "schema.json",
        "index.json",
    ];
    let listed: Vec<String> = paths.map(|path| format!("data/{path}")).into();
    assert_eq!(here.out.lines().collect::<Vec<_>>(), listed);
    let files: Vec<Vec<u8>> = listed
        .iter()
        .map(|path| fs::read(place.path().join(path)).unwrap())
        .collect();
    let there = place.there(&["export", "--dataset", "data"]);
    assert_eq!(here, there);
    for (path, bytes) in listed.iter().zip(files) {
        assert_eq!(fs::read(place.path().join(path)).unwrap(), bytes, "{path}");
    }
    sizes_and_digests_are_those_of_files(&place);
}

fn sizes_and_digests_are_those_of_files(place: &Place) {
    let index = read(place, "data/index.json");
    for file in index["files"]
        .as_array()
        .unwrap()
        .iter()
        .chain(index["releases"].as_array().unwrap())
    {
        let path = Path::new("data").join(file["path"].as_str().unwrap());
        let bytes = fs::read(place.path().join(path)).unwrap();
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(
            file["sha256"],
            opatlas_source::Digest::of(&bytes).to_string()
        );
    }
}

#[test]
fn words_follow_from_verdicts_and_releases() {
    let place = furnished();
    place.done(&["export", "--dataset", "data"]);
    let of = |release: &str, operator: &str, key: &str| {
        let file = read(&place, &format!("data/releases/{release}.json"));
        let (verdict, works, word) = said(&file, operator, key);
        format!("{verdict} {works} {word}")
    };
    assert_eq!(of("2.7.0", "half_of", "MPS"), "runs yes newly");
    assert_eq!(of("2.9.0", "half_of", "MPS"), "runs yes newly");
    assert_eq!(of("2.10.0", "half_of", "MPS"), "runs yes widely");
    assert_eq!(of("2.8.0", "blend", "MPS"), "fails no none");
    assert_eq!(of("2.11.0", "blend", "MPS"), "runs yes newly");
    assert_eq!(of("2.11.0", "half_of", "CUDA"), "fails no none");
    assert_eq!(of("2.11.0", "extra", "CUDA"), "unknown unknown unknown");
    let newest = read(&place, "data/releases/2.11.0.json");
    let operators = newest["operators"].as_array().unwrap();
    let words: BTreeMap<_, _> = operators
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["word"].as_str().unwrap()))
        .collect();
    assert_eq!(words["half_of"], "limited");
    assert_eq!(words["extra"], "unknown");
    let out = operators
        .iter()
        .find(|row| row["name"] == "half_of.out")
        .unwrap();
    assert_eq!(out["generated"], true);
}

#[test]
fn changes_are_those_between_releases_in_order() {
    let place = furnished();
    place.done(&["export", "--dataset", "data"]);
    let changes = read(&place, "data/changes.json");
    let steps = changes["releases"].as_array().unwrap();
    let names = steps.iter().map(|step| {
        (
            step["from"].as_str().unwrap(),
            step["release"].as_str().unwrap(),
        )
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            ("2.7.0", "2.8.0"),
            ("2.8.0", "2.9.0"),
            ("2.9.0", "2.10.0"),
            ("2.10.0", "2.11.0")
        ]
    );
    let groups = steps[1]["changes"].as_array().unwrap();
    let mps = groups.iter().find(|group| group["key"] == "MPS").unwrap();
    assert_eq!(
        (&mps["before"]["word"], &mps["after"]["word"]),
        (&"fails".into(), &"runs".into())
    );
    assert_eq!(mps["operators"], serde_json::json!(["blend"]));
    assert_eq!(steps[3]["added"], serde_json::json!(["extra"]));
}

#[test]
fn the_schema_describes_the_files() {
    let place = furnished();
    place.done(&["export", "--dataset", "data"]);
    let schema = read(&place, "data/schema.json");
    for path in [
        "index.json",
        "changes.json",
        "releases/2.7.0.json",
        "releases/2.11.0.json",
    ] {
        let mut file = read(&place, &format!("data/{path}"));
        assert_eq!(fault(&schema, &schema, &file), None, "{path}");
        file["format"] = 2.into();
        assert!(fault(&schema, &schema, &file).is_some(), "{path}");
        file["format"] = 1.into();
        file["more"] = 1.into();
        assert!(fault(&schema, &schema, &file).is_some(), "{path}");
    }
}

#[test]
fn a_project_without_releases_has_no_data_set() {
    let place = Place::new();
    place.write("main/native_functions.yaml", OLD);
    place.done(&["import", "--dir", "main", "--label", "main"]);
    let refused = place.here(&["export", "--dataset", "data"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("no label of pytorch is a version"),
        "{refused:?}"
    );
    for more in [&["--file", "tags.yaml"][..], &["--out", "x"], &["main"]] {
        let refused = place.here(&[&["export", "--dataset", "data"], more].concat());
        assert_eq!(refused.code, Some(2), "{more:?}");
    }
}

/// The first place at which a value breaks a schema, of the keywords that the schema of the data set
/// has.
fn fault(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let keywords = schema.as_object().unwrap();
    keywords.iter().find_map(|(keyword, rule)| {
        let breaks = || Some(format!("{keyword} {rule}: {value}"));
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" => None,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                fault(root, &root["$defs"][name], value)
            }
            "oneOf" => {
                let fits = |one: &&Value| fault(root, one, value).is_none();
                let count = rule.as_array().unwrap().iter().filter(fits).count();
                if count == 1 { None } else { breaks() }
            }
            "const" if rule == value => None,
            "enum" if rule.as_array().unwrap().contains(value) => None,
            "type" if is_type(rule, value) => None,
            "properties" => rule.as_object().unwrap().iter().find_map(|(name, rule)| {
                value.get(name).and_then(|value| fault(root, rule, value))
            }),
            "required" => {
                let has =
                    |name: &Value| value.is_null() || value.get(name.as_str().unwrap()).is_some();
                if rule.as_array().unwrap().iter().all(has) {
                    None
                } else {
                    breaks()
                }
            }
            "additionalProperties" => {
                let known = &schema["properties"];
                let names = value
                    .as_object()
                    .into_iter()
                    .flat_map(|object| object.keys());
                names
                    .into_iter()
                    .find(|name| known.get(name).is_none())
                    .cloned()
            }
            "items" => {
                let items = value.as_array().into_iter().flatten();
                items.into_iter().find_map(|item| fault(root, rule, item))
            }
            "minimum" if value.as_u64() >= rule.as_u64() => None,
            "minLength" if length(value) >= rule.as_u64() => None,
            "maxLength" if length(value) <= rule.as_u64() => None,
            "pattern" => {
                assert_eq!(rule, "^[0-9a-f]{64}$");
                let text = value.as_str().unwrap();
                let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                if is_hex { None } else { breaks() }
            }
            _ => breaks(),
        }
    })
}

fn is_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "boolean" => value.is_boolean(),
        name => name == "null" && value.is_null(),
    };
    rule.as_array()
        .map_or_else(|| is(rule), |names| names.iter().any(is))
}

fn length(value: &Value) -> Option<u64> {
    Some(value.as_str()?.chars().count() as u64)
}
