//! Types of parameters in one spelling.

use super::source::Source;

/// The parameter types of a declaration: `at::Tensor add(const at::Tensor & self);`.
#[must_use]
pub fn parameter_types(declaration: &str) -> Vec<Box<str>> {
    let source = Source::new(declaration, 0);
    let open = (0..source.tokens.len()).find(|index| source.is(*index, b'('));
    let Some((open, close)) = open.and_then(|open| Some((open, source.partner(open)?))) else {
        return Vec::new();
    };
    let parts = source.expression(open + 1..close).arguments();
    let parts = join_templates(parts.into_iter().map(|part| part.spaced()).collect());
    parts.iter().map(|text| plain_type(text)).collect()
}

/// Rejoins template arguments that were split at commas.
pub(super) fn join_templates(parts: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut depth = 0_i32;
    for part in parts {
        let is_open = depth > 0;
        for byte in part.bytes() {
            depth += i32::from(byte == b'<') - i32::from(byte == b'>');
        }
        match joined.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.push(',');
                last.push_str(&part);
            }
            None => joined.push(part),
        }
    }
    joined
}

/// A normalized parameter type: `const at::Tensor & self = {}` is `const Tensor&`. Drops namespaces
/// of PyTorch and the standard library, names, defaults and `const` of a value.
#[must_use]
pub fn plain_type(parameter: &str) -> Box<str> {
    let parameter = parameter.split('=').next().unwrap_or_default();
    // `::` is two tokens.
    let mut text = parameter
        .replace(['\n', '\t', '\r'], " ")
        .replace(": :", "::");
    for mark in ["::", "<", ">", "&", "*", ",", "(", ")"] {
        text = text.replace(mark, &format!(" {mark} "));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut kept: Vec<&str> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let is_namespace =
            words.get(index + 1) == Some(&"::") && matches!(*word, "at" | "c10" | "std" | "torch");
        if *word != "::" && !is_namespace {
            kept.push(word);
        }
    }
    // The last word is the name unless the type would be empty without it.
    let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let types = kept
        .iter()
        .filter(|word| is_word(word) && **word != "const")
        .count();
    let is_named = types > 1 && kept.last().is_some_and(is_word) && !is_builtin(kept.last());
    if is_named {
        kept.pop();
    }
    let refers = kept.iter().any(|word| matches!(*word, "&" | "*"));
    if !refers && kept.first() == Some(&"const") {
        kept.remove(0);
    }
    kept.join(" ").into()
}

fn is_builtin(word: Option<&&str>) -> bool {
    matches!(
        word,
        Some(&"int" | &"long" | &"char" | &"double" | &"unsigned")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_one_spelling() {
        for (written, plain) in [
            ("const at::Tensor & self", "const Tensor &"),
            (
                "::std::optional<at::Scalar> x=::std::nullopt",
                "optional < Scalar >",
            ),
            (
                "const c10::optional<c10::Scalar>&",
                "const optional < Scalar > &",
            ),
            ("int64_t", "int64_t"),
            ("const bool flag", "bool"),
            ("unsigned int n", "unsigned int"),
            ("std::array<bool, 2> mask", "array < bool , 2 >"),
        ] {
            assert_eq!(&*plain_type(written), plain);
        }
    }
}
