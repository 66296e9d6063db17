//! What releases say about the operator of a message.

use opatlas_pytorch::Release;
use opatlas_pytorch::ways::{self, Registry};
use opatlas_rules::registry;
use opatlas_source::diagnostic::RuleId;
use opatlas_verdict::Answer as Works;
use opatlas_verdict::releases::{self, Place, Span};
use opatlas_verdict::ways::Way;

use crate::kind::Asks;
use crate::name;
use crate::reading::Reading;

/// A sentence about an operator that vmap runs in a loop, with releases.
const FALLS_BACK: &str = "falls back";

/// Since when and until when a message appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// The first known release of the last ones in which it appears.
    pub(crate) since: Option<&'static str>,
    /// The last known release in which it appears.
    pub(crate) fails_in: Option<&'static str>,
    /// The first release from which it does not appear, up to the newest.
    pub(crate) fixed_in: Option<&'static str>,
    /// It does not appear in any known release.
    pub(crate) always: bool,
}

/// What the releases say about a message; `None` if they are not asked, or do not know.
pub(crate) fn of(reading: &Reading<'_>) -> Option<Facts> {
    if let Some(facts) = reading.measured {
        return Some(facts);
    }
    if reading.asks == Asks::Never || reading.rule.is_some_and(is_in_newest) {
        return Some(never());
    }
    let operator = reading.operator.as_deref()?;
    let facts = match reading.asks {
        Asks::Nothing | Asks::Never => return None,
        Asks::Key => at(operator, Place::Key(reading.key.as_deref()?)),
        Asks::Training => at(operator, Place::Training),
        Asks::Vmap => at(operator, Place::Way(Way::Vmap)),
        Asks::BatchingRule => of_spans(operator, Place::Way(Way::Vmap), |span| {
            span.word == FALLS_BACK || fails(span, Place::Way(Way::Vmap))
        }),
        Asks::Meta => at(operator, Place::Way(Way::Meta)),
        Asks::Dtensor => at(operator, Place::Way(Way::Dtensor)),
        Asks::Inductor => at(operator, Place::Way(Way::Inductor)),
        Asks::Exists => exists(operator),
        Asks::Shim => shim(reading.part("shim")?),
        Asks::Autocast => autocast(operator, reading.key.as_deref()?),
        Asks::Dtype => dtype(operator, reading).filter(|facts| !facts.always)?,
    };
    let says_nothing = facts.fails_in.is_none() && facts.fixed_in.is_none() && !facts.always;
    (!says_nothing).then_some(facts)
}

/// Every known release says it.
fn never() -> Facts {
    let known = releases::known();
    Facts {
        since: known.first().copied(),
        fails_in: known.last().copied(),
        ..Facts::default()
    }
}

fn is_in_newest(rule: RuleId) -> bool {
    registry::of(rule).applies_to(Release::LATEST)
}

/// Whether an operator works at a key in each known release.
pub(crate) fn works_in_all(operator: &str, key: &str) -> bool {
    at(operator, Place::Key(key)).always
}

/// True if an operator fails at a key in each known release.
pub(crate) fn never_works(operator: &str, key: &str) -> bool {
    let spans = releases::spans(operator, Place::Key(key));
    !spans.is_empty() && spans.iter().all(|span| span.works == Works::No)
}

/// Whether the releases of a span have nothing for an operator. An operator that works in part has a
/// kernel, so a message about it is not about this place.
fn fails(span: &Span, place: Place<'_>) -> bool {
    match place {
        Place::Key(_) => span.works == Works::No,
        _ => matches!(span.works, Works::No | Works::Partly),
    }
}

/// What the known releases say of an operator at a place.
fn at(operator: &str, place: Place<'_>) -> Facts {
    of_spans(operator, place, |span| fails(span, place))
}

fn of_spans(operator: &str, place: Place<'_>, fails: impl Fn(&Span) -> bool) -> Facts {
    let spans = releases::spans(operator, place);
    let newest = releases::known().last().copied();
    let is_known = |span: &&Span| span.works != Works::Unknown;
    let failing = spans.iter().rev().find(|span| fails(span));
    let working = spans
        .iter()
        .rev()
        .take_while(|span| is_known(span) && !fails(span));
    let is_in_newest = spans.last().map(|span| span.last) == newest;
    let works_from = working
        .last()
        .filter(|_| is_in_newest)
        .map(|span| span.first);
    let is_whole = spans.first().map(|span| span.first) == releases::known().first().copied();
    Facts {
        since: failing.map(|span| span.first),
        fails_in: failing.map(|span| span.last),
        fixed_in: works_from,
        always: is_whole
            && failing.is_none()
            && spans.iter().all(|span| is_known(&span))
            && is_in_newest,
    }
}

