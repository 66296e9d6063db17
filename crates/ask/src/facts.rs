//! What releases say about the operator of a message.

use opatlas_pytorch::ways::{self, Registry};
use opatlas_verdict::ways::Way;

use crate::kind::Asks;
use crate::name;
use crate::reading::Reading;
use crate::releases::{self, Place, Upgrade, known};

/// Since when and until when a message appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// The last known release in which it appears.
    pub(crate) fails_in: Option<&'static str>,
    /// The first release from which it does not appear, up to the newest.
    pub(crate) fixed_in: Option<&'static str>,
    /// It does not appear in any known release.
    pub(crate) always: bool,
}

impl From<Upgrade> for Facts {
    fn from(upgrade: Upgrade) -> Self {
        Self {
            fails_in: upgrade.fails_in,
            fixed_in: upgrade.works_from,
            always: upgrade.always,
        }
    }
}

/// What the releases say about a message; `None` if they are not asked, or do not know.
pub(crate) fn of(reading: &Reading<'_>) -> Option<Facts> {
    if let Some(facts) = reading.measured {
        return Some(facts);
    }
    let operator = reading.operator.as_deref()?;
    let facts = match reading.asks {
        Asks::Nothing => return None,
        Asks::Key => at(operator, Place::Key(reading.key.as_deref()?)),
        Asks::Training => at(operator, Place::Training),
        Asks::Vmap => at(operator, Place::Way(Way::Vmap)),
        Asks::Meta => at(operator, Place::Way(Way::Meta)),
        Asks::Dtensor => at(operator, Place::Way(Way::Dtensor)),
        Asks::Inductor => at(operator, Place::Way(Way::Inductor)),
        Asks::Exists => exists(operator),
        Asks::Shim => shim(reading.part("shim")?),
        Asks::Autocast => autocast(operator, reading.key.as_deref()?),
        Asks::Dtype => dtype(operator, reading)?,
    };
    let says_nothing = facts.fails_in.is_none() && facts.fixed_in.is_none() && !facts.always;
    (!says_nothing).then_some(facts)
}

/// Whether an operator works at a key in some known release.
pub(crate) fn works_anywhere(operator: &str, key: &str) -> bool {
    let upgrade = releases::upgrade(operator, Place::Key(key));
    upgrade.always || upgrade.works_from.is_some()
}

/// The answer for an operator. A base name without an overload of its own has the answer that all its
/// overloads share.
fn at(operator: &str, place: Place<'_>) -> Facts {
    releases::upgrade(operator, place).into()
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
    let dtype = short_dtype(reading.part("dtype")?)?;
    Some(of_minors(|facts| {
        let mut claims = facts
            .functions()
            .filter(|function| function.operator() == operator || function.name == operator)
            .flat_map(|function| function.claimed_dtypes())
            .filter(|dtypes| dtypes.device == device);
        let first = claims.next()?;
        let has = |dtypes: ways::Dtypes| dtypes.forward.split(' ').any(|name| name == dtype);
        Some(has(first) && claims.all(has))
    }))
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

/// The backend on which an operator is a kernel of its own, while it decomposes on the others.
pub(crate) fn only_kernel(operator: &str) -> Option<&'static str> {
    releases::only_kernel(operator)
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
                (found.fails_in, found.fixed_in) = (release, None);
                never_fails = false;
            }
            None => {}
        }
    }
    if newest != Some(true) {
        found.fixed_in = None;
    }
    found.always = never_fails && newest == Some(true) && known().first().is_some();
    found
}
