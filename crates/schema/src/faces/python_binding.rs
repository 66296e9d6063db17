//! What the generated Python bindings can pass and return (torchgen `api/python.py`).

use opatlas_pytorch::release::Release;

use super::python::takes_options;
use crate::function::{FunctionSchema, Return};
use crate::types::{BaseType, Type};

/// Several returns that a binding can convert, besides two to six tensors.
const TUPLES: [&str; 7] = [
    "Tensor Tensor Tensor int",
    "Tensor Tensor float int",
    "Tensor Tensor Tensor Tensor int",
    "Tensor Tensor float Tensor int",
    "float int",
    "Tensor Tensor[]",
    "Tensor Tensor Tensor Tensor SymInt SymInt Tensor Tensor Tensor",
];

/// Returns that only the bindings of 2.0 and 2.1 can convert.
const EARLIER: [&str; 3] = [
    "int[]",
    "Tensor Tensor Tensor Tensor int int int int Tensor",
    "Tensor Tensor Tensor Tensor int int Tensor Tensor Tensor",
];

/// True if the parser of Python arguments has a method for the type (`arg_parser_unpack_method`).
#[must_use]
pub fn can_be_parsed(ty: &Type) -> bool {
    match ty {
        Type::Base(base) => !matches!(
            base,
            BaseType::Generator
                | BaseType::QScheme
                | BaseType::SymBool
                | BaseType::DimVector
                | BaseType::ConstQuantizerPtr
                | BaseType::GraphModule
        ),
        Type::Optional(inner) => **inner == Type::Base(BaseType::Generator) || can_be_parsed(inner),
        Type::List(element, _) => match &**element {
            Type::Base(base) => matches!(
                base,
                BaseType::Tensor
                    | BaseType::Dimname
                    | BaseType::Int
                    | BaseType::Float
                    | BaseType::SymInt
                    | BaseType::Scalar
            ),
            Type::Optional(inner) => inner.is_tensor(),
            _ => false,
        },
        Type::Custom(_) | Type::Runtime(_) => false,
    }
}

/// True if a binding can convert the returns to Python (`SUPPORTED_RETURN_TYPES`).
#[must_use]
pub fn can_be_returned(returns: &[Return], release: Release) -> bool {
    is_converted(returns) || (release < Release::V2_2 && EARLIER.contains(&&*types(returns)))
}

fn types(returns: &[Return]) -> String {
    let types: Vec<String> = returns.iter().map(|r| r.ty.to_string()).collect();
    types.join(" ")
}

fn is_converted(returns: &[Return]) -> bool {
    match returns {
        [] => true,
        [only] => match &only.ty {
            Type::Base(base) => matches!(
                base,
                BaseType::Tensor
                    | BaseType::Scalar
                    | BaseType::Bool
                    | BaseType::Int
                    | BaseType::Float
                    | BaseType::QScheme
                    | BaseType::ScalarType
                    | BaseType::Stream
            ),
            Type::List(element, None) => element.is_tensor(),
            _ => false,
        },
        several if several.len() <= 6 && several.iter().all(|r| r.ty.is_tensor()) => true,
        several => TUPLES.contains(&&*types(several)),
    }
}

/// How the TensorOptions of a schema differ from those that Python adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionsFault {
    /// Python adds `dtype` and the others, but the operator does not take them.
    Missing,
    /// The operator takes them, but Python does not add them.
    Unexpected,
}

/// Compares the TensorOptions of a schema with those that Python adds to factories
/// (`dispatch_lambda_exprs`). An out variant checks them against `out` instead.
#[must_use]
pub fn options_fault(
    schema: &FunctionSchema,
    category: Option<&str>,
    release: Release,
) -> Option<OptionsFault> {
    let arguments = &schema.arguments;
    let has = arguments.tensor_options().is_some();
    match (takes_options(schema, category, release), has) {
        (true, false) if arguments.out().is_empty() => Some(OptionsFault::Missing),
        (false, true) => Some(OptionsFault::Unexpected),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_schema;

    fn schema(text: &str) -> FunctionSchema {
        parse_schema(text, 0)
            .schema
            .unwrap_or_else(|| panic!("{text}"))
    }

    /// As torchgen 2.9 decided in runs of `gen_autograd_python`.
    #[test]
    fn types_that_bindings_refuse() {
        for (ty, parsed) in [
            ("bool[2]", false),
            ("bool[2]?", false),
            ("str[]", false),
            ("Generator", false),
            ("Generator?", true),
            ("QScheme", false),
            ("SymBool", false),
            ("int[]?[]", false),
            ("int[]?", true),
            ("Tensor?[]", true),
            ("Tensor[3]", true),
            ("float[2]", true),
            ("Stream", true),
        ] {
            let schema = schema(&format!("f({ty} x) -> ()"));
            assert_eq!(can_be_parsed(&schema.arguments.all()[0].ty), parsed, "{ty}");
        }
        for (returns, converted) in [
            ("(Tensor, float)", false),
            ("SymInt", false),
            ("Tensor?", false),
            ("int[]", false),
            ("str", false),
            ("Tensor[]", true),
            ("ScalarType", true),
            ("(float, int)", true),
            ("(Tensor, Tensor[])", true),
            ("(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)", true),
            (
                "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
                false,
            ),
        ] {
            let schema = schema(&format!("f(Tensor self) -> {returns}"));
            assert_eq!(
                can_be_returned(&schema.returns, Release::V2_9),
                converted,
                "{returns}"
            );
        }
    }
}
