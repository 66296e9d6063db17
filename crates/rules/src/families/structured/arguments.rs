//! Argument types of structured kernels (torchgen `api/structured.py`) and of the wrappers around
//! them (`api/native.py`).

use opatlas_schema::types::{BaseType, Type};

pub(super) fn can_pass(ty: &Type) -> bool {
    is_same(ty) || is_converted(ty)
}

fn is_converted(ty: &Type) -> bool {
    match ty {
        Type::Optional(inner) => {
            is_base(inner, BaseType::Tensor) || is_base(inner, BaseType::Scalar)
        }
        Type::List(inner, _) => match &**inner {
            Type::Optional(element) => element.is_tensor(),
            element => is_base(element, BaseType::SymInt),
        },
        _ => false,
    }
}

/// Whether the C++ type is the same on both sides. Structured kernels have no symbolic sizes, and
/// hold optional tensors and scalars by reference.
fn is_same(ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => true,
        Type::Optional(inner) => match &**inner {
            Type::Base(base) => !matches!(base, BaseType::Tensor | BaseType::Scalar),
            Type::List(element, _) if is_base(element, BaseType::SymInt) => false,
            inner => is_same(inner),
        },
        Type::List(inner, _) => match &**inner {
            Type::Base(base) => !matches!(base, BaseType::SymInt | BaseType::Scalar),
            Type::Optional(element) if element.is_tensor() => false,
            inner => is_same(inner),
        },
    }
}

fn is_base(ty: &Type, base: BaseType) -> bool {
    *ty == Type::Base(base)
}

#[cfg(test)]
mod tests {
    use super::can_pass;
    use opatlas_schema::parse::parse_type;

    #[test]
    fn what_structured_kernels_take() {
        let ty = |text: &str| parse_type(text, 0).unwrap();
        for text in [
            "Tensor",
            "Tensor?",
            "Tensor[]",
            "Tensor?[]",
            "Scalar",
            "Scalar?",
            "int",
            "SymInt",
            "int[]",
            "int[2]?",
            "SymInt[]",
            "bool[3]",
            "float?",
            "SymInt?",
            "str?[]",
        ] {
            assert!(can_pass(&ty(text)), "{text}");
        }
        for text in [
            "SymInt[]?",
            "Scalar[]",
            "Tensor??",
            "Tensor?[][]",
            "SymInt[][]",
            "Scalar??",
        ] {
            assert!(!can_pass(&ty(text)), "{text}");
        }
    }
}
