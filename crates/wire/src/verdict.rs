//! The verdict of an entry on the wire, and counts by verdict.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_report::table::chain_sentence;
use opatlas_verdict::{Answer, Applicability, Because, KnownFrom, Verdict, View};

use super::problem::Problem;

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
    /// What would settle it if it is unknown.
    #[schema(example = "a backend file, sources or an observation of the backend")]
    pub settled_by: Option<&'static str>,
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
    /// What the operator belongs to, if it fails because only other backends have it. Then it is not
    /// a gap.
    pub belongs_to: Option<BelongsTo>,
    /// The verdict explained, down to kernels on the key, recordings, and what is missing. Null unless a
    /// single key is requested.
    pub chain: Option<Vec<ChainLink>>,
}

/// A statement of the chain behind a verdict.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainLink {
    /// The operator that it is about.
    #[schema(example = "_softmax")]
    pub operator: String,
    /// The runtime key on which it is called.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// The statement.
    #[schema(
        example = "`_softmax` has a kernel for MPS (`softmax_mps_out`), generated for its structured group."
    )]
    pub sentence: String,
    /// What the statement is based on: `measured`, `declared`, `source` or `inferred`; null if it says
    /// that something is unknown.
    #[schema(example = "declared")]
    pub known_from: Option<&'static str>,
    /// The release of the recording, for measured calls.
    #[schema(example = "2.15")]
    pub release: Option<&'static str>,
}

/// The chain behind the verdict of an operator on a key.
#[must_use]
pub fn chain(view: View<'_>, id: OperatorId, slot: Slot) -> Vec<ChainLink> {
    let links = view.chain(id, slot);
    let links = links.iter().map(|link| ChainLink {
        operator: view
            .inputs
            .catalogue
            .operator(link.operator)
            .qualified_name()
            .to_owned(),
        key: view.keys().name(Key::Runtime(link.key)),
        sentence: chain_sentence(view, link).to_string(),
        known_from: link.known_from.map(KnownFrom::as_str),
        release: link.release.map(Release::as_str),
    });
    links.collect()
}

/// A library or a kind of tensor that serves an operator on other backends only.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct BelongsTo {
    /// Its name.
    #[schema(example = "cuDNN")]
    pub name: &'static str,
    /// Why this backend does not need the operator.
    #[schema(example = "cuDNN is NVIDIA's library for its GPUs.")]
    pub reason: &'static str,
}

impl BelongsTo {
    pub(crate) fn of(applicability: Applicability) -> Option<Self> {
        let library = applicability.library()?;
        Some(Self {
            name: library.name,
            reason: library.reason,
        })
    }
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
        Self {
            needs: view.needed(support).map(str::to_owned).collect(),
            through: names(&support.through),
            rarely_needs: names(&support.rarely),
            ..Self::alone(support, known_from)
        }
    }

    /// A verdict without the operators that it needs.
    #[must_use]
    pub fn alone(support: &opatlas_verdict::Support, known_from: Option<KnownFrom>) -> Self {
        let out_of_tree = support.because.filter(|&why| why == Because::OutOfTree);
        Self {
            verdict: support.verdict.as_str(),
            works: Answer::from(support.verdict).as_str(),
            because: support.because.map(Because::as_str),
            settled_by: support.because.and_then(Because::settled_by),
            known_from: known_from.map(KnownFrom::as_str),
            needs: Vec::new(),
            through: Vec::new(),
            rarely_needs: Vec::new(),
            unclaimed: out_of_tree.map(Because::as_str),
            belongs_to: None,
            chain: None,
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

/// Parses a verdict. Fails with [`Kind::InvalidParameter`](crate::problem::Kind::InvalidParameter).
pub fn verdict(text: &str) -> Result<Verdict, Problem> {
    let known = Verdict::ALL.map(Verdict::as_str);
    Verdict::parse(text).ok_or_else(|| Problem::not_listed("verdict", text, &known))
}
