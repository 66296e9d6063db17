//! Reads the report that a job without rights has left for one that may comment.
//!
//! Whoever opens a pull request from a fork decides what that job runs, so nothing in the folder is
//! trusted: sizes are limited, links are rejected, and the caller checks the number and the commit
//! against the site.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use serde::Deserialize;

use super::markup::Markup;
use crate::cli::read::{self, Origin};

const PARTS: usize = 20;
/// The longest part, in characters: what the site takes, without the hidden line.
pub(super) const LONGEST_PART: usize = 65_400;
const WORD: u64 = 100;
const PART: u64 = 4 * 65_536;
const COMPARISON: u64 = 64 << 20;
const FILES: usize = 200;
const BEGINNINGS: [&str; 4] = [
    "### **Blocked:** ",
    "### **Warning:** ",
    "### **Pass:** ",
    "### Operator schemas, part ",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Artifact {
    pub(super) number: Option<u64>,
    pub(super) head: Option<String>,
    pub(super) parts: Vec<String>,
}

#[derive(Deserialize)]
struct Comparison {
    #[serde(default)]
    parts: Vec<String>,
}

impl Artifact {
    /// Reads `number` and `head`, each optional, and the report as Markdown files in the folder or
    /// in `parts`, or as a comparison in JSON made with `--max-chars`. Fails if the folder has
    /// anything else, or too much.
    pub(super) fn read(folder: &Path, markup: &Markup) -> anyhow::Result<Self> {
        // A trailing slash would make the name of a link that of its target.
        let folder: &Path = &folder.components().collect::<PathBuf>();
        let shown = folder.display();
        let kind = fs::symlink_metadata(folder).with_context(|| format!("cannot read {shown}"))?;
        if !kind.is_dir() {
            bail!("{shown} is not a folder; a link to one is not followed");
        }
        let files = files(folder).with_context(|| format!("cannot read {shown}"))?;
        let parts = folder.join("parts");
        let markdown = if fs::symlink_metadata(&parts).is_ok_and(|found| found.is_dir()) {
            self::files(&parts)?
        } else {
            files.clone()
        };
        let markdown = with_extension(&markdown, "md");
        let json = with_extension(&files, "json");
        let parts = match (&*markdown, &*json) {
            ([], [only]) => parts_of(only)?,
            ([], _) => bail!(
                "{shown} has no report: it needs Markdown files, or one comparison as JSON made \
                 with --max-chars"
            ),
            (markdown, _) => {
                let texts = markdown.iter().map(|path| text(path, PART));
                texts.collect::<anyhow::Result<_>>()?
            }
        };
        let number = word(folder, "number")?.map(|number| {
            let parsed = number.parse().ok().filter(|number| *number > 0);
            parsed.ok_or_else(|| anyhow!("{shown}/number is not the number of a pull request"))
        });
        let head = word(folder, "head")?;
        if head.as_deref().is_some_and(|head| !is_commit(head)) {
            bail!("{shown}/head is not the id of a commit");
        }
        Ok(Self {
            number: number.transpose()?,
            head,
            parts: checked(parts, markup).with_context(|| format!("the report in {shown}"))?,
        })
    }
}

pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Rejects a text that is not a report, and neutralizes mentions, references and links.
fn checked(parts: Vec<String>, markup: &Markup) -> anyhow::Result<Vec<String>> {
    if parts.is_empty() {
        bail!("it has no parts");
    }
    if parts.len() > PARTS {
        bail!(
            "it has {} parts, but at most {PARTS} are posted",
            parts.len()
        );
    }
    let numbered = parts.into_iter().enumerate();
    let check = |(i, part): (usize, String)| {
        let number = i + 1;
        if !BEGINNINGS
            .iter()
            .any(|beginning| part.starts_with(beginning))
        {
            bail!("part {number} does not begin as a report of Opatlas");
        }
        let is_control = |c: char| c.is_control() && c != '\n' && c != '\r' && c != '\t';
        if part.contains(is_control) {
            bail!("part {number} has control characters, which no report has");
        }
        let part = markup.harmless(&part);
        let length = part.chars().count();
        if length > LONGEST_PART {
            bail!("part {number} has {length} characters, but a comment takes {LONGEST_PART}");
        }
        Ok(part)
    };
    numbered.map(check).collect()
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)?.take(FILES + 1) {
        let entry = entry?;
        // The kind of the entry, without following links.
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            bail!(
                "{} is a link, and links are not followed",
                entry.path().display()
            );
        }
        if kind.is_file() {
            files.push(entry.path());
        }
    }
    if files.len() > FILES {
        bail!("it has more than {FILES} files");
    }
    let number = |path: &PathBuf| -> (u64, String) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        (digits.parse().unwrap_or(u64::MAX), name.into_owned())
    };
    files.sort_by_key(number);
    Ok(files)
}

