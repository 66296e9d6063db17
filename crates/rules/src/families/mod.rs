//! The rules by family: tables and checks. A family file has a `RULES` table and, where its rules
//! are not all reported while reading, a `check` over the catalogue.

mod annotations;
mod arguments;
mod autogen;
mod backends;
mod bindings;
mod conventions;
mod defaults;
mod derivatives;
mod dispatch;
mod field_edit;
mod fields;
mod grammar;
mod group_tags;
mod out_naming;
mod overloads;
mod returns;
mod runtime;
mod scope;
mod sources;
mod structured;
mod subject;
mod suppressions;
mod tags;
mod types;
mod variants;
mod vendors;
mod views;
mod yaml;

pub use sources::check_sources;

use super::Rule;
use super::sink::Sink;
pub(super) use scope::Scope;

/// The tables of all families.
#[rustfmt::skip]
pub(super) static TABLES: &[&[Rule]] = &[
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

/// What finds faults.
pub(super) type Check = fn(&Scope<'_>, &mut Sink);

/// All checks in the order in which they run. `autogen` asks what those before it found.
#[rustfmt::skip]
pub(super) static CHECKS: &[Check] = &[
    scope::readings,
    grammar::entries,
    fields::entries,
    annotations::entries,
    arguments::entries,
    types::entries,
    out_naming::entries,
    defaults::entries,
    returns::entries,
    variants::entries,
    tags::entries,
    dispatch::entries,
    structured::entries,
    conventions::entries,
    grammar::check,
    overloads::check,
    dispatch::check,
    structured::check,
    autogen::check,
    derivatives::check,
    group_tags::check,
    views::check,
    bindings::check,
    conventions::check,
    backends::check,
    vendors::check,
    sources::check,
];
