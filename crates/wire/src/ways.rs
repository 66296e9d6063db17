//! The ways to run operators of a revision: what becomes of each on each way.

use std::borrow::Cow;
use std::collections::BTreeMap;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Release;
use opatlas_pytorch::ways::{Function, facts};
use opatlas_report::ways::{FATES_CSV_HEADER, fate_row};
use opatlas_source::suggest::nearest;
use opatlas_verdict::ways::{Basis, Fate, Way, WayAnswer};
use opatlas_verdict::{Answer, View};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::{Kind, Problem};

/// The ways of a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct WayList {
    /// The release whose rules apply.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// The release whose registries were read; null if none was recorded up to this one.
    #[schema(example = "2.15")]
    pub recorded: Option<&'static str>,
    /// The ways.
    pub items: Vec<WaySummary>,
}

/// The name of a way.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct WayName {
    /// The way.
    #[schema(example = "inductor")]
    pub way: Cow<'static, str>,
    /// The title, for display.
    #[schema(example = "Inductor")]
    pub title: Cow<'static, str>,
}

impl WayName {
    /// All ways.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let name = |way: Way| Self {
            way: way.as_str().into(),
            title: way.title().into(),
        };
        Way::ALL.map(name).into()
    }
}

/// A way, and what becomes of the operators on it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaySummary {
    /// The way.
    #[schema(example = "inductor")]
    pub way: &'static str,
    /// The title, for display.
    #[schema(example = "Inductor")]
    pub title: &'static str,
    /// The number of operators to which it applies.
    pub operators: u32,
    /// Operators by fate.
    #[schema(example = json!({"lowered": 600, "decomposed": 900}))]
    pub fates: BTreeMap<&'static str, u32>,
    /// What most of the fates are known from: `recorded`, `entry` or `unknown`.
    #[schema(example = "recorded")]
    pub known_from: &'static str,
}

/// A page of the operators on a way.
#[derive(Debug, Serialize, ToSchema)]
pub struct WayPage {
    /// The way.
    #[schema(example = "vmap")]
    pub way: &'static str,
    /// The operators, in the order of the file.
    pub items: Vec<OperatorFate>,
    /// The cursor of the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// What becomes of an operator on a way.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorFate {
    /// The operator.
    #[schema(example = "nonzero")]
    pub operator: String,
    /// Its fate.
    #[serde(flatten)]
    pub fate: WayFate,
}

/// A fate.
#[derive(Debug, Serialize, ToSchema)]
pub struct WayFate {
    /// The way.
    #[schema(example = "vmap")]
    pub way: &'static str,
    /// The title, for display.
    #[schema(example = "vmap")]
    pub title: &'static str,
    /// The fate, in the words of `docs/spec/ways.md`.
    #[schema(example = "raises")]
    pub fate: &'static str,
    /// Do calls work? `yes`, `partly`, `no` or `unknown`; null if there is nothing to differentiate.
    #[schema(example = "no")]
    pub works: Option<&'static str>,
    /// True if nothing of the operator's own serves it, so that calls fail or fall back.
    pub missing: bool,
    /// Why, or what it means.
    #[schema(example = "its batching rule only raises")]
    pub because: String,
    /// What it is known from: the registries of a release (`recorded`), the `entry`, or nothing
    /// (`unknown`).
    #[schema(example = "recorded")]
    pub known_from: &'static str,
    /// The release whose registries were read.
    #[schema(example = "2.15")]
    pub release: Option<&'static str>,
    /// The first recorded release since which it has been so.
    #[schema(example = "2.6")]
    pub since: Option<&'static str>,
}

/// The ways to run one operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorWays {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// Its fate on each way that applies to it.
    pub items: Vec<WayFate>,
    /// The dtypes of the Python functions that call it: what was measured on the CPU, and what is claimed.
    pub dtypes: Vec<FunctionDtypes>,
}

/// The dtypes that a Python function takes on a device type.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FunctionDtypes {
    /// The function, with the variant of its test.
    #[schema(example = "nn.functional.grid_sample")]
    pub function: String,
    /// The device type.
    #[schema(example = "cuda")]
    pub device: &'static str,
    /// The dtypes of a call.
    pub forward: Vec<&'static str>,
    /// The dtypes of a call whose inputs require gradients.
    pub backward: Vec<&'static str>,
    /// `measured`: the function's tests ran with all of these dtypes. `claimed`: PyTorch's operator
    /// database says so.
    #[schema(example = "claimed")]
    pub known_from: &'static str,
}

/// The way in the path.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct WayPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// The way.
    #[param(example = "vmap")]
    pub way: String,
}

/// Which operators of a way to list.
#[derive(Debug, Clone, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WayQuery {
    /// Only operators with this fate.
    #[param(example = "raises")]
    pub fate: Option<String>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// The release whose rules apply, if the revision does not name one.
    pub release: Option<String>,
}

/// Parses a way. Fails with the nearest names.
pub fn parse_way(text: &str) -> Result<Way, Problem> {
    Way::parse(text).ok_or_else(|| {
        let known = Way::ALL.map(Way::as_str);
        unknown("way", text, &known)
    })
}

/// Parses a fate. Fails with [`Kind::InvalidParameter`].
pub fn parse_fate(text: &str) -> Result<Fate, Problem> {
    let known = Fate::ALL.map(Fate::as_str);
    Fate::parse(text).ok_or_else(|| Problem::not_listed("fate", text, &known))
}

