//! The table of rules, one file per family.

mod annotations;
mod arguments;
mod autogen;
mod backends;
mod bindings;
mod conventions;
mod defaults;
mod derivatives;
mod dispatch;
mod fields;
mod grammar;
mod group_tags;
mod out_naming;
mod overloads;
mod returns;
mod runtime;
mod sources;
mod structured;
mod suppressions;
mod tags;
mod types;
mod variants;
mod vendors;
mod views;
mod yaml;

use std::sync::OnceLock;

use opatlas_source::diagnostic::RuleId;

use crate::rule::Rule;

#[rustfmt::skip]
static TABLES: &[&[Rule]] = &[
    yaml::RULES,
    grammar::RULES,
    fields::RULES,
    annotations::RULES,
    arguments::RULES,
    types::RULES,
    out_naming::RULES,
    defaults::RULES,
    returns::RULES,
    variants::RULES,
    tags::RULES,
    runtime::RULES,
    suppressions::RULES,
    overloads::RULES,
    dispatch::RULES,
    structured::RULES,
    autogen::RULES,
    group_tags::RULES,
    views::RULES,
    &derivatives::entries::RULES,
    &derivatives::gradients::RULES,
    &derivatives::tangents::RULES,
    &derivatives::outputs::RULES,
    &derivatives::variants::RULES,
    &bindings::RULES,
    &conventions::RULES,
    &backends::RULES,
    &vendors::RULES,
    &sources::RULES,
];

/// All rules, family by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The rule with this id. A test checks that every id has one.
#[must_use]
pub fn of(id: RuleId) -> &'static Rule {
    static BY_ID: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    let by_id = BY_ID.get_or_init(|| {
        let mut rules: Vec<_> = all().collect();
        rules.sort_by_key(|rule| rule.id);
        rules
    });
    by_id[id as usize]
}

/// The rule whose id is this text.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RuleId::parse(id).map(of)
}
