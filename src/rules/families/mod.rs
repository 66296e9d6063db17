//! The rules by family: tables and checks. A family file has a `RULES` table and, where its rules
//! are not all reported while reading, a `check` over the catalogue.

mod autogen;
mod dispatch;
mod field_edit;
mod group_tags;
mod overloads;
mod scope;
mod structured;
mod views;

use crate::model::catalogue::Catalogue;

use super::Rule;
use super::sink::Sink;

/// The tables of all families.
#[rustfmt::skip]
pub(super) static TABLES: &[&[Rule]] = &[
    overloads::RULES,
    dispatch::RULES,
    structured::RULES,
    autogen::RULES,
    group_tags::RULES,
    views::RULES,
];

/// The checks of all families.
#[rustfmt::skip]
pub(super) static CHECKS: &[fn(&Catalogue, &mut Sink)] = &[
    overloads::check,
    dispatch::check,
    structured::check,
    autogen::check,
    group_tags::check,
    views::check,
];