/// The first release that has an operator, or an overload of this base name.
fn exists(operator: &str) -> Facts {
    if name::is_operator(operator) {
        return at(operator, Place::Exists);
    }
    of_minors(|facts| {
        let mut members = facts.members(Registry::Operators);
        let is_overload = |name: &str| name.split('.').next() == Some(operator);
        Some(members.any(|(name, _)| is_overload(name)))
    })
}

/// The releases whose C shim has a function: `cpu_normal_functional`.
fn shim(function: &str) -> Facts {
    let (device, name) = function.split_once('_').unwrap_or((function, ""));
    of_minors(|facts| {
        facts.shims().next()?;
        Some(facts.shim(name).any(|shim| shim.device == device))
    })
}

/// The device types with autocast, the best known first, each with its registry.
const AUTOCAST: [(&str, Registry); 4] = [
    ("AutocastCUDA", Registry::AutocastCuda),
    ("AutocastCPU", Registry::AutocastCpu),
    ("AutocastXPU", Registry::AutocastXpu),
    ("AutocastMPS", Registry::AutocastMps),
];

/// The autocast key that refuses an operator.
pub(crate) fn banned_by(operator: &str) -> Option<&'static str> {
    let newest = ways::all().next_back()?.operator(operator);
    let refuses = |registry: Registry| newest.value(registry) == Some("banned");
    let found = AUTOCAST.iter().find(|(_, registry)| refuses(*registry));
    found.map(|(key, _)| *key)
}

fn autocast(operator: &str, key: &str) -> Facts {
    let registry = AUTOCAST.iter().find(|(of, _)| *of == key);
    of_minors(|facts| {
        let (_, registry) = registry?;
        Some(facts.operator(operator).value(*registry) != Some("banned"))
    })
}

/// The releases whose operator tests run with a data type on a device.
fn dtype(operator: &str, reading: &Reading<'_>) -> Option<Facts> {
    let device = reading.key.as_deref()?.to_ascii_lowercase();
    Some(claims(
        operator,
        &device,
        short_dtype(reading.part("dtype")?)?,
    ))
}

/// The CPU, if it lacks a data type for an operator in some release, and CUDA has it in all.
pub(crate) fn device_without(reading: &Reading<'_>) -> Option<&'static str> {
    let operator = reading.operator.as_deref()?;
    let dtype = short_dtype(reading.part("dtype")?)?;
    let lacks = claims(operator, "cpu", dtype).fails_in.is_some();
    (lacks && claims(operator, "cuda", dtype).always).then_some("CPU")
}

fn claims(operator: &str, device: &str, dtype: &str) -> Facts {
    of_minors(|facts| {
        let mut claims = facts
            .functions()
            .filter(|function| function.operator() == operator || function.name == operator)
            .flat_map(|function| function.claimed_dtypes())
            .filter(|dtypes| dtypes.device == device);
        let first = claims.next()?;
        let has = |dtypes: ways::Dtypes| dtypes.forward.split(' ').any(|name| name == dtype);
        Some(has(first) && claims.all(has))
    })
}

/// The name in the data of a type of C++: `f16` of `Half`.
fn short_dtype(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 12] = [
        ("half", "f16"),
        ("bfloat16", "bf16"),
        ("float", "f32"),
        ("double", "f64"),
        ("bool", "b8"),
        ("byte", "u8"),
        ("char", "i8"),
        ("short", "i16"),
        ("int", "i32"),
        ("long", "i64"),
        ("complexfloat", "c64"),
        ("complexdouble", "c128"),
    ];
    let name = name.to_ascii_lowercase();
    let found = NAMES.iter().find(|(of, _)| *of == name);
    found.map(|(_, short)| *short)
}

/// What the recorded minor releases say: the last one that fails, and the first from which all work.
fn of_minors(works: impl Fn(ways::Facts) -> Option<bool>) -> Facts {
    let mut found = Facts::default();
    let mut never_fails = true;
    let mut newest = None;
    for facts in ways::all() {
        let release = facts.release().data().measured.last().copied();
        newest = works(facts);
        match newest {
            Some(true) => found.fixed_in = found.fixed_in.or(release),
            Some(false) => {
                found.since = found.since.filter(|_| found.fixed_in.is_none()).or(release);
                (found.fails_in, found.fixed_in) = (release, None);
                never_fails = false;
            }
            None => {}
        }
    }
    if newest != Some(true) {
        found.fixed_in = None;
    }
    found.always = never_fails && newest == Some(true);
    found
}
