//! The compatibility rules, one item each (`docs/spec/compatibility.md`, section 5).
//!
//! A [`ChangeRule`] is data: its id, group, level, the verdict of PyTorch's check, the affected
//! audiences, and its documentation. Changes refer to these rules; `explain` and the API show them.
//! Each group has its own file.

mod alias;
mod argument;
mod binding;
mod computed;
mod default;
mod dispatch;
mod file;
mod generated;
mod id;
mod level;
mod operator;
mod out;
mod policy;
mod returns;
mod runtime;
mod schema;
mod tag;
mod way;

use std::sync::OnceLock;

pub use id::ChangeRuleId;
pub(crate) use level::worst_for;
pub use level::{Audience, Audiences, Impacts, Level, Profile};

opatlas_source::words! {
    /// The subject of a rule.
    pub enum Group {
        /// Whole operators.
        Operator = "operator",
        /// Plain arguments.
        Argument = "argument",
        /// Defaults.
        Default = "default",
        /// Alias annotations of arguments.
        Alias = "alias",
        /// Out arguments.
        Out = "out",
        /// Returns.
        Return = "return",
        /// The whole schema.
        Schema = "schema",
        /// Bindings in Python and C++.
        Binding = "binding",
        /// Kernels and their registration.
        Dispatch = "dispatch",
        /// Generated operators.
        Generated = "generated",
        /// Tags.
        Tag = "tag",
        /// Device checks and guards around a call.
        Runtime = "runtime",
        /// Computed effects on backends and autograd.
        Computed = "computed",
        /// Ways to run an operator besides a plain call.
        Way = "way",
        /// Promises and exceptions.
        Policy = "policy",
        /// The file itself.
        File = "file",
    }
}

opatlas_source::words! {
    /// The verdict of PyTorch's own check on a kind of change.
    pub enum Official {
        /// Compatible.
        Compatible = "compatible",
        /// Incompatible.
        Incompatible = "incompatible",
        /// The check raises an error.
        Raises = "raises",
        /// It depends on what else changed.
        Varies = "varies",
        /// The check does not examine this part.
        NotChecked = "not-checked",
    }
}

/// A change by example: two schemas, or two lists of entries of `native_functions.yaml`.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Before.
    pub old: &'static str,
    /// After.
    pub new: &'static str,
}

/// A rule about a kind of change. Ids are never renamed or reused.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRule {
    /// Its id.
    pub id: ChangeRuleId,
    /// What it is about.
    pub group: Group,
    /// The level for all audiences together. `None` only for `compound`, which has the level and
    /// audiences of the changes it represents.
    pub level: Option<Level>,
    /// The verdict of PyTorch's check on backward compatibility.
    pub backward: Official,
    /// The verdict of PyTorch's check on forward compatibility.
    pub forward: Official,
    /// The affected audiences.
    pub impacts: Impacts,
    /// A sentence about the change.
    pub what: &'static str,
    /// Why that matters, and to whom.
    pub why: &'static str,
    /// The smallest safe alternative, if there is one.
    pub instead: Option<&'static str>,
    /// An example, if files or schemas can show the change.
    pub example: Option<Example>,
    /// The PyTorch file or document that decides it.
    pub source: &'static str,
}

impl ChangeRule {
    /// A rule about a part that PyTorch's check does not examine, for tables to complete.
    const fn new(id: ChangeRuleId, group: Group, level: Level, source: &'static str) -> Self {
        Self {
            id,
            group,
            level: Some(level),
            backward: Official::NotChecked,
            forward: Official::NotChecked,
            impacts: Impacts::row("........"),
            what: "",
            why: "",
            instead: None,
            example: None,
            source,
        }
    }
}

const GROUPS: [&[ChangeRule]; 16] = [
    operator::RULES,
    argument::RULES,
    default::RULES,
    alias::RULES,
    out::RULES,
    returns::RULES,
    schema::RULES,
    binding::RULES,
    dispatch::RULES,
    generated::RULES,
    tag::RULES,
    runtime::RULES,
    computed::RULES,
    way::RULES,
    policy::RULES,
    file::RULES,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// All rules, group by group.
pub static RULES: [ChangeRule; COUNT] = {
    let mut rules = [GROUPS[0][0]; COUNT];
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut i = 0;
        while i < GROUPS[group].len() {
            rules[count] = GROUPS[group][i];
            count += 1;
            i += 1;
        }
        group += 1;
    }
    rules
};

/// The rule of this id. Every id has one: a test holds the table to [`ChangeRuleId::ALL`].
#[must_use]
pub fn of(id: ChangeRuleId) -> &'static ChangeRule {
    static BY_ID: OnceLock<Vec<&'static ChangeRule>> = OnceLock::new();
    let by_id = BY_ID.get_or_init(|| {
        let mut rules: Vec<_> = RULES.iter().collect();
        rules.sort_by_key(|rule| rule.id);
        rules
    });
    by_id[id as usize]
}

/// The rule whose id has this text, if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static ChangeRule> {
    ChangeRuleId::parse(id).map(of)
}
