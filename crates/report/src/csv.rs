//! Lines of CSV (RFC 4180).

use crate::escape;

pub(crate) fn line<T: AsRef<str>>(out: &mut String, fields: impl IntoIterator<Item = T>) {
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&quoted(field.as_ref()));
    }
    out.push_str("\r\n");
}

pub(crate) fn flag(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// The field on one line, quoted if needed. An apostrophe keeps spreadsheets from evaluating a text
/// that begins like a formula.
fn quoted(field: &str) -> String {
    // Fields may end up in a terminal or in the log of a job.
    let field = escape::line(field);
    let apostrophe = if field.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if field.contains([',', '"']) {
        format!("\"{apostrophe}{}\"", field.replace('"', "\"\""))
    } else {
        format!("{apostrophe}{field}")
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