fn with_extension(files: &[PathBuf], extension: &str) -> Vec<PathBuf> {
    let all = files.iter();
    let own = all.filter(|path| path.extension().is_some_and(|found| found == extension));
    own.cloned().collect()
}

fn parts_of(path: &Path) -> anyhow::Result<Vec<String>> {
    let shown = path.display();
    let text = read::bytes(path, Origin::Foreign, COMPARISON)
        .with_context(|| format!("cannot read {shown}"))?;
    // Serde would accept a list for the struct.
    if !text.trim_ascii_start().starts_with(b"{") {
        bail!("{shown} is not a comparison as JSON");
    }
    let comparison: Comparison = serde_json::from_slice(&text)
        .with_context(|| format!("{shown} is not a comparison as JSON"))?;
    if comparison.parts.is_empty() {
        bail!("{shown} has no parts; make it with `compare --format json --max-chars 65000`");
    }
    Ok(comparison.parts)
}

fn word(folder: &Path, name: &str) -> anyhow::Result<Option<String>> {
    let path = folder.join(name);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(None);
    }
    Ok(Some(text(&path, WORD)?.trim().to_owned()))
}

fn text(path: &Path, most: u64) -> anyhow::Result<String> {
    let shown = path.display();
    let bytes =
        read::bytes(path, Origin::Foreign, most).with_context(|| format!("cannot read {shown}"))?;
    String::from_utf8(bytes).with_context(|| format!("{shown} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "### **Pass:** no changes (a → b)\n";

    fn read(files: &[(&str, &str)]) -> Result<Artifact, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Artifact::read(folder.path(), &Markup::linking_to(None))
            .map_err(|error| format!("{error:#}"))
    }

    fn refuses(files: &[(&str, &str)], why: &str) {
        let error = read(files).unwrap_err();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn parts_come_in_the_order_of_their_numbers() {
        let part = |text: &str| format!("{REPORT}{text}\n");
        let (two, ten) = (part("two"), part("ten"));
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let files = [
            ("parts/part-10.md", &*ten),
            ("parts/part-2.md", &*two),
            ("number", "7\n"),
            ("head", commit),
        ];
        let read = read(&files).unwrap();
        assert_eq!(read.number, Some(7));
        assert_eq!(read.head.as_deref(), Some(commit));
        assert_eq!(read.parts, [two, ten]);
    }

    #[test]
    fn a_comparison_has_its_parts() {
        let json = serde_json::json!({"conclusion": "pass", "parts": [REPORT]}).to_string();
        assert_eq!(read(&[("comparison.json", &json)]).unwrap().parts, [REPORT]);
        refuses(&[("comparison.json", r#"{"parts": []}"#)], "--max-chars");
        refuses(&[("comparison.json", "[]")], "not a comparison");
    }

    #[test]
    fn what_is_not_a_report_is_refused() {
        refuses(&[], "has no report");
        refuses(
            &[("a.md", "Please visit my site")],
            "does not begin as a report",
        );
        refuses(&[("a.md", REPORT), ("number", "0")], "not the number");
        refuses(&[("a.md", REPORT), ("number", "7; rm")], "not the number");
        refuses(
            &[("a.md", REPORT), ("number", &"7".repeat(101))],
            "more than 100 bytes",
        );
        refuses(&[("a.md", REPORT), ("head", "main")], "not the id");
        refuses(
            &[("a.md", &format!("{REPORT}\u{1b}[2J"))],
            "control characters",
        );
        refuses(
            &[("a.md", &format!("{REPORT}{}", "x".repeat(65_400)))],
            "65400",
        );
        refuses(&[("a.md", &"x".repeat(300_000))], "more than 262144 bytes");
        let names: Vec<String> = (0..21).map(|i| format!("parts/{i}.md")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| (&**name, REPORT)).collect();
        refuses(&many, "at most 20");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        fs::write(&secret, REPORT).unwrap();
        let report = folder.path().join("report");
        fs::create_dir(&report).unwrap();
        std::os::unix::fs::symlink(&secret, report.join("part-1.md")).unwrap();
        let read = |path: &Path| {
            let read = Artifact::read(path, &Markup::linking_to(None));
            format!("{:#}", read.unwrap_err())
        };
        assert!(read(&report).contains("part-1.md is a link"));
        fs::remove_file(report.join("part-1.md")).unwrap();
        fs::write(report.join("part-1.md"), REPORT).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&report, &link).unwrap();
        for link in [link.clone(), link.join("")] {
            assert!(read(&link).contains("a link to one is not followed"));
        }
    }

    #[test]
    fn nobody_is_mentioned() {
        let read = read(&[("a.md", &format!("{REPORT}@everybody a@b `@x` @ @-\n"))]).unwrap();
        let text = &read.parts[0];
        assert!(
            text.ends_with("@\u{2060}everybody a@\u{2060}b `@\u{2060}x` @ @-\n"),
            "{text}"
        );
    }
}
