//! Registrations found in sources.

use opatlas_source::LineColumn;
use opatlas_sources::Registration;
use serde::Serialize;

/// A registration in a C++ or Python source file.
#[derive(Debug, Clone, Serialize)]
pub struct SourceRegistration {
    /// `impl`, `fallback` or `def`.
    pub kind: &'static str,
    /// The operator's namespace; `_` for every operator.
    pub namespace: Option<String>,
    /// The operator without its namespace.
    pub operator: Option<String>,
    /// The dispatch key; null for a definition without a kernel.
    pub key: Option<String>,
    /// The function as written.
    pub kernel: Option<String>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// The schema of a definition as written.
    pub schema: Option<String>,
    /// The file.
    pub file: String,
    /// The line of the call, from 1.
    pub line: u32,
    /// The column of the call, from 1, in Unicode scalar values.
    pub column: u32,
    /// Whether operator, namespace and key are certain.
    pub resolved: bool,
    /// Why not.
    pub why: Option<String>,
    /// The preprocessor or run-time condition of the registration.
    pub condition: Option<String>,
    /// The function or macro that registers it.
    pub through: String,
    /// The line on which its block begins, which is the one that a process reports.
    pub block_line: u32,
}

impl SourceRegistration {
    /// A registration of a file with the lines of its call and its block.
    #[must_use]
    pub fn new(file: &str, found: &Registration, at: LineColumn, block: LineColumn) -> Self {
        let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
        Self {
            kind: found.kind.as_str(),
            namespace: text(&found.namespace),
            operator: text(&found.operator),
            key: text(&found.key),
            kernel: text(&found.kernel),
            fallthrough: found.fallthrough,
            schema: text(&found.schema),
            file: file.to_owned(),
            line: at.line,
            column: at.column,
            resolved: found.unresolved.is_none(),
            why: text(&found.unresolved),
            condition: text(&found.condition),
            through: found.through.to_string(),
            block_line: block.line,
        }
    }
}
