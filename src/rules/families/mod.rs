//! The rules by family: tables and checks. A family file has a `RULES` table and, where its rules
//! are not all reported while reading, a `check` over the catalogue.

mod annotations;
mod arguments;
mod defaults;
mod edit;
mod fields;
mod grammar;
mod out_naming;
mod returns;
mod subject;
mod suppressions;
mod tags;
mod types;
mod variants;
mod yaml;

use crate::model::catalogue::Catalogue;

use super::Rule;
use super::sink::Sink;

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
    suppressions::RULES,
];

/// The checks of all families.
#[rustfmt::skip]
pub(super) static CHECKS: &[fn(&Catalogue, &mut Sink)] = &[
    grammar::check,
    fields::check,
    annotations::check,
    arguments::check,
    types::check,
    out_naming::check,
    defaults::check,
    returns::check,
    variants::check,
    tags::check,
];
