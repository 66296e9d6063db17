//! The rules by family: tables and checks. A family file has a `RULES` table and, where its rules
//! are not all reported while reading, a `check` over the catalogue.

mod backends;
mod derivatives;

use crate::model::catalogue::Catalogue;

use super::Rule;
use super::sink::Sink;

/// The tables of all families.
pub(super) static TABLES: &[&[Rule]] = &[
    &derivatives::entries::RULES,
    &derivatives::gradients::RULES,
    &derivatives::tangents::RULES,
    &derivatives::later::RULES,
    &backends::RULES,
];

/// The checks of all families.
pub(super) static CHECKS: &[fn(&Catalogue, &mut Sink)] = &[derivatives::check, backends::check];
