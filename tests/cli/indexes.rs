//! Package indexes as they are: with passwords, redirects, mirrors and proxies; and wheels on the disk.

use std::path::Path;
use std::process::Output;

use crate::cli::program::{opatlas, refusal, run, stderr, stdout, succeeds};
use crate::common::index::{Index, JSON, ONE, OPERATORS, Reply, name, serve, sha256, wheel};

/// Imports torch 2.9.0 with these variables.
fn import(folder: &Path, variables: &[(&str, &str)]) -> Output {
    opatlas(folder)
        .args(["import", "torch==2.9.0"])
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn imports(folder: &Path, variables: &[(&str, &str)]) {
    let output = import(folder, variables);
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{variables:?}: {said}");
    assert!(said.contains("pytorch 2.9.0: 1 declared"), "{said}");
}

fn fails(folder: &Path, variables: &[(&str, &str)]) -> String {
    let output = import(folder, variables);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    stderr(&output)
}

/// The wheel of torch 2.9.0.
fn release() -> Vec<(String, Vec<u8>)> {
    vec![(name("2.9.0"), wheel(&[(OPERATORS, ONE)]))]
}

#[test]
fn a_password_goes_to_its_index_and_is_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let elsewhere = Index::of(release());
    let files = elsewhere.url.clone();
    let index = Index::start(move |path, asked| {
        let basic = "authorization: basic bwu6c2vjcmv0"; // me:secret
        let is_known = asked.head.iter().any(|line| line.to_lowercase() == basic);
        match (is_known, path.strip_prefix("/files/")) {
            (false, _) => Reply::Status("401 Unauthorized", String::new()),
            (true, Some(name)) => {
                Reply::Status("302 Found", format!("location: {files}/files/{name}\r\n"))
            }
            (true, None) => serve(&release(), path),
        }
    });
    let address = |user: &str| {
        format!(
            "{}/simple",
            index.url.replace("http://", &format!("http://{user}"))
        )
    };
    imports(folder, &[("PIP_INDEX_URL", &address("me:secret@"))]);
    assert_eq!(elsewhere.headers("authorization"), [None]);
    let said = fails(folder, &[("PIP_INDEX_URL", &address("me:hidden@"))]);
    assert!(said.contains("401 Unauthorized"), "{said}");
    assert!(!said.contains("hidden") && !said.contains("me:"), "{said}");
    let netrc = folder.join("netrc");
    std::fs::write(&netrc, "machine 127.0.0.1 login me password secret\n").unwrap();
    let netrc = netrc.to_str().unwrap();
    imports(folder, &[("PIP_INDEX_URL", &address("")), ("NETRC", netrc)]);
}

#[test]
fn a_file_that_differs_from_its_digest_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = release();
    let page = format!(
        r#"{{"meta": {{"api-version": "1.0"}}, "name": "torch", "files": [
            {{"filename": "{0}", "url": "/files/changed", "hashes": {{"sha256": "{1}"}}, "size": 7}},
            {{"filename": "{0}", "url": "/files/yanked", "hashes": {{}}, "size": 1, "yanked": "bad"}}]}}"#,
        good[0].0,
        sha256(&good[0].1),
    );
    let index = Index::start(move |path, _| match path {
        "/simple/torch/" => Reply::Body(JSON, page.clone().into_bytes()),
        _ => Reply::Body(
            "application/zip",
            wheel(&[(OPERATORS, "- func: two() -> ()\n")]),
        ),
    });
    index.write_configuration(folder);
    let said = fails(folder, &[]);
    assert!(said.contains("/files/changed: its SHA-256 is"), "{said}");
    assert_eq!(index.paths(), ["/simple/torch/", "/files/changed"]);
}

#[test]
fn redirects_lead_to_http_only_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (location, reason) in [
        ("/simple/torch/", "redirects too often"),
        (
            "file:///etc/passwd",
            "file:///etc/passwd is not asked without HTTPS",
        ),
        (
            "http://192.0.2.1/",
            "http://192.0.2.1/ is not asked without HTTPS",
        ),
        ("http://[", "redirects to nowhere"),
    ] {
        let header = format!("location: {location}\r\n");
        let index = Index::start(move |_, _| Reply::Status("302 Found", header.clone()));
        index.write_configuration(folder);
        let said = fails(folder, &[]);
        assert!(said.contains(reason), "{location}: {said}");
        assert!(
            said.contains("PIP_INDEX_URL") && said.contains("--wheel"),
            "{said}"
        );
    }
    // One that ends is followed, and links count from where it ends.
    let index = Index::start(|path, _| match path {
        "/old/torch/" => Reply::Status(
            "301 Moved Permanently",
            "location: /simple/torch/\r\n".into(),
        ),
        path => serve(&release(), path),
    });
    imports(folder, &[("PIP_INDEX_URL", &format!("{}/old", index.url))]);
}

