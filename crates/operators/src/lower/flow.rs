//! Detects an unquoted schema inside braces, which YAML ends at its first comma.

use opatlas_source::Span;
use opatlas_source::diagnostic::{Diagnostic, RuleId};

use super::Lowering;

impl Lowering<'_> {
    /// Replaces the diagnostics of the single pieces.
    pub(super) fn quote_in_braces(&mut self) {
        let func = self.entry.func_at;
        let opened = func.slice(self.text);
        let in_braces = self.entry.span.slice(self.text).starts_with('{');
        if !in_braces || !opened.contains('(') || opened.contains(')') {
            return;
        }
        let pieces = self.entry.diagnostics.iter();
        let mut pieces =
            pieces.filter(|d| d.rule == RuleId::UnknownKey && func.end <= d.span.start);
        let Some(last) = pieces.find(|d| d.span.slice(self.text).contains(')')) else {
            return;
        };
        let whole = func.to(last.span);
        self.entry
            .diagnostics
            .retain(|d| d.span.start < whole.start || whole.end < d.span.end);
        self.report(quote(whole, self.text));
    }
}

fn quote(whole: Span, text: &str) -> Diagnostic {
    let schema = whole.slice(text);
    let diagnostic = Diagnostic::new(
        RuleId::SchemaShape,
        whole,
        "a comma inside braces ends the value, so YAML splits the schema",
    )
    .with_help("quote the schema");
    if schema.contains(['\'', '\n']) {
        diagnostic
    } else {
        diagnostic.with_safe_fix(whole, format!("'{schema}'"))
    }
}
