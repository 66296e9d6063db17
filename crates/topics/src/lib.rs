//! Topics explain dispatch keys, fields, types and annotations, and guide to a dispatch key.
//!
//! Tests run every example. If ATen's README and torchgen differ, the topic says how.

mod annotations;
mod backends;
mod dispatch_keyword;
mod fields;
mod functionalities;
mod guides;
mod keys;
mod types;

use std::borrow::Cow;

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;

pub use dispatch_keyword::{Answer, GUIDE, Guide, Next, Outcome, Question, Row};

opatlas_source::words! {
    /// The kind of a topic.
    pub enum Kind {
        /// How to do something, or a concept.
        Guide = "guide",
        /// A field of an entry.
        Field = "field",
        /// A type.
        Type = "type",
        /// An annotation of a type.
        Annotation = "annotation",
        /// An alias key.
        AliasKey = "alias-key",
        /// A dispatch key of the runtime.
        DispatchKey = "dispatch-key",
    }
}

/// torchgen's verdict on an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// torchgen accepts it.
    Accepted,
    /// torchgen rejects it under this rule.
    Refused(RuleId),
}

/// Example entries of `native_functions.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The entries.
    pub yaml: &'static str,
    /// The verdict of the topic's last release.
    pub verdict: Verdict,
}

impl Example {
    const fn accepted(yaml: &'static str) -> Self {
        Self {
            yaml,
            verdict: Verdict::Accepted,
        }
    }

    const fn refused(yaml: &'static str, rule: RuleId) -> Self {
        Self {
            yaml,
            verdict: Verdict::Refused(rule),
        }
    }
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The name of the key, field, type or concept.
    pub id: Cow<'static, str>,
    /// What it is about.
    pub kind: Kind,
    /// A one-sentence summary.
    pub summary: Cow<'static, str>,
    /// Paragraphs.
    pub body: Vec<Cow<'static, str>>,
    /// Where ATen's README and torchgen differ, and which one is right.
    pub differs: Option<&'static str>,
    /// Entries that show it.
    pub examples: &'static [Example],
    /// Related topics.
    pub see: Vec<Cow<'static, str>>,
    /// Other names for searches.
    pub names: &'static [&'static str],
    /// The first release with it.
    pub since: Release,
    /// The last one; `None` if the newest release has it.
    pub until: Option<Release>,
}

#[derive(Debug, Clone, Copy)]
struct Text {
    id: &'static str,
    kind: Kind,
    summary: &'static str,
    body: &'static [&'static str],
    differs: Option<&'static str>,
    examples: &'static [Example],
    see: &'static [&'static str],
    names: &'static [&'static str],
}

impl Text {
    const fn new(id: &'static str, kind: Kind, summary: &'static str) -> Self {
        Self {
            id,
            kind,
            summary,
            body: &[],
            differs: None,
            examples: &[],
            see: &[],
            names: &[],
        }
    }

    fn topic(&self) -> Topic {
        let (since, until) = match self.kind {
            Kind::Type => types::releases(self.id),
            _ => (Release::V2_0, None),
        };
        Topic {
            id: self.id.into(),
            kind: self.kind,
            summary: self.summary.into(),
            body: self
                .body
                .iter()
                .map(|&text| text.into())
                .chain(keys::reach(self))
                .collect(),
            differs: self.differs,
            examples: self.examples,
            see: self.see.iter().map(|&id| id.into()).collect(),
            names: self.names,
            since,
            until,
        }
    }
}

fn texts() -> impl Iterator<Item = &'static Text> {
    let lists: [&[Text]; 5] = [
        guides::TEXTS,
        fields::TEXTS,
        types::TEXTS,
        annotations::TEXTS,
        keys::ALIASES,
    ];
    lists.into_iter().flatten()
}

/// All topics: guides, fields, types, annotations, alias keys, then dispatch keys in table order.
#[must_use]
pub fn all() -> Vec<Topic> {
    let mut topics: Vec<Topic> = texts().map(Text::topic).collect();
    topics.extend(keys::all());
    topics
}

/// Finds a topic by its name or another name.
#[must_use]
pub fn find(name: &str) -> Option<Topic> {
    let known = texts().find(|text| text.id == name || text.names.contains(&name));
    known.map(Text::topic).or_else(|| keys::find(name))
}

/// The first and last releases with something; `None` for the last if the newest has it.
fn span_of(is_there: impl Fn(Release) -> bool) -> Option<(Release, Option<Release>)> {
    let since = Release::all().find(|&release| is_there(release))?;
    let last = Release::all().rfind(|&release| is_there(release))?;
    Some((since, (last < Release::LATEST).then_some(last)))
}
