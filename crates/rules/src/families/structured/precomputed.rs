//! Precomputed arguments, where they depend on the release.

use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::subject::parameters;
use crate::sink::Sink;

const RULE: RuleId = RuleId::Precomputed;

pub(super) fn check(placed: &PlacedEntry, release: Release, sink: &mut Sink) {
    let Some(precompute) = &placed.entry.precomputed else {
        return;
    };
    for (left, _) in &precompute.replace {
        if release >= Release::V2_4 && left.value.contains(' ') {
            let message = message!(
                "`{}` contains a space, so it cannot be an argument's name",
                left.value
            );
            sink.entry(
                placed,
                Diagnostic::new(RULE, left.at, message)
                    .with_help("write `argument -> Type name`, with only the name on the left"),
            );
        }
    }
    for argument in parameters(precompute) {
        let Some(base) = argument
            .ty
            .innermost()
            .filter(|base| !exists(*base, release))
        else {
            continue;
        };
        let message = message!("PyTorch {} has no type `{}`", release, base);
        sink.entry(
            placed,
            Diagnostic::new(RULE, argument.type_at.0, message)
                .with_help("use a type of this release"),
        );
    }
}

fn exists(base: BaseType, release: Release) -> bool {
    release.data().base_types.contains(base.as_str())
}

/// Whether a parameter of this type has a C++ type (torchgen `structured.argument_type`).
pub(super) fn is_writable(ty: &Type, release: Release) -> bool {
    match ty {
        Type::Base(BaseType::GraphModule | BaseType::ConstQuantizerPtr)
        | Type::Custom(_)
        | Type::Runtime(_) => false,
        Type::Base(BaseType::SymBool) => release >= Release::V2_9,
        Type::Base(_) => true,
        Type::List(inner, None) if **inner == Type::Base(BaseType::Bool) => false,
        Type::Optional(inner) | Type::List(inner, _) => is_writable(inner, release),
    }
}
