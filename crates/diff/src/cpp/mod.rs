//! C++ overload resolution for calls of `at::` functions and methods. Leaves calls open whose
//! outcome is uncertain (`docs/spec/compatibility.md`, section 5.8).

mod conversion;
mod resolution;

pub use conversion::{Argument, ParameterType};
pub use resolution::{Outcome, resolve};

use crate::declarations::plain;

/// A function or method that C++ code may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The name, such as `add_out`.
    pub name: String,
    /// The parameters. A method does not list `self`.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The type.
    pub ty: ParameterType,
    /// `true` if a call may omit it together with all later parameters.
    pub has_default: bool,
}

impl Declared {
    /// Reads torchgen's declaration, such as `at::Tensor f(const at::Tensor & self, double p=1)`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = plain(text);
        let (head, parameters) = text.split_once('(')?;
        let name = head.rsplit(' ').next()?.to_owned();
        let parameters = parameters.strip_suffix(')')?;
        let parameters = split(parameters).into_iter().map(Parameter::parse);
        Some(Self {
            name,
            parameters: parameters.collect(),
        })
    }

    /// The number of arguments that every call passes.
    #[must_use]
    pub fn required(&self) -> usize {
        let defaults = self.parameters.iter().rev();
        let defaults = defaults.take_while(|parameter| parameter.has_default);
        self.parameters.len() - defaults.count()
    }
}

impl Parameter {
    fn parse(text: &str) -> Self {
        let (declared, has_default) = match text.split_once('=') {
            Some((declared, _)) => (declared, true),
            None => (text, false),
        };
        let ty = declared.rsplit_once(' ').map_or(declared, |(ty, _)| ty);
        Self {
            ty: ParameterType::parse(ty.trim()),
            has_default,
        }
    }
}

/// Splits parameters at commas outside of brackets and quotes.
fn split(parameters: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut from, mut is_quoted) = (0_usize, 0, false);
    for (at, byte) in parameters.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'<' | b'{' | b'(' => depth += 1,
            b'>' | b'}' | b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && !is_quoted => {
                found.push(parameters[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = parameters[from..].trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}
