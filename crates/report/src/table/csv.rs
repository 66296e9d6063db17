//! Entries as CSV (RFC 4180), one line an entry.

use std::borrow::Cow;

use super::support::operator_names;
use super::words::cause_sentence;
use opatlas_dispatch::{Entry, View};
use opatlas_operators::operator::OperatorId;

/// The first line.
pub const CSV_HEADER: &str = "operator,key,functionality,backend,kernel,source_key,reason,origin,\
fallthrough,derivable,cause,file,support,needs\r\n";

/// Appends the line of an entry.
pub fn csv_row(out: &mut String, view: View<'_>, id: OperatorId, entry: &Entry<'_>) {
    let operator = view.inputs.catalogue.operator(id).qualified_name();
    let support = view.support_of(id, entry);
    let needs = operator_names(view, &support.needs).join(" ");
    let flag = |yes: bool| if yes { "true" } else { "false" };
    let cause = entry.cause.map(cause_sentence);
    let fields = [
        operator.as_str(),
        entry.key,
        entry.functionality,
        entry.backend.unwrap_or_default(),
        entry.kernel.as_deref().unwrap_or_default(),
        entry.source_name(view.keys()).unwrap_or_default(),
        entry.reason.as_str(),
        entry.origin.map_or("", |origin| origin.as_str()),
        flag(entry.fallthrough),
        flag(entry.derivable),
        cause.as_deref().unwrap_or_default(),
        entry.file.unwrap_or_default(),
        support.verdict.as_str(),
        &needs,
    ];
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&quoted(field));
    }
    out.push_str("\r\n");
}

/// Quoted where needed. A spreadsheet would read a text that begins like a formula as one, so such
/// a text is kept from that by an apostrophe.
pub(crate) fn quoted(field: &str) -> Cow<'_, str> {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let needs_quotes = field.contains([',', '"', '\n', '\r']);
    match (is_formula, needs_quotes) {
        (false, false) => Cow::Borrowed(field),
        (true, false) => format!("'{field}").into(),
        (false, true) => format!("\"{}\"", field.replace('"', "\"\"")).into(),
        (true, true) => format!("\"'{}\"", field.replace('"', "\"\"")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_needed() {
        for (field, expected) in [
            ("add.Tensor", "add.Tensor"),
            ("a, b", "\"a, b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "'=1+1"),
            ("-a,b", "\"'-a,b\""),
        ] {
            assert_eq!(quoted(field), expected);
        }
    }
}
