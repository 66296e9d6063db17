//! Reading: every command in every form, over a database and over the server of that database.

use std::process::Command;

use opatlas_source::Digest;

use crate::cli_remote::Place;

const OLD: &str = include_str!("../api/small.yaml");
const BACKEND: &str = "backend: XLA\ncpp_namespace: acme\nsupported:\n- blend\n- half_of\n";

/// A place with three releases, a branch, commits, a policy and an exception.
pub(super) fn furnished() -> Place {
    let place = Place::new();
    let new = OLD
        .replace("Tensor weight, float mix=0.5", "Tensor by, float mix=0.5")
        .replace("    MPS: blend_mps\n", "");
    let newest = format!("{new}\n- func: extra(Tensor self) -> Tensor\n  tags: core\n");
    for (label, text) in [
        ("2.7.0", OLD),
        ("2.9.0", &new),
        ("2.10.0", &newest),
        ("main", &newest),
        ("pr-1", OLD),
    ] {
        let folder = format!("files/{label}");
        place.write(&format!("{folder}/native_functions.yaml"), text);
        place.write(
            &format!("{folder}/tags.yaml"),
            "- tag: core\n  desc: small\n- tag: pointwise\n  desc: by point\n- tag: view_copy\n  desc: copies\n",
        );
        place.done(&["import", "--dir", &folder, "--label", label]);
    }
    place.write("new.yaml", &new);
    place.write("acme.yaml", BACKEND);
    place.write("usage.csv", "aten::half_of,12\naten::nothing,3\n");
    let policy =
        serde_json::json!({"fail_on": "breaking", "tags": {"core": "warn"}, "private": "ignore"});
    place.server.post_json(
        "/v1/projects",
        &serde_json::json!({"name": "judged", "policy": policy}),
    );
    for label in ["2.7.0", "2.10.0"] {
        place.done(&[
            "import",
            "--dir",
            &format!("files/{label}"),
            "--label",
            label,
            "--project",
            "judged",
        ]);
    }
    place.done(&[
        "exception",
        "add",
        "blend*",
        "argument-renamed",
        "--broad",
        "--owner",
        "me",
        "--until",
        "2099-01-31",
        "--reason",
        "better so",
        "--project",
        "judged",
    ]);
    place
}

/// Both print the same.
pub(super) fn check(place: &Place, arguments: &[&str], code: i32) -> String {
    let (here, there) = (place.here(arguments), place.there(arguments));
    assert_eq!(here, there, "{arguments:?}");
    assert_eq!(here.code, Some(code), "{arguments:?}: {here:?}");
    here.out
}

#[test]
fn tables_are_the_same() {
    let place = furnished();
    let check = |arguments: &[&str], code| check(&place, &[&["table"], arguments].concat(), code);
    assert!(check(&["add.Tensor"], 0).contains("pytorch 2.10.0"));
    for format in ["text", "json", "csv"] {
        check(&["add.out", "--format", format], 0);
        check(&["--backend", "MPS", "--format", format], 0);
        check(&["--backend", "MPS", "--missing", "--format", format], 0);
        check(&["blend", "--with", "MPS:mine", "--format", format], 0);
    }
    check(&["blend", "--key", "AutogradCPU", "--explain"], 0);
    check(&["blend", "--release", "2.9"], 0);
    check(
        &[
            "blend",
            "--revision",
            "pr-1",
            "--build",
            "cpu",
            "--source",
            "files",
        ],
        0,
    );
    let (_, digest) = place
        .done(&["import", "--dir", "files/2.7.0", "--label", "x"])
        .rsplit_once("sha256:")
        .map(|(a, b)| (a.to_owned(), b.trim().to_owned()))
        .unwrap();
    check(
        &[
            "blend",
            "--revision",
            &format!("sha256:{digest}"),
            "--release",
            "2.5",
        ],
        0,
    );
    check(&["acme::fuse"], 0);
    for wrong in [
        &["blen"][..],
        &["blend", "--key", "CPV"],
        &["blend", "--revision", "2.8.0"],
        &["blend", "--revision", "a..b"],
        &["blend", "--release", "2.6"],
        &["blend", "--revision", "2.9.0", "--release", "2.5"],
        &["blend", "--release", "one"],
        &["blend", "--project", "nobody"],
        &["blend", "--project", "no body"],
    ] {
        check(wrong, 2);
    }
}

#[test]
fn drift_is_the_same() {
    let place = furnished();
    let dump = r#"{"operators":{"aten::add.Tensor":{"registrations":{"CPU":"mine.cpp"}}},"torch":"2.10.0"}"#;
    let digest = Digest::of(format!("[{dump}]").as_bytes()).to_string();
    let sent = serde_json::json!({
        "revision": "2.10.0", "torch": "2.10.0", "digest": digest,
        "dump": serde_json::from_str::<serde_json::Value>(dump).unwrap(),
    });
    place
        .server
        .post_json("/v1/projects/pytorch/probe/tables", &sent);
    place.write("dump.json", dump);
    let check = |arguments: &[&str], code| check(&place, &[&["drift"], arguments].concat(), code);
    let text = check(&[], 1);
    assert!(
        text.contains("add.Tensor CPU: mine.cpp instead of"),
        "{text}"
    );
    for arguments in [&[][..], &[&digest[..10]], &["dump.json", "--limit", "0"]] {
        check(arguments, 1);
        check(&[arguments, &["--format", "json"]].concat(), 1);
    }
    for wrong in [
        &["--revision", "2.7.0"][..],
        &["00000000"],
        &["new.yaml"],
        &["--project", "nobody"],
    ] {
        check(wrong, 2);
    }
}

