//! Types in Python's type stubs (torchgen `api/python.py`, `argument_type_str_pyi`,
//! `return_type_str_pyi`). Unions are `A | B` since 2.8, and `Union[A, B]` before.

use opatlas_pytorch::release::Release;

use super::context::{Refused, WriteResult};
use super::types::knows;
use crate::types::{BaseType, Type};

fn bars(release: Release) -> bool {
    release >= Release::V2_8
}

fn either(release: Release, bars_text: &'static str, union_text: &'static str) -> &'static str {
    if bars(release) { bars_text } else { union_text }
}

/// Adds `None` to the type that begins at `from`.
pub(super) fn make_optional(w: &mut String, from: usize, release: Release) {
    if !bars(release) {
        w.insert_str(from, "Optional[");
        w.push(']');
    } else if !w[from..].ends_with(" | None") {
        w.push_str(" | None");
    }
}

pub(super) fn argument_type(w: &mut String, ty: &Type, release: Release) -> WriteResult {
    let from = w.len();
    let (mut is_optional, inner) = match ty {
        Type::Optional(inner) => (true, &**inner),
        other => (false, other),
    };
    match inner {
        Type::Base(base) => w.push_str(base_type(*base, release)?),
        Type::List(element, size) if element.is_tensor_like() => {
            let may_miss = matches!(**element, Type::Optional(_));
            is_optional |= may_miss || (Release::V2_6..Release::V2_12).contains(&release);
            w.push_str(tensors(may_miss, size.is_some(), release));
        }
        Type::List(element, size) => list_type(w, element, size.is_some(), release)?,
        Type::Optional(_) | Type::Custom(_) | Type::Runtime(_) => return Err(Refused),
    }
    if is_optional {
        make_optional(w, from, release);
    }
    Ok(())
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

fn tensors(may_miss: bool, has_size: bool, release: Release) -> &'static str {
    if may_miss && release >= Release::V2_12 {
        return if has_size {
            "Tensor | tuple[Tensor | None, ...] | list[Tensor | None]"
        } else {
            "tuple[Tensor | None, ...] | list[Tensor | None]"
        };
    }
    let lower_case = release >= Release::V2_6;
    match (has_size, bars(release), lower_case) {
        (true, true, _) => "Tensor | tuple[Tensor, ...] | list[Tensor]",
        (false, true, _) => "tuple[Tensor, ...] | list[Tensor]",
        (true, false, true) => "Union[Tensor, tuple[Tensor, ...], list[Tensor]]",
        (false, false, true) => "Union[tuple[Tensor, ...], list[Tensor]]",
        (true, false, false) => "Union[Tensor, Tuple[Tensor, ...], List[Tensor]]",
        (false, false, false) => "Union[Tuple[Tensor, ...], List[Tensor]]",
    }
}

fn list_type(w: &mut String, element: &Type, has_size: bool, release: Release) -> WriteResult {
    match element {
        Type::Base(BaseType::Int) if has_size => {
            w.push_str(either(release, "_int | _size", "Union[_int, _size]"));
        }
        Type::Base(BaseType::Int) => w.push_str("_size"),
        Type::Base(BaseType::Float) => w.push_str("Sequence[_float]"),
        Type::Base(BaseType::SymInt) if has_size && release >= Release::V2_1 => {
            w.push_str(either(
                release,
                "_int | SymInt | Sequence[_int | SymInt]",
                "Union[Union[_int, SymInt], Sequence[Union[_int, SymInt]]]",
            ));
        }
        element => {
            w.push_str("Sequence[");
            argument_type(w, element, release)?;
            w.push(']');
        }
    }
    Ok(())
}

/// Return types are concrete where argument types allow alternatives.
pub(super) fn return_type(w: &mut String, ty: &Type, release: Release) -> WriteResult {
    match ty {
        Type::Optional(inner) => {
            let from = w.len();
            return_type(w, inner, release)?;
            make_optional(w, from, release);
        }
        Type::Base(BaseType::Device) => w.push_str("_device"),
        Type::Base(BaseType::Dimname)
            if release >= Release::V2_6 && knows(BaseType::Dimname, release) =>
        {
            w.push_str(either(release, "str | None", "Optional[str]"));
        }
        Type::List(inner, _) => {
            let (open, close) = match release {
                _ if release >= Release::V2_6 => ("tuple[", ", ...]"),
                _ if release >= Release::V2_3 => ("Tuple[", ", ...]"),
                _ => ("List[", "]"),
            };
            w.push_str(open);
            return_type(w, inner, release)?;
            w.push_str(close);
        }
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => argument_type(w, ty, release)?,
    }
    Ok(())
}
