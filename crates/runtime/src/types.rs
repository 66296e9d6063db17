//! Types of the runtime's schema language (`aten/src/ATen/core/jit_type.h`).
//!
//! A type stays as written. torch compares *erased* types, in which some base types are `int`
//! (`docs/spec/compatibility.md`, section 2.1); see [`Base::erased`].

use std::fmt;

opatlas_source::words! {
    /// A type without parts.
    pub enum Base {
        Any = "Any",
        AnyEnumType = "AnyEnumType",
        Tensor = "Tensor",
        Storage = "Storage",
        /// `Scalar`, a number of any kind.
        Scalar = "Scalar",
        Float = "float",
        Complex = "complex",
        Int = "int",
        /// `None` or `NoneType`.
        None = "NoneType",
        Str = "str",
        Generator = "Generator",
        Quantizer = "Quantizer",
        Bool = "bool",
        Device = "Device",
        Stream = "Stream",
        Capsule = "Capsule",
        QScheme = "QScheme",
        ScalarType = "ScalarType",
        Layout = "Layout",
        MemoryFormat = "MemoryFormat",
        AnyClassType = "AnyClassType",
        SymInt = "SymInt",
        SymBool = "SymBool",
    }
}

impl Base {
    /// Names to suggest.
    pub(super) const NAMES: &'static str = "Any AnyEnumType AnyClassType Tensor Storage Scalar float \
        complex int DeviceIndex ConstQuantizerPtr SymInt SymBool None NoneType str Dimname Generator \
        Quantizer QScheme bool Device Stream ScalarType Layout MemoryFormat";

    /// The base type of this name. `Dimname` is `str`; `DeviceIndex` and `ConstQuantizerPtr` are
    /// `int` (`schema_type_parser.cpp`, `parseBaseType`).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::parse(match name {
            "DeviceIndex" | "ConstQuantizerPtr" => "int",
            "None" => "NoneType",
            "Dimname" => "str",
            other => other,
        })
    }

    /// The type that torch compares: `int` for `SymInt`, `ScalarType`, `Layout` and `MemoryFormat`
    /// (`docs/spec/compatibility.md`, section 2.1).
    #[must_use]
    pub fn erased(self) -> Self {
        match self {
            Self::SymInt | Self::ScalarType | Self::Layout | Self::MemoryFormat => Self::Int,
            other => other,
        }
    }
}

/// The type of an argument or return, without the size of a sized list.
#[derive(Debug, Clone)]
pub enum Type<'a> {
    /// A type without parts.
    Base(Base),
    /// A lowercase name that is not a known type. PyTorch treats all type variables as equal.
    Variable(&'a str),
    /// `__torch__.torch.classes.NAMESPACE.NAME`, registered or not.
    Class {
        /// The namespace.
        namespace: &'a str,
        /// The name.
        name: &'a str,
    },
    /// `T?`; never an optional of an optional.
    Optional(Box<Type<'a>>),
    /// `T[]`, of any size.
    List(Box<Type<'a>>),
    /// `(T, ...)`
    Tuple(Vec<Type<'a>>),
    /// `Dict(KEY, VALUE)`
    Dict(Box<(Type<'a>, Type<'a>)>),
    /// `Future(T)`
    Future(Box<Type<'a>>),
    /// `Await(T)`
    Await(Box<Type<'a>>),
    /// `RRef(T)`
    RRef(Box<Type<'a>>),
    /// `Union(T, ...)`, with members flattened, unified and sorted as in torch.
    Union(Vec<Type<'a>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Types as in the schema.
    Written,
    /// Types that torch compares.
    Erased,
}

impl<'a> Type<'a> {
    /// Erases base types, as torch does in the parts of tuples, dictionaries, futures and unions.
    pub(super) fn into_erased(self) -> Self {
        match self {
            Self::Base(base) => Self::Base(base.erased()),
            Self::Optional(inner) => Self::Optional(Box::new(inner.into_erased())),
            Self::List(inner) => Self::List(Box::new(inner.into_erased())),
            other => other,
        }
    }

    /// `None` for a type with parts.
    pub(super) fn erased_base(&self) -> Option<Base> {
        match self {
            Self::Base(base) => Some(base.erased()),
            _ => None,
        }
    }

    /// The type as written, without the size of a sized list.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Spelling::Written);
        out
    }

    /// The erased type, as in torch's messages.
    #[must_use]
    pub fn erased_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Spelling::Erased);
        out
    }

    pub(super) fn write(&self, out: &mut String, spelling: Spelling) {
        match self {
            Self::Base(base) => out.push_str(match spelling {
                Spelling::Written => base.as_str(),
                Spelling::Erased => base.erased().as_str(),
            }),
            Self::Variable(name) => out.push_str(name),
            Self::Class { namespace, name } => {
                out.push_str("__torch__.torch.classes.");
                out.push_str(namespace);
                out.push('.');
                out.push_str(name);
            }
            Self::Optional(inner) => {
                inner.write(out, spelling);
                out.push('?');
            }
            Self::List(inner) => {
                inner.write(out, spelling);
                out.push_str("[]");
            }
            Self::Tuple(members) => write_parts(out, "", members.iter(), spelling),
            Self::Dict(parts) => write_parts(out, "Dict", [&parts.0, &parts.1], spelling),
            Self::Future(inner) => write_parts(out, "Future", [&**inner], spelling),
            Self::Await(inner) => write_parts(out, "Await", [&**inner], spelling),
            Self::RRef(inner) => write_parts(out, "RRef", [&**inner], spelling),
            Self::Union(members) => super::union::write(out, members, spelling),
        }
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out, Spelling::Written);
        f.write_str(&out)
    }
}

fn write_parts<'t, 'a: 't>(
    out: &mut String,
    name: &str,
    parts: impl IntoIterator<Item = &'t Type<'a>>,
    spelling: Spelling,
) {
    out.push_str(name);
    out.push('(');
    for (i, part) in parts.into_iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        part.write(out, spelling);
    }
    out.push(')');
}
