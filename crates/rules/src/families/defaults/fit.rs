//! Valid defaults for a type, according to the documentation and PyTorch's own operators.

use opatlas_schema::types::{BaseType, Type};
use opatlas_source::{Message, message};

/// Whether a default is a valid value of the type. Types without a notation of their own accept
/// anything.
pub(super) fn fits(ty: &Type, default: &str) -> bool {
    match ty {
        Type::Optional(inner) => default == "None" || fits(inner, default),
        Type::List(inner, size) => match list_items(default) {
            Some(items) => {
                let count = items.len();
                // A size of 1 only allows one value for a list of any length.
                let sized = size
                    .as_ref()
                    .is_none_or(|size| count == 0 || size.is(1) || size.is(count));
                sized && items.into_iter().all(|item| fits(inner, item.trim()))
            }
            None => size.is_some() && fits(inner, default),
        },
        Type::Base(base) => fits_base(*base, default),
        Type::Custom(_) | Type::Runtime(_) => true,
    }
}

/// Help: an example value of the type.
pub(super) fn expected(ty: &Type) -> Message {
    match ty {
        Type::Optional(inner) => message!("write `None`, or a value: {}", expected(inner)),
        Type::List(_, Some(size)) => {
            message!("write one value, or {} in brackets without spaces", size)
        }
        Type::List(_, None) => {
            "write the values in brackets without spaces, such as `[]` or `[0,1]`".into()
        }
        Type::Base(BaseType::Tensor) => {
            "a tensor cannot have a default; use `Tensor?` with `None`".into()
        }
        Type::Base(BaseType::Bool) => "write `True` or `False`".into(),
        Type::Base(BaseType::Str) => "write the text in single or double quotes".into(),
        Type::Base(BaseType::Int | BaseType::SymInt | BaseType::DeviceIndex) => {
            "write an integer, or `Mean` for a reduction".into()
        }
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => "write a value of this type".into(),
    }
}

fn fits_base(base: BaseType, default: &str) -> bool {
    match base {
        BaseType::Int | BaseType::SymInt | BaseType::DeviceIndex => {
            is_integer(default) || is_constant(default)
        }
        BaseType::Float => is_number(default) || is_constant(default),
        BaseType::Scalar => is_number(default) || is_bool(default) || is_constant(default),
        BaseType::Bool | BaseType::SymBool => is_bool(default),
        BaseType::Str => is_quoted(default),
        BaseType::Tensor | BaseType::Generator | BaseType::Storage | BaseType::Stream => false,
        BaseType::ScalarType | BaseType::Layout | BaseType::MemoryFormat => is_constant(default),
        BaseType::ConstQuantizerPtr
        | BaseType::Device
        | BaseType::DimVector
        | BaseType::Dimname
        | BaseType::GraphModule
        | BaseType::QScheme => true,
    }
}

fn list_items(default: &str) -> Option<Vec<&str>> {
    let inner = default.strip_prefix('[')?.strip_suffix(']')?;
    if inner.is_empty() {
        return Some(Vec::new());
    }
    Some(inner.split(',').collect())
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok()
}

fn is_bool(text: &str) -> bool {
    matches!(text, "True" | "False")
}

/// Named values of reductions, memory formats and types, and the infinities.
fn is_constant(text: &str) -> bool {
    matches!(
        text,
        "Mean"
            | "Sum"
            | "contiguous_format"
            | "preserve_format"
            | "channels_last"
            | "long"
            | "strided"
            | "inf"
            | "-inf"
    )
}

fn is_quoted(text: &str) -> bool {
    let quoted = |quote: char| text.len() >= 2 && text.starts_with(quote) && text.ends_with(quote);
    quoted('\'') || quoted('"')
}

#[cfg(test)]
mod tests {
    use super::fits;
    use opatlas_schema::parse::parse_type;

    #[test]
    fn defaults_fit_their_types() {
        let check = |ty: &str, default: &str, expected: bool| {
            let parsed = parse_type(ty, 0).unwrap();
            assert_eq!(fits(&parsed, default), expected, "{ty} = {default}");
        };
        for (ty, default) in [
            ("int", "-1"),
            ("int", "Mean"),
            ("int?", "None"),
            ("int[2]", "0"),
            ("int[2]", "[1,2]"),
            ("int[]", "[]"),
            ("int[1]?", "None"),
            ("SymInt[2]", "1"),
            ("float", "1e-05"),
            ("float", "0"),
            ("Scalar", "0.5"),
            ("bool", "True"),
            ("str", "'mean'"),
            ("str", "\"fro\""),
            ("Tensor?", "None"),
            ("Tensor[]", "[]"),
            ("Generator?", "None"),
            ("MemoryFormat", "contiguous_format"),
            ("ScalarType", "long"),
            ("bool[2]", "[True,True]"),
        ] {
            check(ty, default, true);
        }
        for (ty, default) in [
            ("int", "banana"),
            ("int", "1.5"),
            ("bool", "3"),
            ("bool", "true"),
            ("Tensor", "7"),
            ("Tensor", "None"),
            ("int[3]", "[1,2]"),
            ("str", "mean"),
            ("float", "'1'"),
            ("int[2]", "None"),
        ] {
            check(ty, default, false);
        }
    }
}
