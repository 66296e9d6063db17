//! `opatlas probe`, over a database and over the server of that database.

use opatlas_source::Digest;
use serde_json::{Value, json};

use crate::cli_remote::{Outcome, Place};

const FILE: &str = "- func: works(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: works\n- func: fails(Tensor self) -> \
                    Tensor\n  dispatch:\n    CPU: fails\n";
const RUNS: &str = "/v1/projects/pytorch/probe/runs";

/// A place with a release, and no run.
fn released() -> Place {
    let place = Place::new();
    place.write("release/native_functions.yaml", FILE);
    place.done(&["import", "--dir", "release", "--label", "2.9.0"]);
    place
}

/// Opens a run and hands in its rows.
fn run(place: &Place, key: &str, rows: &Value) {
    let items: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["item"])
        .collect();
    let asked = json!({
        "key": key, "revision": "2.9.0", "torch": "2.9.0", "device": "cuda", "items": {"runs": items},
        "shard_seconds": 3600,
    });
    place.server.post_json(RUNS, &asked);
    let worker = json!({"worker": {"rank": 3}});
    let path = format!("{RUNS}/{key}");
    let leased = place.server.post_json(&format!("{path}/lease"), &worker);
    let digest = Digest::of(rows.to_string().as_bytes()).to_string();
    let lease = leased.value()["lease"].clone();
    let sent = json!({"lease": lease, "digest": digest, "rows": rows, "worker": {"rank": 3}});
    place.server.post_json(&format!("{path}/shards/0"), &sent);
}

fn row(item: &str, outcome: &str, root: &str) -> Value {
    json!({"item": item, "outcome": outcome, "roots": [root]})
}

/// Both print the same.
fn same(place: &Place, arguments: &[&str]) -> Outcome {
    let arguments = [&["probe"], arguments].concat();
    let (here, there) = (place.here(&arguments), place.there(&arguments));
    assert_eq!(here, there, "{arguments:?}");
    here
}

fn check(place: &Place, arguments: &[&str], code: i32) -> String {
    let outcome = same(place, arguments);
    assert_eq!(outcome.code, Some(code), "{arguments:?}: {outcome:?}");
    outcome.out
}

/// A run that agrees with the verdicts, and then one that does not.
fn measure(place: &Place) {
    run(
        place,
        "fine",
        &json!([row("b", "runs", "works"), row("a", "missing", "fails")]),
    );
    let odd = json!([
        row("a", "missing", "works"),
        row("b", "runs", "fails"),
        row("c", "wrong", "works"),
        row("d", "runs", "works"),
        {"item": "e", "outcome": "crash"},
    ]);
    run(place, "odd", &odd);
}

#[test]
fn runs_are_listed_and_shown() {
    let place = released();
    let check = |arguments: &[&str], code| check(&place, arguments, code);
    assert_eq!(check(&["runs"], 0), "no runs of the probe\n");
    for action in ["show", "compare"] {
        let none = same(&place, &[action]);
        assert_eq!(none.code, Some(2));
        assert!(none.err.contains("has no run of the probe"), "{}", none.err);
    }
    measure(&place);
    let runs = check(&["runs"], 0);
    let lines: Vec<_> = runs.lines().collect();
    assert_eq!(lines.len(), 2);
    let end = "odd  2.9.0 with torch 2.9.0 on cuda: 1 of 1 shards done, 5 items; 1 crash, 1 missing, 2 runs, 1 wrong";
    assert!(lines[0].ends_with(end), "{runs}");
    let one = check(&["runs", "--limit", "1"], 0);
    assert!(
        one.contains(lines[0]) && one.ends_with("and more; --limit 0 lists all\n"),
        "{one}"
    );
    assert_eq!(check(&["runs", "--limit", "0"], 0), runs);
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let list = read(check(&["runs", "--format", "json", "--limit", "1"], 0));
    assert_eq!(list["items"][0]["run"], "odd");
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let short = same(&place, &["runs", "--format", "json", "--limit", "1"]);
    assert_eq!(short.err, "note: there are more; --limit 0 lists all\n");

    let shown = check(&["show"], 0);
    assert!(
        shown.starts_with("odd: 2.9.0 with torch 2.9.0 on cuda, opened 20"),
        "{shown}"
    );
    assert!(
        shown.contains("  wrong: 1\n  rank 3: 1 shards, 5 items\n"),
        "{shown}"
    );
    assert_eq!(
        read(check(&["show", "fine", "--format", "json"], 0))["done"],
        true
    );
}

#[test]
fn runs_are_compared() {
    let place = released();
    measure(&place);
    let check = |arguments: &[&str], code| check(&place, arguments, code);
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let fine = check(&["compare", "fine"], 0);
    let lines = "fine: torch 2.9.0 on cuda, and the verdicts of 2.9.0 on CUDA\n  of 2 tests, 2 agree, 0 contradict the \
                 verdicts, 0 are unknown; 1 of 1 shards done; 1 missing, 1 runs\n";
    assert_eq!(fine, lines);
    let odd = check(&["compare"], 1);
    assert!(
        odd.contains("  of 5 tests, 1 agree, 2 contradict the verdicts, 2 are unknown;"),
        "{odd}"
    );
    let end = "\n  a: missing; predicted works runs; contradicts\n  b: runs; predicted fails fails; contradicts\n";
    assert!(odd.ends_with(end), "{odd}");
    let one = check(&["compare", "--agrees", "all", "--limit", "1"], 1);
    assert!(one.ends_with("  and more; --limit 0 lists all\n"), "{one}");
    let unknown = check(&["compare", "odd", "--agrees", "unknown"], 1);
    let end = "  e: crash; unknown: the outcome says nothing about dispatch\n";
    assert!(unknown.ends_with(end), "{unknown}");

    // In JSON, what the server answers.
    let all = read(check(
        &["compare", "--agrees", "all", "--format", "json"],
        1,
    ));
    assert_eq!(
        all,
        place.server.get(&format!("{RUNS}/odd/verdicts")).value()
    );
    for wrong in [
        &["show", "none"][..],
        &["compare", "none"],
        &["runs", "--project", "nobody"],
        &["show", "odd", "--project", "no body"],
        &["compare", "odd", "--agrees", "perhaps"],
    ] {
        check(wrong, 2);
    }
}

/// A name need not be one segment of a path.
#[test]
fn a_run_may_have_any_name() {
    let place = released();
    let name = "a/b c%2F?#é";
    let asked = json!({
        "key": name, "revision": "2.9.0", "torch": "2.9.0", "device": "bare", "items": {"runs": ["a"]},
    });
    place.server.post_json(RUNS, &asked);
    let shown = check(&place, &["show", name], 0);
    assert!(shown.starts_with(&format!("{name}: 2.9.0")), "{shown}");
    assert!(
        shown.contains("  0 of 1 shards done, 0 leased, 1 waiting\n"),
        "{shown}"
    );
    let compared = check(&place, &["compare", name], 0);
    assert!(
        compared.contains("the verdicts of 2.9.0 on no known dispatch key\n"),
        "{compared}"
    );
    assert!(compared.contains("  of 0 tests, 0 agree, 0 contradict the verdicts, 0 are unknown;"));
}
