//! C++ tokens of formulas. Equal tokens mean that formulas differ only in white space.

/// Two-character tokens. `>>` is not one, since it may close two template argument lists.
const PAIRS: [&str; 8] = ["->", "::", "++", "--", "&&", "||", "//", "/*"];

/// The tokens of a formula. A quoted literal is one token.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let length = length(rest)?;
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

fn length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if is_word(first) {
        return Some(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    }
    if matches!(first, '"' | '\'') {
        return Some(quoted(text, first));
    }
    let is_pair = PAIRS.iter().any(|pair| text.starts_with(pair));
    Some(if is_pair { 2 } else { first.len_utf8() })
}

/// The whole text if the literal is not closed.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether two formulas have the same tokens.
#[must_use]
pub fn is_same(a: &str, b: &str) -> bool {
    a == b || tokens(a).eq(tokens(b))
}

/// The differing middle parts of two formulas, which may be empty.
#[must_use]
pub fn difference<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let (of_a, of_b): (Vec<&str>, Vec<&str>) = (tokens(a).collect(), tokens(b).collect());
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let before = of_a.iter().zip(&of_b).take_while(alike).count();
    let (of_a, of_b) = (&of_a[before..], &of_b[before..]);
    let after = of_a.iter().rev().zip(of_b.iter().rev());
    let after = after.take_while(alike).count();
    (
        part(a, &of_a[..of_a.len() - after]),
        part(b, &of_b[..of_b.len() - after]),
    )
}

fn part<'t>(text: &'t str, tokens: &[&'t str]) -> &'t str {
    let offset = |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
    match tokens {
        [] => "",
        [first, ..] => {
            let last = tokens[tokens.len() - 1];
            &text[offset(first)..offset(last) + last.len()]
        }
    }
}

/// Whether a formula only raises an error: `not_implemented("name")`.
#[must_use]
pub fn is_not_implemented(text: &str) -> bool {
    let mut tokens = tokens(text);
    let is_called = matches!(
        tokens.next(),
        Some("not_implemented" | "not_implemented_list")
    ) && tokens.next() == Some("(");
    let mut depth = 1_usize;
    while is_called && depth > 0 {
        match tokens.next() {
            Some("(") => depth += 1,
            Some(")") => depth -= 1,
            Some(_) => {}
            None => return false,
        }
    }
    is_called && tokens.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_mean_nothing_but_between_tokens() {
        for (a, b) in [
            ("grad*self", "grad * self"),
            ("f(grad,\n  self)", "f( grad, self )"),
            (
                "at::vector<std::vector<int>>()",
                "at::vector<std::vector<int> >()",
            ),
            ("a<-b", "a < -b"),
        ] {
            assert!(is_same(a, b), "{a}, {b}");
        }
        for (a, b) in [
            ("a - -b", "a --b"),
            ("return x", "returnx"),
            ("f(\"a b\")", "f(\"ab\")"),
            ("a && b", "a & &b"),
            ("grad", "-grad"),
        ] {
            assert!(!is_same(a, b), "{a}, {b}");
        }
    }

    #[test]
    fn the_difference_is_what_is_between_equal_ends() {
        for (a, b, expected) in [
            ("f(grad, self)", "g(grad,self)", ("f", "g")),
            ("grad * other", "grad * other.conj()", ("", ".conj()")),
            ("grad", "grad", ("", "")),
            ("a + a", "a + a + a", ("", "+ a")),
            ("é", "e", ("é", "e")),
            ("", "grad", ("", "grad")),
        ] {
            assert_eq!(difference(a, b), expected, "{a}, {b}");
        }
    }

    #[test]
    fn only_the_whole_formula_is_not_implemented() {
        for text in [
            "not_implemented(\"f\")",
            " not_implemented( \"f: )\" ) ",
            "not_implemented_list(\"f\", g(1))",
        ] {
            assert!(is_not_implemented(text), "{text}");
        }
        for text in [
            "",
            "not_implemented",
            "not_implemented(",
            "f(not_implemented(\"f\"))",
            "not_implemented(\"f\") * grad",
            "my_not_implemented(\"f\")",
        ] {
            assert!(!is_not_implemented(text), "{text}");
        }
    }
}