fn unknown(what: &'static str, text: &str, known: &[&'static str]) -> Problem {
    let near = nearest(text, known.iter().copied());
    let detail = format!(
        "{what}: unknown {what} `{text}`; known are {}",
        known.join(", ")
    );
    Problem::new(Kind::UnknownValue, detail)
        .suggesting(near.into_iter().map(Into::into).collect())
        .about(what)
}

/// The ways of a revision, each with the number of operators by fate.
#[must_use]
pub fn list(view: View<'_>) -> WayList {
    let release = view.keys().release();
    let mut counts = Way::ALL.map(|way| (way, Counts::default()));
    for (id, _) in view.inputs.catalogue.iter() {
        for (way, fate, basis) in view.known_fates(id) {
            counts[way as usize].1.add(fate, basis);
        }
    }
    WayList {
        release: release.as_str(),
        recorded: facts(release).map(|facts| facts.release().as_str()),
        items: counts.map(|(way, counts)| counts.summary(way)).into(),
    }
}

/// Operators by fate, and by what their fates are known from.
#[derive(Default)]
struct Counts {
    fates: BTreeMap<&'static str, u32>,
    bases: BTreeMap<Basis, u32>,
}

impl Counts {
    fn add(&mut self, fate: Fate, basis: Basis) {
        *self.fates.entry(fate.as_str()).or_default() += 1;
        *self.bases.entry(basis).or_default() += 1;
    }

    fn summary(self, way: Way) -> WaySummary {
        let most = self.bases.into_iter().max_by_key(|&(_, count)| count);
        WaySummary {
            way: way.as_str(),
            title: way.title(),
            operators: self.fates.values().sum(),
            fates: self.fates,
            known_from: most.map_or(Basis::Unknown, |(basis, _)| basis).as_str(),
        }
    }
}

/// The operators of a revision on a way, in the order of the file.
pub fn answers(
    view: View<'_>,
    way: Way,
    only: Option<Fate>,
) -> impl Iterator<Item = (OperatorId, WayAnswer)> {
    let operators = view.inputs.catalogue.iter();
    let all = operators.filter_map(move |(id, _)| Some((id, view.way(id, way)?)));
    all.filter(move |(_, answer)| only.is_none_or(|fate| answer.fate == fate))
}

/// The fates of operators on a way, from the first at `from`.
#[must_use]
pub fn operators(
    view: View<'_>,
    way: Way,
    only: Option<Fate>,
    part: std::ops::Range<usize>,
) -> Vec<OperatorFate> {
    let found = answers(view, way, only);
    let found = found.skip(part.start).take(part.len());
    found
        .map(|(id, answer)| named_fate(view, id, answer))
        .collect()
}

/// The fate of an operator on a way; `None` if the way does not apply to it.
pub(crate) fn operator_fate(view: View<'_>, id: OperatorId, way: Way) -> Option<OperatorFate> {
    Some(named_fate(view, id, view.way(id, way)?))
}

fn named_fate(view: View<'_>, id: OperatorId, answer: WayAnswer) -> OperatorFate {
    let operator = view.inputs.catalogue.operator(id);
    OperatorFate {
        operator: operator.qualified_name().to_owned(),
        fate: fate(answer),
    }
}

/// The ways to run one operator.
#[must_use]
pub fn of_operator(view: View<'_>, id: OperatorId) -> OperatorWays {
    let operator = view.inputs.catalogue.operator(id);
    OperatorWays {
        operator: operator.qualified_name().to_owned(),
        items: view.ways(id).into_iter().map(fate).collect(),
        dtypes: dtypes(view.keys().release(), operator.base_name()),
    }
}

fn fate(answer: WayAnswer) -> WayFate {
    WayFate {
        way: answer.way.as_str(),
        title: answer.way.title(),
        fate: answer.fate.as_str(),
        works: answer.works.map(Answer::as_str),
        missing: answer.fate.is_missing(),
        because: answer.because.into_owned(),
        known_from: answer.known_from.as_str(),
        release: answer.release.map(Release::as_str),
        since: answer.since.map(Release::as_str),
    }
}

/// The dtypes of the Python functions that are bindings of a base name.
#[must_use]
pub fn dtypes(release: Release, base_name: &str) -> Vec<FunctionDtypes> {
    let functions = facts(release)
        .into_iter()
        .flat_map(|facts| facts.functions());
    let named = functions.filter(|function| function.operator() == base_name);
    named.flat_map(dtypes_of_function).collect()
}

fn dtypes_of_function(function: Function) -> impl Iterator<Item = FunctionDtypes> {
    let name = match function.variant {
        None => function.name.to_owned(),
        Some(variant) => format!("{} ({variant})", function.name),
    };
    let names = |dtypes: &'static str| dtypes.split_ascii_whitespace().collect();
    let measured = function.measured_dtypes().map(|of| (of, "measured"));
    let claimed = function.claimed_dtypes().map(|of| (of, "claimed"));
    measured
        .into_iter()
        .chain(claimed)
        .map(move |(dtypes, known_from)| FunctionDtypes {
            function: name.clone(),
            device: dtypes.device,
            forward: names(dtypes.forward),
            backward: names(dtypes.backward),
            known_from,
        })
}

/// Fates as CSV.
#[must_use]
pub fn csv(fates: &[OperatorFate]) -> String {
    let mut text = FATES_CSV_HEADER.to_owned();
    for OperatorFate { operator, fate } in fates {
        fate_row(
            &mut text,
            [
                operator,
                fate.way,
                fate.fate,
                &fate.because,
                fate.known_from,
                fate.release.unwrap_or_default(),
                fate.since.unwrap_or_default(),
            ],
        );
    }
    text
}
