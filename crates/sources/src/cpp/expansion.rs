//! Macros that define functions, such as `FOREACH_UNARY_OP(abs)`.

use rustc_hash::FxHashMap;

use super::conditions::split;
use super::source::Source;

/// The macros with parameters that a file defines.
#[derive(Debug, Default)]
pub(super) struct FunctionMacros {
    by_name: FxHashMap<Box<str>, Define>,
    /// The length of the file.
    length: usize,
}

#[derive(Debug)]
struct Define {
    parameters: Vec<Box<str>>,
    body: String,
}

impl FunctionMacros {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let mut found = Self {
            by_name: FxHashMap::default(),
            length: source.text.len(),
        };
        for directive in &source.directives {
            let line = source
                .text
                .get(directive.start as usize..directive.end as usize);
            let Some((name, define)) = line.and_then(define) else {
                continue;
            };
            found.by_name.insert(name.into(), define);
        }
        found
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// How much text the macros of a file may expand to.
    pub(super) fn most_text(&self) -> usize {
        8 * self.length + (64 << 10)
    }

    /// What a use of a macro stands for; `None` if it has other arguments than the macro.
    pub(super) fn expand(&self, name: &str, arguments: &[String]) -> Option<String> {
        let define = self.by_name.get(name)?;
        if define.parameters.len() != arguments.len() {
            return None;
        }
        let mut text = String::new();
        for word in words(&define.body) {
            let place = define.parameters.iter().position(|name| **name == *word);
            match place.and_then(|place| arguments.get(place)) {
                Some(argument) => text.push_str(argument.trim()),
                None if word == "##" => text.truncate(text.trim_end().len()),
                None => text.push_str(word),
            }
            if text.len() > self.most_text() {
                return None;
            }
        }
        Some(text)
    }
}

/// The name and the parts of `#define NAME(a, b) body`.
fn define(line: &str) -> Option<(&str, Define)> {
    if split(line).0 != "define" {
        return None;
    }
    let (_, rest) = line.split_once("define")?;
    let (name, rest) = rest.trim_start().split_once('(')?;
    // White space before the parenthesis begins the body.
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let (parameters, body) = rest.split_once(')')?;
    let parameters = parameters.split(',').map(str::trim);
    let parameters = parameters.filter(|name| !name.is_empty() && *name != "\\");
    let body = body.replace("\\\r\n", "\n").replace("\\\n", "\n");
    let define = Define {
        parameters: parameters.map(Into::into).collect(),
        // Pasting joins what white space separates.
        body: pasted(&body),
    };
    is_name.then_some((name, define))
}

/// Without white space around `##`.
fn pasted(body: &str) -> String {
    let parts = body.split("##").enumerate();
    let parts = parts.map(|(index, part)| match index {
        0 => part.trim_end(),
        _ => part.trim(),
    });
    parts.collect::<Vec<_>>().join("##")
}

/// The words of a text, `##`, and what is between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if rest.starts_with("##") {
            2
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, name: &str, arguments: &[&str]) -> Option<String> {
        let macros = FunctionMacros::of(&Source::new(text, 0));
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        macros.expand(name, &arguments)
    }

    #[test]
    fn arguments_replace_parameters_and_are_pasted() {
        let text = "#define OP(NAME, FN) \\\n  Tensor NAME ## _slow(Tensor t) { return t.FN(); }\n";
        let found = expanded(text, "OP", &["abs", "neg"]);
        let found = found.map(|text| text.trim().to_owned());
        let expected = "Tensor abs_slow(Tensor t) { return t.neg(); }";
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(expanded(text, "OP", &["abs"]), None);
    }

    #[test]
    fn a_macro_without_parameters_is_none() {
        assert_eq!(expanded("#define SIZE (1)\n", "SIZE", &["1"]), None);
    }
}
