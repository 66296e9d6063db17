//! References to documents lead somewhere.
//!
//! Three things are checked over the sources and documents of the repository: a path that ends in
//! `.md`, in a comment or a document, names a file; a section number or an anchor that follows it
//! exists there; and the rule tables in `docs/spec/` list exactly the rules of the program. The
//! repository is walked as a directory, so the test also runs without git.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 7] = [
    "target",
    "node_modules",
    ".cache",
    ".git",
    "dist",
    "golden",
    "corpus",
];

/// Documents of PyTorch that the sources cite.
const FOREIGN: [&str; 1] = ["aten/src/ATen/native/README.md"];

/// A text that may refer to documents: a block of comment lines, or a paragraph of Markdown.
struct Block {
    text: String,
    /// Offset in `text` and number of the line that begins there.
    lines: Vec<(usize, usize)>,
}

impl Block {
    fn line_at(&self, offset: usize) -> usize {
        let before = self.lines.iter().take_while(|(at, _)| *at <= offset);
        before.last().map_or(0, |(_, line)| *line)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_symlink() || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The texts of the repository with their paths relative to it.
pub fn texts() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    files(root(), &mut paths);
    paths
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            Some((path.strip_prefix(root()).unwrap().to_owned(), text))
        })
        .collect()
}

/// The part of a line that is a comment, by the kind of file.
fn comment<'l>(line: &'l str, extension: &str) -> Option<&'l str> {
    let trimmed = line.trim_start();
    match extension {
        "rs" | "ts" | "tsx" | "js" | "mjs" | "css" => {
            if let Some(rest) = trimmed.strip_prefix('*') {
                return Some(rest);
            }
            let at = line.find("//").or_else(|| line.find("/*"))?;
            Some(line[at + 2..].trim_start_matches(['/', '!', '*']))
        }
        "sql" => line.split_once("--").map(|(_, rest)| rest),
        "html" => Some(line),
        // A file without an extension is a script, a Makefile or a Dockerfile.
        "" | "py" | "sh" | "yml" | "yaml" | "toml" | "service" => {
            line.split_once('#').map(|(_, rest)| rest)
        }
        _ => None,
    }
}

/// Joins the lines that `part` selects; a line that it leaves out ends a block.
fn blocks<'t>(text: &'t str, mut part: impl FnMut(&'t str) -> Option<&'t str>) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        let Some(part) = part(line) else {
            open = false;
            continue;
        };
        if !open {
            found.push(Block {
                text: String::new(),
                lines: Vec::new(),
            });
            open = true;
        }
        let block = found.last_mut().unwrap();
        block.lines.push((block.text.len(), number + 1));
        block.text.push_str(part.trim());
        block.text.push(' ');
    }
    found
}

/// The paragraphs of a Markdown text. Fenced code is left out: it holds commands and their output.
fn paragraphs(text: &str) -> Vec<Block> {
    let mut fenced = false;
    blocks(text, move |line| {
        let fence = line.trim_start().starts_with("```");
        let inside = fenced || fence;
        fenced ^= fence;
        (!inside && !line.trim().is_empty()).then_some(line)
    })
}

fn referring_blocks(path: &Path, text: &str) -> Vec<Block> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if extension == "md" {
        let mut blocks = paragraphs(text);
        for block in &mut blocks {
            block.text = without_links(&block.text);
        }
        blocks
    } else {
        blocks(text, |line| comment(line, &extension))
    }
}

/// A text of the same length with spaces in the place of every stretch that `enclosed` finds.
fn without(text: &str, mut enclosed: impl FnMut(&str) -> Option<(usize, usize)>) -> String {
    let mut left = text.to_owned();
    while let Some((start, end)) = enclosed(&left) {
        left.replace_range(start..end, &" ".repeat(end - start));
    }
    left
}

/// Without links, `[text](target)`: they have a test of their own.
fn without_links(text: &str) -> String {
    without(text, |text| {
        let middle = text.find("](")?;
        let end = middle + text[middle..].find(')')? + 1;
        Some((text[..middle].rfind('[').unwrap_or(middle), end))
    })
}

/// Without code, which may look like a link.
fn without_code(text: &str) -> String {
    without(text, |text| {
        let start = text.find('`')?;
        Some((start, start + 1 + text[start + 1..].find('`')? + 1))
    })
}

/// A path that ends in `.md`, with what follows it.
struct Reference<'t> {
    offset: usize,
    path: &'t str,
    after: &'t str,
}

