//! The values that backward formulas save (torchgen `saved_variables`).
//!
//! A property that is cheaper to save than its value replaces it: `self.sym_sizes()` becomes
//! `self_sym_sizes`. Gradient rules check the result.

use std::borrow::Cow;

use opatlas_pytorch::release::Release;

use super::bindings::{Binding, BindingKind};
use super::text::{find_from, identifiers, replace_word, uses};

/// A backward formula after the replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The remaining formula.
    pub formula: String,
    /// Saved values by name, in order; names may repeat.
    pub kept: Vec<Box<str>>,
    /// Values whose `.sym_strides()` are saved.
    pub strides_of: Vec<Box<str>>,
}

#[derive(Clone, Copy)]
enum Pattern {
    /// `name`, any character, then this: torchgen does not escape the dot.
    After(&'static str),
    /// `name`, then exactly this.
    Behind(&'static str),
    /// This, then `name` and `)`.
    Call(&'static str),
    /// `name.sym_size(WORD)`.
    Size,
}

struct Property {
    pattern: Pattern,
    suffix: &'static str,
    tail: &'static str,
    since: Release,
}

const fn property(pattern: Pattern, suffix: &'static str) -> Property {
    Property {
        pattern,
        suffix,
        tail: "",
        since: Release::V2_0,
    }
}

static PROPERTIES: [Property; 17] = [
    property(Pattern::After("sym_sizes()"), "_sym_sizes"),
    property(Pattern::Behind("->sym_sizes()"), "_sym_sizes_opt"),
    property(Pattern::After("sym_blocksize()"), "_self_sym_blocksize_opt"),
    property(Pattern::After("options()"), "_options"),
    Property {
        pattern: Pattern::Call("zeros_like("),
        suffix: "_info",
        tail: ".zeros()",
        since: Release::V2_0,
    },
    property(Pattern::Size, "_sym_argsize_"),
    property(Pattern::After("numel()"), "_numel"),
    Property {
        pattern: Pattern::After("sym_numel()"),
        suffix: "_sym_numel",
        tail: "",
        since: Release::V2_2,
    },
    property(Pattern::Call("to_args_sizes("), "_args_sizes"),
    property(Pattern::Call("to_args_sizes_symint("), "_args_sizes_symint"),
    property(Pattern::Call("to_args_scalartypes("), "_args_scalartypes"),
    property(Pattern::Call("TensorGeometry("), "_geometry"),
    property(Pattern::After("scalar_type()"), "_scalar_type"),
    property(Pattern::After("dim()"), "_dim"),
    property(Pattern::After(STRIDES), "_sym_strides"),
    property(Pattern::After("layout()"), "_layout"),
    property(Pattern::After("is_conj()"), "_conjugate"),
];

const STRIDES: &str = "sym_strides()";

/// Replaces the saved properties of these values.
#[must_use]
pub fn saved(formula: &str, values: &[Binding<'_>], release: Release) -> Saved {
    let mut saved = Saved {
        formula: formula.to_owned(),
        kept: Vec::new(),
        strides_of: Vec::new(),
    };
    for value in values {
        saved.take(value, release);
    }
    saved
}

impl Saved {
    fn take(&mut self, value: &Binding<'_>, release: Release) {
        let name = &*value.saved_as;
        if name.is_empty() {
            return;
        }
        if find_from(&self.formula, 0, name).is_none() {
            return;
        }
        for property in PROPERTIES.iter().filter(|p| p.since <= release) {
            self.property(property, name);
        }
        if value.kind == BindingKind::OptionalString {
            let text = optional_text(name, release);
            self.formula = replace_word(&self.formula, name, &text);
        }
        if uses(&self.formula, name) {
            self.kept.push(name.into());
        }
    }

    fn property(&mut self, property: &Property, name: &str) {
        let mut out = String::new();
        let mut from = 0;
        while let Some(found) = find(&self.formula, from, name, property.pattern) {
            out.push_str(&self.formula[from..found.start]);
            let kept = format!("{name}{}{}", property.suffix, found.argument);
            out.push_str(&kept);
            out.push_str(property.tail);
            self.kept.push(kept.into());
            if matches!(property.pattern, Pattern::After(STRIDES)) {
                self.strides_of.push(name.into());
            }
            from = found.end;
        }
        if from > 0 {
            out.push_str(&self.formula[from..]);
            self.formula = out;
        }
    }

    /// Whether a saved name contains this text.
    #[must_use]
    pub fn keeps_part(&self, part: &str) -> bool {
        self.kept.iter().any(|kept| kept.contains(part))
    }
}

/// `str?` arguments are saved as strings and passed as views.
fn optional_text(name: &str, release: Release) -> String {
    let (optional, view) = if release < Release::V2_5 {
        ("c10", "c10::string_view")
    } else if release < Release::V2_6 {
        ("std", "c10::string_view")
    } else {
        ("std", "std::string_view")
    };
    format!(
        "{name}.has_value() ? {optional}::optional<{view}>({name}.value()) : {optional}::nullopt"
    )
}

struct PropertyUse<'t> {
    start: usize,
    end: usize,
    argument: Cow<'t, str>,
}

/// As in torchgen, a name may be a suffix: `myself.dim()` contains `self.dim()`.
fn find<'t>(text: &'t str, from: usize, name: &str, pattern: Pattern) -> Option<PropertyUse<'t>> {
    let mut look = from;
    loop {
        let at = find_from(text, look, name)?;
        if let Some(found) = at_name(text, from, at, name, pattern) {
            return Some(found);
        }
        look = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
}

fn at_name<'t>(
    text: &'t str,
    from: usize,
    at: usize,
    name: &str,
    pattern: Pattern,
) -> Option<PropertyUse<'t>> {
    let behind = at + name.len();
    let rest = &text[behind..];
    let plain = |start: usize, end: usize| PropertyUse {
        start,
        end,
        argument: Cow::Borrowed(""),
    };
    match pattern {
        Pattern::After(call) => {
            let end = any_then(rest, call)?;
            Some(plain(at, behind + end))
        }
        Pattern::Behind(call) => {
            let matches = rest.starts_with(call);
            matches.then(|| plain(at, behind + call.len()))
        }
        Pattern::Call(open) => {
            let before = text.get(from..at)?;
            let matches = before.ends_with(open) && rest.starts_with(')');
            matches.then(|| plain(at - open.len(), behind + 1))
        }
        Pattern::Size => {
            let open = any_then(rest, "sym_size(")?;
            let inside = &rest[open..];
            let sign = usize::from(inside.starts_with('-'));
            let word = inside[sign..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(inside.len() - sign);
            let end = sign + word;
            let closed = word > 0 && inside[end..].starts_with(')');
            closed.then(|| PropertyUse {
                start: at,
                end: behind + open + end + 1,
                argument: inside[..end].replace('-', "minus_").into(),
            })
        }
    }
}

/// The end of `call` after exactly one character.
fn any_then(rest: &str, call: &str) -> Option<usize> {
    let any = rest.chars().next().filter(|&c| c != '\n')?.len_utf8();
    let matches = rest[any..].starts_with(call);
    matches.then_some(any + call.len())
}

/// The positions where a formula uses a value's strides.
#[must_use]
pub fn strides_places(formula: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = find(formula, from, name, Pattern::After(STRIDES)) {
        places.push(found.start..found.end);
        from = found.end;
    }
    places
}

/// The position of a whole-word name, for diagnostics.
#[must_use]
pub fn first_use(formula: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let found = identifiers(formula, name).next()?;
    Some(found.start..found.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str, expected: &str, kept: &[&str]) {
        let value = |name: &'static str, kind| Binding {
            name: name.into(),
            saved_as: name.into(),
            kind,
        };
        let values = [
            value("self", BindingKind::Other),
            value("mode", BindingKind::OptionalString),
        ];
        let saved = saved(formula, &values, Release::V2_9);
        assert_eq!(saved.formula, expected);
        let names: Vec<&str> = saved.kept.iter().map(|kept| &**kept).collect();
        assert_eq!(names, kept, "{formula}");
    }

    #[test]
    fn properties_are_taken_out() {
        check(
            "grad.expand(self.sym_sizes())",
            "grad.expand(self_sym_sizes)",
            &["self_sym_sizes"],
        );
        check(
            "f(self->sym_sizes())",
            "f(self_sym_sizes_opt)",
            &["self_sym_sizes_opt"],
        );
        check(
            "grad / self.sym_size(-1)",
            "grad / self_sym_argsize_minus_1",
            &["self_sym_argsize_minus_1"],
        );
        check(
            "zeros_like(self) + self",
            "self_info.zeros() + self",
            &["self_info", "self"],
        );
        check("myself.dim()", "myself_dim", &["self_dim"]);
        check("grad * self.sgn()", "grad * self.sgn()", &["self"]);
        check(
            "f(mode)",
            "f(mode.has_value() ? std::optional<std::string_view>(mode.value()) : std::nullopt)",
            &["mode"],
        );
    }
}
