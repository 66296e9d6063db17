//! Prints schemas in canonical form; parsing the text returns the same schema.
//!
//! Thousands of signatures are printed per file, so this avoids the formatting machinery.

use std::fmt::{self, Write};

use crate::annotation::{AfterSet, Annotation};
use crate::function::{Argument, Arguments, FunctionSchema, Return};
use crate::types::{CUSTOM_CLASS_PREFIX, Type};

/// Prints a type.
pub fn write_type(w: &mut impl Write, ty: &Type) -> fmt::Result {
    match ty {
        Type::Base(base) => w.write_str(base.as_str()),
        Type::Custom(name) => {
            w.write_str(CUSTOM_CLASS_PREFIX)?;
            w.write_str(name)
        }
        Type::Runtime(text) => w.write_str(text),
        Type::Optional(inner) => {
            write_type(w, inner)?;
            w.write_str("?")
        }
        Type::List(inner, None) => {
            write_type(w, inner)?;
            w.write_str("[]")
        }
        Type::List(inner, Some(size)) => {
            write_type(w, inner)?;
            write!(w, "[{size}]")
        }
    }
}

fn write_letters(w: &mut impl Write, letters: &[u8]) -> fmt::Result {
    for (i, &letter) in letters.iter().enumerate() {
        if i > 0 {
            w.write_char('|')?;
        }
        w.write_char(char::from(letter))?;
    }
    Ok(())
}

fn write_annotation(w: &mut impl Write, annotation: &Annotation) -> fmt::Result {
    write_letters(w, &annotation.before)?;
    if annotation.write {
        w.write_str("!")?;
    }
    match &annotation.after {
        AfterSet::Same => Ok(()),
        AfterSet::Wildcard => w.write_str(" -> *"),
        AfterSet::Letters(letters) => {
            w.write_str(" -> ")?;
            write_letters(w, letters)
        }
    }
}

/// Prints a type with its annotation, `Tensor(a!)[]`.
pub fn write_annotated(
    w: &mut impl Write,
    ty: &Type,
    annotation: Option<&Annotation>,
) -> fmt::Result {
    let Some(annotation) = annotation else {
        return write_type(w, ty);
    };
    w.write_str("Tensor(")?;
    write_annotation(w, annotation)?;
    // Only `Tensor`, `Tensor?` and `Tensor[]` have annotations.
    w.write_str(match ty {
        Type::Optional(_) => ")?",
        Type::List(..) => ")[]",
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => ")",
    })
}

/// Prints an argument.
pub fn write_argument(w: &mut impl Write, argument: &Argument) -> fmt::Result {
    write_annotated(w, &argument.ty, argument.annotation.as_deref())?;
    w.write_str(" ")?;
    w.write_str(&argument.name)?;
    if let Some(default) = &argument.default {
        w.write_str("=")?;
        w.write_str(default)?;
    }
    Ok(())
}

/// Prints the return values; a single one without parentheses.
pub fn write_returns(w: &mut impl Write, returns: &[Return]) -> fmt::Result {
    let write_return = |w: &mut _, ret: &Return| -> fmt::Result {
        write_annotated(w, &ret.ty, ret.annotation.as_deref())?;
        if let Some(name) = &ret.name {
            Write::write_str(w, " ")?;
            Write::write_str(w, name)?;
        }
        Ok(())
    };
    if let [only] = returns {
        return write_return(w, only);
    }
    w.write_str("(")?;
    for (i, ret) in returns.iter().enumerate() {
        if i > 0 {
            w.write_str(", ")?;
        }
        write_return(w, ret)?;
    }
    w.write_str(")")
}

fn write_arguments(w: &mut impl Write, arguments: &Arguments) -> fmt::Result {
    for (i, argument) in arguments.all().iter().enumerate() {
        if i > 0 {
            w.write_str(", ")?;
        }
        if i == arguments.positional().len() {
            w.write_str("*, ")?;
        }
        write_argument(w, argument)?;
    }
    Ok(())
}

/// Prints a schema without namespace.
pub fn write_schema(w: &mut impl Write, schema: &FunctionSchema) -> fmt::Result {
    w.write_str(schema.name.as_str())?;
    w.write_str("(")?;
    write_arguments(w, &schema.arguments)?;
    w.write_str(") -> ")?;
    write_returns(w, &schema.returns)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self)
    }
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_annotation(f, self)
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_argument(f, self)
    }
}

impl fmt::Display for Return {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_returns(f, std::slice::from_ref(self))
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_arguments(f, self)
    }
}

impl fmt::Display for FunctionSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_schema(f, self)
    }
}
