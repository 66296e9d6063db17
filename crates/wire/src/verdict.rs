//! The verdict of an entry on the wire, and counts by verdict.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use opatlas_operators::operator::OperatorId;
use opatlas_source::suggest::nearest;
use opatlas_verdict::{Answer, Because, KnownFrom, Verdict, View};

use super::problem::{Kind, Problem};

/// Whether calling an operator works on a key, and what it needs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Support {
    /// `runs`: it has its own kernel, or one that calls no other operators. `decomposes`: every
    /// operator that its default or composite kernel calls works. `partly`: an operator that it calls
    /// in some cases does not work. `falls-back`: only the backend fallback serves it. `fails`: a call
    /// raises. `unknown`: its calls were not recorded, or nothing is known about the backend.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "no")]
    pub works: &'static str,
    /// Why, unless operators that it needs are the reason.
    #[schema(example = "out of tree: give its file")]
    pub because: Option<&'static str>,
    /// What the verdict is based on: `measured`, `declared`, `source` or `inferred`; null if it is
    /// unknown.
    #[schema(example = "measured")]
    pub known_from: Option<&'static str>,
    /// The operators without a working entry that it needs, nearest first, then those that the
    /// revision does not declare.
    #[schema(example = json!(["add.out"]))]
    pub needs: Vec<String>,
    /// The chain of calls from the operator to the first of them.
    #[schema(example = json!(["add.Tensor", "add.out"]))]
    pub through: Vec<String>,
    /// Operators without a working entry that it calls in rare cases, which its own tests do not have.
    /// They do not change the verdict.
    #[schema(example = json!(["_reshape_alias"]))]
    pub rarely_needs: Vec<String>,
    /// Why it is unknown: `out of tree: give its file`.
    pub unclaimed: Option<&'static str>,
}

impl Support {
    /// On the wire.
    #[must_use]
    pub fn of(
        view: View<'_>,
        support: &opatlas_verdict::Support,
        known_from: Option<KnownFrom>,
    ) -> Self {
        let catalogue = view.inputs.catalogue;
        let names = |ids: &[OperatorId]| {
            let operators = ids.iter().map(|&id| catalogue.operator(id));
            operators
                .map(|operator| operator.qualified_name().to_owned())
                .collect()
        };
        let out_of_tree = support.because.filter(|&why| why == Because::OutOfTree);
        Self {
            verdict: support.verdict.as_str(),
            works: Answer::from(support.verdict).as_str(),
            because: support.because.map(Because::as_str),
            known_from: known_from.map(KnownFrom::as_str),
            needs: view.needed(support).map(str::to_owned).collect(),
            through: names(&support.through),
            rarely_needs: names(&support.rarely),
            unclaimed: out_of_tree.map(Because::as_str),
        }
    }

    /// The verdict of a kernel about which nothing else is known.
    #[must_use]
    pub fn alone(verdict: Verdict) -> Self {
        Self {
            verdict: verdict.as_str(),
            works: Answer::from(verdict).as_str(),
            because: None,
            known_from: None,
            needs: Vec::new(),
            through: Vec::new(),
            rarely_needs: Vec::new(),
            unclaimed: None,
        }
    }
}

/// Counts by verdict, in the order of [`Verdict::ALL`].
#[derive(Debug, Clone, Copy, Default)]
pub struct VerdictCounts(pub [u32; Verdict::ALL.len()]);

impl VerdictCounts {
    /// Counts one.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }
}

impl Serialize for VerdictCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (verdict, count) in Verdict::ALL.iter().zip(&self.0) {
            map.serialize_entry(verdict.as_str(), count)?;
        }
        map.end()
    }
}

/// Parses a verdict. Fails with [`Kind::UnknownValue`](crate::problem::Kind::UnknownValue).
pub fn verdict(text: &str) -> Result<Verdict, Problem> {
    Verdict::parse(text).ok_or_else(|| {
        let known = Verdict::ALL.map(Verdict::as_str);
        let near = nearest(text, known);
        let detail = format!(
            "verdict: there is no `{text}`; verdicts are {}",
            known.join(", ")
        );
        Problem::new(Kind::UnknownValue, detail)
            .suggesting(near.into_iter().map(Into::into).collect())
            .about("verdict")
    })
}
