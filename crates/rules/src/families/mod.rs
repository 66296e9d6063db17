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
mod parts;
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
pub(super) use parts::check as check_entries;
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

/// The checks of how entries go together, behind those of each by itself ([`check_entries`]). Those of
/// `autogen` ask what all the others found.
#[rustfmt::skip]
pub(super) static ACROSS_ENTRIES: &[Check] = &[
    grammar::check,
    overloads::check,
    dispatch::check,
    structured::check,
    autogen::check,
];

/// The checks of formulas, a third of the work. They ask nothing of what the others found.
pub(super) static OF_FORMULAS: &[Check] = &[derivatives::check];

/// The checks of what entries have to do with each other and with other files. They ask nothing of what the
/// others found.
#[rustfmt::skip]
pub(super) static OF_THE_REST: &[Check] = &[
    group_tags::check,
    views::check,
    bindings::check,
    conventions::check,
    backends::check,
    vendors::check,
    sources::check,
];
