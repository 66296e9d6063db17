//! Comments in sources that allow findings: `// opatlas: allow(rule-id) reason`, on the line of a finding
//! or on the one above. A reason is required.

use std::collections::BTreeSet;

use opatlas_source::diagnostic::{Diagnostic, Finding, RuleId};
use opatlas_source::message;
use opatlas_sources::File;
use rustc_hash::FxHashMap;

use crate::findings::Omitted;
use crate::sink::Sink;
use crate::suppress::{self, Suppression};

pub(super) struct Comments<'f> {
    of_file: FxHashMap<&'f str, OfFile<'f>>,
    /// The files with comments, in the order given.
    order: Vec<&'f str>,
}

/// The comments of one file, in order.
struct OfFile<'f> {
    text: &'f str,
    comments: Vec<Comment>,
}

struct Comment {
    said: Suppression,
    mark: usize,
    /// Whether it is certainly a comment: the mark may also be in a string or a C++ namespace.
    is_plain: bool,
    rules: BTreeSet<RuleId>,
    used: BTreeSet<RuleId>,
}

/// The maximum number of comments on two lines that can allow a finding.
const MOST_NEAR: usize = 64;

/// Rules about sources whose findings come from the bundle check.
const OF_BUNDLE: [RuleId; 4] = [
    RuleId::SourceDefinition,
    RuleId::SourceUnread,
    RuleId::SourceDeclaredTwice,
    RuleId::SourceOperatorUnknown,
];

impl<'f> Comments<'f> {
    pub(super) fn read(files: &[File<'f>]) -> Self {
        let mut comments = Self {
            of_file: FxHashMap::default(),
            order: Vec::new(),
        };
        for file in files {
            let marks: Vec<usize> = memchr::memmem::find_iter(file.bytes, suppress::MARK).collect();
            let (false, Ok(text)) = (marks.is_empty(), std::str::from_utf8(file.bytes)) else {
                continue;
            };
            let of_file = OfFile {
                text,
                comments: read(text, &marks),
            };
            if comments.of_file.insert(file.path, of_file).is_none() {
                comments.order.push(file.path);
            }
        }
        comments
    }

    /// Whether a comment allows a finding; marks the comment as used.
    pub(super) fn allow(&mut self, finding: &Finding) -> bool {
        let Some(file) = self.of_file.get_mut(&*finding.file) else {
            return false;
        };
        let text = file.text.as_bytes();
        let at = (finding.span.start as usize).min(text.len());
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        let line = memchr::memrchr(b'\n', &text[..at]).unwrap_or(0);
        let above = memchr::memrchr(b'\n', &text[..line]).map_or(0, |at| at + 1);
        let first = file.comments.partition_point(|one| one.mark < above);
        let near = file.comments[first..].iter_mut();
        let mut is_allowed = false;
        for comment in near.take_while(|one| one.mark < end).take(MOST_NEAR) {
            if comment.rules.contains(&finding.rule) && !comment.said.reason.is_empty() {
                comment.used.insert(finding.rule);
                is_allowed = true;
            }
        }
        is_allowed
    }

    /// Reports comments that allow nothing, except for rules in `omitted`.
    pub(super) fn complain(&self, omitted: &[Omitted], sink: &mut Sink) {
        let is_known = |rule: RuleId| !omitted.iter().any(|more| more.rule == rule);
        for path in &self.order {
            let comments = self.of_file[path].comments.iter();
            for comment in comments.filter(|comment| comment.is_plain) {
                for diagnostic in comment.faults(&is_known, sink) {
                    sink.file(path, diagnostic);
                }
            }
        }
    }
}

impl Comment {
    fn faults(&self, is_known: &impl Fn(RuleId) -> bool, sink: &Sink) -> Vec<Diagnostic> {
        if !self.said.well_formed {
            let message = "malformed suppression comment";
            let fault = Diagnostic::new(RuleId::SuppressionMalformed, self.said.at, message);
            return vec![fault.with_help("write `// opatlas: allow(rule-id) reason`")];
        }
        if self.said.reason.is_empty() {
            let message = "the suppression has no reason, so it allows nothing";
            let fault = Diagnostic::new(RuleId::SuppressionWithoutReason, self.said.at, message);
            return vec![fault.with_help("write the reason after the parenthesis")];
        }
        let rules = self.said.rules.iter();
        let faults = rules.filter_map(|(name, at)| {
            let Some(rule) = RuleId::parse(name) else {
                return Some(suppress::unknown(name, *at, &sink.suggestions));
            };
            if self.used.contains(&rule) || OF_BUNDLE.contains(&rule) || !is_known(rule) {
                return None;
            }
            let message = message!("`{}` has no finding on this line or the next", rule);
            let fault = Diagnostic::new(RuleId::SuppressionUnused, *at, message);
            Some(fault.with_help("remove the suppression"))
        });
        faults.collect()
    }
}

/// The comments at these marks. A second mark on a line ends the first comment.
fn read(text: &str, marks: &[usize]) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let nexts = marks.iter().skip(1).copied().chain([text.len()]);
    let mut free = 0;
    let comments = marks.iter().zip(nexts).map(|(&mark, next)| {
        let start = memchr::memrchr(b'\n', &bytes[free..mark]).map_or(free, |at| free + at + 1);
        let end = memchr::memchr(b'\n', &bytes[mark..next]).map_or(next, |end| mark + end);
        free = mark + suppress::MARK.len();
        let before = text[start..mark].trim_end();
        let mut openers = ["//", "/*", "#"].into_iter();
        let opener = openers.find(|opener| before.ends_with(opener));
        let hash = start + before.len() - opener.map_or(0, str::len);
        let mut said = suppress::parse(text, hash, free..end);
        said.reason = said.reason.trim_end_matches("*/").trim().into();
        let rules = said.rules.iter();
        Comment {
            rules: rules.filter_map(|(rule, _)| RuleId::parse(rule)).collect(),
            said,
            mark,
            is_plain: opener.is_some(),
            used: BTreeSet::new(),
        }
    });
    comments.collect()
}
