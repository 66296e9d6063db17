//! Reports of a judged comparison: text, Markdown in parts, SARIF, JUnit, GitHub and GitLab, CSV. Each
//! rendering escapes its text and says how much it leaves out.

mod advice;
mod card;
mod csv;
mod entry_diff;
mod filter;
mod found;
mod further;
mod github;
mod gitlab;
mod junit;
mod lists;
mod markdown;
pub mod message;
mod official;
mod outline;
mod reason;
mod sarif;
mod text;
mod title;
mod verdict;

use opatlas_diff::cards::Card;
use opatlas_diff::causes::Cause;
use opatlas_diff::policy::{Exception, Judgement, Policy};
use opatlas_diff::{Change, Comparison, Fragment, SideFile};
use opatlas_source::{LineSpan, Message, Span, message};

use super::findings::SourceText;
use super::room::Room;

pub use advice::{accept, help};
pub use csv::csv;
pub use filter::{Filter, Listed};
pub use found::{NewFindings, conclusion as conclusion_of, worst_conclusion};
pub use further::Further;
pub use github::github;
pub use gitlab::gitlab;
pub use junit::junit;
pub use markdown::{LEAST_MAX_CHARS, markdown};
pub use message::message;
pub use official::disagreement;
pub use outline::ordered_causes;
pub use reason::reason;
pub use sarif::sarif;
pub use text::text;
pub use title::cause_title;
pub use verdict::headline;

/// The input of a report.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// Its changes by cause.
    pub causes: &'a [Cause],
    /// The judgement of the comparison under the policy.
    pub judgement: &'a Judgement,
    /// The policy.
    pub policy: &'a Policy,
    /// The exceptions of the judgement.
    pub exceptions: &'a [Exception],
    /// The base.
    pub base: Side<'a>,
    /// The head.
    pub head: Side<'a>,
    /// The findings that the head introduces.
    pub found: NewFindings<'a>,
    /// The cards of new operators.
    pub cards: &'a [Card],
    /// Further notes, one sentence each.
    pub notes: &'a [String],
    /// The further revisions that the head was compared with.
    pub further: &'a [Further<'a>],
    /// What a filter leaves to list; `None` to list everything.
    pub listed: Option<&'a Listed>,
    /// The address of the full comparison.
    pub permalink: Option<&'a str>,
    /// The address of the rules' pages, without the rule's id.
    pub rules_url: Option<&'a str>,
    /// The maximum number of Unicode scalar values in a part of a Markdown report, at least
    /// [`LEAST_MAX_CHARS`]; `None` for one part of any length.
    pub max_chars: Option<usize>,
    /// The bound on the length of the rendering.
    pub room: &'a Room,
}

/// A side as a report shows it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its title, such as a label or `this pull request`.
    pub title: &'a str,
    /// Its files.
    pub files: Files<'a>,
    /// The address of `native_functions.yaml`, to which `#L` and a line number are appended.
    pub file_url: Option<&'a str>,
}

/// The files of a side in which changes are placed.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// `native_functions.yaml`
    pub native_functions: &'a SourceText,
    /// `derivatives.yaml`, if the side has one.
    pub derivatives: Option<&'a SourceText>,
    /// `tags.yaml`, if the side has one.
    pub tags: Option<&'a SourceText>,
}

impl<'a> Files<'a> {
    fn get(self, file: SideFile) -> Option<&'a SourceText> {
        match file {
            SideFile::NativeFunctions => Some(self.native_functions),
            SideFile::Derivatives => self.derivatives,
            SideFile::Tags => self.tags,
        }
    }

    /// The file and position of a fragment; `None` if it is in no file.
    #[must_use]
    pub fn place(self, fragment: Option<&Fragment>) -> Option<(&'a SourceText, Span)> {
        let place = fragment?.place?;
        Some((self.get(place.file)?, place.span))
    }
}

impl<'a> Side<'a> {
    /// The path of the file with a change; that of `native_functions.yaml` if the side lacks it.
    fn path(&self, change: &Change) -> &'a str {
        let file = self.files.get(change.file());
        &file.unwrap_or(self.files.native_functions).path
    }

    fn place(&self, fragment: Option<&Fragment>) -> Option<(&'a SourceText, Span)> {
        self.files.place(fragment)
    }

    fn lines(&self, fragment: Option<&Fragment>) -> Option<LineSpan> {
        let (source, span) = self.place(fragment)?;
        Some(source.lines(span))
    }

    fn line(&self, fragment: Option<&Fragment>) -> Option<u32> {
        self.lines(fragment).map(|lines| lines.start.line)
    }
}

impl Report<'_> {
    fn sentence(change: &Change) -> Message {
        message!("`{}`: {}", change.operator, message(change))
    }
}

/// The suffix of a line number, which names the file unless it is `native_functions.yaml`.
fn of_file(file: SideFile) -> &'static str {
    match file {
        SideFile::NativeFunctions => "",
        SideFile::Derivatives => " of derivatives.yaml",
        SideFile::Tags => " of tags.yaml",
    }
}

/// `1 operator`, `2 operators`.
fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ if one.ends_with('y') => format!("{number} {}ies", &one[..one.len() - 1]),
        _ => format!("{number} {one}s"),
    }
}
