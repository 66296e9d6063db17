//! Compares what a run measured with the verdicts of its revision (`docs/probe.md`).

use std::collections::{BTreeMap, BTreeSet};

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_source::{Stop, Stopped};
use opatlas_sources::device_key;
use opatlas_verdict::{Answer, Verdict, View};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Json;
use crate::snapshot::Snapshot;

/// The part of a run that calls operators on the device.
const PART: &str = "runs";

/// The outcomes of a test that ran, and of one that lacks a kernel.
const RUNS: &str = "runs";
const MISSING: &str = "missing";
/// The word for a sample that ran.
const OK: &str = "ok";
/// The operators of a test, and the bytes of a name. Real tests have a tenth of that.
const MOST_NAMES: usize = 200;
const LONGEST_NAME: usize = 300;

#[derive(Deserialize)]
struct Results<'t> {
    #[serde(borrow)]
    rows: Vec<&'t RawValue>,
}

opatlas_source::words! {
    /// How a measurement compares with a verdict.
    pub enum Agreement {
        /// They say the same.
        Yes = "yes",
        /// They contradict each other.
        No = "no",
        /// One of them says nothing.
        Unknown = "unknown",
    }
}

opatlas_source::words! {
    /// Why it is unknown whether a measurement and a verdict agree.
    pub enum Silence {
        /// The outcome says nothing about dispatch.
        Outcome = "outcome",
        /// The device has no dispatch key that verdicts are known for.
        Device = "device",
        /// The verdict on an operator is unknown, or the row names no operator.
        Verdict = "verdict",
        /// The verdict is that some calls fail. The samples may not be among them.
        SomeCalls = "some-calls",
        /// Calls fail on the key of the device, but not with sparse or quantized tensors there.
        Layout = "layout",
    }
}

/// The outcome of a test in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The test.
    pub item: String,
    /// Its outcome.
    pub outcome: String,
    /// The operators without a kernel, by name.
    pub missing: Vec<String>,
    /// The operators that Python called, by name.
    pub roots: Vec<String>,
    /// True if a sample lacked a kernel.
    is_missing: bool,
    /// True if a sample ran.
    has_run: bool,
}

/// An operator that a test called, with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The operator.
    pub operator: String,
    /// The verdict; `None` if the device has no key, or the revision does not declare the operator.
    pub verdict: Option<Verdict>,
    /// True if calls with tensors of another layout work on the device.
    works_in_another_layout: bool,
}

/// A test of a run, next to the verdicts on its operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedTest {
    /// The measured outcome.
    pub seen: Seen,
    /// The operators that Python called.
    pub roots: Vec<Root>,
    /// The verdict for the whole test.
    pub works: Answer,
    /// The agreement of the measurement and the verdict.
    pub agrees: Agreement,
    /// Why that is unknown.
    pub because: Option<Silence>,
}

/// All tests of a run, next to the verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedRun {
    /// The dispatch key of the device.
    pub key: Option<&'static str>,
    /// The tests, by name.
    pub tests: Vec<JudgedTest>,
}

impl Root {
    /// Whether calls of the operator work.
    #[must_use]
    pub fn works(&self) -> Answer {
        self.verdict.map_or(Answer::Unknown, Answer::from)
    }
}

impl JudgedRun {
    /// The number of tests with an agreement.
    #[must_use]
    pub fn count(&self, agreement: Agreement) -> usize {
        let tests = self.tests.iter();
        tests.filter(|test| test.agrees == agreement).count()
    }

    /// The numbers of tests by outcome.
    #[must_use]
    pub fn outcomes(&self) -> BTreeMap<&str, u64> {
        let mut outcomes = BTreeMap::new();
        for test in &self.tests {
            *outcomes.entry(&*test.seen.outcome).or_default() += 1;
        }
        outcomes
    }
}

impl Seen {
    /// The tests among the rows of [`Service::probe_results`](crate::Service::probe_results), in
    /// the same order. Fails if the text is not a list of rows.
    pub fn read(results: &[u8]) -> Result<Vec<Self>, String> {
        let results: Results<'_> =
            serde_json::from_slice(results).map_err(|error| error.to_string())?;
        let mut tests = Vec::new();
        for row in results.rows {
            let row = Json::read(row.get().as_bytes())?;
            if row.member("part").and_then(Json::as_text) == Some(PART) {
                tests.push(Self::of(&row));
            }
        }
        Ok(tests)
    }

    fn of(row: &Json<'_>) -> Self {
        let text = |name| row.member(name).and_then(Json::as_text).unwrap_or_default();
        let outcome = text("outcome");
        let results = row.member("results").and_then(Json::as_list);
        let results = || results.unwrap_or_default().iter().filter_map(Json::as_list);
        let has = |wanted: &str| {
            let mut kinds = results().filter_map(|result| result.first()?.as_text());
            kinds.any(|kind| kind == wanted)
        };
        let missing = results().filter_map(|result| match result {
            [kind, name, ..] if kind.as_text() == Some(MISSING) => Some(name),
            _ => None,
        });
        Self {
            item: text("item").to_owned(),
            missing: names(missing).unwrap_or_default(),
            roots: row
                .member("roots")
                .and_then(Json::as_list)
                .and_then(|roots| names(roots.iter()))
                .unwrap_or_default(),
            is_missing: outcome == MISSING || has(MISSING),
            has_run: outcome == RUNS || has(OK),
            outcome: outcome.to_owned(),
        }
    }
}

