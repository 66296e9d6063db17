//! The one table of rules.

use std::sync::OnceLock;

use opatlas_source::diagnostic::RuleId;

use super::{Rule, families};

/// All rules, family by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    families::TABLES.iter().flat_map(|table| table.iter())
}

/// The rule of this id. Every id has one: a test holds the table to [`RuleId::ALL`].
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

/// The rule whose id has this text, if there is one.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RuleId::parse(id).map(of)
}
