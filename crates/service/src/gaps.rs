//! Applicable operators that a backend lacks or inherits, the most important ones first.

use rustc_hash::{FxHashMap, FxHashSet};

use opatlas_diff::revision::CORE;
use opatlas_dispatch::Reason;
use opatlas_dispatch::autograd_key;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::{Because, KnownFrom, Leverage, Verdict};

use opatlas_source::{Stop, Stopped};

use super::snapshot::Snapshot;

/// Call counts of operators, as the user gave them.
pub type Usage = FxHashMap<String, u64>;

/// An operator for which the backend has no kernel of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The operator.
    pub operator: String,
    /// Why it is served by another kernel, or not at all.
    pub reason: Reason,
    /// The registered key that serves it.
    pub source_key: Option<&'static str>,
    /// Whether a call works.
    pub verdict: Verdict,
    /// Why, unless operators that it needs are the reason.
    pub because: Option<Because>,
    /// What the verdict is based on; `None` if it is unknown.
    pub known_from: Option<KnownFrom>,
    /// Operators without a working kernel that it depends on, nearest first.
    pub needs: Vec<String>,
    /// Whether it has the tag `core`.
    pub is_core: bool,
    /// How many other backends of the same functionality have a kernel of their own.
    pub others: u32,
    /// The call count, if a usage file has one.
    pub usage: Option<u64>,
}

impl Gap {
    /// Whether a call fails, always or in some cases.
    #[must_use]
    pub fn is_lacking(&self) -> bool {
        self.verdict.lacks()
    }
}

/// Weights operators to find the kernels that would help most.
#[must_use]
pub fn leverage(
    snapshot: &Snapshot,
    slot: Slot,
    most: usize,
    tag: Option<&str>,
    usage: Option<&Usage>,
) -> Leverage {
    let weight = |id: OperatorId| {
        let operator = snapshot.catalogue.operator(id);
        if operator.is_generated() || tag.is_some_and(|tag| !operator.has_tag(tag)) {
            return 0;
        }
        usage.map_or(1, |usage| used(usage, operator.qualified_name()))
    };
    snapshot.view().leverage(slot, most, weight)
}

/// The gaps of a backend, sorted by call count if known, then core operators, then by the number of
/// other backends with a kernel. Unknown operators come last.
pub fn gaps(
    snapshot: &Snapshot,
    slot: Slot,
    usage: Option<&Usage>,
    stop: &Stop,
) -> Result<Vec<Gap>, Stopped> {
    let view = snapshot.view();
    let keys = view.keys();
    let kind = keys.functionality(slot);
    let is_other = |other: &Slot| {
        *other != slot && keys.functionality(*other) == kind && autograd_key(keys, *other).is_some()
    };
    let others: Vec<Slot> = keys.slots().filter(is_other).collect();
    let declared = declared(snapshot, slot).take_while(|_| !stop.is_requested());
    let gaps = declared.filter(|(id, _)| {
        !view.has_kernel(*id, slot) && view.applicability(*id, slot).is_applicable()
    });
    let mut gaps: Vec<Gap> = gaps
        .map(|(id, reason)| {
            let operator = snapshot.catalogue.operator(id);
            let name = operator.qualified_name();
            let entry = view.entry(id, slot);
            let has_kernel = |other: &&Slot| view.has_kernel(id, **other);
            let support = view.support(id, slot);
            Gap {
                reason,
                verdict: support.verdict,
                because: support.because,
                known_from: entry
                    .as_ref()
                    .and_then(|entry| view.known_from(id, entry, support.verdict)),
                needs: view.needed(&support).map(str::to_owned).collect(),
                source_key: entry
                    .and_then(|entry| entry.source_key)
                    .map(|key: Key| keys.name(key)),
                is_core: operator.has_tag(CORE),
                others: u32::try_from(others.iter().filter(has_kernel).count()).unwrap_or(u32::MAX),
                usage: usage.map(|usage| used(usage, name)),
                operator: name.to_owned(),
            }
        })
        .collect();
    stop.check()?;
    gaps.sort_by(|a, b| {
        let rank = |gap: &Gap| (gap.usage, gap.is_core, gap.others, gap.is_lacking());
        let is_unknown = |gap: &Gap| gap.verdict.is_unknown();
        is_unknown(a)
            .cmp(&is_unknown(b))
            .then_with(|| rank(b).cmp(&rank(a)))
            .then_with(|| a.operator.cmp(&b.operator))
    });
    Ok(gaps)
}

