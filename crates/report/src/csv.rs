//! Lines of CSV (RFC 4180).

use std::borrow::Cow;

use crate::escape;

/// Appends a line of these fields.
pub(crate) fn line<T: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = T>) {
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&quoted(field.as_ref()));
    }
    out.push_str("\r\n");
}

/// Yes or no.
pub(crate) fn flag(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// On one line, and quoted where needed. A spreadsheet would read a text that begins like a formula as one, so such
/// a text is kept from that by an apostrophe.
fn quoted(field: &str) -> Cow<'_, str> {
    // Whoever prints the file hands its fields to a terminal, or to the log of a job.
    match escape::line(field) {
        Cow::Borrowed(field) => quoted_line(field),
        Cow::Owned(field) => Cow::Owned(quoted_line(&field).into_owned()),
    }
}

fn quoted_line(field: &str) -> Cow<'_, str> {
    let is_formula = field.starts_with(['=', '+', '-', '@']);
    let needs_quotes = field.contains([',', '"']);
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
        let mut out = String::new();
        line(
            &mut out,
            ["add.Tensor", "a, b", "say \"x\"", "=1+1", "-a,b", ""],
        );
        assert_eq!(
            out,
            "add.Tensor,\"a, b\",\"say \"\"x\"\"\",'=1+1,\"'-a,b\",\r\n"
        );
    }
}
