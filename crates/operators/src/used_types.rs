//! The base types that schemas use, one bit each.

use opatlas_schema::function::FunctionSchema;
use opatlas_schema::types::{BaseType, Type};

const _: () = assert!(BaseType::ALL.len() <= u32::BITS as usize);

/// The bits of the base types of arguments and returns.
pub(crate) fn bits_of(schema: &FunctionSchema) -> u32 {
    let arguments = schema.arguments.all().iter().map(|argument| &argument.ty);
    let all = arguments.chain(schema.returns.iter().map(|one| &one.ty));
    let used = all.filter_map(Type::innermost);
    used.fold(0, |bits, used| bits | bit(used))
}

/// The types of these bits, in order.
pub(crate) fn types_of(bits: u32) -> impl Iterator<Item = BaseType> {
    let all = BaseType::ALL.into_iter();
    all.filter(move |&ty| bits & bit(ty) != 0)
}

fn bit(ty: BaseType) -> u32 {
    1 << ty as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_bit_of_its_own() {
        for ty in BaseType::ALL {
            let own: Vec<BaseType> = types_of(bit(ty)).collect();
            assert_eq!(own, [ty]);
        }
        assert_eq!(types_of(0).count(), 0);
        let mut all: Vec<BaseType> = types_of(u32::MAX).collect();
        assert_eq!(all, BaseType::ALL);
        all.sort();
        assert_eq!(all, BaseType::ALL, "in order");
    }
}
