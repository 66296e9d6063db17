//! The message for arguments that fit no signature (`torch/csrc/utils/invalid_arguments.cpp`).
//!
//! PyTorch parses its own printed signatures and makes two mistakes: it takes the default of a
//! parameter for its name, and counts `*` as a parameter. The message reproduces them.

use super::arguments::Arguments;
use super::kwargs;
use super::parser::ParserRules;
use super::signature::Signature;
use super::value::Value;

/// A printed parameter, split at its last space.
struct Printed {
    ty: String,
    name: String,
}

struct Given<'a> {
    positional: &'a [Value],
    /// The keyword arguments in the order of the map.
    keywords: Vec<(&'a str, &'a Value)>,
}

pub(super) fn message<'s>(
    signatures: impl Iterator<Item = &'s Signature> + Clone,
    arguments: &Arguments,
    rules: ParserRules,
) -> String {
    let name = signatures.clone().next().map_or("", |first| &first.name);
    let shown = signatures.filter(|signature| !signature.is_hidden);
    let options: Vec<String> = shown.map(|signature| printed(signature, rules)).collect();
    let names: Vec<&str> = arguments.keywords.iter().map(|(name, _)| &**name).collect();
    let keywords = kwargs::order(&names).into_iter();
    let given = Given {
        positional: &arguments.positional,
        keywords: keywords
            .map(|at| (names[at], &arguments.keywords[at].1))
            .collect(),
    };
    let start = format!("{name}() received an invalid combination of arguments - ");
    match &options[..] {
        [only] => start + &of_one(only, &given),
        several => start + &of_several(several, &given),
    }
}

/// Prints a signature for a message.
fn printed(signature: &Signature, rules: ParserRules) -> String {
    let mut parts: Vec<String> = Vec::new();
    for parameter in &signature.parameters {
        if parameter.is_keyword_only && !parts.iter().any(|part| part == "*") {
            parts.push("*".to_owned());
        }
        let (ty, name) = (parameter.kind.type_name(), &parameter.name);
        parts.push(match &parameter.default {
            Some(default) if rules.shows_defaults => format!("{ty} {name} = {default}"),
            _ => format!("{ty} {name}"),
        });
    }
    format!("({})", parts.join(", "))
}

fn of_one(option: &str, given: &Given<'_>) -> String {
    let parameters = read(option);
    let unmatched = given.unmatched(&parameters);
    if !unmatched.is_empty() {
        let names = unmatched.join(", ");
        return format!("got unrecognized keyword arguments: {names}");
    }
    let got = if given.count() == parameters.len() {
        given.marked(&parameters)
    } else {
        given.plain()
    };
    format!("got {got}, but expected {option}")
}

fn of_several(options: &[String], given: &Given<'_>) -> String {
    let mut text = format!("got {}, but expected one of:\n", given.plain());
    for option in options {
        text.push_str(" * ");
        text.push_str(option);
        text.push('\n');
        let parameters = read(option);
        if given.count() != parameters.len() {
            continue;
        }
        let unmatched = given.unmatched(&parameters);
        text.push_str("      didn't match because some of the ");
        if unmatched.is_empty() {
            text.push_str("arguments have invalid types: ");
            text.push_str(&given.marked(&parameters));
        } else {
            text.push_str("keywords were incorrect: ");
            text.push_str(&unmatched.join(", "));
        }
        text.push('\n');
    }
    text
}

fn read(option: &str) -> Vec<Printed> {
    let inside = option.trim_start_matches('(').trim_end_matches(')');
    let parts = inside.split(", ").map(|part| {
        let (ty, name) = part.rsplit_once(' ').unwrap_or((part, part));
        let (ty, name) = (ty.to_owned(), name.to_owned());
        Printed { ty, name }
    });
    parts.collect()
}

impl Given<'_> {
    fn count(&self) -> usize {
        self.positional.len() + self.keywords.len()
    }

    /// Returns the keyword arguments that are not among the last parameters.
    fn unmatched(&self, parameters: &[Printed]) -> Vec<&str> {
        let last = parameters.len().saturating_sub(self.keywords.len());
        let is_known = |name: &str| parameters[last..].iter().any(|p| p.name == name);
        let names = self.keywords.iter().map(|(name, _)| *name);
        names.filter(|name| !is_known(name)).collect()
    }

    /// Prints the classes of the arguments. Without positional arguments, a trailing comma remains.
    fn plain(&self) -> String {
        let positional = self.positional.iter().map(|value| value.class().to_owned());
        let keywords = self.keywords.iter();
        let keywords = keywords.map(|(name, value)| format!("{name}={}", value.class()));
        let all: Vec<String> = positional.chain(keywords).collect();
        let is_open = self.positional.is_empty() && !all.is_empty();
        format!("({}{})", all.join(", "), if is_open { ", " } else { "" })
    }

    /// Prints the arguments and marks each one whose class differs from the type of the parameter.
    fn marked(&self, parameters: &[Printed]) -> String {
        let mut all = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let (prefix, value) = match self.positional.get(at) {
                Some(value) => (String::new(), Some(value)),
                None => (
                    format!("{}=", parameter.name),
                    self.keyword(&parameter.name),
                ),
            };
            let Some(value) = value else { continue };
            let mark = if is_of(value, &parameter.ty) { "" } else { "!" };
            all.push(format!("{mark}{prefix}{}{mark}", described(value)));
        }
        let is_open = self.positional.is_empty() && !all.is_empty();
        format!("({}{})", all.join(", "), if is_open { ", " } else { "" })
    }

    fn keyword(&self, name: &str) -> Option<&Value> {
        let mut keywords = self.keywords.iter();
        keywords
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    }
}

/// `true` if the class of the value matches the printed type.
fn is_of(value: &Value, ty: &str) -> bool {
    match ty {
        "float" => matches!(value.class(), "float" | "int"),
        ty => value.class() == ty,
    }
}

fn described(value: &Value) -> String {
    let Some(elements) = value.elements() else {
        return value.class().to_owned();
    };
    let classes: Vec<&str> = elements.iter().map(Value::class).collect();
    let classes = classes.join(", ");
    match value {
        Value::Tuple(all) if all.len() == 1 => format!("tuple of ({classes},)"),
        Value::Tuple(_) => format!("tuple of ({classes})"),
        _ => format!("list of [{classes}]"),
    }
}
