//! The names that a formula uses as values.
//!
//! Names are found in tokens, without a C++ parser. Where the tokens leave a doubt, a name counts as
//! declared, so a name that is found is one that the C++ compiler must know from elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::tokens::tokens;

/// Keywords, literals and types that formulas use without a namespace.
#[rustfmt::skip]
const WORDS: [&str; 79] = [
    "ArrayRef", "BFloat16", "Device", "Generator", "Half", "IntArrayRef", "Layout",
    "MemoryFormat", "NULL", "Scalar", "ScalarType", "Storage", "SymBool", "SymFloat", "SymInt",
    "SymIntArrayRef", "Tensor", "TensorGeometry", "TensorList", "TensorOptions", "TypeAndSize",
    "Variable", "and", "auto", "bool", "break", "c10", "case", "char", "char8_t", "class",
    "const", "const_cast", "constexpr", "continue", "decltype", "default", "do", "double",
    "dynamic_cast", "else", "false", "float", "for", "if", "inline", "int", "int16_t", "int32_t",
    "int64_t", "int8_t", "long", "mutable", "new", "noexcept", "not", "nullopt", "nullptr",
    "operator", "optional", "or", "reinterpret_cast", "return", "short", "signed", "size_t",
    "sizeof", "static", "static_cast", "string", "struct", "this", "throw", "true", "typename",
    "uint8_t", "unsigned", "while", "xor",
];

/// Keywords before a value. A name after any other word is declared there.
const BEFORE_VALUES: [&str; 14] = [
    "and", "case", "delete", "do", "else", "goto", "new", "not", "or", "return", "sizeof", "throw",
    "typename", "xor",
];

/// The maximum number of tokens in a list of template arguments.
const MOST_TEMPLATE_TOKENS: usize = 64;

/// The maximum number of tokens of captures, or of parameters of a lambda, that are searched for names.
const MOST_DECLARING_TOKENS: usize = 256;

/// The positions of the names that a formula, or another C++ expression of the file, uses as values
/// and does not declare itself. Calls, members, qualified names, types, keywords, macros and
/// constants of headers (`M_PI`, `kFloat`) are left out.
#[must_use]
pub fn free_names(text: &str) -> Vec<Range<usize>> {
    let plain = without_comments(text);
    let offset = |token: &str| token.as_ptr() as usize - plain.as_ptr() as usize;
    let tokens: Vec<(usize, &str)> = tokens(&plain).map(|t| (offset(t), t)).collect();
    let scan = Scan {
        is_type: types(&tokens),
        closers: closers(&tokens),
        tokens: &tokens,
    };
    let declared = scan.declared();
    let indices = 0..tokens.len();
    let free = indices.filter(|&at| scan.is_value(at) && !declared.contains(tokens[at].1));
    free.map(|at| tokens[at].0..tokens[at].0 + tokens[at].1.len())
        .collect()
}

/// The names of the functions that a formula calls, without methods and qualified names.
pub fn called(formula: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    tokens(formula)
        .zip(tokens(formula).skip(1))
        .filter_map(move |(token, next)| {
            let is_free = !matches!(before, "." | "->" | "::");
            before = token;
            let is_name = token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            (is_free && is_name && next == "(").then_some(token)
        })
}

/// The text with spaces instead of comments, of the same length.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") && !text.contains("//") {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(inside) = rest.strip_prefix("/*") {
            inside.find("*/").map_or(rest.len(), |at| at + 4)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let literal = matches!(first, '"' | '\'');
            let token = literal.then(|| tokens(rest).next()).flatten();
            let length = token.map_or(first.len_utf8(), str::len);
            plain.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        plain.extend(std::iter::repeat_n(' ', length));
        rest = &rest[length..];
    }
    plain.into()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether headers define a name: a macro such as `M_PI`, or a constant such as `kFloat`.
fn is_constant(name: &str) -> bool {
    let is_upper = name
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let is_macro = is_upper && (name.contains('_') || matches!(name, "NAN" | "INFINITY"));
    let constant = name.strip_prefix('k');
    is_macro || constant.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Which tokens belong to lists of template arguments, or precede one.
fn types(tokens: &[(usize, &str)]) -> Vec<bool> {
    let mut is_type = vec![false; tokens.len()];
    for open in 1..tokens.len() {
        let is_after_name = tokens[open].1 == "<" && is_name(tokens[open - 1].1);
        if !is_after_name || is_type[open] {
            continue;
        }
        if let Some(close) = template_end(tokens, open) {
            is_type[open - 1..=close].fill(true);
        }
    }
    is_type
}

/// The end of the list of template arguments that starts at `open`; `None` if `<` compares.
fn template_end(tokens: &[(usize, &str)], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, (_, token)) in tokens
        .iter()
        .enumerate()
        .skip(open)
        .take(MOST_TEMPLATE_TOKENS)
    {
        match *token {
            "<" => depth += 1,
            ">" => depth -= 1,
            "::" | "," | "*" | "&" => {}
            word if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {}
            _ => return None,
        }
        if depth == 0 {
            let next = tokens.get(at + 1).map_or("", |next| next.1);
            let follows = matches!(next, "(" | "{" | "::" | "," | ")" | "&" | "*" | "&&");
            return (follows || is_name(next)).then_some(at);
        }
    }
    None
}

struct Scan<'t> {
    tokens: &'t [(usize, &'t str)],
    is_type: Vec<bool>,
    closers: Vec<Option<usize>>,
}

