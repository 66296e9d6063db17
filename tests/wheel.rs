//! The Python package of the wheel: it finds the program that was installed with it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder as `pip install --target` makes it, with or without the program.
fn installed(with_program: bool) -> TempDir {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("opatlas");
    fs::create_dir(&package).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/opatlas");
    for file in fs::read_dir(source).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    if with_program {
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_opatlas"), bin.join("opatlas")).unwrap();
    }
    folder
}

fn module(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new("python3")
        .args(["-B", "-m", "opatlas"])
        .args(arguments)
        .current_dir(folder.path())
        .env("PYTHONPATH", folder.path())
        .output()
        .unwrap()
}

#[test]
fn the_module_runs_the_program_with_its_exit_code() {
    let folder = installed(true);
    let version = module(&folder, &["--version"]);
    let text = String::from_utf8(version.stdout).unwrap();
    assert_eq!(text.trim(), concat!("opatlas ", env!("CARGO_PKG_VERSION")));
    let missing = module(&folder, &["check", "missing.yaml"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_package_without_the_program_says_where_it_looked() {
    let output = module(&installed(false), &["--version"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("opatlas is in none of these folders"),
        "{error}"
    );
}

/// A release takes its text from the changelog.
#[test]
fn the_changelog_has_the_version_of_the_program() {
    let changelog = Path::new(env!("CARGO_MANIFEST_DIR")).join("CHANGELOG.md");
    let changelog = fs::read_to_string(changelog).unwrap();
    let mut titles = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## "));
    let newest = titles.find(|title| *title != "Unreleased");
    assert_eq!(newest, Some(env!("CARGO_PKG_VERSION")));
}
