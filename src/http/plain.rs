//! Rewrites the messages of the libraries that parse paths, queries and JSON: "parameter" and
//! "member" instead of "field", "object" and "list" instead of "map" and "sequence", and no names
//! of Rust types.

use opatlas_source::suggest::nearest;
use opatlas_wire::problem::{Kind, Problem};

const PHRASES: [(&str, &str); 19] = [
    ("invalid digit found in string", "it is not a whole number"),
    (
        "cannot parse integer from empty string",
        "it is not a whole number",
    ),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
    (
        "number too small to fit in target type",
        "the number is too small",
    ),
    (NOT_BOOLEAN, "it must be `true` or `false`"),
    ("unknown variant", "unknown value"),
    ("unknown field", "unknown member"),
    ("missing field", "missing member"),
    ("duplicate field", "duplicate member"),
    ("there are no fields", "there are no members"),
    ("EOF while parsing", "the text ends within"),
    ("invalid type: map", "invalid type: object"),
    ("invalid type: sequence", "invalid type: list"),
    ("invalid type: unit value", "invalid type: null"),
    ("expected unit", "expected null"),
    ("expected a sequence", "expected a list"),
    ("expected a map", "expected an object"),
    ("expected a borrowed string", "expected a string"),
    ("expected option", "expected a value or null"),
];

/// The longest part of an unknown name in a message, in characters.
const LONGEST_SHOWN: usize = 128;

const NOT_BOOLEAN: &str = "provided string was not `true` or `false`";

/// Rust types after `expected `, and their JSON types.
const NUMBERS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

/// Rewrites a message of the JSON parser.
pub fn message(text: &str) -> String {
    let mut text = without_enum(text);
    for (phrase, plain) in PHRASES {
        text = text.replace(phrase, plain);
    }
    let mut words = Vec::new();
    let mut list = text.split(' ').peekable();
    while let Some(word) = list.next() {
        let is_expected = words.last() == Some(&"expected");
        match word {
            // `expected struct NewProject`: clients do not know this name.
            "struct" | "enum" | "tuple" | "newtype" if is_expected => {
                words.push("an object");
                while list.peek().is_some_and(|next| is_name_of_type(next)) {
                    list.next();
                }
            }
            _ if is_expected && NUMBERS.contains(&word) => words.push("a whole number"),
            _ if is_expected && matches!(word, "f32" | "f64") => words.push("a number"),
            _ => words.push(word),
        }
    }
    words.join(" ")
}

/// Rewrites the message of a value that matches no variant of an enum, without the name of the enum.
fn without_enum(text: &str) -> String {
    match text.split_once("data did not match any variant of untagged enum ") {
        Some((before, after)) => {
            let after = after.split_once(' ').map_or("", |(_, after)| after);
            let text = format!("{before}the value has none of the expected forms {after}");
            text.trim_end().to_owned()
        }
        None => text.to_owned(),
    }
}

/// `struct`, `variant` or a name such as `NewProject` or `Foo::Bar`.
fn is_name_of_type(word: &str) -> bool {
    matches!(word, "struct" | "variant") || word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The problem of an invalid query: [`Kind::InvalidParameter`]. `text` may begin with the name of the
/// parameter.
pub fn query(text: &str) -> Problem {
    let invalid = |detail: String| Problem::new(Kind::InvalidParameter, detail);
    let (parameter, fault) = match text.split_once(": ") {
        Some((parameter, fault)) if !parameter.contains([' ', '`']) => (Some(parameter), fault),
        _ => (None, text),
    };
    let quoted: Vec<&str> = fault.split('`').skip(1).step_by(2).collect();
    let name = quoted.first().copied().unwrap_or_default();
    if fault.starts_with("unknown field") {
        return unknown_parameter(name, quoted.iter().skip(1).copied());
    }
    if fault.starts_with("missing field") {
        return invalid(format!("missing parameter `{name}`")).about(name);
    }
    if fault.starts_with("duplicate field") {
        return invalid(format!("duplicate `{name}`")).about(name);
    }
    let Some(parameter) = parameter else {
        return invalid(message(fault));
    };
    if fault.starts_with("unknown variant") {
        return Problem::not_listed(parameter, name, quoted.get(1..).unwrap_or_default());
    }
    invalid(format!("{parameter}: {}", message(fault))).about(parameter)
}

/// The problem of a parameter that a route does not have: [`Kind::InvalidParameter`].
pub fn unknown_parameter<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    let near = nearest(name, known).into_iter().map(str::to_owned);
    let shown: String = name.chars().take(LONGEST_SHOWN).collect();
    Problem::new(
        Kind::InvalidParameter,
        format!("unknown parameter `{shown}`"),
    )
    .suggesting(near.collect())
    .about(&shown)
}

/// The detail of a path that cannot be read: "Cannot parse `shard` with value `y` to a `i64`".
pub fn path(text: &str) -> String {
    let text = text.strip_prefix("Invalid URL: ").unwrap_or(text);
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    match *quoted {
        [name, value, kind] if NUMBERS.contains(&kind) => {
            format!("{name}: `{value}` is not a whole number in range")
        }
        [value, kind] if NUMBERS.contains(&kind) => {
            format!("`{value}` is not a whole number in range")
        }
        _ => message(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_no_types_of_the_program() {
        for (text, plain) in [
            (
                "missing field `name` at line 1 column 2",
                "missing member `name` at line 1 column 2",
            ),
            (
                "invalid type: sequence, expected struct NewProject at line 1 column 0",
                "invalid type: list, expected an object at line 1 column 0",
            ),
            (
                "invalid value: integer `-1`, expected u32 at line 1 column 9",
                "invalid value: integer `-1`, expected a whole number at line 1 column 9",
            ),
            (
                "invalid type: map, expected a string at line 1 column 9",
                "invalid type: object, expected a string at line 1 column 9",
            ),
            (
                "data did not match any variant of untagged enum UsageBody at line 1 column 3",
                "the value has none of the expected forms at line 1 column 3",
            ),
        ] {
            assert_eq!(message(text), plain);
        }
        let text = "Invalid URL: Cannot parse `shard` with value `y` to a `i64`";
        assert_eq!(path(text), "shard: `y` is not a whole number in range");
    }

    #[test]
    fn queries_name_their_parameter() {
        for (text, parameter, detail) in [
            (
                "kind: unknown variant `ot`, expected one of `inplace`, `out`",
                "kind",
                "kind: `ot` must be one of `inplace`, `out`. Did you mean `out`?",
            ),
            (
                "knd: unknown field `knd`, expected one of `kind`, `tag`",
                "knd",
                "unknown parameter `knd`. Did you mean `kind`?",
            ),
            (
                "limit: invalid digit found in string",
                "limit",
                "limit: it is not a whole number",
            ),
            ("duplicate field `kind`", "kind", "duplicate `kind`"),
            ("missing field `keys`", "keys", "missing parameter `keys`"),
        ] {
            let problem = query(text);
            assert_eq!(problem.detail, detail);
            assert_eq!(problem.errors[0].parameter.as_deref(), Some(parameter));
        }
    }
}
