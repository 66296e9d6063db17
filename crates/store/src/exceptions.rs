//! Exceptions in a store: opaque texts.

/// A change that somebody accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionRecord {
    /// Its id, unique in its project.
    pub id: String,
    /// The pattern of operators.
    pub operator: String,
    /// The pattern of rules.
    pub rule: String,
    /// The pattern of arguments, keys or whatever else the rule is about.
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who is responsible for it.
    pub owner: Option<String>,
    /// The last day on which it holds, `YYYY-MM-DD`.
    pub until_date: Option<String>,
    /// The last release for which it holds.
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
    /// When it was made.
    pub created_at: i64,
}
