//! What really runs, on the wire: the verdict of an entry, and counts by verdict.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use opatlas_operators::operator::OperatorId;
use opatlas_source::suggest::nearest;
use opatlas_verdict::{Verdict, View};

use super::problem::{Kind, Problem};

/// Whether calling an operator works on a key, and what it needs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Support {
    /// `runs`: a kernel of its own, or one that calls nothing else. `decomposes`: everything that
    /// its default or composite kernel calls works. `partly`: something that it calls in some cases
    /// does not. `falls-back`: only the fallback of the backend serves it. `fails`: a call raises.
    /// `unknown`: its calls were not measured, or nothing is known about the backend.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// The operators without a working entry that it needs, nearest first.
    #[schema(example = json!(["add.out"]))]
    pub needs: Vec<String>,
    /// The chain of calls from the operator to the first of them.
    #[schema(example = json!(["add.Tensor", "add.out"]))]
    pub through: Vec<String>,
    /// Why nothing is claimed: `out of tree: give its file`.
    pub unclaimed: Option<&'static str>,
}

impl Support {
    /// On the wire.
    #[must_use]
    pub fn of(view: View<'_>, support: &opatlas_verdict::Support) -> Self {
        let catalogue = view.inputs.catalogue;
        let names = |ids: &[OperatorId]| {
            let operators = ids.iter().map(|&id| catalogue.operator(id));
            operators
                .map(|operator| operator.qualified_name().to_owned())
                .collect()
        };
        Self {
            verdict: support.verdict.as_str(),
            needs: names(&support.needs),
            through: names(&support.through),
            unclaimed: support.unclaimed.map(opatlas_verdict::Unclaimed::as_str),
        }
    }

    /// That of a kernel of which nothing else is known.
    #[must_use]
    pub fn alone(verdict: Verdict) -> Self {
        Self {
            verdict: verdict.as_str(),
            needs: Vec::new(),
            through: Vec::new(),
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

/// The verdict of a text.
///
/// # Errors
/// The text, with the verdicts that there are.
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
