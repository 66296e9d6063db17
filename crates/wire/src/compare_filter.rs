//! What an answer about a comparison lists, over HTTP and on the command line.

use clap::ValueEnum;
use opatlas_diff::rules::Level;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_report::changes::{Filter, Report};
use opatlas_source::suggest::nearest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::compare::CompareQuery;
use crate::problem::{Kind, Problem};
use crate::tables_query::list;

/// The most operators or keys in a filter.
const MOST: usize = 200;

/// The least level that is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "Level has what each is")]
pub enum LeastLevel {
    Breaking,
    ForwardBreaking,
    Dangerous,
    Info,
    Safe,
}

impl From<LeastLevel> for Level {
    fn from(level: LeastLevel) -> Self {
        match level {
            LeastLevel::Breaking => Self::Breaking,
            LeastLevel::ForwardBreaking => Self::ForwardBreaking,
            LeastLevel::Dangerous => Self::Dangerous,
            LeastLevel::Info => Self::Info,
            LeastLevel::Safe => Self::Safe,
        }
    }
}

/// What a filter leaves. It restricts what is listed, never the counts or the conclusion.
#[derive(Debug, Serialize, ToSchema)]
pub struct Filtered {
    /// The filter in words.
    #[schema(example = "level breaking, operator add*")]
    pub filter: String,
    /// The number of listed causes.
    pub causes: usize,
    /// The number of all causes.
    pub of: usize,
}

impl Filtered {
    pub(crate) fn of(report: &Report<'_>) -> Option<Self> {
        let listed = report.listed?;
        Some(Self {
            filter: listed.filter().words(),
            causes: listed.causes().len(),
            of: report.causes.len(),
        })
    }
}

/// Whether a text is the name of a dispatch key of the newest release.
#[must_use]
pub fn is_key(name: &str) -> bool {
    Keys::of(Release::LATEST).lookup(name).is_some()
}

/// The dispatch key with the nearest name.
#[must_use]
pub fn nearest_key(name: &str) -> Option<&'static str> {
    nearest(name, Keys::of(Release::LATEST).names())
}

impl CompareQuery {
    /// The filter of the answer. Fails with [`Kind::InvalidParameter`] for too many names, and
    /// [`Kind::UnknownValue`] for an unknown dispatch key.
    pub fn filter(&self) -> Result<Filter, Problem> {
        let names = |name: &str, text: Option<&str>| {
            let names: Vec<String> = text.into_iter().flat_map(list).collect();
            match names.len() <= MOST {
                true => Ok(names),
                false => {
                    let detail = format!("`{name}` has more than {MOST} names");
                    Err(Problem::new(Kind::InvalidParameter, detail).about(name))
                }
            }
        };
        let operators = names("operator", self.operator.as_deref())?;
        let backends = names("backend", self.backend.as_deref())?;
        if let Some(unknown) = backends.iter().find(|key| !is_key(key)) {
            let detail = format!("`{unknown}` is not a dispatch key");
            let near = nearest_key(unknown).into_iter().map(Into::into).collect();
            let problem = Problem::new(Kind::UnknownValue, detail);
            return Err(problem.suggesting(near).about("backend"));
        }
        Ok(Filter::new(
            self.level.map(Into::into),
            &operators,
            &backends,
        ))
    }
}
