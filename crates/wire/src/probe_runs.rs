//! The list of probe runs, and a run next to the verdicts of its revision (`docs/probe.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::probe::ProbeProgress;
use crate::time::timestamp;
use opatlas_service::Resolved;
use opatlas_service::probe::{
    Agreement, JudgedRun, JudgedTest, Root, RunSummary, Silence, label_in,
};
use opatlas_verdict::Verdict;

/// The revision that a run measures.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "label": "2.9.0"
}))]
pub struct ProbeRevision {
    /// SHA-256 over the lines `HEX  NAME` of its files.
    pub digest: String,
    /// The label that the workers named; null for a digest and for `latest`. It may point to another
    /// revision now.
    pub label: Option<String>,
}

/// The shards of a run.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
pub struct ProbeShards {
    /// Shards with a result.
    pub done: u64,
    /// All shards.
    pub total: u64,
}

/// A run in a list.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProbeRunItem {
    /// The name of the run.
    #[schema(example = "2f1c")]
    pub run: String,
    /// The revision.
    pub revision: ProbeRevision,
    /// The release of the workers.
    #[schema(example = "2.9.0")]
    pub torch: String,
    /// The device.
    #[schema(example = "cuda")]
    pub device: String,
    /// The number of items in all shards.
    pub items: u64,
    /// Its shards.
    pub shards: ProbeShards,
    /// Items by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// When it was opened.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// A page of runs.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProbeRunList {
    /// The runs, last opened first.
    pub items: Vec<ProbeRunItem>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// The tests to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ProbeVerdictQuery {
    /// Only tests that agree with the verdicts (`yes`), contradict them (`no`), or for which this is
    /// unknown (`unknown`).
    #[param(inline)]
    pub agrees: Option<Agrees>,
    /// The number of tests in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Whether a measurement and a verdict say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Agrees {
    /// They do.
    Yes,
    /// They contradict each other.
    No,
    /// One of them says nothing.
    Unknown,
}

/// Why it is unknown whether a measurement and a verdict agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgreesUnknown {
    /// The outcome says nothing about dispatch: wrong results, other errors, crashes, and tests
    /// without samples for the device.
    Outcome,
    /// The device has no dispatch key that verdicts are known for.
    Device,
    /// The verdict on an operator of the test is unknown.
    Verdict,
    /// The verdict is that some calls fail, and the samples may not be among them.
    SomeCalls,
    /// Calls fail on the key of the device, but work with sparse or quantized tensors there, which have
    /// keys of their own.
    Layout,
}

/// Tests by agreement.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct AgreesCounts {
    /// Tests that agree with the verdicts.
    pub yes: usize,
    /// Tests that contradict them.
    pub no: usize,
    /// Tests for which this is unknown.
    pub unknown: usize,
}

/// A run next to the verdicts of its revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeVerdicts {
    /// The name of the run.
    #[schema(example = "2f1c")]
    pub run: String,
    /// The revision.
    pub revision: ProbeRevision,
    /// The release whose rules apply.
    #[schema(example = "2.9")]
    pub release: String,
    /// The release of the workers.
    #[schema(example = "2.9.0")]
    pub torch: String,
    /// The device.
    #[schema(example = "cuda")]
    pub device: String,
    /// Its dispatch key; null if it has none that verdicts are known for.
    #[schema(example = "CUDA")]
    pub key: Option<&'static str>,
    /// The shards of the run. Tests in shards without a result are not listed.
    pub shards: ProbeShards,
    /// All tests by agreement.
    pub counts: AgreesCounts,
    /// All tests by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// The requested tests, by name.
    pub items: Vec<ProbeVerdict>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// A test of a run next to the verdicts on its operators.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeVerdict {
    /// The test.
    #[schema(example = "add")]
    pub item: String,
    /// The outcome that the probe saw.
    #[schema(example = "missing")]
    pub outcome: String,
    /// The operators without a kernel, as PyTorch named them.
    pub missing: Vec<String>,
    /// The verdicts together: `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "yes")]
    pub works: &'static str,
    /// Whether both say the same.
    pub agrees: Agrees,
    /// Why this is unknown; null otherwise.
    pub because: Option<AgreesUnknown>,
    /// The operators that Python called.
    pub roots: Vec<ProbeRoot>,
}

