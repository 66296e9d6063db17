//! The symbolic form of a size in a formula, and of the call that it is an argument of.

use std::ops::Range;

use opatlas_operators::catalogue::Catalogue;
use opatlas_schema::function::FunctionSchema;
use opatlas_source::{Message, message};

/// The ending of C++ functions that take symbolic sizes.
const ENDING: &str = "_symint";

/// A call of `.sizes()`, `.size(N)` or `.strides()`.
pub(super) struct Call<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
    /// `sizes`, `size` or `strides`
    pub(super) method: &'static str,
}

enum Place {
    /// In an expression, such as `grad / self.size(0)`.
    Expression,
    /// An argument of the function with this name.
    Argument(Range<usize>),
    Other,
}

impl Call<'_> {
    pub(super) fn help(&self, catalogue: &Catalogue) -> Message {
        let instead = self.instead();
        match self.place() {
            Place::Argument(name) => match self.symbolic(&name, catalogue) {
                Some(function) => message!("write `{}`, in a call of `{}`", instead, function),
                None => message!(
                    "write `{}`, in a call of a function that takes symbolic sizes",
                    instead
                ),
            },
            Place::Expression | Place::Other => message!("write `{}`", instead),
        }
    }

    /// The edit, if the result compiles: functions that take symbolic sizes have another name.
    pub(super) fn edit(&self, catalogue: &Catalogue) -> Option<(Range<usize>, String)> {
        let instead = self.instead();
        match self.place() {
            // A symbolic number converts to a scalar, and a list to nothing else.
            Place::Expression if self.method == "size" => Some((self.range.clone(), instead)),
            Place::Argument(name) => {
                let function = self.symbolic(&name, catalogue)?;
                if function == self.text[name.clone()] {
                    return Some((self.range.clone(), instead));
                }
                let between = &self.text[name.end..self.range.start];
                let whole = format!("{function}{between}{instead}");
                Some((name.start..self.range.end, whole))
            }
            Place::Expression | Place::Other => None,
        }
    }

    /// The name of the function that takes symbolic sizes.
    fn symbolic(&self, name: &Range<usize>, catalogue: &Catalogue) -> Option<String> {
        let function = &self.text[name.clone()];
        if function.ends_with(ENDING) {
            return Some(function.to_owned());
        }
        let overloads = catalogue.overloads(function).iter();
        let mut schemas = overloads.map(|id| catalogue.operator(*id).schema());
        let has_one = schemas.any(FunctionSchema::has_symint);
        has_one.then(|| format!("{function}{ENDING}"))
    }

    fn instead(&self) -> String {
        let method = format!("sym_{}", self.method);
        self.text[self.range.clone()].replacen(self.method, &method, 1)
    }

    fn place(&self) -> Place {
        let before = &self.text.as_bytes()[..self.range.start];
        let mut depth = 0_usize;
        for (at, byte) in before.iter().enumerate().rev() {
            match byte {
                b')' | b']' | b'}' => depth += 1,
                b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
                b'[' | b';' if depth == 0 => return Place::Other,
                b'(' => match callee(&self.text[..at]) {
                    Some(name) => return Place::Argument(name),
                    None if before[..at].ends_with(b">") => return Place::Other,
                    None => {}
                },
                _ => {}
            }
        }
        Place::Expression
    }
}

/// The place of the name at the end of a text.
fn callee(text: &str) -> Option<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().rev().take_while(|byte| is_part(byte)).count();
    (length > 0).then(|| text.len() - length..text.len())
}
