//! Kinds of arguments and parameters, and the rank of the conversion between them.

/// The type of a parameter, spelled as in [`crate::declarations::plain`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterType {
    /// `bool`
    Bool,
    /// `double`
    Double,
    /// `int64_t`
    Int,
    /// `c10::SymInt`
    SymInt,
    /// `const at::Scalar &`
    Scalar,
    /// `const at::Tensor &`
    Tensor,
    /// `at::Tensor &`
    MutableTensor,
    /// `at::IntArrayRef`
    IntList,
    /// `at::TensorList`
    TensorList,
    /// `::std::string_view`
    Text,
    /// `::std::optional` of a type.
    Optional(Box<ParameterType>),
    /// Another type by its name.
    Other(String),
}

impl ParameterType {
    pub(super) fn parse(text: &str) -> Self {
        let inner = text
            .trim_start_matches("const ")
            .strip_prefix("std::optional<")
            .and_then(|rest| rest.trim_end_matches(" &").strip_suffix('>'));
        if let Some(inner) = inner {
            return Self::Optional(Box::new(match inner {
                "at::Tensor" => Self::Tensor,
                "at::Scalar" => Self::Scalar,
                inner => Self::parse(inner),
            }));
        }
        match text {
            "bool" => Self::Bool,
            "double" => Self::Double,
            "int64_t" => Self::Int,
            "c10::SymInt" => Self::SymInt,
            "const at::Scalar &" => Self::Scalar,
            "const at::Tensor &" => Self::Tensor,
            "at::Tensor &" => Self::MutableTensor,
            "at::IntArrayRef" => Self::IntList,
            "at::TensorList" => Self::TensorList,
            "std::string_view" => Self::Text,
            "at::OptionalIntArrayRef" => Self::Optional(Box::new(Self::IntList)),
            other => Self::Other(other.to_owned()),
        }
    }

    /// `true` if all conversions to and from this type are known.
    fn is_known(&self) -> bool {
        match self {
            Self::Other(name) => {
                matches!(
                    &**name,
                    "at::ScalarType" | "at::Layout" | "at::MemoryFormat"
                )
            }
            Self::Optional(inner) => inner.is_known(),
            _ => true,
        }
    }

    /// The arguments that callers usually pass for the parameter.
    #[must_use]
    pub fn usual_arguments(&self) -> Vec<Argument> {
        match self {
            Self::Bool => vec![Argument::Bool],
            Self::Double => vec![Argument::Double, Argument::Int],
            Self::Int | Self::SymInt => vec![Argument::Int, Argument::Long],
            Self::Scalar => vec![Argument::Int, Argument::Double, Argument::Scalar],
            Self::Tensor | Self::MutableTensor => vec![Argument::Tensor],
            Self::IntList => vec![Argument::Braces],
            Self::Text => vec![Argument::Text],
            Self::Optional(inner) => inner.usual_arguments(),
            Self::TensorList | Self::Other(_) => vec![Argument::Variable(self.clone())],
        }
    }
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// `2`
    Int,
    /// A variable of type `int64_t`.
    Long,
    /// `0.5`
    Double,
    /// `true`
    Bool,
    /// A variable of type `at::Tensor`.
    Tensor,
    /// A variable of type `at::Scalar`.
    Scalar,
    /// `{1, 2}`
    Braces,
    /// `"mean"`
    Text,
    /// A variable of the type of a parameter.
    Variable(ParameterType),
}

impl Argument {
    /// The argument in code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Int => "2",
            Self::Long => "n",
            Self::Double => "0.5",
            Self::Bool => "true",
            Self::Tensor => "x",
            Self::Scalar => "s",
            Self::Braces => "{1, 2}",
            Self::Text => "\"mean\"",
            Self::Variable(_) => "v",
        }
    }
}

/// The rank of an implicit conversion; a lower one is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Equal types. A variable binds to `T &` before `const T &`.
    Exact,
    ExactConst,
    /// A conversion between built-in types.
    Standard,
    /// A conversion by a constructor.
    User,
}

/// How an argument converts to a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// It converts implicitly, with this rank.
    By(Rank),
    /// It does not convert.
    Impossible,
    /// Opatlas does not know the conversion.
    Unknown,
}

/// Returns how C++ converts an argument. A test compares the results with a compiler.
pub(super) fn convert(argument: &Argument, to: &ParameterType) -> Conversion {
    let rank = match argument {
        Argument::Variable(ty) if ty == to => Some(Rank::Exact),
        _ => rank(argument, to),
    };
    if let Some(rank) = rank {
        return Conversion::By(rank);
    }
    if let ParameterType::Optional(inner) = to {
        return match convert(argument, inner) {
            // Braces only convert to an optional of a list.
            Conversion::By(_)
                if *argument == Argument::Braces && **inner == ParameterType::Scalar =>
            {
                Conversion::Impossible
            }
            Conversion::By(_) => Conversion::By(Rank::User),
            other => other,
        };
    }
    let is_known = match argument {
        Argument::Variable(ty) => ty.is_known(),
        _ => true,
    };
    if is_known && to.is_known() {
        Conversion::Impossible
    } else {
        Conversion::Unknown
    }
}

/// Returns the rank of a conversion to a type that is not an optional.
fn rank(argument: &Argument, to: &ParameterType) -> Option<Rank> {
    use ParameterType as P;
    Some(match (argument, to) {
        (Argument::Long, P::Int)
        | (Argument::Double, P::Double)
        | (Argument::Bool, P::Bool)
        | (Argument::Tensor, P::MutableTensor) => Rank::Exact,
        (Argument::Tensor, P::Tensor) | (Argument::Scalar, P::Scalar) => Rank::ExactConst,
        (
            Argument::Int | Argument::Long | Argument::Double | Argument::Bool,
            P::Bool | P::Double | P::Int,
        )
        | (Argument::Text, P::Bool) => Rank::Standard,
        (
            Argument::Int | Argument::Long | Argument::Double | Argument::Bool,
            P::SymInt | P::Scalar | P::IntList,
        )
        | (Argument::Tensor, P::TensorList)
        | (Argument::Braces, P::IntList | P::Scalar)
        | (Argument::Text, P::Text) => Rank::User,
        _ => return None,
    })
}
