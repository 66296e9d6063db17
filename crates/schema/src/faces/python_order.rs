//! The order of overloads for Python's argument parser (`sort_overloads` of
//! `tools/autograd/gen_python_functions.py`).

use super::python::PythonSignature;
use crate::types::{BaseType, Type};

impl PythonSignature<'_> {
    /// `true` if the parser must try the other signature first, because this one would hide it:
    /// each type equals the other's type or accepts more.
    #[must_use]
    pub fn yields_to(&self, other: &Self) -> bool {
        let (mine, others) = (self.types(), other.types());
        let fits = |(mine, other): (&&Type, &&Type)| mine == other || is_smaller(mine, other);
        mine.len() == others.len() && mine != others && mine.iter().zip(&others).all(fits)
    }

    /// The name of the out parameter.
    #[must_use]
    pub fn out_name(&self) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        arguments.find(|argument| argument.is_out).map(|it| it.name)
    }

    fn types(&self) -> Vec<&Type> {
        let inputs = self.arguments.iter().filter(|argument| !argument.is_out);
        inputs.map(|argument| &*argument.ty).collect()
    }
}

fn is_smaller(one: &Type, other: &Type) -> bool {
    use BaseType::{Dimname, Int, Scalar, SymInt, Tensor};
    let base = |ty: &Type, base| *ty == Type::Base(base);
    let optional = |ty: &Type, inner| matches!(ty, Type::Optional(it) if base(it, inner));
    let list = |ty: &Type, element| matches!(ty, Type::List(it, None) if base(it, element));
    (base(one, Scalar) && base(other, Tensor))
        || (optional(one, Scalar) && optional(other, Tensor))
        || (one.is_like(Dimname) && !other.is_like(Dimname))
        || (list(one, Int) && (base(other, Int) || optional(other, Int)))
        // A list of tensors that does not fit raises.
        || (list(one, Tensor) && has_unsized_list(other))
        || (list(one, SymInt) && list(other, Int))
        || ((base(one, SymInt) || base(one, Int)) && base(other, Tensor))
}

/// `true` if the text of a type has `[]`.
fn has_unsized_list(ty: &Type) -> bool {
    match ty {
        Type::List(_, None) => true,
        Type::List(inner, Some(_)) | Type::Optional(inner) => has_unsized_list(inner),
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => false,
    }
}
