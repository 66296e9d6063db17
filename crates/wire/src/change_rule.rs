//! Rules of compatibility on the wire.

use opatlas_diff::rules;
use opatlas_diff::rules::Audiences;
use serde::Serialize;
use utoipa::ToSchema;

/// A change rule: a kind of change.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeRule {
    /// `compatibility`
    #[schema(example = "compatibility")]
    pub kind: &'static str,
    /// Its id, which never changes.
    #[schema(example = "argument-renamed")]
    pub id: &'static str,
    /// What it is about.
    #[schema(example = "argument")]
    pub family: &'static str,
    /// The level of such a change for all audiences together; `max` for `compound`, whose level is
    /// that of the worst change it represents.
    #[schema(example = "breaking")]
    pub level: &'static str,
    /// PyTorch's own verdict on backward compatibility: `compatible`, `incompatible`, `raises`,
    /// `varies` or `not-checked`.
    pub official_backward: &'static str,
    /// Its verdict on forward compatibility.
    pub official_forward: &'static str,
    /// Audiences for whom code stops working or silently changes.
    pub breaks: Vec<&'static str>,
    /// Audiences for whom this may happen.
    pub risks: Vec<&'static str>,
    /// What changed.
    pub what: &'static str,
    /// Why it matters, and to whom.
    pub why: &'static str,
    /// The smallest alternative that breaks nobody.
    pub instead: Option<&'static str>,
    /// An example of the change, if schemas or entries can show it.
    pub example: Option<ChangeExample>,
    /// The place in PyTorch that decides or documents it.
    pub source: &'static str,
}

/// Two sides that show a change: schemas, or entries of `native_functions.yaml`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeExample {
    /// Before.
    pub old: &'static str,
    /// After.
    pub new: &'static str,
}

impl From<&rules::ChangeRule> for ChangeRule {
    fn from(rule: &rules::ChangeRule) -> Self {
        let words = |audiences: Audiences| audiences.iter().map(|a| a.as_str()).collect();
        Self {
            kind: "compatibility",
            id: rule.id.as_str(),
            family: rule.group.as_str(),
            level: rule.level.map_or("max", |level| level.as_str()),
            official_backward: rule.backward.as_str(),
            official_forward: rule.forward.as_str(),
            breaks: words(rule.impacts.breaks),
            risks: words(rule.impacts.risks),
            what: rule.what,
            why: rule.why,
            instead: rule.instead,
            example: rule.example.map(|example| ChangeExample {
                old: example.old,
                new: example.new,
            }),
            source: rule.source,
        }
    }
}
