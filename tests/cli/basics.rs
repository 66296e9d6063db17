//! What each command does for its users in the common case.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::cli::program::{opatlas, run, stderr, stdout, succeeds};
use crate::common::index::{Index, ONE, OPERATORS, TAGS, name, wheel};

#[test]
fn a_release_comes_out_of_its_wheel_in_the_users_own_index() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let members = [
        (OPERATORS, ONE),
        (TAGS, "- tag: core\n  desc: small\n"),
        ("torch/__init__.py", "raise SystemExit\n"),
    ];
    let wheels = ["2.8.0", "2.9.0"].map(|version| (name(version), wheel(&members)));
    let index = Index::of(wheels.into());
    index.write_configuration(folder);
    let told = succeeds(folder, &["import", "torch==2.9.0", "--cache", "cache"]);
    assert!(
        told.starts_with("pytorch 2.9.0: 1 declared and 0 generated operators, 0 errors"),
        "{told}"
    );
    assert!(told.contains("judged as 2.9; stored as sha256:"), "{told}");
    assert!(folder.join("cache/2.9.0/tags.yaml").is_file());
    assert!(!folder.join("cache/2.9.0/__init__.py").exists());
    let asked = index.paths().len();
    // From the cache, without the index; the revision is there already.
    let told = succeeds(folder, &["import", "torch==2.9.0", "--cache", "cache"]);
    assert!(told.contains("already stored"), "{told}");
    assert_eq!(index.paths().len(), asked);
    let failed = run(folder, &["import", "torch==9.9.9", "torch==2.9.0"]);
    assert_eq!(failed.status.code(), Some(2));
    let said = stderr(&failed);
    assert!(
        said.contains("the index has no torch 9.9.9; it has 2.9.0, 2.8.0"),
        "{said}"
    );
    assert!(said.contains("1 of 2 releases failed"), "{said}");
    assert!(
        stdout(&failed).contains("pytorch 2.9.0"),
        "one failure does not stop the rest"
    );
}

#[test]
fn what_is_imported_comes_back_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let files = folder.join("files");
    std::fs::create_dir_all(files.join("backends")).unwrap();
    let operators = "# é\r\n- func: f(Tensor self) -> Tensor\r\n  dispatch:\r\n    CPU: f";
    let backend = "backend: XLA\ncpp_namespace: acme\nsupported:\n- f\n";
    std::fs::write(files.join("native_functions.yaml"), operators).unwrap();
    std::fs::write(files.join("backends/acme.yaml"), backend).unwrap();
    std::fs::write(files.join("notes.txt"), "mine").unwrap();
    let output = run(
        folder,
        &[
            "import",
            "--dir",
            "files",
            "--label",
            "main",
            "--project",
            "acme",
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("ignored (not files of a bundle): notes.txt"));
    succeeds(
        folder,
        &["export", "main", "--project", "acme", "--out", "back"],
    );
    for (name, text) in [
        ("native_functions.yaml", operators),
        ("backends/acme.yaml", backend),
    ] {
        let back = std::fs::read_to_string(folder.join("back").join(name)).unwrap();
        assert_eq!(back, text);
    }
    let one = succeeds(
        folder,
        &[
            "export",
            "--project",
            "acme",
            "--file",
            "backends/acme.yaml",
        ],
    );
    assert_eq!(one, backend);
}

#[test]
fn bad_usage_and_unreadable_input_are_told_apart_from_findings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(
        folder.join("good.yaml"),
        "- func: f(Tensor self) -> Tensor\n",
    )
    .unwrap();
    std::fs::write(folder.join("bad.yaml"), "- func: f(Tensor self) -> Tensr\n").unwrap();
    for (arguments, code) in [
        (vec!["check", "good.yaml"], 0),
        (vec!["check", "bad.yaml"], 1),
        (vec!["check", "good.yaml", "bad.yaml"], 1),
        (vec!["check", "bad.yaml", "--fail-on", "never"], 0),
        (vec!["check", "absent.yaml"], 2),
        (vec!["check", "good.yaml", "--release", "1.13"], 2),
        (vec!["check"], 2),
        (vec!["import"], 2),
        (vec!["import", "numpy==2.0"], 2),
        (vec!["import", "--dir", "."], 2),
        (vec!["import", "--dir", ".", "--label", "latest"], 2),
        (vec!["export", "nothing", "--out", "x"], 2),
        (vec!["explain", "no-such-rule"], 2),
        (vec!["serve", "--database", "mysql://x"], 2),
    ] {
        let output = run(folder, &arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(code != 2 || !stderr(&output).is_empty());
    }
    let near = run(folder, &["explain", "out-return-match"]);
    assert!(
        stderr(&near).contains("did you mean out-return-matches"),
        "{}",
        stderr(&near)
    );
}