#[test]
fn comparisons_are_the_same() {
    let place = furnished();
    let check = |arguments: &[&str], code| check(&place, &[&["compare"], arguments].concat(), code);
    for format in ["text", "json", "markdown", "sarif", "junit", "github"] {
        check(&["2.7.0", "2.9.0", "--format", format], 1);
        check(
            &["2.7.0", "2.9.0", "--against", "all", "--format", format],
            1,
        );
        let judged = ["2.7.0", "2.10.0", "--project", "judged", "--format", format];
        assert!(check(&judged, 1).contains("better so") || format == "github");
        check(&["pr-1", "new.yaml", "--format", format], 1);
    }
    check(
        &["2.9.0", "2.7.0", "--against", "latest", "--profile", "cpp"],
        1,
    );
    check(
        &["pr-1", "2.9.0", "--against", "main", "--fail-on", "never"],
        0,
    );
    check(
        &[
            "2.7.0",
            "label:2.9.0",
            "--base-title",
            "then",
            "--head-title",
            "now",
        ],
        1,
    );
    check(
        &["2.7.0", "latest", "--format", "json", "--max-chars", "3000"],
        1,
    );
    for format in ["text", "markdown", "json"] {
        check(
            &[
                "2.7.0",
                "2.9.0",
                "--backend",
                "acme.yaml",
                "--format",
                format,
            ],
            0,
        );
    }
    place.write("opatlas.toml", "[policy]\nfail-on = \"never\"\n");
    check(&["2.7.0", "2.9.0"], 0);
    for wrong in ["2.8.0", "nobody", "a..b", "sha256:00000000"] {
        check(&["2.7.0", wrong], 2);
    }
}

#[test]
fn commits_are_compared_with_what_a_server_has() {
    let place = furnished();
    let git = |arguments: &[&str]| {
        let own = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let mut git = Command::new("git");
        git.args(own)
            .args(arguments)
            .current_dir(place.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "new.yaml"]);
    git(&["commit", "-q", "-m", "New"]);
    check(&place, &["compare", "2.7.0", "git:HEAD:new.yaml"], 1);
    // Where both sides are here, nobody is asked.
    let outcome = place.run(&[
        "compare",
        "new.yaml",
        "git:HEAD:new.yaml",
        "--server",
        "http://127.0.0.1:9",
    ]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    place.done(&[
        "import",
        "--git",
        ".",
        "--path",
        "new.yaml",
        "--project",
        "commits",
    ]);
    check(&place, &["history", "blend", "--project", "commits"], 0);
    check(&place, &["table", "blend", "--project", "commits"], 0);
}

#[test]
fn histories_gaps_and_exceptions_are_the_same() {
    let place = furnished();
    let check = |arguments: &[&str], code| check(&place, arguments, code);
    for format in ["text", "json"] {
        let check =
            |arguments: &[&str]| check(&[&["history", "--format", format], arguments].concat(), 0);
        assert!(check(&["blend"]).contains("renamed") || format == "text");
        check(&["extra"]);
        check(&["acme::fuse"]);
        check(&["blend", "--key", "MPS"]);
        check(&["blend", "--from", "2.9", "--to", "latest"]);
        check(&["blend", "--line", "ingests"]);
    }
    assert!(check(&["history", "blend"], 0).contains("present in the first known revision"));
    for wrong in [
        &["blendd"][..],
        &["blend", "--key", "MPX"],
        &["blend", "--from", "2.3"],
        &["blend", "--from", "2.9.0", "--to", "2.7.0"],
        &["blend", "--project", "nobody"],
    ] {
        check(&[&["history"], wrong].concat(), 2);
    }
    for format in ["text", "json", "csv", "markdown"] {
        check(&["gaps", "MPS", "--format", format], 0);
        check(
            &[
                "gaps",
                "MPS",
                "--since",
                "2.7.0",
                "--usage",
                "usage.csv",
                "--format",
                format,
            ],
            0,
        );
    }
    check(
        &[
            "gaps",
            "MPS",
            "--only",
            "lacking",
            "--limit",
            "1",
            "--revision",
            "main",
        ],
        0,
    );
    check(&["gaps", "MPX"], 2);
    for format in ["text", "json", "markdown"] {
        let model = ["preflight", "usage.csv", "--format", format];
        check(&[&model[..], &["--backend", "MPS,acme.yaml"]].concat(), 1);
        check(
            &[&model[..], &["--training", "--release", "2.9"]].concat(),
            1,
        );
    }
    check(&["preflight", "usage.csv", "--backend", "MPX"], 2);
    check(&["preflight", "absent.pt2"], 2);
    assert!(
        check(&["exception", "list", "--project", "judged"], 0)
            .contains("until 2099-01-31, broad, me: better so")
    );
    check(&["exception", "list", "--project", "nobody"], 2);
}

#[test]
fn files_come_back_byte_for_byte() {
    let place = Place::new();
    place.write(
        "odd/native_functions.yaml",
        "# é\r\n- func: f(Tensor self) -> Tensor\r\n",
    );
    std::fs::write(place.path().join("odd/deprecated.yaml"), b"- name: \xff\n").unwrap();
    place.write("odd/backends/acme-npu.yaml", BACKEND);
    place.done(&["import", "--dir", "odd", "--label", "odd"]);
    let there = place.there(&["export", "odd", "--out", "back"]);
    assert_eq!(there.code, Some(0), "{there:?}");
    for name in [
        "native_functions.yaml",
        "deprecated.yaml",
        "backends/acme-npu.yaml",
    ] {
        let bytes = |folder: &str| std::fs::read(place.path().join(folder).join(name)).unwrap();
        assert_eq!(bytes("odd"), bytes("back"), "{name}");
    }
    check(&place, &["export", "--file", "native_functions.yaml"], 0);
    check(&place, &["export", "--file", "tags.yaml"], 2);
    check(&place, &["export", "none", "--out", "back"], 2);
}
