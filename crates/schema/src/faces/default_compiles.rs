//! Decides if the C++ default that torchgen writes compiles. torchgen copies most texts unchanged
//! (`api/cpp.py`, `default_expr`).

use crate::types::{BaseType, Type};

/// `false` if the C++ of a default certainly does not compile. The runtime's schema parser must
/// accept the default for the type.
#[must_use]
pub fn default_compiles(ty: &Type, default: &str) -> bool {
    match ty {
        Type::Optional(_) if default == "None" => true,
        // An optional of a class does not take the null pointer that `0` is.
        Type::Optional(inner) if **inner == Type::Base(BaseType::Str) && default == "0" => false,
        Type::Optional(inner) => default_compiles(inner, default),
        Type::List(element, _) => match list_items(default) {
            Some(items) => items.into_iter().all(|item| Value::of(item) != Value::Word),
            // A single bool does not convert to an array of bools.
            None => **element != Type::Base(BaseType::Bool) && default_compiles(element, default),
        },
        Type::Base(base) => base_compiles(*base, default),
        Type::Custom(_) | Type::Runtime(_) => true,
    }
}

fn base_compiles(base: BaseType, default: &str) -> bool {
    let value = Value::of(default);
    match base {
        BaseType::Str => value == Value::Text || default == "0",
        BaseType::Int
        | BaseType::SymInt
        | BaseType::DeviceIndex
        | BaseType::Float
        | BaseType::Bool
        | BaseType::SymBool
        | BaseType::Scalar => number_compiles(base, default, value),
        BaseType::MemoryFormat => default == "contiguous_format",
        BaseType::ScalarType => default == "long",
        BaseType::ConstQuantizerPtr | BaseType::DimVector | BaseType::GraphModule => true,
        BaseType::Device
        | BaseType::Dimname
        | BaseType::Generator
        | BaseType::Layout
        | BaseType::QScheme
        | BaseType::Storage
        | BaseType::Stream
        | BaseType::Tensor => false,
    }
}

fn number_compiles(base: BaseType, default: &str, value: Value) -> bool {
    match value {
        Value::Number => true,
        // C++ converts a bool or an unscoped enumerator such as `Mean` to any number.
        Value::Word => matches!(default, "True" | "False" | "Mean"),
        // C++ converts a single character to a number and a pointer to a bool.
        Value::Text => {
            let is_bool = matches!(base, BaseType::Bool | BaseType::SymBool);
            is_bool || !default.starts_with('"')
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Number,
    Text,
    /// A name. It compiles only if torchgen translates it.
    Word,
}

impl Value {
    fn of(text: &str) -> Self {
        match text.trim_start().chars().next() {
            Some('\'' | '"') => Self::Text,
            Some(first) if first.is_ascii_alphabetic() || first == '_' => Self::Word,
            _ => Self::Number,
        }
    }
}

fn list_items(default: &str) -> Option<Vec<&str>> {
    let inner = default.strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.split(',').collect())
}

#[cfg(test)]
mod tests {
    use super::default_compiles;
    use crate::parse::parse_type;

    /// Compiled with g++ 12 against the headers of torch 2.9.0.
    #[test]
    fn as_a_compiler_decides() {
        let check = |cases: &[(&str, &str)], compiles: bool| {
            for (ty, default) in cases {
                let parsed = parse_type(ty, 0).unwrap();
                assert_eq!(
                    default_compiles(&parsed, default),
                    compiles,
                    "{ty} = {default}"
                );
            }
        };
        check(
            &[
                ("bool[3]", "[]"),
                ("int", "Mean"),
                ("int", "1.5"),
                ("int", "'a'"),
                ("bool", "Mean"),
                ("bool", "\"a\""),
                ("str", "0"),
                ("str", "'a'"),
                ("int[2]", "0"),
                ("int[2]", "Mean"),
                ("int[2]?", "1"),
                ("int[]", "[1,2]"),
                ("float[]", "[1,2]"),
                ("MemoryFormat?", "contiguous_format"),
                ("ScalarType", "long"),
                ("SymBool?", "True"),
                ("Tensor?", "None"),
            ],
            true,
        );
        check(
            &[
                ("bool[3]", "[True,False,True]"),
                ("bool[3]", "True"),
                ("bool[2]?", "True"),
                ("int[2]", "[Mean,1]"),
                ("int", "long"),
                ("int", "contiguous_format"),
                ("int", "None"),
                ("int", "\"a\""),
                ("int?", "long"),
                ("bool", "strided"),
                ("float", "\"a\""),
                ("Scalar", "None"),
                ("Scalar", "\"a\""),
                ("str", "1"),
                ("str", "True"),
                ("str", "None"),
                ("str?", "0"),
                ("Tensor", "None"),
                ("Tensor?", "1"),
                ("Generator?", "1"),
                ("Device", "\"cpu\""),
                ("Device?", "'cpu'"),
                ("Layout", "strided"),
                ("Layout", "0"),
                ("ScalarType", "double"),
                ("ScalarType?", "1"),
                ("QScheme?", "1"),
                ("Stream?", "1"),
            ],
            false,
        );
    }
}