#[test]
fn check_shows_the_place_the_reason_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "- func: blend(Tensor self, double w) -> Tensor\n\
                - func: blend_(Tensor self) -> (Tensor)\n  variant: method\n";
    std::fs::write(folder.join("ops.yaml"), text).unwrap();
    let shown = stdout(&run(folder, &["check", "ops.yaml"]));
    insta::assert_snapshot!("check", shown);
    for format in ["json", "sarif"] {
        let shown = stdout(&run(folder, &["check", "ops.yaml", "--format", format]));
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert!(value.to_string().contains("type-unknown"));
    }
    for format in ["markdown", "junit", "github"] {
        let shown = stdout(&run(folder, &["check", "ops.yaml", "--format", format]));
        assert!(shown.contains("type-unknown"), "{format}: {shown}");
    }
}

#[test]
fn fixes_are_made_by_how_sure_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = folder.join("ops.yaml");
    let text = "- func: blend(Tensor self,Tensor w) -> Tensor\n\
                - func: blend_(Tensor self) -> Tensor\n  variant: method\n\
                - func: scale(Tensor self) -> Tensor\n  dispatch: {}\n";
    std::fs::write(&path, text).unwrap();
    let read = || std::fs::read_to_string(&path).unwrap();

    // Shown, and not written.
    let shown = stdout(&run(folder, &["check", "ops.yaml", "--fix", "--diff"]));
    assert!(
        shown.contains("-- func: blend(Tensor self,Tensor w) -> Tensor\n"),
        "{shown}"
    );
    assert!(
        shown.contains("+- func: blend(Tensor self, Tensor w) -> Tensor\n"),
        "{shown}"
    );
    assert_eq!(read(), text);

    // Only spelling, and names with one near name.
    let fixed = run(folder, &["check", "ops.yaml", "--fix", "--quiet"]);
    let said = stderr(&fixed);
    assert!(
        said.contains("ops.yaml: 2 edits applied (argument-separator: 1, unknown-key: 1)"),
        "{said}"
    );
    assert!(said.contains("--fix=suggested"), "{said}");
    let spelled = text.replace("self,Tensor", "self, Tensor");
    assert_eq!(read(), spelled.replace("variant:", "variants:"));

    // Then the rest; a table without kernels stays one.
    let fixed = run(folder, &["check", "ops.yaml", "--fix=suggested", "--quiet"]);
    assert!(stderr(&fixed).contains("applied"), "{}", stderr(&fixed));
    assert!(read().contains("  variants: method"), "{}", read());
    assert!(read().contains("  dispatch: {}"), "{}", read());

    std::fs::write(&path, b"- func: \xff() -> ()\n").unwrap();
    let refused = run(folder, &["check", "ops.yaml", "--fix"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("no file was written"));
}

