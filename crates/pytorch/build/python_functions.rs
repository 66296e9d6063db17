//! Turns `data/python_calls.txt` into its lines, sorted by name; they are read when they are asked for.

use std::fmt::Write;

use crate::ways::{covered, index, mask};

pub fn generate(text: &str, releases: &[String]) -> String {
    let mut measured = Vec::new();
    let mut rows: Vec<(&str, &str, u64, &str)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (kind, rest) = line.split_once('\t').expect("fields");
        if kind == "measured" {
            measured = rest.split('\t').map(|of| index(of, releases)).collect();
            continue;
        }
        let (ranges, rest) = rest.split_once('\t').expect("the releases of a row");
        let (name, fields) = rest.split_once('\t').expect("the name of a row");
        rows.push((kind, name, covered(ranges, &measured, releases), fields));
    }
    rows.sort_unstable();
    let mut out = format!("static MEASURED: u64 = {};\n", mask(&measured));
    for (kind, table) in [("function", "FUNCTIONS"), ("same", "SAME")] {
        let _ = writeln!(out, "static {table}: &[(&str, u64, &str)] = &[");
        for (_, name, releases, fields) in rows.iter().filter(|row| row.0 == kind) {
            let _ = writeln!(out, "    ({name:?}, {releases}, {fields:?}),");
        }
        out.push_str("];\n");
    }
    out
}
