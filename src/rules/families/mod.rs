//! The rules by family: tables and checks. A family file has a `RULES` table and, where its rules
//! are not all reported while reading, a `check` over the catalogue.

use crate::model::catalogue::Catalogue;

use super::Rule;
use super::sink::Sink;

/// The tables of all families.
pub(super) static TABLES: &[&[Rule]] = &[];

/// The checks of all families.
pub(super) static CHECKS: &[fn(&Catalogue, &mut Sink)] = &[];
