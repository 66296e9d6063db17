//! Findings on entries that are checked as part of a revision.

use opatlas_source::diagnostic::{self, Severity};
use serde::Serialize;
use utoipa::ToSchema;

use crate::finding::{self, Finding, Omitted};
use opatlas_service::Snapshot;
use opatlas_service::overlay::Overlay;

/// Findings on entries that are checked as part of a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverlayValidation {
    /// Whether PyTorch's generator accepts the entries: neither they nor the revision get an error.
    pub valid: bool,
    /// The release whose rules apply.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// The digest of the revision.
    pub revision: String,
    /// Notes, such as why the entries were checked without the revision.
    pub notes: Vec<String>,
    /// Counts of operators and findings.
    pub summary: OverlaySummary,
    /// The operators that the revision does not declare.
    pub added: Vec<String>,
    /// The operators whose entries replace those of the revision.
    pub replaced: Vec<String>,
    /// The findings in the entries. Their file is null, and so is that of related positions in the
    /// entries; other related positions are in the files of the revision.
    pub findings: Vec<Finding>,
    /// The findings elsewhere in the revision that the entries cause, errors first.
    pub elsewhere: Vec<Finding>,
    /// The number of omitted findings per rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// Counts over entries that are laid over a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverlaySummary {
    /// Declared operators.
    pub operators: usize,
    /// Findings of severity error, in the entries and elsewhere.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity info.
    pub infos: usize,
}

/// Findings on files that were laid over a revision.
pub fn overlay_validation(
    overlay: &Overlay,
    base: &Snapshot,
    judged: &Snapshot,
    mut notes: Vec<String>,
) -> OverlayValidation {
    let found = overlay.findings(base, judged);
    let count = |severity| {
        let own = found.own.iter().filter(|f| f.severity == severity).count();
        own + found.elsewhere.count(severity)
    };
    let errors = count(Severity::Error);
    notes.extend(overlay.alone.map(str::to_owned));
    let own = found.own.iter().map(|found| placed(overlay, judged, found));
    let elsewhere = found
        .elsewhere
        .new
        .iter()
        .map(|found| placed(overlay, judged, found));
    OverlayValidation {
        valid: errors == 0,
        release: judged.release().as_str(),
        revision: format!("sha256:{}", base.digest),
        notes,
        summary: OverlaySummary {
            operators: overlay.added.len() + overlay.replaced.len(),
            errors,
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        },
        added: overlay.added.iter().cloned().collect(),
        replaced: overlay.replaced.iter().cloned().collect(),
        findings: own.collect(),
        elsewhere: elsewhere.collect(),
        omitted: found
            .elsewhere
            .omitted
            .iter()
            .map(|o| (*o).into())
            .collect(),
    }
}

fn placed(overlay: &Overlay, judged: &Snapshot, found: &diagnostic::Finding) -> Finding {
    let mut wire = finding::one(judged, found);
    let place = |file: &str, span| {
        let own = overlay.place(file, span)?;
        Some(finding::Span::from(overlay.entries.lines(own)))
    };
    if let Some(span) = place(&found.file, found.span) {
        (wire.file, wire.span) = (None, span);
    }
    for (related, from) in wire.related.iter_mut().zip(&found.related) {
        let file = from.file.as_deref().unwrap_or(&found.file);
        if let Some(span) = place(file, from.span) {
            (related.file, related.span) = (None, span);
        }
    }
    // An edit of the revision's files cannot be made in the entries.
    if wire.file.is_some() {
        wire.fix = None;
    } else if let (Some(fix), Some(from)) = (&mut wire.fix, &found.fix) {
        match place(&found.file, from.span) {
            Some(span) => fix.span = span,
            None => wire.fix = None,
        }
    }
    wire
}
