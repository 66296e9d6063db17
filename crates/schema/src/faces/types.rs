//! C++ types of arguments and returns (torchgen `api/cpp.py`, `api/native.py`,
//! `api/structured.py`, `api/types/`).

use opatlas_pytorch::release::Release;

use super::context::{Context, Refused, WriteResult};
use crate::function::Return;
use crate::types::{BaseType, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interface {
    /// `at::` functions, methods and the dispatcher.
    Public,
    /// Kernels in `NativeFunctions.h`.
    Native,
}

/// How sizes are passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// `c10::SymInt`
    Symbolic,
    /// `int64_t`
    Concrete,
}

/// The C++ spelling of a base type that is passed by value, if torchgen has one.
fn base(ty: BaseType, sizes: Sizes, release: Release) -> Option<&'static str> {
    Some(match ty {
        BaseType::Int => "int64_t",
        BaseType::SymInt => match sizes {
            Sizes::Symbolic => "c10::SymInt",
            Sizes::Concrete => "int64_t",
        },
        BaseType::Float => "double",
        BaseType::Bool => "bool",
        BaseType::Str => "c10::string_view",
        BaseType::Generator => "at::Generator",
        BaseType::ScalarType => "at::ScalarType",
        BaseType::Tensor => "at::Tensor",
        BaseType::DimVector => "at::DimVector",
        BaseType::Layout => "at::Layout",
        BaseType::Device => "at::Device",
        BaseType::Scalar => "at::Scalar",
        BaseType::MemoryFormat => "at::MemoryFormat",
        BaseType::QScheme => "at::QScheme",
        BaseType::Storage => "at::Storage",
        BaseType::Stream => "at::Stream",
        BaseType::Dimname if knows(BaseType::Dimname, release) => "at::Dimname",
        BaseType::DeviceIndex if knows(BaseType::DeviceIndex, release) => "at::DeviceIndex",
        BaseType::SymBool if release >= Release::V2_9 => "c10::SymBool",
        BaseType::Dimname
        | BaseType::DeviceIndex
        | BaseType::SymBool
        | BaseType::ConstQuantizerPtr
        | BaseType::GraphModule => return None,
    })
}

pub(super) fn knows(ty: BaseType, release: Release) -> bool {
    release.data().base_types.contains(ty.as_str())
}

fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Base(base) => !matches!(base, BaseType::Tensor | BaseType::Scalar),
        Type::Optional(inner) => is_value(inner),
        Type::List(inner, _) => **inner == Type::Base(BaseType::Bool),
        Type::Custom(_) | Type::Runtime(_) => false,
    }
}

fn value(w: &mut String, ty: &Type, sizes: Sizes, cx: Context) -> WriteResult {
    match ty {
        Type::Base(ty) => w.push_str(base(*ty, sizes, cx.release).ok_or(Refused)?),
        Type::Optional(inner) => optional(w, cx, |w| value(w, inner, sizes, cx))?,
        Type::List(_, Some(size)) => {
            w.push_str("::std::array<bool,");
            w.push_str(size.as_str());
            w.push('>');
        }
        Type::List(_, None) | Type::Custom(_) | Type::Runtime(_) => return Err(Refused),
    }
    Ok(())
}

pub(super) fn optional(
    w: &mut String,
    cx: Context,
    inner: impl FnOnce(&mut String) -> WriteResult,
) -> WriteResult {
    w.push_str(cx.optional());
    inner(w)?;
    w.push('>');
    Ok(())
}

