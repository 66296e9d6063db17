//! Only `crates/verdict` decides whether an operator works. Two places that decide can contradict each
//! other, so no other code may look at a verdict's or a table entry's variants to tell what works.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that make tables and verdicts, and the tests of these.
const DECIDE: [&str; 3] = ["dispatch", "verdict", "conformance"];

/// Files that choose a word or a color for a verdict.
const SHOW_VERDICTS: &[&str] = &[
    "crates/wire/src/dataset/release.rs",
    "crates/lsp/src/hover.rs",
    "crates/report/src/table/support.rs",
    "crates/report/src/table/words.rs",
];

/// Files that show, fold or filter table entries by their reason.
const SHOW_ENTRIES: &[&str] = &[
    "crates/report/src/table.rs",
    "crates/report/src/table/column.rs",
    "crates/report/src/table/explanation.rs",
    "crates/report/src/table/words.rs",
    "crates/wire/src/dispatch.rs",
    "crates/wire/src/matrix.rs",
    "src/cli/table.rs",
];

const VERDICTS: &[&str] = &[
    "Verdict::Runs",
    "Verdict::Decomposes",
    "Verdict::Partly",
    "Verdict::FallsBack",
    "Verdict::Fails",
    "Verdict::Unknown",
];

const ENTRIES: &[&str] = &[
    "Precedence::Ambiguous",
    "Precedence::Autograd",
    "Precedence::Batched",
    "Precedence::Direct",
    "Precedence::Explicit",
    "Precedence::Fallback",
    "Precedence::Implicit",
    "Precedence::Missing",
    "Precedence::Nested",
    "Precedence::NonFunctional",
    "Reason::AmbiguousAutogradOther",
    "Reason::AutogradKernel",
    "Reason::BackendFallback",
    "Reason::BatchedKernel",
    "Reason::DefaultBackendKernel",
    "Reason::Kernel",
    "Reason::MathKernel",
    "Reason::Missing",
    "Reason::NestedKernel",
    ".is_served()",
];

/// Words of verdicts that mean nothing else. In Rust, nobody compares them.
const WORDS: &[&str] = &["\"decomposes\"", "\"falls-back\""];

/// Where the web interface has the symbol and the meaning of each verdict.
const WEB_VERDICTS: &str = "web/src/lib/verdicts.ts";

const RULE: &str = "only crates/verdict decides whether an operator works: ask `Answer::from`, \
                    `Verdict::works`, `Standing::of` or another function of it, and in the web interface \
                    read `works` or `standing` from the answer";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder with one of these extensions, as paths from the root.
fn files(folder: &str, extensions: &[&str], found: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            files(name, extensions, found);
        } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
            found.push(name.to_owned());
        }
    }
}

/// The lines of a file outside comments, attributes and tests, numbered from 1.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    let lines = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let lines = lines.filter(|(_, line)| !line.trim_start().starts_with("#["));
    lines.map(|(index, line)| (index + 1, line.split("//").next().unwrap()))
}

fn expect_none(file: &str, forbidden: &[&str]) {
    let text = fs::read_to_string(root().join(file)).unwrap();
    for (number, line) in code(&text) {
        for word in forbidden {
            assert!(!line.contains(word), "{file}:{number}: `{word}`: {RULE}");
        }
    }
}

#[test]
fn only_the_verdict_crate_says_what_works() {
    let mut sources = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !DECIDE.contains(&&*name) {
            files(&format!("crates/{name}/src"), &["rs"], &mut sources);
        }
    }
    files("src", &["rs"], &mut sources);
    assert!(sources.len() > 400, "only {} files", sources.len());
    for file in &sources {
        expect_none(file, WORDS);
        if !SHOW_VERDICTS.contains(&&**file) {
            expect_none(file, VERDICTS);
        }
        if !SHOW_ENTRIES.contains(&&**file) {
            expect_none(file, ENTRIES);
        }
    }
    for listed in SHOW_VERDICTS.iter().chain(SHOW_ENTRIES) {
        assert!(
            sources.iter().any(|file| file == listed),
            "no file {listed}"
        );
    }
}

#[test]
fn the_web_interface_reads_what_works_from_answers() {
    let mut sources = Vec::new();
    files("web/src", &["ts", "tsx"], &mut sources);
    sources.retain(|file| !file.contains(".test.") && file != "web/src/api/schema.d.ts");
    assert!(sources.len() > 150, "only {} files", sources.len());
    for file in sources.iter().filter(|file| *file != WEB_VERDICTS) {
        expect_none(file, WORDS);
        expect_none(file, &["=== \"runs\"", "=== \"fails\"", "!== \"fails\""]);
    }
}
