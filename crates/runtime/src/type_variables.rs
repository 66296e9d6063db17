//! Type variables: lowercase names that are not types (`SchemaTypeParser::parseBaseType`).

use opatlas_pytorch::release::Release;

/// How the parser treats an unknown lowercase name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeVariables {
    /// The name is a type variable.
    Accepted,
    /// The name is an error.
    Refused,
}

impl TypeVariables {
    /// The treatment in the text of a definition (`parseSchemaOrName`).
    pub(super) fn of_definition(text: &str, release: Release) -> Self {
        let is_own = text.starts_with("aten::") || text.starts_with("prim::");
        if is_own || release < Release::V2_4 {
            Self::Accepted
        } else {
            Self::Refused
        }
    }

    pub(super) fn accept(self, name: &str) -> bool {
        let is_lower = name.starts_with(|first: char| first.is_ascii_lowercase());
        self == Self::Accepted && is_lower
    }
}

/// Suggests a replacement for a C++ type, or for a type that only the code generator knows.
pub(super) fn replacement(name: &str) -> Option<&'static str> {
    Some(match name {
        "int64_t" => "use `SymInt` or `int` instead of `int64_t`",
        "double" => "use `float` instead of `double`",
        "size_t" | "int32_t" | "uint64_t" | "long" => "write `int`",
        "string" => "write `str`",
        "tensor" => "write `Tensor`",
        "scalar" | "number" => "write `Scalar`",
        "boolean" => "write `bool`",
        "void" => "write `-> ()` if nothing is returned",
        "DimVector" => "`DimVector` exists only in the code generator; write `int[]`",
        "SymFloat" => "write `float`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, parse, parse_definition};

    /// Tried with `Library.define` and `torch._C.parse_schema` of 2.9.0; the headers of 2.3.0 have no
    /// `allow_typevars`, those of 2.4.0 do.
    #[test]
    fn definitions_refuse_type_variables_since_2_4() {
        let refused = [
            ("t(Tensor x, int64_t n) -> Tensor", "int64_t"),
            ("t(Tensor x, double n) -> ()", "double"),
            ("t(tensor x) -> Tensor", "tensor"),
            ("t(Tensor x) -> void", "void"),
            ("t(RRef(t) x) -> ()", "t"),
            ("t(Dict(str, t) x) -> ()", "t"),
            ("t((t, int) x) -> ()", "t"),
            ("t(Union(t, int) x) -> ()", "t"),
            ("zz::t(t[] x) -> ()", "t"),
        ];
        for (text, name) in refused {
            assert!(parse(text).is_ok(), "{text}");
            assert!(parse_definition(text, Classes::Any, Release::V2_3).is_ok());
            let errors = parse_definition(text, Classes::Any, Release::V2_4).unwrap_err();
            assert_eq!(errors[0].span.slice(text), name);
        }
        for accepted in [
            "aten::zz(int64_t x) -> t",
            "t(Tensor x, complex n, Stream s) -> NoneType",
        ] {
            assert!(parse_definition(accepted, Classes::Any, Release::LATEST).is_ok());
        }
    }

    #[test]
    fn names_of_cpp_types_have_a_fix() {
        let text = "t(Tensor x, int64_t n) -> Tensor";
        let errors = parse_definition(text, Classes::Any, Release::LATEST).unwrap_err();
        let help = errors[0].help.as_ref().unwrap();
        assert_eq!(&**help, "use `SymInt` or `int` instead of `int64_t`");
    }
}