/// The operators for which a key has a kernel of its own now, but not in `before`.
#[must_use]
pub fn gained(snapshot: &Snapshot, before: &Snapshot, key: &str) -> Vec<String> {
    let kernels = |snapshot: &Snapshot| -> Vec<String> {
        let Some(slot) = snapshot.view().keys().slot(key) else {
            return Vec::new();
        };
        let view = snapshot.view();
        let own = declared(snapshot, slot).filter(|(id, _)| view.has_kernel(*id, slot));
        own.map(|(id, _)| snapshot.catalogue.operator(id).qualified_name().to_owned())
            .collect()
    };
    let had: FxHashSet<String> = kernels(before).into_iter().collect();
    let mut gained = kernels(snapshot);
    gained.retain(|name| !had.contains(name));
    gained.sort();
    gained
}

/// The names in a usage file that match no operator of the revision.
#[must_use]
pub fn unknown(snapshot: &Snapshot, usage: &Usage) -> Vec<String> {
    let operators = snapshot.catalogue.operators.iter();
    let mut names: FxHashSet<String> = FxHashSet::default();
    for operator in operators {
        let name = operator.qualified_name().to_owned();
        names.insert(base(&name).to_owned());
        names.insert(name);
    }
    let unknown = usage.keys().filter(|name| !names.contains(*name));
    let mut unknown: Vec<String> = unknown.cloned().collect();
    unknown.sort();
    unknown
}

/// Parses CSV lines `operator,count`, optionally with a header. Fails with the number of the first
/// invalid line.
pub fn read_csv(text: &str) -> Result<Usage, usize> {
    let mut usage = Usage::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = line.rsplit_once([',', ';', '\t']);
        let count = fields.and_then(|(_, count)| unquoted(count).parse::<u64>().ok());
        match (fields, count) {
            (Some((name, _)), Some(count)) => add(&mut usage, unquoted(name), count),
            (Some(_), None) if i == 0 => {}
            _ => return Err(i + 1),
        }
    }
    Ok(usage)
}

/// Adds to a count. Accepts `aten::add.Tensor`, `aten.add.Tensor` and `add.Tensor`.
pub fn add(usage: &mut Usage, name: &str, count: u64) {
    let name = name.strip_prefix("aten::").unwrap_or(name);
    let name = name.strip_prefix("aten.").unwrap_or(name);
    let name = name.strip_suffix(".default").unwrap_or(name);
    let sum = usage.entry(name.to_owned()).or_default();
    *sum = sum.saturating_add(count);
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

fn used(usage: &Usage, name: &str) -> u64 {
    let own = usage.get(name).copied();
    own.or_else(|| usage.get(base(name)).copied()).unwrap_or(0)
}

fn base(name: &str) -> &str {
    name.split_once('.').map_or(name, |(base, _)| base)
}

fn declared(snapshot: &Snapshot, slot: Slot) -> impl Iterator<Item = (OperatorId, Reason)> + '_ {
    let view = snapshot.view();
    let operators = snapshot.catalogue.iter();
    let operators = operators.filter(|(_, operator)| !operator.is_generated());
    operators.filter_map(move |(id, _)| {
        let pattern = view.tables.pattern(id)?;
        Some((id, pattern.table.rule(slot).reason()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_files_are_read() {
        let usage =
            read_csv("operator,count\naten::add.Tensor,3\n\"mul.Tensor\";2\nadd.Tensor,1\n");
        let usage = usage.unwrap();
        assert_eq!((usage["add.Tensor"], usage["mul.Tensor"]), (4, 2));
        assert_eq!(read_csv("add.Tensor,3\nnonsense\n"), Err(2));
        assert_eq!(used(&usage, "add.Tensor"), 4);
        assert_eq!(used(&read_csv("bmm.default,5").unwrap(), "bmm"), 5);
    }
}
