//! The differences between a process and the files, for terminals.

use std::fmt::Write as _;

use crate::escape;
use opatlas_dispatch::{Drift, DriftKind, DriftRow};

/// A line with counts, then at most `limit` differences, one per line.
#[must_use]
pub fn drift_text(title: &str, drift: &Drift<'_>, limit: usize) -> String {
    let mut out = format!(
        "{}: {} registrations are the same",
        escape::line(title),
        drift.same
    );
    for kind in DriftKind::ALL {
        let count = drift.count(kind);
        if count > 0 {
            let _ = write!(out, "; {count} {}", counted(kind));
        }
    }
    out.push('\n');
    if !drift.left_out.is_empty() {
        let backends = drift.left_out.join(", ");
        let _ = writeln!(out, "  not in this build: {backends}");
    }
    for row in drift.rows.iter().take(limit) {
        let _ = writeln!(out, "  {}", escape::line(&line(row)));
    }
    if drift.rows.len() > limit {
        let more = drift.rows.len() - limit;
        let _ = writeln!(out, "  and {more} more; --limit 0 lists all");
    }
    out
}

fn counted(kind: DriftKind) -> &'static str {
    match kind {
        DriftKind::OperatorAbsent => "declared operators are absent",
        DriftKind::OperatorUndeclared => "operators are not declared",
        DriftKind::Absent => "are absent",
        DriftKind::Undeclared => "are not declared",
        DriftKind::OtherKernel => "have another kernel",
    }
}

fn line(row: &DriftRow<'_>) -> String {
    let (operator, key) = (&row.operator, row.key.unwrap_or_default());
    let origin = row.expected.map(|origin| origin.as_str());
    let origin = origin.unwrap_or_default();
    let found = match row.found {
        Some(found) => {
            let file = found.file.as_deref().unwrap_or("an unknown file");
            if found.fallthrough {
                format!("a fallthrough of {file}")
            } else {
                file.to_owned()
            }
        }
        None => String::new(),
    };
    match row.kind {
        DriftKind::OperatorAbsent => format!("{operator}: the process does not have it"),
        DriftKind::OperatorUndeclared => format!("{operator}: the files do not declare it"),
        DriftKind::Absent => format!("{operator} {key}: absent ({origin})"),
        DriftKind::Undeclared => format!("{operator} {key}: not declared, from {found}"),
        DriftKind::OtherKernel => format!("{operator} {key}: {found} instead of {origin}"),
    }
}
