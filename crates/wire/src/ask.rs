//! A pasted error message, and what it means.

use opatlas_ask as ask;
use opatlas_report::ask::links;
use opatlas_source::LineIndex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::finding::Span;

/// A text to explain.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskedText {
    /// What the terminal shows, at most 256 KiB. The last error in it counts.
    #[schema(
        example = "NotImplementedError: The operator 'aten::mode' is not currently implemented for the MPS device."
    )]
    pub text: String,
}

/// What a text means.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskAnswer {
    /// The kind of the message; `python-call` for a line of Python. `unknown` if Opatlas cannot tell what it is.
    #[schema(example = "mps-not-implemented")]
    pub kind: &'static str,
    /// How bad it is: `error`, `warning`, `wrapper` for a message about another error, or `info` for a line
    /// of Python.
    #[schema(example = "error")]
    pub severity: &'static str,
    /// What happened, in a sentence without a full stop. Text between backticks is code.
    #[schema(example = "`mode` cannot run on Apple GPUs (MPS)")]
    pub title: String,
    /// The operator, as `native_functions.yaml` writes it; with its namespace if that is not `aten`.
    /// Null if the message names none.
    #[schema(example = "mode")]
    pub operator: Option<String>,
    /// The dispatch key; null if the message is not about one.
    #[schema(example = "MPS")]
    pub key: Option<String>,
    /// How PyTorch was used: `eager`, `training`, `meta`, `compile`, `export`, `vmap`, `library`,
    /// `load`, `aoti`, `dtensor`, `autocast`, `codegen`; `none` if it is not about operators.
    #[schema(example = "eager")]
    pub way: &'static str,
    /// The release of PyTorch that the text names.
    pub release: Option<String>,
    /// Why it happens, in sentences. Text between backticks is code.
    pub cause: String,
    /// What to do, in the order in which to try it.
    pub advice: Vec<Advice>,
    /// The first known release of the last ones in which it happens.
    #[schema(example = "2.0.0")]
    pub since: Option<&'static str>,
    /// The last known release in which it happens.
    #[schema(example = "2.15.0")]
    pub fails_in: Option<&'static str>,
    /// The first release from which it does not happen, up to the newest known one.
    pub fixed_in: Option<&'static str>,
    /// Whether it does not happen in any known release.
    pub works_in_all: bool,
    /// What the message suggests wrongly.
    pub misleads: Option<String>,
    /// The validation rule that finds the same fault in the files of a repository.
    pub rule: Option<String>,
    /// The parts of the text that were understood, in order. They do not overlap: a `message` has several
    /// if other parts are within it.
    pub read: Vec<ReadPart>,
    /// Pages of the web interface that say more.
    pub links: Vec<AskLink>,
}

/// One thing to do.
#[derive(Debug, Serialize, ToSchema)]
pub struct Advice {
    /// The releases for which it holds; null if it holds in all.
    #[schema(example = "2.14.0 and later")]
    pub releases: Option<String>,
    /// What to do. Text between backticks is code.
    pub text: String,
}

/// A part of the text that was understood.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReadPart {
    /// What it is.
    #[schema(example = "operator")]
    pub what: &'static str,
    /// Where it is in the text.
    pub span: Span,
}

/// A page of the web interface.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskLink {
    /// What it shows.
    #[schema(example = "operator")]
    pub title: String,
    /// Its path.
    #[schema(example = "/p/pytorch/r/2.15.0/operators/mode?key=MPS")]
    pub path: String,
}

impl AskAnswer {
    /// The answer to a text.
    #[must_use]
    pub fn new(answer: &ask::Answer, text: &str) -> Self {
        let lines = LineIndex::new(text);
        let advice = answer.advice.iter().map(|advice| Advice {
            releases: advice.releases.clone(),
            text: advice.text.to_string(),
        });
        let read = answer.read.iter().map(|part| ReadPart {
            what: part.what,
            span: lines.line_span(text, part.span).into(),
        });
        let links = links(answer).into_iter().map(|link| AskLink {
            title: link.title,
            path: link.path,
        });
        Self {
            kind: answer.kind,
            severity: answer.severity.as_str(),
            title: answer.title.to_string(),
            operator: answer.operator.clone(),
            key: answer.key.clone(),
            way: answer.way.as_str(),
            release: answer.release.clone(),
            cause: answer.cause.to_string(),
            advice: advice.collect(),
            since: answer.since,
            fails_in: answer.fails_in,
            fixed_in: answer.fixed_in,
            works_in_all: answer.works_in_all,
            misleads: answer.misleads.as_deref().map(str::to_owned),
            rule: answer.rule.map(|rule| rule.to_string()),
            read: read.collect(),
            links: links.collect(),
        }
    }
}
