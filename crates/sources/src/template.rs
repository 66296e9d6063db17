//! Templates of sources: placeholders, and statements of template languages.

use std::borrow::Cow;

/// Whether a text holds a placeholder: `{{ op }}`, `${op}`, `@OP@`, `$op`, `<%= op %>` or `{op}`.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let is_between = |open: &str, close: &str| {
        let found = text
            .split_once(open)
            .and_then(|(_, rest)| rest.split_once(close));
        found.is_some_and(|(inner, _)| !inner.trim().is_empty())
    };
    is_between("{", "}")
        || is_between("<%", "%>")
        || is_between("@", "@")
        || text
            .split('$')
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_alphabetic()))
}

/// Blanks statements and comments of Jinja, such as `{% for op in ops %}`; places stay the same.
pub(crate) fn without_statements(text: &str) -> Cow<'_, str> {
    let mut rest = Cow::Borrowed(text);
    for (open, close) in [("{%", "%}"), ("{#", "#}")] {
        if text.contains(open) && text.contains(close) {
            rest = Cow::Owned(blanked(&rest, open, close));
        }
    }
    rest
}

fn blanked(text: &str, open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((inside, after)) = after.split_once(close) else {
            break;
        };
        out.push_str(before);
        for byte in [open, inside, close].concat().bytes() {
            out.push(if byte == b'\n' { '\n' } else { ' ' });
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_have_many_forms() {
        for text in [
            "{{ op }}",
            "${key}",
            "@KEY@",
            "aten::$op",
            "x.{op}",
            "<%= op %>",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["aten::add.out", "add(Tensor x)", "a@b", "{}", "$", ""] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn statements_become_blank() {
        let text = "{% for é in ops\n%}m.impl(\"{{ op }}\"){# x #}";
        let blank = without_statements(text);
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.trim(), "m.impl(\"{{ op }}\")");
        assert_eq!(without_statements("f(a % b)"), "f(a % b)");
    }
}
