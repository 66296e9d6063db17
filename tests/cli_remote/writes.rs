//! Writing: what is sent to a server is there as if it had been stored at once, and what is said of
//! it is the same.

use crate::cli_remote::Place;
use crate::common::index::{Index, name};

/// A line of output with what differs by chance taken out.
fn without_id(text: &str) -> String {
    text.split_once("  ")
        .map_or(text, |(_, rest)| rest)
        .to_owned()
}

#[test]
fn bundles_are_taken_in() {
    let (own, sent) = (Place::new(), Place::new());
    let check = |arguments: &[&str], code: i32| {
        let (here, there) = (own.here(arguments), sent.there(arguments));
        assert_eq!(here, there, "{arguments:?}");
        assert_eq!(here.code, Some(code), "{here:?}");
        here
    };
    for place in [&own, &sent] {
        place.write(
            "a/native_functions.yaml",
            "- func: one(Tensor self) -> Tensor\n",
        );
        place.write(
            "a/backends/acme.yaml",
            "backend: XLA\ncpp_namespace: acme\nsupported:\n- one\n",
        );
        place.write(
            "b/native_functions.yaml",
            "- func: one(Tensr self) -> Tensor\n",
        );
        place.write("broken/native_functions.yaml", "one: two\n");
        place.write(
            "acme.yaml",
            "backend: XLA\ncpp_namespace: acme\nsupported:\n- one\n- two\n",
        );
    }
    check(&["import", "--dir", "a", "--label", "2.9.0"], 0);
    check(&["import", "--dir", "a", "--label", "2.9.0"], 0);
    check(&["import", "--sample", "--project", "acme"], 0);
    check(
        &[
            "import",
            "--dir",
            "b",
            "--label",
            "main",
            "--release",
            "2.5",
        ],
        0,
    );
    check(
        &[
            "import",
            "--dir",
            "b",
            "--label",
            "main",
            "--release",
            "2.6",
        ],
        2,
    );
    check(
        &["import", "--dir", "b", "--label", "x", "--release", "one"],
        2,
    );
    check(&["import", "--dir", "b", "--label", "no label"], 2);
    check(
        &[
            "import",
            "--dir",
            "b",
            "--label",
            "x",
            "--project",
            "no project",
        ],
        2,
    );
    let strict = check(&["import", "--dir", "b", "--label", "s", "--strict"], 1);
    for part in [
        "the files have 1 error,",
        "\n  native_functions.yaml:1:",
        "[type-unknown]",
    ] {
        assert!(strict.err.contains(part), "{strict:?}");
    }
    check(&["import", "--dir", "a", "--label", "2.9.0", "--strict"], 0);
    check(&["import", "--sample", "--label", "s", "--strict"], 0);
    let refused = check(&["import", "--dir", "b", "--label", "2.9.0"], 2);
    assert!(refused.err.contains("is protected"), "{refused:?}");
    check(&["import", "--dir", "b", "--label", "2.9.0", "--force"], 0);
    let laid = check(
        &[
            "import",
            "--project",
            "npu",
            "--backend",
            "acme.yaml",
            "--over",
            "2.9.0",
        ],
        // It names an operator that does not exist.
        1,
    );
    assert!(laid.err.contains("acme.yaml: "), "{laid:?}");
    let unreadable = sent.there(&["import", "--dir", "broken", "--label", "c"]);
    assert_eq!(unreadable.code, Some(2), "{unreadable:?}");
    for part in [
        "is not a list of entries",
        "\n  native_functions.yaml:1:1: ",
    ] {
        assert!(unreadable.err.contains(part), "{unreadable:?}");
    }
    for project in ["pytorch", "acme", "npu"] {
        let export = [
            "export",
            "--project",
            project,
            "--file",
            "native_functions.yaml",
        ];
        assert_eq!(own.here(&export).out, sent.here(&export).out);
    }
    // What was laid over is there too.
    let gaps = ["table", "--backend", "XLA", "--project", "npu"];
    assert_eq!(own.here(&gaps).out, sent.there(&gaps).out);
}

#[test]
fn releases_are_taken_in_and_gone_on_with() {
    let (own, sent) = (Place::new(), Place::new());
    // Their files come from the cache.
    let index = Index::of(
        ["2.8.0", "2.9.0"]
            .map(|version| (name(version), vec![]))
            .into(),
    );
    for place in [&own, &sent] {
        for (version, text) in [
            ("2.8.0", "- func: one(Tensor self) -> Tensor\n"),
            ("2.9.0", "- func: one(Tensor self, int n=0) -> Tensor\n"),
        ] {
            place.write(&format!("cache/{version}/native_functions.yaml"), text);
        }
        index.write_configuration(place.path());
    }
    let import = [
        "import",
        "torch==2.8.0..latest",
        "--cache",
        "cache",
        "--jobs",
        "1",
    ];
    let (here, there) = (own.here(&import), sent.there(&import));
    // They come in as they are fetched, in whatever order.
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(Into::into).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&here.out), sorted(&there.out));
    assert_eq!((here.code, here.err), (Some(0), there.err));
    assert_eq!(sorted(&there.out).len(), 2);
    let again = sent.there(&import);
    assert_eq!(again.err, "2 of 2 releases already stored\n");
    let history = ["history", "one"];
    assert_eq!(own.here(&history), sent.there(&history));
}

#[test]
fn exceptions_are_made_and_taken_away() {
    let (own, sent) = (Place::new(), Place::new());
    let add = [
        "exception",
        "add",
        "can_cast",
        "argument-renamed",
        "--argument",
        "from",
        "--reason",
        "a keyword",
        "--until",
        "2.16",
    ];
    let (here, there) = (own.here(&add), sent.there(&add));
    assert_eq!((here.code, there.code), (Some(0), Some(0)), "{there:?}");
    assert_eq!(without_id(&here.out), without_id(&there.out));
    assert_eq!(sent.here(&["exception", "list"]).out, there.out);
    let wrong = [
        "exception",
        "add",
        "can_cast",
        "argument-renamd",
        "--reason",
        "x",
    ];
    assert_eq!(own.here(&wrong), sent.there(&wrong));
    let wrong = [
        "exception",
        "add",
        "f",
        "argument-renamed",
        "--reason",
        "x",
        "--until",
        "2026-13-01",
    ];
    assert_eq!(own.here(&wrong), sent.there(&wrong));
    assert_eq!(wrong.len(), 8);
    let (id, _) = there.out.split_once(' ').unwrap();
    let gone = sent.there(&["exception", "remove", id]);
    assert_eq!(
        gone.out,
        format!("{id} is removed; its change counts again\n")
    );
    let none = ["exception", "remove", id];
    assert_eq!(own.here(&none), sent.there(&none));
    assert_eq!(sent.here(&["exception", "list"]).out, "");
}
