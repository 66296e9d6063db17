//! Exceptions of a project, as opaque texts.

/// An accepted change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionRecord {
    /// Unique in its project.
    pub id: String,
    /// A pattern of operators.
    pub operator: String,
    /// A pattern of rules.
    pub rule: String,
    /// A pattern of the argument, key or other subject of the change.
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who is responsible for it.
    pub owner: Option<String>,
    /// The last day on which it applies, as `YYYY-MM-DD`.
    pub until_date: Option<String>,
    /// The last release to which it applies.
    pub until_release: Option<String>,
    /// Whether it may match operators of several base names.
    pub broad: bool,
    /// When it was created.
    pub created_at: i64,
}
