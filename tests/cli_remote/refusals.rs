//! What cannot be: servers that are not there or are none, and options that contradict each other.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli_remote::fake::{self, Fake};
use crate::cli_remote::{Place, run};

/// What a command says of a server that it cannot use.
fn complaint(place: &Place, server: &str) -> String {
    let outcome = place.run(&[
        "table",
        "one",
        "--server",
        server,
        "--token",
        "opatlas_secret",
    ]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert_eq!(outcome.out, "");
    assert!(!outcome.err.contains("opatlas_secret"), "{outcome:?}");
    outcome.err
}

#[test]
fn a_server_that_is_not_there_is_told_with_what_to_try() {
    let place = Place::new();
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let said = complaint(&place, &format!("http://{free}"));
    for part in [
        &format!("http://{free}"),
        "no answer",
        "refused",
        "`opatlas serve`",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = complaint(
        &place,
        &format!("https{}", place.server.url.strip_prefix("http").unwrap()),
    );
    assert!(said.contains("certificate"), "{said}");
    let said = complaint(&place, "http://nowhere.invalid");
    assert!(said.contains("nowhere.invalid"), "{said}");
}

#[test]
fn what_answers_must_be_opatlas() {
    let place = Place::new();
    let pages = Fake::start(|_| fake::answer("200 OK", "text/html", "<h1>Hello</h1>", &[]));
    assert!(complaint(&place, &pages.url).contains("is not an Opatlas server"));
    let broken = Fake::start(|_| fake::answer("502 Bad Gateway", "text/html", "<h1>Oh</h1>", &[]));
    assert!(
        complaint(&place, &broken.url).contains("answers 502, which is not an answer of Opatlas")
    );
    let lost = complaint(&place, &format!("{}/opatlas", place.server.url));
    assert!(
        lost.contains("/opatlas/v1/version does not exist"),
        "{lost}"
    );
    let door = Fake::start(|_| {
        fake::answer(
            "302 Found",
            "text/html",
            "",
            &["location: https://login.example.org/"],
        )
    });
    assert!(complaint(&place, &door.url).contains("redirects to https://login.example.org/"));
    let version = |api: &str, version: &str| {
        format!(
            r#"{{"name":"opatlas","version":"{version}","engine":"x","api":"{api}","oldest_release":"2.0","newest_release":"2.15"}}"#
        )
    };
    let body = version("v2", "2.0.0");
    let newer = Fake::start(move |_| fake::answer("200 OK", "application/json", &body, &[]));
    let said = complaint(&place, &newer.url);
    assert!(
        said.contains("has API version v2, but this program has v1"),
        "{said}"
    );
    let (body, problem) = (
        version("v1", "9.9.9"),
        r#"{"type":"/problems/invalid-parameter","title":"t","status":400,"detail":"two things","errors":[{"detail":"one"},{"detail":"other"}]}"#,
    );
    let odd = Fake::start(move |asked| match asked.head[0].contains("/v1/version") {
        true => fake::answer("200 OK", "application/json", &body, &[]),
        false => fake::answer("400 Bad Request", "application/problem+json", problem, &[]),
    });
    let said = complaint(&place, &odd.url);
    assert!(
        said.starts_with("note: the server is Opatlas 9.9.9, this is "),
        "{said}"
    );
    assert!(
        said.contains("error: two things\n  one\n  other\n"),
        "{said}"
    );
}

#[test]
fn files_that_are_not_what_they_were_are_not_used() {
    let place = Place::new();
    place.write(
        "a/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n",
    );
    place.done(&["import", "--dir", "a", "--label", "2.9.0"]);
    let address = place.server.url.strip_prefix("http://").unwrap().to_owned();
    let liar = Fake::start(move |asked| match asked.head[0].contains("/files/") {
        true => fake::answer(
            "200 OK",
            "application/yaml",
            "- func: two(Tensor self) -> Tensor\n",
            &[],
        ),
        false => fake::forward(&address, "", asked),
    });
    let said = complaint(&place, &liar.url);
    assert!(said.contains("is damaged"), "{said}");
}

#[test]
fn a_server_may_stand_behind_a_prefix() {
    let place = Place::new();
    place.write(
        "a/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n",
    );
    let proxy = Fake::before(&place.server.url, "/tools/opatlas");
    let server = format!("{}/tools/opatlas/", proxy.url);
    let there = |arguments: &[&str]| place.run(&[arguments, &["--server", &server]].concat());
    assert_eq!(
        there(&["import", "--dir", "a", "--label", "2.9.0"]).code,
        Some(0)
    );
    for arguments in [
        &["table", "one"][..],
        &["history", "one"],
        &["compare", "2.9.0", "a"],
    ] {
        assert_eq!(there(arguments), place.here(arguments));
    }
    let said = complaint(&place, &proxy.url);
    assert!(
        said.contains("answers 404, which is not an answer of Opatlas"),
        "{said}"
    );
}

#[test]
fn a_busy_server_is_asked_again_where_that_does_no_harm() {
    let place = Place::new();
    place.write(
        "a/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n",
    );
    let address = place.server.url.strip_prefix("http://").unwrap().to_owned();
    let busy = AtomicBool::new(false);
    // Every other request comes at a bad time.
    let server = Fake::start(move |asked| match busy.fetch_xor(true, Ordering::Relaxed) {
        true => fake::forward(&address, "", asked),
        false => {
            let problem = r#"{"type":"/problems/busy","title":"Busy","status":503,"detail":"too much to do","request_id":"r1"}"#;
            let headers = ["retry-after: 0"];
            fake::answer(
                "503 Service Unavailable",
                "application/problem+json",
                problem,
                &headers,
            )
        }
    });
    let there = |arguments: &[&str]| place.run(&[arguments, &["--server", &server.url]].concat());
    let imported = there(&["import", "--dir", "a", "--label", "2.9.0"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let asked = there(&["table", "one"]);
    assert_eq!(asked, place.here(&["table", "one"]));
    let add = [
        "exception",
        "add",
        "one",
        "argument-renamed",
        "--reason",
        "x",
    ];
    let refused = there(&add);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.err.contains("failed: too much to do (request r1)"),
        "{refused:?}"
    );
}

#[test]
fn options_that_contradict_each_other_are_bad_usage() {
    let place = Place::new();
    let check = |arguments: &[&str], says: &str| {
        let outcome = place.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {outcome:?}");
        assert!(outcome.err.contains(says), "{arguments:?}: {outcome:?}");
        assert!(!outcome.err.contains("hush"), "{arguments:?}: {outcome:?}");
    };
    let url = &*place.server.url;
    check(
        &["table", "f", "--server", url, "--database", "sqlite://x.db"],
        "use one of them",
    );
    check(&["table", "f", "--token", "hush"], "--token needs --server");
    check(
        &["table", "f", "--server", "https://me:hush@example.org"],
        "OPATLAS_TOKEN",
    );
    check(
        &["table", "f", "--server", "localhost:8080"],
        "http://HOST:PORT",
    );
    check(
        &["table", "f", "--server", ""],
        "not the address of a server",
    );
    for command in [
        &["serve"][..],
        &["backup", "x"],
        &["restore", "x"],
        &["doctor"],
        &["gc"],
        &["token", "list"],
    ] {
        let with = [command, &["--server", url, "--token", "hush"]].concat();
        check(&with, "needs direct access to the database");
        let mut command = place.command(command);
        let outcome = run(command.env("OPATLAS_SERVER", url));
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.err.contains("OPATLAS_SERVER is set"), "{outcome:?}");
    }
    check(
        &["import", "--git", ".", "--server", url],
        "needs direct access to the database",
    );
    assert!(!place.path().join("opatlas.db").exists());
}

#[test]
fn what_is_said_goes_before_the_environment() {
    let place = Place::new();
    place.write(
        "a/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n",
    );
    place.done(&["import", "--dir", "a", "--label", "2.9.0"]);
    let expected = place.here(&["table", "one"]);
    let nowhere = "http://127.0.0.1:9";
    let mut command = place.command(&["table", "one", "--database", &place.database]);
    assert_eq!(run(command.env("OPATLAS_SERVER", nowhere)), expected);
    let mut command = place.command(&["table", "one", "--server", &place.server.url]);
    assert_eq!(
        run(command.env("OPATLAS_DATABASE", "sqlite://none.db")),
        expected
    );
    let mut command = place.command(&["table", "one"]);
    command.env("OPATLAS_DATABASE", "sqlite://none.db");
    assert_eq!(
        run(command.env("OPATLAS_SERVER", &place.server.url)),
        expected
    );
    let mut command = place.command(&["table", "one", "--database", &place.database]);
    assert_eq!(
        run(command
            .env("OPATLAS_TOKEN", "opatlas_x")
            .env("OPATLAS_SERVER", "")),
        expected
    );
}
