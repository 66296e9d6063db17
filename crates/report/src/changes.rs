//! A judged comparison for people and for tools: text, Markdown in parts, SARIF, JUnit, workflow
//! commands. One rendering a file; all of them escape what they show, and none leaves anything out
//! without saying how much.

mod advice;
mod card;
mod csv;
mod entry_diff;
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
pub use found::{NewFindings, conclusion as conclusion_of, worst_conclusion};
pub use further::Further;
pub use github::github;
pub use gitlab::gitlab;
pub use junit::junit;
pub use markdown::{LEAST_MAX_CHARS, Part, markdown, parts};
pub use message::message;
pub use official::disagreement;
pub use sarif::sarif;
pub use text::text;
pub use title::cause_title;
pub use verdict::headline;

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What differs.
    pub comparison: &'a Comparison,
    /// Its changes by cause.
    pub causes: &'a [Cause],
    /// The verdict under the policy on this comparison.
    pub judgement: &'a Judgement,
    /// The policy.
    pub policy: &'a Policy,
    /// The exceptions that the judgement was made with.
    pub exceptions: &'a [Exception],
    /// The base.
    pub base: Side<'a>,
    /// The head.
    pub head: Side<'a>,
    /// The findings that the change introduces.
    pub found: NewFindings<'a>,
    /// What there is to know of new operators.
    pub cards: &'a [Card],
    /// What else the reader has to know, a sentence each.
    pub notes: &'a [String],
    /// The further revisions that the head was held against.
    pub further: &'a [Further<'a>],
    /// Where the comparison can be seen in full.
    pub permalink: Option<&'a str>,
    /// What a rule's id is put behind to get the address of its page.
    pub rules_url: Option<&'a str>,
    /// The most Unicode scalar values that a part of a Markdown report may have, at least
    /// [`LEAST_MAX_CHARS`]; `None` for one part of any length.
    pub max_chars: Option<usize>,
    /// How long the rendering may become.
    pub room: &'a Room,
}

/// A side as a report shows it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// What people call it: a label, `this pull request`.
    pub title: &'a str,
    /// Its files.
    pub files: Files<'a>,
    /// Where `native_functions.yaml` can be seen; `#L` and a line number are put behind it.
    pub file_url: Option<&'a str>,
}

/// The files of a side that changes are found in, under the names that people know them by.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// `native_functions.yaml`
    pub native_functions: &'a SourceText,
    /// `derivatives.yaml`, if the side has one.
    pub derivatives: Option<&'a SourceText>,
}

impl<'a> Files<'a> {
    /// One of them.
    fn get(self, file: SideFile) -> Option<&'a SourceText> {
        match file {
            SideFile::NativeFunctions => Some(self.native_functions),
            SideFile::Derivatives => self.derivatives,
        }
    }

    /// The file that a fragment is in, and where; `None` if it is not written there.
    #[must_use]
    pub fn place(self, fragment: Option<&Fragment>) -> Option<(&'a SourceText, Span)> {
        let place = fragment?.place?;
        Some((self.get(place.file)?, place.span))
    }
}

impl<'a> Side<'a> {
    /// The path of the file that a change is about; that of `native_functions.yaml` if the side lacks it.
    fn path(&self, change: &Change) -> &'a str {
        let file = self.files.get(change.file());
        &file.unwrap_or(self.files.native_functions).path
    }

    /// The file that a fragment of this side is in, and where.
    fn place(&self, fragment: Option<&Fragment>) -> Option<(&'a SourceText, Span)> {
        self.files.place(fragment)
    }

    /// The position of a fragment of this side.
    fn lines(&self, fragment: Option<&Fragment>) -> Option<LineSpan> {
        let (source, span) = self.place(fragment)?;
        Some(source.lines(span))
    }

    /// The line that a fragment begins in.
    fn line(&self, fragment: Option<&Fragment>) -> Option<u32> {
        self.lines(fragment).map(|lines| lines.start.line)
    }
}

impl Report<'_> {
    /// A change's message with the operator before it, for renderings that show it alone.
    fn sentence(change: &Change) -> Message {
        message!("`{}`: {}", change.operator, message(change))
    }
}

/// What follows a line number, unless it is that of `native_functions.yaml`.
fn of_file(file: SideFile) -> &'static str {
    match file {
        SideFile::NativeFunctions => "",
        SideFile::Derivatives => " of derivatives.yaml",
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
