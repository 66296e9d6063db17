//! The commands that list what is stored, and the ways to name a revision, over a database and over the
//! server of that database.

use crate::cli_remote::Place;
use crate::cli_remote::same::{check, furnished};
use crate::common::git::git;

#[test]
fn lists_are_the_same_and_end_at_their_limit() {
    let place = furnished();
    let check = |arguments: &[&str], code| check(&place, arguments, code);
    let labels = check(&["list", "labels"], 0);
    let names: Vec<&str> = labels
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["LABEL", "2.10.0", "2.7.0", "2.9.0", "main", "pr-1"]);
    let two = check(&["list", "labels", "-n", "2"], 0);
    assert_eq!(two.lines().count(), 4, "{two}");
    assert!(two.ends_with("and more; --limit 0 lists all\n"), "{two}");
    let all = check(&["list", "labels", "-n", "0", "-f", "json"], 0);
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 5);
    // Labels of the same revision are on one line.
    let revisions = check(&["list"], 0);
    assert!(revisions.contains("2.10.0, main"), "{revisions}");
    assert!(check(&["list", "projects"], 0).contains("judged"));
    check(&["list", "-p", "nobody"], 2);
}

#[test]
fn searches_supports_and_trends_are_the_same() {
    let place = furnished();
    let check = |arguments: &[&str], code| check(&place, arguments, code);
    let found = check(&["search", "extra"], 0);
    assert_eq!(found, "extra  2.10.0\n");
    check(&["search", "blend", "-f", "json"], 0);
    let one = check(&["search", "Tensor", "-n", "1"], 0);
    assert_eq!(one.lines().count(), 2, "{one}");
    assert_eq!(check(&["search", "qqqqqqqq"], 0), "No operator matches.\n");
    check(&["search", "x", "-n", "501"], 2);

    let support = check(&["support", "blend", "extra", "-k", "MPS,XPU"], 0);
    // The first stored revision does not say what was before it.
    assert!(support.contains("2.7.0 or before"), "{support}");
    assert_eq!(support.lines().count(), 2 + 4, "{support}");
    for format in ["json", "csv", "markdown"] {
        check(&["support", "blend", "-f", format], 0);
    }
    check(&["support", "blendd"], 2);
    check(&["support", "blend", "-k", "MPX"], 2);
    check(&["support", "blend,extra"], 2);

    let trends = check(&["trends"], 0);
    let first: Vec<&str> = trends
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(first, ["REVISION", "2.7.0", "2.9.0", "2.10.0"]);
    let two = check(&["trends", "-n", "2"], 0);
    assert!(
        two.ends_with("2 of 3 revisions; raise --limit to see more\n"),
        "{two}"
    );
    assert!(check(&["trends", "-k", "MPS", "--from", "2.9"], 0).contains('%'));
    check(&["trends", "--way", "vmap"], 0);
    check(&["trends", "-f", "json"], 0);
    check(&["trends", "-k", "MPX"], 2);
    check(&["trends", "-n", "1"], 2);
}

#[test]
fn labels_are_set_and_deleted() {
    let place = furnished();
    for run in [Place::here, Place::there] {
        let run = |arguments: &[&str], code: i32| {
            let outcome = run(&place, arguments);
            assert_eq!(outcome.code, Some(code), "{arguments:?}: {outcome:?}");
            outcome.out + &outcome.err
        };
        assert!(run(&["label", "set", "next", "2.10.0"], 0).starts_with("next is sha256:"));
        let moved = run(&["label", "set", "next", "v2.7.0"], 0);
        assert_eq!(moved, run(&["label", "set", "next", "2.7.0"], 0));
        assert_eq!(
            run(&["label", "delete", "next"], 0),
            "next is deleted; its revision stays\n"
        );
        run(&["label", "delete", "next"], 2);
        // A version needs force.
        run(&["label", "set", "2.8.0", "2.7.0"], 0);
        assert!(run(&["label", "set", "2.8.0", "2.9.0"], 2).contains("protected"));
        run(&["label", "delete", "2.8.0"], 2);
        run(&["label", "delete", "2.8.0", "--force"], 0);
        run(&["label", "set", "next", "2.77.0"], 2);
    }
}

#[test]
fn a_revision_has_one_kind_of_name() {
    let place = furnished();
    let folder = place.folder.path();
    git(folder, &["init", "-q"]);
    git(folder, &["add", "files"]);
    git(folder, &["commit", "-qm", "files"]);
    let path = "files/2.9.0/native_functions.yaml";
    let commit = format!("git:HEAD:{path}");
    let table = |spec: &str| {
        let table = check(&place, &["table", "blend", "-k", "MPS", "-r", spec], 0);
        table.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    let expected = table("2.9.0");
    for spec in ["v2.9.0", "2.9", "label:2.9.0", path, "files/2.9.0", &commit] {
        assert_eq!(table(spec), expected, "{spec}");
    }
    // The flags of before.
    for old in [
        &["--file", path][..],
        &["--release", "2.9"],
        &["--file", path, "--release", "2.9"],
    ] {
        check(&place, &[&["table", "blend", "-k", "MPS"], old].concat(), 0);
    }
    for spec in ["2.9.0", path, &commit] {
        let gaps = check(&place, &["gaps", "MPS", "-r", spec, "--since", "2.7.0"], 0);
        assert!(gaps.contains("since pytorch 2.7.0"), "{gaps}");
        check(&place, &["signatures", "blend", "-r", spec], 0);
        check(&place, &["ways", "blend", "-r", spec], 0);
        check(&place, &["check", spec], 0);
        check(&place, &["check", spec, "--base", "2.7.0"], 0);
        check(&place, &["compare", "2.7.0", spec, "--fail-on", "never"], 0);
    }
    let refused = check(&place, &["check", "--fix", "2.9.0"], 2);
    assert_eq!(refused, "");
    check(&place, &["check", "2.77.0"], 2);
}