/// The names of operators, each once; `None` if one of them cannot be a name, or if there are more than any test
/// has. Workers may send anything.
fn names<'j>(values: impl Iterator<Item = &'j Json<'j>>) -> Option<Vec<String>> {
    let mut names = BTreeSet::new();
    for value in values {
        let name = value.as_text()?;
        if name.len() > LONGEST_NAME || names.len() == MOST_NAMES {
            return None;
        }
        names.insert(name.strip_prefix("aten::").unwrap_or(name).to_owned());
    }
    Some(names.into_iter().collect())
}

impl Snapshot {
    /// Compares the tests of a run on a device with the verdicts.
    pub fn judge_run(
        &self,
        device: &str,
        seen: Vec<Seen>,
        stop: &Stop,
    ) -> Result<JudgedRun, Stopped> {
        self.tabulate(stop)?;
        let view = self.view();
        let key = device_key(device);
        let slot = key.and_then(|key| Some((key, view.keys().slot(key)?)));
        let mut judge = Judge {
            view,
            slot: slot.map(|(_, slot)| slot),
            known: FxHashMap::default(),
        };
        let mut tests = Vec::with_capacity(seen.len());
        for seen in seen {
            stop.check()?;
            tests.push(judge.test(seen));
        }
        Ok(JudgedRun {
            key: slot.map(|(key, _)| key),
            tests,
        })
    }
}

struct Judge<'s> {
    view: View<'s>,
    slot: Option<Slot>,
    known: FxHashMap<OperatorId, (Verdict, bool)>,
}

impl Judge<'_> {
    fn test(&mut self, seen: Seen) -> JudgedTest {
        let roots = seen.roots.iter().map(|root| self.root(root));
        let roots: Vec<Root> = roots.collect();
        let works = together(&roots);
        let (agrees, because) = match self.slot {
            None => (Agreement::Unknown, Some(Silence::Device)),
            Some(_) => agreement(&seen, &roots, works),
        };
        JudgedTest {
            seen,
            roots,
            works,
            agrees,
            because,
        }
    }

    fn root(&mut self, operator: &str) -> Root {
        let known = self.known(operator);
        Root {
            operator: operator.to_owned(),
            verdict: known.map(|(verdict, _)| verdict),
            works_in_another_layout: known.is_some_and(|(_, works)| works),
        }
    }

    fn known(&mut self, operator: &str) -> Option<(Verdict, bool)> {
        let id = self.view.inputs.catalogue.find_qualified(operator)?;
        let (view, slot) = (self.view, self.slot?);
        let known = self.known.entry(id).or_insert_with(|| {
            let verdict = view.support(id, slot).verdict;
            (verdict, view.works_in_another_layout(id, slot))
        });
        Some(*known)
    }
}

/// Whether a test that calls these operators works.
fn together(roots: &[Root]) -> Answer {
    let has = |answer: Answer| roots.iter().any(|root| root.works() == answer);
    match roots {
        _ if has(Answer::No) => Answer::No,
        _ if has(Answer::Partly) => Answer::Partly,
        [] => Answer::Unknown,
        _ if has(Answer::Unknown) => Answer::Unknown,
        _ => Answer::Yes,
    }
}

/// Only a missing kernel contradicts a call that works. Wrong results, other errors and crashes say
/// nothing about dispatch.
fn agreement(seen: &Seen, roots: &[Root], works: Answer) -> (Agreement, Option<Silence>) {
    let unknown = |why| (Agreement::Unknown, Some(why));
    // A call with sparse tensors goes to another key than that of the device.
    let fails_in_all_layouts =
        |root: &Root| root.works() == Answer::No && !root.works_in_another_layout;
    let fails = roots.iter().any(fails_in_all_layouts);
    match (seen.is_missing, works) {
        _ if !seen.is_missing && seen.outcome != RUNS => unknown(Silence::Outcome),
        (_, Answer::Unknown) => unknown(Silence::Verdict),
        (false, Answer::Yes) | (true, Answer::Partly) => (Agreement::Yes, None),
        (false, Answer::Partly) => unknown(Silence::SomeCalls),
        // The samples that ran may have called other operators of the test.
        (true, Answer::No) if seen.has_run && fails && roots.len() == 1 => (Agreement::No, None),
        (true, Answer::No) => (Agreement::Yes, None),
        (false, Answer::No) if !fails => unknown(Silence::Layout),
        (false, Answer::No) | (true, Answer::Yes) => (Agreement::No, None),
    }
}