/// An operator that a test called.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeRoot {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// The verdict on the key of the device: `runs`, `decomposes`, `partly`, `falls-back`, `fails` or
    /// `unknown`; null if the device has no key, or the revision does not declare the operator.
    #[schema(example = "runs")]
    pub verdict: Option<&'static str>,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "yes")]
    pub works: &'static str,
}

/// The tests that a page lists.
#[derive(Debug, Clone, Copy)]
pub struct VerdictPage<'a> {
    /// Only tests with this agreement.
    pub agrees: Option<Agrees>,
    /// Only tests after this one.
    pub after: Option<&'a str>,
    /// At most so many.
    pub limit: usize,
}

impl ProbeVerdicts {
    /// A page of a judged run, without its cursor, and whether more tests follow.
    #[must_use]
    pub fn page(
        run: &ProbeProgress,
        revision: &Resolved,
        judged: JudgedRun,
        page: VerdictPage<'_>,
    ) -> (Self, bool) {
        let outcomes = judged.outcomes().into_iter();
        let outcomes = outcomes.map(|(outcome, count)| (outcome.to_owned(), count));
        let count = |agreement| judged.count(agreement);
        let mut view = Self {
            run: run.run.clone(),
            revision: ProbeRevision {
                digest: run.digest.clone(),
                label: label_in(&run.revision),
            },
            release: revision.judged.stored(),
            torch: run.torch.clone(),
            device: run.device.clone(),
            key: judged.key,
            shards: ProbeShards {
                done: run.shards.done,
                total: run.shards.done + run.shards.leased + run.shards.waiting,
            },
            counts: AgreesCounts {
                yes: count(Agreement::Yes),
                no: count(Agreement::No),
                unknown: count(Agreement::Unknown),
            },
            outcomes: outcomes.collect(),
            items: Vec::new(),
            next_cursor: None,
        };
        let mut wanted = judged.tests.into_iter().filter(|test| page.includes(test));
        view.items = wanted.by_ref().take(page.limit).map(Into::into).collect();
        let has_more = wanted.next().is_some();
        (view, has_more)
    }
}

impl VerdictPage<'_> {
    fn includes(&self, test: &JudgedTest) -> bool {
        let agrees = self.agrees.is_none_or(|it| it == test.agrees.into());
        agrees && self.after.is_none_or(|after| *test.seen.item > *after)
    }
}

impl From<RunSummary> for ProbeRunItem {
    fn from(run: RunSummary) -> Self {
        Self {
            run: run.run,
            revision: ProbeRevision {
                digest: run.digest.to_string(),
                label: run.label,
            },
            torch: run.torch,
            device: run.device,
            items: run.items,
            shards: ProbeShards {
                done: run.done,
                total: run.shards,
            },
            outcomes: run.outcomes,
            created_at: timestamp(run.created_at),
        }
    }
}

impl From<Agreement> for Agrees {
    fn from(agreement: Agreement) -> Self {
        match agreement {
            Agreement::Yes => Self::Yes,
            Agreement::No => Self::No,
            Agreement::Unknown => Self::Unknown,
        }
    }
}

impl From<Silence> for AgreesUnknown {
    fn from(silence: Silence) -> Self {
        match silence {
            Silence::Outcome => Self::Outcome,
            Silence::Device => Self::Device,
            Silence::Verdict => Self::Verdict,
            Silence::SomeCalls => Self::SomeCalls,
            Silence::Layout => Self::Layout,
        }
    }
}

impl From<JudgedTest> for ProbeVerdict {
    fn from(test: JudgedTest) -> Self {
        Self {
            item: test.seen.item,
            outcome: test.seen.outcome,
            missing: test.seen.missing,
            works: test.works.as_str(),
            agrees: test.agrees.into(),
            because: test.because.map(Into::into),
            roots: test.roots.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Root> for ProbeRoot {
    fn from(root: Root) -> Self {
        Self {
            works: root.works().as_str(),
            verdict: root.verdict.map(Verdict::as_str),
            operator: root.operator,
        }
    }
}
