//! C++ types. Two spellings of the same type are equal, as for the compiler.
//!
//! [`TypeNames`] holds the aliases and classes of the scanned files, and [`TypeNames::read`] reads
//! the text of a parameter or a return type. It returns [`Unknown`] if only a build can decide the
//! type.

mod known;
mod names;
mod reader;
mod registered;
mod template;
#[cfg(test)]
mod tests;

use std::fmt;

pub use names::{Place, TypeNames};
pub use registered::{RegisteredKernel, declaration};
pub use template::{Instance, instance};

/// A C++ type without aliases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CppType {
    /// A class, an enumeration or a built-in type with its template arguments. A number that is a
    /// template argument counts as a name.
    Named {
        /// The name with its namespace: `at::Tensor`, `std::optional`, `int64_t`.
        name: Box<str>,
        /// The template arguments.
        arguments: Vec<CppType>,
    },
    /// `const T`
    Const(Box<CppType>),
    /// `T &`
    Reference(Box<CppType>),
    /// `T &&`
    RvalueReference(Box<CppType>),
    /// `T *`
    Pointer(Box<CppType>),
}

/// The reason why the text does not decide a type, as a clause: `` `Held` is declared elsewhere ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown(pub Box<str>);

impl CppType {
    /// Creates a type without template arguments.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::of(name, Vec::new())
    }

    /// Creates an instance of a class template.
    #[must_use]
    pub fn of(name: &str, arguments: Vec<Self>) -> Self {
        Self::Named {
            name: name.into(),
            arguments,
        }
    }

    /// Removes references and `const`, like `std::decay_t`.
    #[must_use]
    pub fn decayed(&self) -> &Self {
        match self {
            Self::Reference(inner) | Self::RvalueReference(inner) | Self::Const(inner) => {
                inner.decayed()
            }
            other => other,
        }
    }

    /// Returns the name and arguments if the type has no reference, pointer or `const`.
    #[must_use]
    pub fn parts(&self) -> Option<(&str, &[Self])> {
        match self {
            Self::Named { name, arguments } => Some((name, arguments)),
            _ => None,
        }
    }

    /// `true` if it is the type of this name without template arguments.
    #[must_use]
    pub fn is(&self, wanted: &str) -> bool {
        self.parts()
            .is_some_and(|(name, arguments)| name == wanted && arguments.is_empty())
    }

    /// Converts to a parameter type: `const` of a by-value parameter is not part of a function's
    /// type.
    #[must_use]
    pub fn into_parameter(self) -> Self {
        match self {
            Self::Const(inner) => *inner,
            other => other,
        }
    }
}

/// Prints the type as PyTorch's declarations spell it.
impl fmt::Display for CppType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(inner) if matches!(**inner, Self::Pointer(_)) => write!(f, "{inner} const"),
            Self::Const(inner) => write!(f, "const {inner}"),
            Self::Reference(inner) => write!(f, "{inner} &"),
            Self::RvalueReference(inner) => write!(f, "{inner} &&"),
            Self::Pointer(inner) => write!(f, "{inner} *"),
            Self::Named { name, arguments } => {
                if let Some(alias) = known::alias_of(name, arguments) {
                    return f.write_str(alias);
                }
                f.write_str(name)?;
                if arguments.is_empty() && !known::is_template(name) {
                    return Ok(());
                }
                f.write_str("<")?;
                for (index, argument) in arguments.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    write!(f, "{argument}")?;
                }
                f.write_str(">")
            }
        }
    }
}