impl<'t> Scan<'t> {
    fn token(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.1)
    }

    fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |before| self.token(before))
    }

    fn is_value(&self, at: usize) -> bool {
        let name = self.token(at);
        is_name(name)
            && !self.is_type[at]
            && !WORDS.contains(&name)
            && !is_constant(name)
            && !matches!(self.before(at), "." | "->" | "::")
            && !matches!(self.token(at + 1), "(" | "::" | "{")
    }

    /// The names of local variables, parameters of lambdas and initialized captures.
    fn declared(&self) -> FxHashSet<&'t str> {
        let mut declared = FxHashSet::default();
        for at in 0..self.tokens.len() {
            if self.token(at) == "[" {
                self.brackets(at, &mut declared);
            } else if self.is_declaration(at) {
                declared.insert(self.token(at));
            }
        }
        declared
    }

    /// Whether a type precedes the name: `auto x`, `Tensor& x =`, `std::vector<Tensor> x`.
    fn is_declaration(&self, at: usize) -> bool {
        if !is_name(self.token(at)) || at == 0 {
            return false;
        }
        let before = self.token(at - 1);
        if is_name(before) {
            return !BEFORE_VALUES.contains(&before);
        }
        if before == ">" && self.is_type[at - 1] {
            return true;
        }
        let behind = self.before(at - 1);
        let is_assigned = self.token(at + 1) == "=" && self.token(at + 2) != "=";
        matches!(before, "&" | "&&" | "*")
            && (is_assigned && is_name(behind) || WORDS.contains(&behind))
    }

    /// Adds what the brackets of a lambda or a structured binding declare.
    fn brackets(&self, open: usize, declared: &mut FxHashSet<&'t str>) {
        let before = self.before(open);
        let is_binding = before == "auto"
            || matches!(before, "&" | "&&") && open > 1 && self.before(open - 1) == "auto";
        let is_subscript =
            is_name(before) && !BEFORE_VALUES.contains(&before) || matches!(before, ")" | "]");
        if is_subscript && !is_binding {
            return;
        }
        let Some(close) = self.closers[open] else {
            return;
        };
        for at in (open + 1..close).take(MOST_DECLARING_TOKENS) {
            let is_initialized = self.token(at + 1) == "=" && self.token(at + 2) != "=";
            if is_name(self.token(at)) && (is_binding || is_initialized) {
                declared.insert(self.token(at));
            }
        }
        if !is_binding && self.token(close + 1) == "(" {
            self.parameters(close + 1, declared);
        }
    }

    fn parameters(&self, open: usize, declared: &mut FxHashSet<&'t str>) {
        let Some(close) = self.closers[open] else {
            return;
        };
        for at in (open + 1..close).take(MOST_DECLARING_TOKENS) {
            let ends = matches!(self.token(at + 1), "," | ")" | "=");
            let before = self.before(at);
            let is_typed = is_name(before) || matches!(before, "&" | "&&" | "*" | ">");
            if ends && is_typed && is_name(self.token(at)) && !self.is_type[at] {
                declared.insert(self.token(at));
            }
        }
    }
}

/// The closing token of each opening bracket, by kind.
fn closers(tokens: &[(usize, &str)]) -> Vec<Option<usize>> {
    let mut closers = vec![None; tokens.len()];
    let (mut squares, mut rounds): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, (_, token)) in tokens.iter().enumerate() {
        let open = match *token {
            "[" => {
                squares.push(at);
                None
            }
            "(" => {
                rounds.push(at);
                None
            }
            "]" => squares.pop(),
            ")" => rounds.pop(),
            _ => None,
        };
        if let Some(open) = open {
            closers[open] = Some(at);
        }
    }
    closers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let names: Vec<&str> = free_names(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn values_are_found() {
        check("turn(grad, -shifts, dims)", &["grad", "shifts", "dims"]);
        check(
            "grad * self.sgn() + x->size(dim)",
            &["grad", "self", "x", "dim"],
        );
        check("training ? a : grads[i]", &["training", "a", "grads", "i"]);
        check("n < m ? std::get<0>(f(n)) : p", &["n", "m", "n", "p"]);
        check("(a < b) && (c > d)", &["a", "b", "c", "d"]);
        check("LU * A", &["LU", "A"]);
        check("é + x", &["é", "x"]);
    }

    #[test]
    fn what_is_not_a_value_is_left_out() {
        check("at::kDouble + M_PI * NAN + kLong", &[]);
        check("f(/* is_result */ false, \"mode\", // note\n 1e-5)", &[]);
        check("std::vector<int64_t>(n.size(), 0)", &["n"]);
        check("static_cast<std::vector<Tensor>>(n)", &["n"]);
        check("std::tuple<Tensor, Tensor>()", &[]);
        check("GradMode::is_enabled() ? Tensor() : Tensor{}", &[]);
        check("\"it's\" /* don't */ + x", &["x"]);
    }

    #[test]
    fn what_the_formula_declares_is_left_out() {
        check("fmap(s, [](c10::SymInt i){return -i;})", &["s"]);
        check("[&]() { auto x = grad; return x * y; }()", &["grad", "y"]);
        check(
            "f([&](const Tensor& a, int b = n) { return a + b; })",
            &["n"],
        );
        check(
            "[&, z = grad](auto&& q) { return q + z; }(grad)",
            &["grad", "grad"],
        );
        check(
            "[&] { auto [a, b] = f(x); const auto& c = a; return b + c; }()",
            &["x"],
        );
        check("[x] { std::vector<Tensor> v; return v; }()", &["x"]);
        check("[](const std::vector<Tensor>& all) { return all; }", &[]);
    }

    #[test]
    fn broken_text_is_read_to_the_end() {
        for text in [
            "[", "f(", "[](", "a <", "/*", "\"", "auto [", "<<<<", "]>)", "a<b<c",
        ] {
            let _ = free_names(text);
        }
    }
}
