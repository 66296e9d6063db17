//! Types as Python's type stubs write them (torchgen `api/python.py`, `argument_type_str_pyi`,
//! `return_type_str_pyi`). Since 2.8 they are written `A | B`, before as `Union[A, B]`.

use opatlas_pytorch::release::Release;

use super::Refused;
use super::types::knows;
use crate::types::{BaseType, Type};

/// Whether unions are written with `|`.
fn bars(release: Release) -> bool {
    release >= Release::V2_8
}

fn either(release: Release, bars_text: &'static str, union_text: &'static str) -> &'static str {
    match bars(release) {
        true => bars_text,
        false => union_text,
    }
}

/// The type, or `None`.
pub(super) fn join_optional(ty: &str, release: Release) -> String {
    match bars(release) {
        true => format!("{ty} | None").replace(" | None | None", " | None"),
        false => format!("Optional[{ty}]"),
    }
}

/// The type of an argument.
pub(super) fn argument_type(ty: &Type, release: Release) -> Result<String, Refused> {
    let (mut is_optional, inner) = match ty {
        Type::Optional(inner) => (true, &**inner),
        other => (false, other),
    };
    let text = match inner {
        Type::Base(base) => base_type(*base, release)?.to_owned(),
        Type::List(element, size) => {
            if element.is_tensor_like() {
                let may_miss = matches!(**element, Type::Optional(_));
                is_optional |= may_miss || (Release::V2_6..Release::V2_12).contains(&release);
                tensors(may_miss, size.is_some(), release)
            } else {
                list_type(element, size.is_some(), release)?
            }
        }
        Type::Optional(_) | Type::Custom(_) => return Err(Refused),
    };
    Ok(match is_optional {
        true => join_optional(&text, release),
        false => text,
    })
}

fn base_type(base: BaseType, release: Release) -> Result<&'static str, Refused> {
    Ok(match base {
        BaseType::Int => "_int",
        BaseType::DeviceIndex if knows(base, release) => "_int",
        BaseType::SymInt => either(release, "_int | SymInt", "Union[_int, SymInt]"),
        BaseType::Float => "_float",
        BaseType::Str => "str",
        BaseType::Scalar if release >= Release::V2_14 => "Number | _complex | PySymType",
        BaseType::Scalar if release >= Release::V2_1 => {
            either(release, "Number | _complex", "Union[Number, _complex]")
        }
        BaseType::Scalar => "Number",
        BaseType::ScalarType => "_dtype",
        BaseType::Bool => "_bool",
        BaseType::QScheme => "_qscheme",
        BaseType::Layout => "_layout",
        BaseType::Device if release >= Release::V2_2 => {
            either(release, "DeviceLikeType | None", "Optional[DeviceLikeType]")
        }
        BaseType::Device => "Union[_device, str, None]",
        BaseType::MemoryFormat => "memory_format",
        BaseType::Dimname if knows(base, release) => either(
            release,
            "str | EllipsisType | None",
            "Union[str, ellipsis, None]",
        ),
        BaseType::Storage if release >= Release::V2_1 => either(
            release,
            "Storage | UntypedStorage",
            "Union[Storage, UntypedStorage]",
        ),
        BaseType::Storage | BaseType::Tensor | BaseType::Generator | BaseType::Stream => {
            base.as_str()
        }
        // Since 2.8 such a type is silently empty; before, torchgen failed.
        _ if release >= Release::V2_8 => "",
        _ => return Err(Refused),
    })
}

/// Several tensors.
fn tensors(may_miss: bool, has_size: bool, release: Release) -> String {
    let element = match may_miss && release >= Release::V2_12 {
        true => "Tensor | None",
        false => "Tensor",
    };
    if bars(release) {
        let one = if has_size { "Tensor | " } else { "" };
        return format!("{one}tuple[{element}, ...] | list[{element}]");
    }
    let one = if has_size { "Tensor, " } else { "" };
    let (tuple, list) = match release >= Release::V2_6 {
        true => ("tuple", "list"),
        false => ("Tuple", "List"),
    };
    format!("Union[{one}{tuple}[{element}, ...], {list}[{element}]]")
}

fn list_type(element: &Type, has_size: bool, release: Release) -> Result<String, Refused> {
    Ok(match element {
        Type::Base(BaseType::Int) if has_size => {
            either(release, "_int | _size", "Union[_int, _size]").to_owned()
        }
        Type::Base(BaseType::Int) => "_size".to_owned(),
        Type::Base(BaseType::Float) => "Sequence[_float]".to_owned(),
        Type::Base(BaseType::SymInt) if has_size && release >= Release::V2_1 => {
            let element = argument_type(element, release)?;
            match bars(release) {
                true => format!("{element} | Sequence[{element}]"),
                false => format!("Union[{element}, Sequence[{element}]]"),
            }
        }
        element => format!("Sequence[{}]", argument_type(element, release)?),
    })
}

/// The type of a return value, which is concrete where that of an argument leaves a choice.
pub(super) fn return_type(ty: &Type, release: Release) -> Result<String, Refused> {
    match ty {
        Type::Optional(inner) => Ok(join_optional(&return_type(inner, release)?, release)),
        Type::Base(BaseType::Device) => Ok("_device".to_owned()),
        Type::Base(BaseType::Dimname)
            if release >= Release::V2_6 && knows(BaseType::Dimname, release) =>
        {
            Ok(either(release, "str | None", "Optional[str]").to_owned())
        }
        Type::List(inner, _) => {
            let inner = return_type(inner, release)?;
            Ok(match release {
                _ if release >= Release::V2_6 => format!("tuple[{inner}, ...]"),
                _ if release >= Release::V2_3 => format!("Tuple[{inner}, ...]"),
                _ => format!("List[{inner}]"),
            })
        }
        Type::Base(_) | Type::Custom(_) => argument_type(ty, release),
    }
}
