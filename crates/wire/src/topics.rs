//! Topics as JSON.

use std::borrow::Cow;

use opatlas_pytorch::release::Release;
use opatlas_topics::{GUIDE, Kind, Next, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A topic's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TopicPath {
    /// Its name, or an alias of it.
    #[param(example = "CompositeExplicitAutograd")]
    pub topic: String,
}

/// Which topics, and which page.
#[derive(Debug, Clone, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TopicsQuery {
    /// Only of this kind.
    #[param(inline)]
    pub kind: Option<TopicKind>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// What a topic is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TopicKind {
    /// How to do something, or a concept.
    Guide,
    /// A field of an entry.
    Field,
    /// A type.
    Type,
    /// An annotation of a type.
    Annotation,
    /// An alias key.
    AliasKey,
    /// A dispatch key of the runtime.
    DispatchKey,
}

impl From<Kind> for TopicKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Guide => Self::Guide,
            Kind::Field => Self::Field,
            Kind::Type => Self::Type,
            Kind::Annotation => Self::Annotation,
            Kind::AliasKey => Self::AliasKey,
            Kind::DispatchKey => Self::DispatchKey,
        }
    }
}

/// A topic in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct TopicItem {
    /// Its name.
    #[schema(example = "CompositeExplicitAutograd")]
    pub id: Cow<'static, str>,
    /// What it is about.
    pub kind: TopicKind,
    /// One sentence.
    pub summary: Cow<'static, str>,
    /// Its aliases.
    pub names: &'static [&'static str],
    /// The first release that has it.
    #[schema(example = "2.0")]
    pub since: &'static str,
    /// The last release that has it; null if the newest one does.
    pub until: Option<&'static str>,
}

/// A page of topics.
#[derive(Debug, Serialize, ToSchema)]
pub struct TopicList {
    /// The topics: guides, fields, types, annotations, alias keys, then dispatch keys.
    pub items: Vec<TopicItem>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// A topic.
#[derive(Debug, Serialize, ToSchema)]
pub struct Topic {
    /// The topic as in lists.
    #[serde(flatten)]
    pub item: TopicItem,
    /// Paragraphs.
    pub body: Vec<Cow<'static, str>>,
    /// Where ATen's README and torchgen differ.
    pub differs: Option<&'static str>,
    /// Entries of native_functions.yaml that show it.
    pub examples: Vec<TopicExample>,
    /// The names of related topics.
    pub see: Vec<Cow<'static, str>>,
    /// The questions that lead to a dispatch key. Only the topic `dispatch-keyword` has them.
    pub guide: Option<GuideView>,
}

/// Entries that show something.
#[derive(Debug, Serialize, ToSchema)]
pub struct TopicExample {
    /// The entries.
    pub yaml: &'static str,
    /// Whether torchgen accepts them.
    pub accepted: bool,
    /// The rule that they violate, if it does not.
    pub rule: Option<&'static str>,
}

/// Questions about a kernel, and what to write.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Guide)]
pub struct GuideView {
    /// The questions; the first one begins.
    pub questions: Vec<GuideQuestion>,
    /// What to write.
    pub outcomes: Vec<GuideOutcome>,
}

/// A question about a kernel.
#[derive(Debug, Serialize, ToSchema)]
pub struct GuideQuestion {
    /// Its name.
    pub id: &'static str,
    /// The question.
    pub text: &'static str,
    /// How to find the answer.
    pub help: &'static str,
    /// The answers.
    pub answers: Vec<GuideAnswer>,
}

/// An answer; it leads to a question or to an outcome.
#[derive(Debug, Serialize, ToSchema)]
pub struct GuideAnswer {
    /// Its text.
    pub text: &'static str,
    /// The next question.
    pub question: Option<&'static str>,
    /// The outcome.
    pub outcome: Option<&'static str>,
}

/// What to write.
#[derive(Debug, Serialize, ToSchema)]
pub struct GuideOutcome {
    /// Its name.
    pub id: &'static str,
    /// The keys to use.
    pub title: &'static str,
    /// The consequence.
    pub text: &'static str,
    /// The entry.
    pub yaml: &'static str,
    /// The dispatch table of the entry: keys with the same kernel and reason together.
    pub table: Vec<GuideRow>,
}

/// Keys of a table with the same kernel for the same reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct GuideRow {
    /// The keys, in table order.
    pub keys: Vec<&'static str>,
    /// The kernel; null where the keys have none.
    pub kernel: Option<String>,
    /// The reason of the entries.
    #[schema(example = "kernel")]
    pub reason: &'static str,
}

/// A topic in a list.
#[must_use]
pub fn item(topic: &opatlas_topics::Topic) -> TopicItem {
    TopicItem {
        id: topic.id.clone(),
        kind: topic.kind.into(),
        summary: topic.summary.clone(),
        names: topic.names,
        since: topic.since.as_str(),
        until: topic.until.map(Release::as_str),
    }
}

/// A topic; tables in it are those of the release.
#[must_use]
pub fn topic(topic: &opatlas_topics::Topic, release: Release) -> Topic {
    let examples = topic.examples.iter().map(|example| TopicExample {
        yaml: example.yaml,
        accepted: example.verdict == Verdict::Accepted,
        rule: match example.verdict {
            Verdict::Accepted => None,
            Verdict::Refused(rule) => Some(rule.as_str()),
        },
    });
    Topic {
        item: item(topic),
        body: topic.body.clone(),
        differs: topic.differs,
        examples: examples.collect(),
        see: topic.see.clone(),
        guide: (topic.id == "dispatch-keyword").then(|| guide(release)),
    }
}

fn guide(release: Release) -> GuideView {
    let questions = GUIDE.questions.iter().map(|question| GuideQuestion {
        id: question.id,
        text: question.text,
        help: question.help,
        answers: question.answers.iter().map(answer).collect(),
    });
    let outcomes = GUIDE.outcomes.iter().map(|outcome| GuideOutcome {
        id: outcome.id,
        title: outcome.title,
        text: outcome.text,
        yaml: outcome.yaml,
        table: outcome.table(release).into_iter().map(row).collect(),
    });
    GuideView {
        questions: questions.collect(),
        outcomes: outcomes.collect(),
    }
}

fn answer(answer: &opatlas_topics::Answer) -> GuideAnswer {
    let (question, outcome) = match answer.next {
        Next::Question(id) => (Some(id), None),
        Next::Outcome(id) => (None, Some(id)),
    };
    GuideAnswer {
        text: answer.text,
        question,
        outcome,
    }
}

fn row(row: opatlas_topics::Row) -> GuideRow {
    GuideRow {
        keys: row.keys,
        kernel: row.kernel,
        reason: row.reason,
    }
}
