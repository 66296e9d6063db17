//! Helpers for tests of scans.
#![allow(dead_code, reason = "not every test uses everything")]

use opatlas_source::LineIndex;
use opatlas_sources::{File, Macros, Registration, Scan, scan};

/// The scan of one file.
pub fn scanned(path: &str, text: &str) -> Scan {
    let file = File {
        path,
        bytes: text.as_bytes(),
    };
    scan(&[file], &Macros::built_in())
}

/// Asserts the registrations of a file, one per line: place, kind, operator, key, kernel, and more.
#[track_caller]
pub fn check(path: &str, text: &str, expected: &[&str]) {
    let scan = scanned(path, text);
    let index = LineIndex::new(text);
    let shown = scan
        .registrations
        .iter()
        .map(|row| shown(row, text, &index));
    let shown: Vec<String> = shown.collect();
    assert_eq!(shown, expected, "{text}");
}

/// Asserts the registrations of several files, each line with the path of its file.
#[track_caller]
pub fn check_files(texts: &[(&str, &str)], expected: &[&str]) {
    let files = texts.iter().map(|(path, text)| File {
        path,
        bytes: text.as_bytes(),
    });
    let scan = scan(&files.collect::<Vec<_>>(), &Macros::built_in());
    let shown = scan.registrations.iter().map(|row| {
        let (path, text) = texts[row.file as usize];
        format!("{path}:{}", shown(row, text, &LineIndex::new(text)))
    });
    let shown: Vec<String> = shown.collect();
    assert_eq!(shown, expected);
}

fn shown(row: &Registration, text: &str, index: &LineIndex) -> String {
    let at = index.line_column(text, row.at.start);
    let or = |text: &Option<Box<str>>| text.as_deref().unwrap_or("?").to_owned();
    let mut line = format!("{}:{} {}", at.line, at.column, row.kind.as_str());
    line += &format!(" {}::{}", or(&row.namespace), or(&row.operator));
    for (name, part) in [
        ("key", &row.key),
        ("kernel", &row.kernel),
        ("schema", &row.schema),
        ("if", &row.condition),
        ("why", &row.unresolved),
    ] {
        if let Some(part) = part {
            line += &format!(" {name}={part}");
        }
    }
    if row.fallthrough {
        line += " fallthrough";
    }
    line
}

/// Asserts the registrations of several files: `path operator at key`, or why one is unresolved.
#[track_caller]
pub fn check_paths(files: &[(&str, &str)], expected: &[&str]) {
    check_paths_with(files, &Macros::built_in(), expected);
}

/// Like [`check_paths`], with macros.
#[track_caller]
pub fn check_paths_with(files: &[(&str, &str)], macros: &Macros, expected: &[&str]) {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| File {
            path,
            bytes: text.as_bytes(),
        })
        .collect();
    let found = scan(&files, macros).registrations;
    let shown = found.iter().map(|row| {
        let or = |text: &Option<Box<str>>| text.as_deref().unwrap_or("?").to_owned();
        let path = files.get(row.file as usize).map_or("", |file| file.path);
        let operator = format!("{}::{}", or(&row.namespace), or(&row.operator));
        match &row.unresolved {
            Some(why) => format!("{path} {operator}: {why}"),
            None => format!("{path} {operator} at {}", or(&row.key)),
        }
    });
    let shown: Vec<String> = shown.collect();
    assert_eq!(shown, expected);
}