fn references(text: &str) -> Vec<Reference<'_>> {
    let in_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let mut found = Vec::new();
    for (at, _) in text.match_indices(".md") {
        let after = &text[at + 3..];
        if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let start = text[..at].rfind(|c: char| !in_path(c)).map_or(0, |odd| {
            odd + text[odd..].chars().next().unwrap().len_utf8()
        });
        // An address on the web, a pattern, or a name with a variable in it.
        let before = text[..start].chars().next_back();
        if start == at || before.is_some_and(|c| ":$*{}<>".contains(c)) {
            continue;
        }
        found.push(Reference {
            offset: start,
            path: &text[start..at + 3],
            after,
        });
    }
    found
}

/// The numbers in `, section 4`, `, sections 2.1 to 2.6` or ` sections 6.11 and 8.4, 8.5`.
fn sections(after: &str) -> Vec<&str> {
    let rest = after.trim_start_matches(['`', '"', '\'', ')', ']', ',', ' ']);
    let Some(rest) = rest
        .strip_prefix("sections")
        .or_else(|| rest.strip_prefix("section"))
    else {
        return Vec::new();
    };
    let mut numbers = Vec::new();
    for word in rest.split_whitespace() {
        let number = word.trim_end_matches([',', '.', ';', ':', ')']);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        if is_number {
            numbers.push(number);
        }
        // The list of numbers goes on after a comma or a joining word, and nowhere else.
        if !(matches!(word, "and" | "to" | "or") || is_number && !word.ends_with(['.', ';', ')'])) {
            break;
        }
    }
    numbers
}

/// The headings of a Markdown file: their numbers and their anchors.
#[derive(Default)]
struct Headings {
    numbers: BTreeSet<String>,
    anchors: BTreeSet<String>,
}

impl Headings {
    fn read(text: &str) -> Self {
        let mut headings = Self::default();
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.trim_start().starts_with("```");
            let title = line.trim_start_matches('#');
            if fenced || title.len() == line.len() || !title.starts_with(' ') {
                continue;
            }
            let title = title.trim();
            let number = title.split_whitespace().next().unwrap_or_default();
            let number = number.trim_end_matches('.');
            if number.starts_with(|c: char| c.is_ascii_digit()) {
                headings.numbers.insert(number.to_owned());
            }
            headings.anchors.insert(anchor(title));
        }
        headings
    }
}

/// The anchor that GitHub gives to a heading.
fn anchor(title: &str) -> String {
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| match c {
        ' ' => '-',
        other => other.to_ascii_lowercase(),
    })
    .collect()
}

/// A path without `.` and `..`, or none when it leads out of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(name) => parts.push(name),
            std::path::Component::ParentDir => {
                parts.pop()?;
            }
            _ => {}
        }
    }
    Some(parts.into_iter().collect())
}

/// The file that a path means: from the repository's root, or from where it is written.
fn target(path: &str, from: &Path) -> Option<PathBuf> {
    let beside = from.parent().unwrap_or(Path::new("")).join(path);
    [PathBuf::from(path), beside]
        .iter()
        .filter_map(|candidate| normal(candidate))
        .find(|candidate| root().join(candidate).is_file())
}

fn all_headings(texts: &[(PathBuf, String)]) -> BTreeMap<&Path, Headings> {
    texts
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|e| e == "md"))
        .map(|(path, text)| (path.as_path(), Headings::read(text)))
        .collect()
}

/// What is wrong with the references of one text.
fn faults(path: &Path, text: &str, headings: &BTreeMap<&Path, Headings>) -> Vec<String> {
    let mut faults = Vec::new();
    for block in referring_blocks(path, text) {
        for reference in references(&block.text) {
            if FOREIGN.contains(&reference.path) {
                continue;
            }
            let line = block.line_at(reference.offset);
            let place = format!("{}:{line}: {}", path.display(), reference.path);
            let Some(file) = target(reference.path, path) else {
                faults.push(format!("{place}: no such file"));
                continue;
            };
            let known = headings.get(file.as_path());
            for number in sections(reference.after) {
                if !known.is_some_and(|known| known.numbers.contains(number)) {
                    faults.push(format!("{place}: no section {number}"));
                }
            }
        }
    }
    faults
}

/// The targets of the links in a Markdown paragraph, `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("](").filter_map(|(at, _)| {
        let start = at + 2;
        let end = start + text[start..].find(')')?;
        Some((start, &text[start..end]))
    })
}

fn link_faults(path: &Path, text: &str, headings: &BTreeMap<&Path, Headings>) -> Vec<String> {
    let mut faults = Vec::new();
    for block in paragraphs(text) {
        for (offset, link) in links(&without_code(&block.text)) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let place = format!("{}:{}: {link}", path.display(), block.line_at(offset));
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() {
                Some(path.to_owned())
            } else {
                normal(&path.parent().unwrap_or(Path::new("")).join(file))
            };
            match file.filter(|file| root().join(file).exists()) {
                None => faults.push(format!("{place}: no such file")),
                Some(file) => {
                    let known = headings.get(file.as_path());
                    let is_known = known.is_some_and(|known| known.anchors.contains(anchor));
                    if !anchor.is_empty() && !is_known {
                        faults.push(format!("{place}: no such heading"));
                    }
                }
            }
        }
    }
    faults
}

