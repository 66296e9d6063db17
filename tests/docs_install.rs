//! The documents about getting Opatlas: nothing is published, and one name stands for the
//! repository of the reader. The pages that people read first are short.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::docs_references::texts;

/// The placeholder for the repository on GitHub.
const PLACEHOLDER: &str = "OWNER/opatlas";

/// Pages that one kind of reader needs whole, and the most lines that they have.
const FIRST_PAGES: [&str; 3] = [
    "docs/install.md",
    "docs/for-operator-authors.md",
    "docs/pull-requests.md",
];
const MOST_LINES: usize = 120;

/// Commands that fetch something that is not there.
const PUBLISHED: [&str; 7] = [
    "pip install opatlas",
    "pipx install opatlas",
    "uvx opatlas",
    "cargo install opatlas",
    "docker pull opatlas",
    "npm install opatlas",
    "brew install opatlas",
];

/// The names `OWNER/opatlas` in a text, where a repository or an image has one.
fn repositories(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.${}".contains(c);
    let mut found = Vec::new();
    for host in ["github.com/", "ghcr.io/", "docker.io/", "uses: "] {
        for (at, _) in text.match_indices(host) {
            let name = &text[at + host.len()..];
            let owner = name.find(|c| !is_part(c)).unwrap_or(name.len());
            let rest = name[owner..].strip_prefix("/opatlas");
            if rest.is_some_and(|rest| !rest.starts_with(is_part)) {
                found.push(&name[..owner + "/opatlas".len()]);
            }
        }
    }
    found
}

/// Texts that readers see: not this one, which names what is wrong.
fn readable() -> impl Iterator<Item = (PathBuf, String)> {
    let own = Path::new("tests/docs_install.rs");
    texts().into_iter().filter(move |(path, _)| path != own)
}

#[test]
fn one_name_stands_for_the_repository() {
    let mut seen = 0;
    for (path, text) in readable() {
        for name in repositories(&text) {
            assert_eq!(name, PLACEHOLDER, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 4, "only {seen}");
    let install = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/install.md"));
    assert!(
        install
            .unwrap()
            .contains(&format!("`{PLACEHOLDER}` stands for"))
    );
}

#[test]
fn other_names_are_found() {
    let text = "https://github.com/opatlas/opatlas and ghcr.io/me/opatlas:1, uses: ${X}/opatlas@1; \
                github.com/OWNER/opatlas-web, github.com/pytorch/pytorch";
    assert_eq!(
        repositories(text),
        ["opatlas/opatlas", "me/opatlas", "${X}/opatlas"]
    );
}

#[test]
fn nothing_is_said_to_be_published() {
    for (path, text) in readable() {
        for command in PUBLISHED {
            let mut rests = text.split(command).skip(1);
            let is_name = |rest: &str| !rest.starts_with(|c: char| "-_/@.".contains(c));
            let is_wrong = rests.any(is_name);
            assert!(!is_wrong, "{}: {command}", path.display());
        }
    }
}

/// Runs the script that reads the path of a new user, which `make test-newcomer` takes, over a README.
fn path_of_a_new_user(readme: &str) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("steps")).unwrap();
    for pages in ["docs", "editors"] {
        std::os::unix::fs::symlink(root.join(pages), folder.path().join(pages)).unwrap();
    }
    for file in ["ARCHITECTURE.md", "CHANGELOG.md", "probe"] {
        std::os::unix::fs::symlink(root.join(file), folder.path().join(file)).unwrap();
    }
    fs::write(folder.path().join("README.md"), readme).unwrap();
    let output = Command::new("python3")
        .arg("-B")
        .arg(root.join("tests/newcomer/steps.py"))
        .args([folder.path(), &folder.path().join("steps")])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[test]
fn the_path_of_a_new_user_has_at_most_ten_commands() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let readme = readme.unwrap();
    let (is_good, said) = path_of_a_new_user(&readme);
    assert!(is_good, "{said}");
    let longer = readme.replace("$ make install", "$ true\n$ true\n$ make install");
    let (is_good, said) = path_of_a_new_user(&longer);
    assert!(!is_good && said.contains("has 11 commands"), "{said}");
    // A page counts only if the README links it.
    let unlinked = readme.replace("(docs/linters.md)", "(docs/web.md)");
    let (is_good, said) = path_of_a_new_user(&unlinked);
    assert!(!is_good && said.contains("one is missing"), "{said}");
}

#[test]
fn first_pages_are_short() {
    for page in FIRST_PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let lines = fs::read_to_string(path).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{page} has {lines} lines");
    }
}
