//! The build rejects unknown data, and supports more releases than there are.

#[path = "../build/handwritten.rs"]
mod handwritten;
#[path = "../build/releases.rs"]
#[allow(dead_code, reason = "the build uses the rest")]
mod releases;
#[path = "../build/ways.rs"]
mod ways;

use serde_json::{Value, json};

fn names(count: usize) -> Vec<String> {
    (0..count).map(|minor| format!("2.{minor}")).collect()
}

fn registered(file: &str, range: &str) -> Value {
    json!({
        "registrations": {"CPU": {file: {range: "op"}}},
        "operators_without_yaml": {},
    })
}

fn mask(range: &str, releases: usize) -> u64 {
    let tables = handwritten::generate(&registered("null", range), &names(releases));
    let (_, rest) = tables.split_once("releases: ").unwrap();
    rest.split_once(' ').unwrap().0.parse().unwrap()
}

#[test]
fn every_release_has_a_bit_of_its_own() {
    for count in [16, 17, 33, 64] {
        let last = format!("2.{}", count - 1);
        assert_eq!(mask(&last, count), 1 << (count - 1), "{count}");
        assert_eq!(mask("2.0", count), 1, "{count}");
        assert_eq!(mask("2.0-", count).count_ones() as usize, count);
    }
}

fn is_taken(decode: impl FnOnce() -> String + std::panic::UnwindSafe) -> bool {
    std::panic::catch_unwind(decode).is_ok()
}

#[test]
fn what_the_build_does_not_know_stops_it() {
    let rows = |file: &'static str, range: &'static str, count: usize| {
        is_taken(move || handwritten::generate(&registered(file, range), &names(count)))
    };
    assert!(rows("a.cpp|fallthrough", "2.0-2.3,2.6-", 16));
    assert!(!rows("a.cpp|fallthru", "2.0", 16), "a kind of kernel");
    assert!(!rows("a.cpp", "2.16", 16), "a release");
    assert!(!rows("a.cpp", "2.3-2.0", 16), "a range backwards");
    assert!(!rows("a.cpp", "2.0", 65), "more releases than bits");

    let real: Value = serde_json::from_str(include_str!("../../../data/releases.json")).unwrap();
    let changed = |change: fn(&mut Value)| {
        let mut data = real.clone();
        change(&mut data);
        is_taken(move || releases::generate(&data))
    };
    assert!(changed(|_| {}));
    assert!(!changed(
        |data| data["runtime"]["fallbacks"][0][2] = json!("kernal")
    ));
    assert!(!changed(|data| {
        let steps = data["lists"].as_object_mut().unwrap().values_mut();
        for step in steps.flat_map(|steps| steps.as_object_mut().unwrap().values_mut()) {
            if let Some(step) = step.as_object_mut() {
                step.insert("ad".to_owned(), json!(["x"]));
            }
        }
    }));
    assert!(!changed(
        |data| data["releases"][0]["patches"] = json!("2.0.0")
    ));
}

#[test]
fn ways_that_the_build_does_not_know_stop_it() {
    let rows = |rows: &'static str| {
        is_taken(move || {
            let head = "measured\t2.0.1\t2.1.2\nfact\toperators\t2.0 no dispatcher\n";
            ways::generate(&format!("{head}{rows}\n"), &names(2))
        })
    };
    assert!(rows("add\t2.1-\toperators"));
    assert!(rows("add\t2.0,2.1-\toperators=x"));
    assert!(!rows("add\t2.2\toperators"), "a release");
    assert!(!rows("add\t2.1-2.0\toperators"), "a range backwards");
    assert!(!rows("add\t2.1\tcore_tag"), "a fact that no line names");
    assert!(!rows("add\t2.1"), "a row without facts");
}
