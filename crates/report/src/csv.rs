//! Lines of CSV (RFC 4180).

use std::borrow::Cow;

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

/// Quoted where needed. A spreadsheet would read a text that begins like a formula as one, so such
/// a text is kept from that by an apostrophe.
fn quoted(field: &str) -> Cow<'_, str> {
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
