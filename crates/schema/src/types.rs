//! Types of arguments and returns (`docs/spec/grammar.md`, section 2).

use std::fmt;

opatlas_source::words! {
    /// The base types of all releases. The rule `type-unknown` checks which of them a release accepts.
    pub enum BaseType {
        ConstQuantizerPtr = "ConstQuantizerPtr",
        Device = "Device",
        DeviceIndex = "DeviceIndex",
        DimVector = "DimVector",
        Dimname = "Dimname",
        Generator = "Generator",
        GraphModule = "GraphModule",
        Layout = "Layout",
        MemoryFormat = "MemoryFormat",
        QScheme = "QScheme",
        Scalar = "Scalar",
        ScalarType = "ScalarType",
        Storage = "Storage",
        Stream = "Stream",
        SymBool = "SymBool",
        SymInt = "SymInt",
        Tensor = "Tensor",
        Bool = "bool",
        Float = "float",
        Int = "int",
        Str = "str",
    }
}

/// A type: a base type or a custom class, with any nesting of `?` and `[]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A base type.
    Base(BaseType),
    /// This dotted name after `__torch__.torch.classes.`.
    Custom(Box<str>),
    /// A type that only library schemas have, such as `Dict(str, int)`, as PyTorch prints it.
    Runtime(Box<str>),
    /// `T?`
    Optional(Box<Type>),
    /// `T[]`, or `T[n]` with a size of at least 1.
    List(Box<Type>, Option<ListSize>),
}

/// The size of a list type, at least 1. Stored as text, since PyTorch bounds its digits only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListSize(Box<str>);

impl ListSize {
    /// The maximum number of digits that Python parses (`sys.int_info.default_max_str_digits`).
    pub const MOST_DIGITS: usize = 4300;

    /// Parses decimal digits; `None` below 1, and with leading zeros or too many digits.
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        let is_canonical = !digits.is_empty() && !digits.starts_with('0');
        (is_number && is_canonical && digits.len() <= Self::MOST_DIGITS)
            .then(|| Self(digits.into()))
    }

    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it equals this number.
    #[must_use]
    pub fn is(&self, number: usize) -> bool {
        self.0.parse() == Ok(number)
    }
}

impl fmt::Display for ListSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The prefix of custom class types.
pub const CUSTOM_CLASS_PREFIX: &str = "__torch__.torch.classes.";

impl Type {
    /// The plain tensor type.
    pub const TENSOR: Self = Self::Base(BaseType::Tensor);

    /// The innermost base type, through any `?` and `[]`; `None` for custom classes (torchgen
    /// `Type.is_base_ty_like`).
    #[must_use]
    pub fn innermost(&self) -> Option<BaseType> {
        match self {
            Self::Base(base) => Some(*base),
            Self::Custom(_) | Self::Runtime(_) => None,
            Self::Optional(inner) | Self::List(inner, _) => inner.innermost(),
        }
    }

    /// Whether the innermost type is `base`.
    #[must_use]
    pub fn is_like(&self, base: BaseType) -> bool {
        self.innermost() == Some(base)
    }

    /// Whether it is a tensor, or an optional or list of tensors.
    #[must_use]
    pub fn is_tensor_like(&self) -> bool {
        self.is_like(BaseType::Tensor)
    }

    /// Whether it is the plain `Tensor`.
    #[must_use]
    pub fn is_tensor(&self) -> bool {
        matches!(self, Self::Base(BaseType::Tensor))
    }

    /// The type without its outermost `?`.
    #[must_use]
    pub fn without_optional(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner,
            other => other,
        }
    }
}