#[test]
fn references_to_documents_lead_somewhere() {
    let texts = texts();
    let headings = all_headings(&texts);
    let mut found = Vec::new();
    let mut references_seen = 0;
    for (path, text) in &texts {
        found.extend(faults(path, text, &headings));
        references_seen += referring_blocks(path, text)
            .iter()
            .map(|block| references(&block.text).len())
            .sum::<usize>();
    }
    assert_eq!(found, Vec::<String>::new());
    assert!(references_seen > 80, "only {references_seen} references");
}

#[test]
fn links_in_documents_lead_somewhere() {
    let texts = texts();
    let headings = all_headings(&texts);
    let mut found = Vec::new();
    for (path, text) in &texts {
        if headings.contains_key(path.as_path()) {
            found.extend(link_faults(path, text, &headings));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// A fault of each kind is found, and so are sections in lists and after a line break.
#[test]
fn faults_are_found() {
    let spec = Headings::read("# Title\n\n## 2. Types\n\n### 2.1 Lists\n");
    let headings = BTreeMap::from([(Path::new("docs/spec/grammar.md"), spec)]);
    let of = |text: &str| faults(Path::new("src/x.rs"), text, &headings);
    assert_eq!(
        of("// see `docs/spec/grammar.md`, sections 2 and 2.1.\n"),
        [""; 0]
    );
    assert_eq!(of("let output = \"summary.md\";\n"), [""; 0]);
    assert_eq!(of("// https://example.org/a.md\n"), [""; 0]);
    assert_eq!(
        of("//! First (`docs/spec/grammar.md`,\n//! section 9).\n"),
        ["src/x.rs:1: docs/spec/grammar.md: no section 9"]
    );
    assert_eq!(
        of("// `docs/spec/grammar.md`, sections 2 to 2.6\n"),
        ["src/x.rs:1: docs/spec/grammar.md: no section 2.6"]
    );
    assert_eq!(
        of(&["f(); /", "/ NOWHERE.md section 2\n"].concat()),
        ["src/x.rs:1: NOWHERE.md: no such file"]
    );
    let from = Path::new("docs/spec/README.md");
    let bad = "[a](grammar.md#2-types) [b](grammar.md#3-none) [c](nowhere.md)\n";
    assert_eq!(
        link_faults(from, bad, &headings),
        [
            "docs/spec/README.md:1: grammar.md#3-none: no such heading",
            "docs/spec/README.md:1: nowhere.md: no such file",
        ]
    );
}

/// The rules in the tables of a document, from the section of this number on: rows whose first cell
/// is an id in backticks.
fn listed(file: &str, first: u32, last: u32) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let sections = text.split("\n## ").filter(|part| {
        let number = part
            .split('.')
            .next()
            .and_then(|number| number.parse().ok());
        number.is_some_and(|number: u32| (first..=last).contains(&number))
    });
    let rows = sections.flat_map(|section| section.lines().filter_map(|l| l.strip_prefix("| `")));
    rows.filter_map(|row| row.split_once("` | ").map(|(id, _)| id.to_owned()))
        .collect()
}

/// A new rule needs a line in `docs/spec/rules.md` or `docs/spec/compatibility.md`.
#[test]
fn specifications_list_every_rule() {
    let output = Command::new(env!("CARGO_BIN_EXE_opatlas"))
        .arg("explain")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The list begins with topics, which have their kind in the place of a level.
    let is_rule = |line: &&str| {
        let kind = line.split_whitespace().nth(1);
        !opatlas_topics::Kind::ALL
            .iter()
            .any(|topic| Some(topic.as_str()) == kind)
    };
    let ids = text.lines().filter(is_rule);
    let ids = ids.filter_map(|line| line.split_whitespace().next());
    let rules: BTreeSet<String> = ids.map(str::to_owned).collect();
    let mut tables = listed("docs/spec/rules.md", 3, 21);
    tables.extend(listed("docs/spec/compatibility.md", 5, 5));
    let distinct: BTreeSet<String> = tables.iter().cloned().collect();
    assert_eq!(distinct.len(), tables.len(), "a rule is listed twice");
    let missing: Vec<_> = rules.difference(&distinct).collect();
    let unknown: Vec<_> = distinct.difference(&rules).collect();
    assert_eq!((missing, unknown), (vec![], vec![]));
}
