//! Tokens: where one is needed, which right is missing, and that none is ever shown.

use crate::cli_remote::fake::{self, Fake};
use crate::cli_remote::{Place, run};

/// A server that wants a token for everything, with a revision.
fn guarded() -> Place {
    let place = Place::with(&["--auth", "all"]);
    place.write(
        "a/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n",
    );
    place.done(&["import", "--dir", "a", "--label", "2.9.0"]);
    place
}

#[test]
fn without_a_token_and_with_a_wrong_one_it_says_how_to_get_one() {
    let place = guarded();
    let none = place.there(&["table", "one"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.err.contains("requires a token") && none.err.contains("`opatlas token create`"),
        "{none:?}"
    );
    let wrong = place.there(&["table", "one", "--token", "opatlas_secretsecretsecret"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.err.contains("rejects this token: unknown token"),
        "{wrong:?}"
    );
    assert!(!wrong.err.contains("secretsecret"), "{wrong:?}");
    let odd = place.there(&["table", "one", "--token", "secret\nsecret"]);
    assert_eq!(odd.code, Some(2));
    assert!(
        odd.err.contains("invalid characters") && !odd.err.contains("secret"),
        "{odd:?}"
    );
}

#[test]
fn a_right_token_opens_and_a_narrow_one_says_what_it_lacks() {
    let place = guarded();
    let read = place.token(&["--project", "pytorch", "--action", "read"]);
    let with = |token: &str, arguments: &[&str]| {
        let mut command = place.command(arguments);
        run(command
            .env("OPATLAS_SERVER", &place.server.url)
            .env("OPATLAS_TOKEN", token))
    };
    assert_eq!(
        with(&read, &["table", "one"]),
        place.here(&["table", "one"])
    );
    let refused = |token: &str, arguments: &[&str], action: &str| {
        let refused = with(token, arguments);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let lacks = format!("does not allow `{action}` in project");
        assert!(refused.err.contains(&lacks), "{refused:?}");
        assert!(
            refused.err.contains("opatlas token create NAME --project"),
            "{refused:?}"
        );
        assert!(!refused.err.contains(token), "{refused:?}");
    };
    let import = ["import", "--dir", "a", "--label", "main"];
    refused(&read, &import, "ingest");
    // Nothing is fetched that could not be stored.
    let fetch = ["import", "torch==2.8.0"];
    refused(&read, &fetch, "ingest");
    refused(
        &read,
        &["exception", "add", "f", "argument-renamed", "--reason", "x"],
        "except",
    );
    let ingest = place.token(&["--project", "pytorch", "--action", "ingest"]);
    assert_eq!(with(&ingest, &import).code, Some(0));
    refused(&ingest, &[&import[..], &["--force"]].concat(), "label");
    refused(&ingest, &fetch, "label");
    refused(&ingest, &["table", "one", "--project", "other"], "read");
    let admin = place.token(&["--all-projects", "--action", "ingest,admin"]);
    assert_eq!(
        with(&admin, &[&import[..], &["--project", "other"]].concat()).code,
        Some(0)
    );
}

#[test]
fn a_token_goes_to_no_other_host() {
    let place = guarded();
    let token = place.token(&["--project", "pytorch", "--action", "read"]);
    let elsewhere = Fake::before(&place.server.url, "");
    let location = format!("location: {}/v1/version", elsewhere.url);
    let old = Fake::start(move |_| {
        fake::answer("308 Permanent Redirect", "text/plain", "", &[&location])
    });
    let sent_on = place.run(&["table", "one", "--server", &old.url, "--token", &token]);
    assert_eq!(sent_on.code, Some(2), "{sent_on:?}");
    assert!(
        sent_on.err.contains("does not receive the token"),
        "{sent_on:?}"
    );
    assert!(old.heads()[0].to_lowercase().contains("authorization"));
    for head in elsewhere.heads() {
        assert!(!head.to_lowercase().contains("authorization"), "{head}");
    }
    // On the same host it is shown, and what is stored is asked for there.
    let address = place.server.url.strip_prefix("http://").unwrap().to_owned();
    let moved = Fake::start(move |asked| match asked.head[0].starts_with("GET /new/") {
        true => fake::forward(&address, "/new", asked),
        false => fake::answer(
            "302 Found",
            "text/plain",
            "",
            &["location: /new/v1/version"],
        ),
    });
    let there = place.run(&[
        "table",
        "one",
        "--server",
        &format!("{}/old/", moved.url),
        "--token",
        &token,
    ]);
    assert_eq!(there, place.here(&["table", "one"]));
}
