//! Types of a release.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::types::{BaseType, Type};

pub(crate) enum Fault<'t> {
    /// The release does not know the base type.
    Unknown(BaseType),
    /// The base type has no C++ type.
    NotGenerated(BaseType),
    Custom(&'t str),
    Runtime(&'t str),
    /// `bool[]`
    Unsized,
}

/// Whether code can be generated for the type (torchgen `argumenttype_type`).
pub(crate) fn is_sound(ty: &Type, release: Release) -> bool {
    fault(ty, release).is_none()
}

pub(crate) fn fault(ty: &Type, release: Release) -> Option<Fault<'_>> {
    match ty {
        Type::Base(base) if !release.data().base_types.contains(base.as_str()) => {
            Some(Fault::Unknown(*base))
        }
        Type::Base(base) => (!is_generated(*base, release)).then_some(Fault::NotGenerated(*base)),
        Type::Custom(name) => Some(Fault::Custom(name)),
        Type::Runtime(text) => Some(Fault::Runtime(text)),
        Type::Optional(inner) => fault(inner, release),
        Type::List(inner, None) if **inner == Type::Base(BaseType::Bool) => Some(Fault::Unsized),
        Type::List(inner, _) => fault(inner, release),
    }
}

fn is_generated(base: BaseType, release: Release) -> bool {
    match base {
        BaseType::GraphModule | BaseType::ConstQuantizerPtr => false,
        BaseType::SymBool => release >= Release::V2_9,
        _ => true,
    }
}

/// Whether the schema has a SymInt where the release looks for one (`FunctionSchema.has_symint`).
pub(crate) fn has_symint(schema: &FunctionSchema, release: Release) -> bool {
    let returns = release < Release::V2_1
        && schema
            .returns
            .iter()
            .any(|r| r.ty.is_like(BaseType::SymInt));
    schema.has_symint() || returns
}
