//! Findings in the formats that `Accept` selects.

use std::collections::BTreeMap;

use opatlas_report::findings::{Colour, Findings, markdown, sarif, text};
use opatlas_report::room::Room;
use opatlas_rules::Omitted;
use opatlas_source::Stop;
use opatlas_source::diagnostic::Finding;

use crate::http::negotiate::Media;
use opatlas_service::{LARGEST_ANSWER, Snapshot};
use opatlas_wire::json::json;

/// The formats of findings.
pub const FINDINGS: &[Media] = &[Media::Json, Media::Sarif, Media::Markdown, Media::Text];

/// The formats of a list of findings.
pub const FINDINGS_LIST: &[Media] = &[
    Media::Json,
    Media::NdJson,
    Media::Sarif,
    Media::Markdown,
    Media::Text,
];

/// Findings of a snapshot as a report; `None` for the JSON formats, which the caller makes.
#[must_use]
pub fn report<'a>(
    snapshot: &Snapshot,
    findings: impl Iterator<Item = &'a Finding>,
    omitted: &[Omitted],
    media: Media,
    stop: &Stop,
) -> Option<Vec<u8>> {
    let findings: Vec<Finding> = findings.cloned().collect();
    let mut sources = BTreeMap::new();
    for (name, _) in snapshot.bundle.files() {
        if let Some(source) = snapshot.source(name) {
            sources.insert(name.into(), source.clone());
        }
    }
    let room = Room::new(LARGEST_ANSWER, stop);
    let report = Findings {
        findings: &findings,
        omitted,
        sources,
        room: &room,
    };
    match media {
        Media::Sarif => Some(json(&sarif(&report))),
        Media::Markdown => Some(markdown(&report).into_bytes()),
        Media::Text => Some(text(&report, Colour::Never).into_bytes()),
        _ => None,
    }
}
