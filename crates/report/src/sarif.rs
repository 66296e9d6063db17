//! The results of SARIF 2.1.0 logs, for findings and comparisons.

use std::borrow::Cow;

use opatlas_source::Span;
use serde::Serialize;

use crate::escape::{self, uri};
use crate::findings::SourceText;
use crate::line_hash::LineHashes;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult<'a> {
    pub rule_id: &'a str,
    pub level: &'static str,
    pub message: Message<'a>,
    pub locations: [Location<'a>; 1],
    pub partial_fingerprints: Fingerprints<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressions: Option<[Suppression; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<[Fix<'a>; 1]>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    pub text: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let escaped = match escape::sarif(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(escaped) => Some(Cow::Owned(escaped)),
        };
        Self {
            text: escaped.unwrap_or(text),
        }
    }

    pub(crate) fn verbatim(text: &'a str) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location<'a> {
    pub physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_locations: Option<[Logical<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Physical {
    pub artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Artifact {
    uri: String,
}

impl Artifact {
    pub(crate) fn new(path: &str) -> Self {
        Self { uri: uri(path) }
    }
}

/// Lines and columns, from 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

impl Region {
    pub(crate) fn new(source: &SourceText, span: Span) -> Self {
        let lines = source.lines(span);
        Self {
            start_line: lines.start.line,
            start_column: lines.start.column,
            end_line: lines.end.line,
            end_column: lines.end.column,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Logical<'a> {
    pub fully_qualified_name: &'a str,
    pub kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Fingerprints<'a> {
    #[serde(rename = "opatlas/v1")]
    pub own: String,
    #[serde(
        rename = "primaryLocationLineHash",
        skip_serializing_if = "Option::is_none"
    )]
    pub line: Option<&'a str>,
}

pub(crate) fn line_hash<'a>(
    hashes: &'a LineHashes<'_>,
    place: Option<(&SourceText, Span)>,
) -> Option<&'a str> {
    let (source, span) = place?;
    hashes.get(source, source.lines(span).start.line)
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Properties {
    Change {
        level: &'static str,
        breaks: Vec<&'static str>,
        risks: Vec<&'static str>,
    },
    Finding {
        new: bool,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Suppression {
    pub kind: &'static str,
    pub status: &'static str,
    pub justification: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix<'a> {
    pub description: Message<'a>,
    pub artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactChange<'a> {
    pub artifact_location: Artifact,
    pub replacements: [Replacement<'a>; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement<'a> {
    pub deleted_region: Region,
    pub inserted_content: Message<'a>,
}
