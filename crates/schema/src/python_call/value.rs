//! Python values, with the details that matter to the argument parser.

/// A value that a call passes.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A number, or `True` or `False`.
    Scalar(Scalar),
    /// A string.
    Str(String),
    /// `b'x'`. The parser treats it as a string.
    Bytes,
    /// `None`.
    None,
    /// A tuple.
    Tuple(Vec<Self>),
    /// A list.
    List(Vec<Self>),
    /// `float`, `int`, `bool` or `complex`, which stand for dtypes.
    NumberType,
    /// `torch.float64`.
    Dtype,
    /// `torch.strided`.
    Layout,
    /// `torch.contiguous_format`, by its name in `torch`.
    MemoryFormat(&'static str),
    /// `torch.per_tensor_affine`.
    QScheme,
    /// `torch.device('cpu')`.
    Device,
    /// A random number generator.
    Generator,
    /// An untyped storage.
    Storage,
    /// A stream.
    Stream,
    /// A value of another class, by its name. Only parameters for any object take it.
    Other(&'static str),
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
    /// A complex number.
    Complex,
}

/// The properties of a tensor that the parser checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// The class of its dtype.
    pub dtype: Scalar,
    /// The number of dimensions. A tensor with dimensions has several elements.
    pub dimensions: usize,
    /// `true` if it requires a gradient.
    pub requires_grad: bool,
}

impl Tensor {
    /// A tensor of `float32` with two dimensions.
    pub const PLAIN: Self = Self {
        dtype: Scalar::Float,
        dimensions: 2,
        requires_grad: false,
    };

    /// `true` if `__index__` works, which needs a single integer or bool.
    #[must_use]
    pub fn is_index(self) -> bool {
        self.dimensions == 0 && matches!(self.dtype, Scalar::Int | Scalar::Bool(_))
    }
}

impl Value {
    /// Returns the name of its class in error messages (`tp_name`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Tensor(_) => "Tensor",
            Self::Scalar(Scalar::Bool(_)) => "bool",
            Self::Scalar(Scalar::Int) => "int",
            Self::Scalar(Scalar::Float) => "float",
            Self::Scalar(Scalar::Complex) => "complex",
            Self::Str(_) => "str",
            Self::Bytes => "bytes",
            Self::None => "NoneType",
            Self::Tuple(_) => "tuple",
            Self::List(_) => "list",
            Self::NumberType => "type",
            Self::Dtype => "torch.dtype",
            Self::Layout => "torch.layout",
            Self::MemoryFormat(_) => "torch.memory_format",
            Self::QScheme => "torch.qscheme",
            Self::Device => "torch.device",
            Self::Generator => "torch._C.Generator",
            Self::Storage => "torch.storage.UntypedStorage",
            Self::Stream => "torch.Stream",
            Self::Other(class) => class,
        }
    }

    /// `true` if the word is its class or the name of this memory format.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::MemoryFormat(name) if *name == word) || self.class() == word
    }

    /// `true` if the parser takes it for a string.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Str(_) | Self::Bytes)
    }

    /// Returns the elements of a tuple or list.
    #[must_use]
    pub fn elements(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(elements) | Self::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// `true` unless the value is `None` or `False`.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !matches!(self, Self::None | Self::Scalar(Scalar::Bool(false)))
    }
}
