//! What others publish under a name that can move is pinned by digest.

use std::fs;
use std::path::Path;

use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The values of a key of YAML or the word after an instruction, in the lines of a file.
fn values<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let lines = text.lines().map(|line| line.trim_start());
    let lines = lines.map(|line| line.strip_prefix("- ").unwrap_or(line));
    let values = lines.filter_map(|line| line.strip_prefix(key)?.split_whitespace().next());
    values.collect()
}

#[test]
fn actions_are_pinned_by_commit() {
    let mut found = 0;
    for file in [
        ".github/workflows/ci.yml",
        ".github/workflows/long.yml",
        ".github/workflows/release.yml",
        "action.yml",
        "docs/pull-requests.md",
        "docs/pull-request-reference.md",
    ] {
        for action in values(&read(file), "uses: ") {
            let Some((name, commit)) = action.split_once('@') else {
                panic!("{file}: {action} has no commit");
            };
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit || name == "OWNER/opatlas", "{file}: {action}");
            found += 1;
        }
    }
    assert!(found > 25, "only {found} were found");
}

#[test]
fn images_are_pinned_by_digest() {
    let dockerfile = read("Dockerfile");
    let compose = read("deploy/compose.yaml");
    let images = values(&dockerfile, "FROM ").into_iter();
    let images: Vec<&str> = images.chain(values(&compose, "image: ")).collect();
    assert_eq!(images.len(), 5);
    for image in images.into_iter().filter(|image| *image != "opatlas") {
        let digest = image.split_once("@sha256:").map(|(_, digest)| digest);
        let is_digest =
            |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(digest.is_some_and(is_digest), "{image}");
    }
}

#[test]
fn the_extension_says_what_works_where_nothing_is_trusted() {
    let package: Value = serde_json::from_str(&read("editors/vscode/package.json")).unwrap();
    let untrusted = &package["capabilities"]["untrustedWorkspaces"];
    assert_eq!(untrusted["supported"], "limited");
    assert!(untrusted["description"].is_string());
    // Every setting that names a program.
    let settings = package["contributes"]["configuration"]["properties"].as_object();
    let programs = settings
        .unwrap()
        .keys()
        .filter(|name| name.ends_with(".path"));
    let programs: Vec<&String> = programs.collect();
    assert_eq!(
        untrusted["restrictedConfigurations"],
        serde_json::json!(programs)
    );
}