#[test]
fn standard_input_and_companions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("tags.yaml"), "- tag: mine\n  desc: ours\n").unwrap();
    let mut child = opatlas(folder)
        .args(["check", "-", "tags.yaml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = "- func: f(Tensor self) -> Tensor\n  tags: mine\n";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stdout(&output));
}

#[test]
fn the_openapi_document_is_the_one_that_is_checked_in() {
    let folder = tempfile::tempdir().unwrap();
    let printed = succeeds(folder.path(), &["openapi"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/openapi.json");
    assert_eq!(
        printed,
        std::fs::read_to_string(path).unwrap(),
        "run `make openapi`"
    );
}

#[test]
fn an_empty_database_is_filled_and_served_and_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for round in 0..2 {
        let mut child = opatlas(folder)
            .args(["serve", "--listen", "127.0.0.1:0", "--bootstrap", "2.9.0"])
            // No index is found here, so the sample is taken.
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let address = lines.next().unwrap().unwrap();
        let address = address.rsplit("http://").next().unwrap().to_owned();
        let told = lines.next().unwrap().unwrap();
        assert!(told.contains("pytorch sample"), "{told}");
        let answer = get(
            &address,
            "/v1/projects/pytorch/revisions/latest/operators/blend.Tensor",
        );
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(
            answer.contains("\"structured_delegate\":\"blend.out\""),
            "{answer}"
        );
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output);
        assert_eq!(said.contains("small sample"), round == 0, "{said}");
    }
}

/// One request over a plain socket.
fn get(address: &str, path: &str) -> String {
    use std::io::Read as _;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A comment can silence what is a matter of taste, but not what PyTorch refuses.
#[test]
fn a_comment_silences_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = "- func: f(Tensr self) -> Tensor  # opatlas: allow(type-unknown) ours\n";
    std::fs::write(folder.path().join("ops.yaml"), text).unwrap();
    let output = run(folder.path(), &["check", "ops.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("type-unknown"));
}

/// The operations chapter has every setting that the program has.
#[test]
fn every_setting_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let help = succeeds(folder.path(), &["serve", "--help"]);
    let chapter = include_str!("../../docs/operations.md");
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
    let settings = words.filter(|word| {
        let option = word.strip_prefix("--").is_some_and(|rest| rest.len() > 1);
        word.starts_with("OPATLAS_") || option && *word != "--help"
    });
    for setting in settings {
        assert!(
            chapter.contains(&format!("`{setting}`")),
            "{setting} is not in the chapter"
        );
    }
}

#[test]
fn listening_beyond_loopback_without_tokens_must_be_forced() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(
        folder.path(),
        &["serve", "--listen", "0.0.0.0:0", "--auth", "off"],
    );
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("--force-open"), "{said}");
    assert!(!folder.path().join("opatlas.db").exists());
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let create = [
        "token",
        "create",
        "ci",
        "--project",
        "acme",
        "--action",
        "ingest,label",
    ];
    let secret = succeeds(folder, &create);
    let secret = secret.trim();
    assert!(
        secret.starts_with("opatlas_") && secret.len() == 8 + 64,
        "{secret}"
    );
    let listed = succeeds(folder, &["token", "list"]);
    assert!(listed.contains("`ci` (ingest label in acme)"), "{listed}");
    assert!(
        listed.contains("never used") && !listed.contains(secret),
        "{listed}"
    );
    let stored = std::fs::read(folder.join("opatlas.db")).unwrap();
    let holds = |text: &[u8]| stored.windows(text.len()).any(|part| part == text);
    assert!(!holds(secret.as_bytes()), "the token itself is stored");
    let id = listed.split_whitespace().next().unwrap();
    let revoked = succeeds(folder, &["token", "revoke", id]);
    assert!(revoked.starts_with("revoked"), "{revoked}");
    assert!(succeeds(folder, &["token", "list"]).contains("revoked"));
    for wrong in [
        &["token", "create", "ci", "--action", "ingest"][..],
        &[
            "token",
            "create",
            "ci",
            "--project",
            "a/b",
            "--action",
            "ingest",
        ],
        &["token", "create", "ci", "--project", "a", "--action", "fly"],
        &[
            "token",
            "create",
            "ci",
            "--project",
            "a",
            "--action",
            "read",
            "--expires",
            "soon",
        ],
        &["token", "revoke", "ffff"],
    ] {
        assert_eq!(run(folder, wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_backup_comes_back_and_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["import", "--sample"]);
    succeeds(folder, &["history", "blend.Tensor"]);
    let saved = succeeds(folder, &["backup", "saved.backup"]);
    assert!(saved.contains("saved.backup"), "{saved}");
    let again = run(folder, &["backup", "saved.backup"]);
    assert!(stderr(&again).contains("already exists"));
    let there = ["--database", "sqlite://restored.db"];
    let restored = succeeds(folder, &[&["restore", "saved.backup"][..], &there].concat());
    assert!(restored.contains("1 revisions, 1 labels"), "{restored}");
    assert!(restored.contains("no faults"), "{restored}");
    let twice = run(folder, &[&["restore", "saved.backup"][..], &there].concat());
    assert!(stderr(&twice).contains("not empty"), "{}", stderr(&twice));
    let file = ["export", "--file", "native_functions.yaml"];
    let restored = succeeds(folder, &[&file[..], &there].concat());
    assert_eq!(restored, succeeds(folder, &file));
    let checked = succeeds(folder, &["doctor"]);
    assert!(checked.contains("no faults"), "{checked}");
    let collected = succeeds(folder, &["gc", "--older-than", "1h", "--dry-run"]);
    assert!(
        collected.starts_with("would delete 0 revisions"),
        "{collected}"
    );
    std::fs::write(folder.join("nonsense"), "nonsense ".repeat(1000)).unwrap();
    let refused = run(
        folder,
        &["restore", "nonsense", "--database", "sqlite://x.db"],
    );
    assert!(
        stderr(&refused).contains("is not a backup"),
        "{}",
        stderr(&refused)
    );
}

/// `opatlas openapi | head -c 1`.
#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = opatlas(folder.path())
        .arg("openapi")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(141));
}