fn array_ref(w: &mut String, inner: impl FnOnce(&mut String) -> WriteResult) -> WriteResult {
    w.push_str("at::ArrayRef<");
    inner(w)?;
    w.push('>');
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passing {
    pub(super) mutable: bool,
    pub(super) sizes: Sizes,
    pub(super) interface: Interface,
}

pub(super) fn argument(w: &mut String, ty: &Type, passing: Passing, cx: Context) -> WriteResult {
    let by_reference = passing.mutable && !cx.const_ref_for_mutable;
    if is_value(ty) {
        return value(w, ty, passing.sizes, cx);
    }
    match ty {
        Type::Base(BaseType::Tensor) if by_reference => w.push_str("at::Tensor &"),
        Type::Base(BaseType::Tensor) => w.push_str("const at::Tensor &"),
        Type::Base(_) => w.push_str("const at::Scalar &"),
        Type::Optional(inner) => return optional_argument(w, inner, passing, cx),
        Type::List(inner, _) => return list_argument(w, inner, passing, cx),
        Type::Custom(_) | Type::Runtime(_) => return Err(Refused),
    }
    Ok(())
}

fn optional_argument(w: &mut String, inner: &Type, passing: Passing, cx: Context) -> WriteResult {
    let by_reference = passing.mutable && !cx.const_ref_for_mutable;
    match inner {
        Type::Base(BaseType::Tensor) if by_reference && passing.interface == Interface::Public => {
            w.push_str("at::Tensor &");
            return Ok(());
        }
        Type::Base(base @ (BaseType::Tensor | BaseType::Scalar)) => {
            let by_reference = by_reference && *base == BaseType::Tensor;
            w.push_str(if by_reference { "" } else { "const " });
            optional(w, cx, |w| value(w, &Type::Base(*base), passing.sizes, cx))?;
            w.push_str(" &");
            return Ok(());
        }
        Type::List(element, _) => match (&**element, passing.sizes) {
            (Type::Base(BaseType::Int), _) | (Type::Base(BaseType::SymInt), Sizes::Concrete) => {
                w.push_str("at::OptionalIntArrayRef");
                return Ok(());
            }
            (Type::Base(BaseType::SymInt), Sizes::Symbolic) => {
                w.push_str("at::OptionalSymIntArrayRef");
                return Ok(());
            }
            _ => {}
        },
        _ => {}
    }
    let passing = Passing {
        interface: Interface::Public,
        ..passing
    };
    optional(w, cx, |w| argument(w, inner, passing, cx))
}

fn list_argument(w: &mut String, element: &Type, passing: Passing, cx: Context) -> WriteResult {
    match element {
        Type::Base(BaseType::Int) => w.push_str("at::IntArrayRef"),
        Type::Base(BaseType::SymInt) => w.push_str(match passing.sizes {
            Sizes::Symbolic => "c10::SymIntArrayRef",
            Sizes::Concrete => "at::IntArrayRef",
        }),
        Type::Base(BaseType::Tensor) => w.push_str(if cx.structured_group {
            "const at::ITensorListRef &"
        } else {
            "at::TensorList"
        }),
        Type::Base(BaseType::Scalar) => w.push_str("at::ArrayRef<at::Scalar>"),
        Type::Base(BaseType::Dimname) => dimnames(w, cx)?,
        Type::Optional(inner) if inner.is_tensor() => {
            w.push_str("const c10::List<");
            optional(w, cx, |w| {
                w.push_str("at::Tensor");
                Ok(())
            })?;
            w.push_str("> &");
        }
        _ => {
            let passing = Passing {
                interface: Interface::Public,
                ..passing
            };
            array_ref(w, |w| argument(w, element, passing, cx))?;
        }
    }
    Ok(())
}

fn dimnames(w: &mut String, cx: Context) -> WriteResult {
    if !knows(BaseType::Dimname, cx.release) {
        return Err(Refused);
    }
    w.push_str("at::DimnameList");
    Ok(())
}

/// Sizes are always concrete.
pub(super) fn structured(w: &mut String, ty: &Type, cx: Context) -> WriteResult {
    if is_value(ty) {
        return value(w, ty, Sizes::Concrete, cx);
    }
    match ty {
        Type::Base(BaseType::Tensor) => w.push_str("const at::Tensor &"),
        Type::Base(_) => w.push_str("const at::Scalar &"),
        Type::Optional(inner) => match &**inner {
            Type::Base(BaseType::Tensor) => w.push_str("at::OptionalTensorRef"),
            Type::Base(BaseType::Scalar) => w.push_str("at::OptionalScalarRef"),
            Type::List(element, _) if **element == Type::Base(BaseType::Int) => {
                w.push_str("at::OptionalIntArrayRef");
            }
            inner => optional(w, cx, |w| structured(w, inner, cx))?,
        },
        Type::List(element, _) => match &**element {
            Type::Base(BaseType::Tensor) => w.push_str("const at::ITensorListRef &"),
            Type::Optional(inner) if inner.is_tensor() => w.push_str("at::IOptTensorListRef"),
            Type::Base(BaseType::Int) => w.push_str("at::IntArrayRef"),
            Type::Base(BaseType::Dimname) => dimnames(w, cx)?,
            element => array_ref(w, |w| structured(w, element, cx))?,
        },
        Type::Custom(_) | Type::Runtime(_) => return Err(Refused),
    }
    Ok(())
}

pub(super) fn returns(w: &mut String, all: &[Return], sizes: Sizes, cx: Context) -> WriteResult {
    // Since 2.1 the size of a return is symbolic in every interface.
    let sizes = if cx.release >= Release::V2_1 {
        Sizes::Symbolic
    } else {
        sizes
    };
    match all {
        [] => w.push_str("void"),
        [only] => return_type(w, &only.ty, only.is_write(), sizes, cx)?,
        several => {
            w.push_str("::std::tuple<");
            for (i, one) in several.iter().enumerate() {
                if i > 0 {
                    w.push(',');
                }
                return_type(w, &one.ty, one.is_write(), sizes, cx)?;
            }
            w.push('>');
        }
    }
    Ok(())
}

fn return_type(w: &mut String, ty: &Type, mutable: bool, sizes: Sizes, cx: Context) -> WriteResult {
    if is_value(ty) {
        return value(w, ty, sizes, cx);
    }
    match ty {
        Type::Base(BaseType::Tensor) => w.push_str(match (mutable, cx.const_ref_for_mutable) {
            (false, _) => "at::Tensor",
            (true, false) => "at::Tensor &",
            (true, true) => "const at::Tensor &",
        }),
        Type::Base(_) => w.push_str("at::Scalar"),
        Type::List(element, None) if !mutable => {
            w.push_str("::std::vector<");
            return_type(w, element, false, sizes, cx)?;
            w.push('>');
        }
        Type::Optional(inner) if inner.is_tensor() && cx.release >= Release::V2_2 => {
            optional(w, cx, |w| return_type(w, inner, mutable, sizes, cx))?;
        }
        Type::List(..) | Type::Optional(_) | Type::Custom(_) | Type::Runtime(_) => {
            return Err(Refused);
        }
    }
    Ok(())
}