#[test]
fn all_indexes_and_folders_of_pip_are_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (empty, full) = (Index::of(vec![]), Index::of(release()));
    let (empty, full) = (
        format!("{}/none", empty.url),
        format!("{}/simple", full.url),
    );
    imports(
        folder,
        &[("PIP_INDEX_URL", &empty), ("PIP_EXTRA_INDEX_URL", &full)],
    );
    let said = fails(folder, &[("PIP_INDEX_URL", &empty)]);
    assert!(said.contains("it has no wheel of torch"), "{said}");
    let wheels = folder.join("wheels");
    std::fs::create_dir(&wheels).unwrap();
    let (name, bytes) = release().remove(0);
    std::fs::write(wheels.join(&name), bytes).unwrap();
    let links = format!("/missing {}", wheels.display());
    imports(folder, &[("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", &links)]);
    // A page of links is one, too.
    let page = format!("{full}/torch/");
    imports(folder, &[("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", &page)]);
}

#[test]
fn proxies_and_certificates_of_pip_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let index = Index::of(release());
    index.write_configuration(folder);
    let proxy = Index::start(|_, _| Reply::Status("502 Bad Gateway", String::new()));
    let said = fails(folder, &[("PIP_PROXY", &proxy.url)]);
    assert!(said.contains("cannot read the package index"), "{said}");
    let address = index.url.strip_prefix("http://").unwrap();
    assert!(
        proxy.paths().iter().any(|path| path.contains(address)),
        "{:?}",
        proxy.paths()
    );
    imports(
        folder,
        &[("http_proxy", &proxy.url), ("no_proxy", "127.0.0.1")],
    );
    let secure = [
        ("PIP_INDEX_URL", "https://127.0.0.1:9/"),
        ("PIP_CERT", "missing.pem"),
    ];
    let said = fails(folder, &secure);
    assert!(said.contains("missing.pem has no certificates"), "{said}");
}

#[test]
fn a_release_comes_out_of_wheels_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let metadata = ("torch-2.8.0+cpu.dist-info/METADATA", "");
    let (nine, eight) = (folder.join(name("2.9.0")), folder.join("eight.whl"));
    std::fs::write(&nine, wheel(&[(OPERATORS, ONE)])).unwrap();
    std::fs::write(&eight, wheel(&[(OPERATORS, ONE), metadata])).unwrap();
    let (nine, eight) = (nine.to_str().unwrap(), eight.to_str().unwrap());
    let told = succeeds(folder, &["import", "--wheel", nine, "--wheel", eight]);
    for part in [
        "pytorch 2.9.0: ",
        "judged as 2.9; ",
        "pytorch 2.8.0: ",
        "judged as 2.8; ",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let filled = ["--cache", "cache", "--download-only"];
    succeeds(
        folder,
        &[&["import", "--wheel", eight], &filled[..]].concat(),
    );
    assert!(folder.join("cache/2.8.0/native_functions.yaml").is_file());
    let two = run(
        folder,
        &["import", "--wheel", nine, "--wheel", eight, "--label", "x"],
    );
    assert!(
        stderr(&two).contains("--label needs a single release"),
        "{}",
        stderr(&two)
    );
    std::fs::write(folder.join("text.whl"), "text").unwrap();
    assert!(refusal(folder, &["import", "--wheel", "text.whl"]).contains("not a wheel of torch"));
    let absent = refusal(folder, &["import", "--wheel", &name("2.7.0")]);
    assert!(absent.contains("No such file"), "{absent}");
}

#[test]
fn a_command_for_pip_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["import", "torch==2.9.0", "--pip", "pip3"][..],
        &["serve", "--listen", "127.0.0.1:0", "--pip", "pip3"],
    ] {
        let said = refusal(folder.path(), arguments);
        assert!(said.contains("pip download --no-deps"), "{said}");
        assert!(said.contains("opatlas import --wheel FILE"), "{said}");
    }
}
