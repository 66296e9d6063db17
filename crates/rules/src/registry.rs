//! The one table of rules.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{Rule, families};

/// All rules, family by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    families::TABLES.iter().flat_map(|table| table.iter())
}

/// The rule of this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    static BY_ID: OnceLock<FxHashMap<&'static str, &'static Rule>> = OnceLock::new();
    let by_id = BY_ID.get_or_init(|| all().map(|rule| (rule.id, rule)).collect());
    by_id.get(id).copied()
}
