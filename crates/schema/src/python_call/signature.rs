//! Reads signatures of the argument parser.

/// A signature, such as `add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of the function. Error messages begin with it.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// `true` if it is deprecated. The parser tries deprecated signatures last.
    pub is_deprecated: bool,
    /// `true` if error messages omit it.
    pub is_hidden: bool,
}

/// A parameter of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The kind of values that it takes.
    pub kind: Kind,
    /// The size of a list, such as 2 for `IntArrayRef[2]`, or 0.
    pub size: usize,
    /// The text of the default.
    pub default: Option<String>,
    /// `true` if it takes `None`.
    pub takes_none: bool,
    /// `true` if it follows `*`.
    pub is_keyword_only: bool,
}

/// The kind of values that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of PyTorch's enum ParameterType")]
pub enum Kind {
    Tensor,
    Scalar,
    Int64,
    SymInt,
    Double,
    Complex,
    TensorList,
    IntList,
    FloatList,
    Generator,
    Bool,
    Storage,
    Object,
    ScalarType,
    Layout,
    MemoryFormat,
    QScheme,
    Device,
    Stream,
    Str,
    Dimname,
    DimnameList,
    ScalarList,
}

impl Kind {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "Tensor" => Self::Tensor,
            "Scalar" => Self::Scalar,
            "int64_t" | "DeviceIndex" => Self::Int64,
            "SymInt" => Self::SymInt,
            "double" => Self::Double,
            "complex" => Self::Complex,
            "TensorList"
            | "c10::List<c10::optional<Tensor>>"
            | "c10::List<::std::optional<Tensor>>" => Self::TensorList,
            "IntArrayRef" | "SymIntArrayRef" => Self::IntList,
            "ArrayRef<double>" => Self::FloatList,
            "Generator" => Self::Generator,
            "bool" => Self::Bool,
            "Storage" => Self::Storage,
            "PyObject*" => Self::Object,
            "ScalarType" => Self::ScalarType,
            "Layout" => Self::Layout,
            "MemoryFormat" => Self::MemoryFormat,
            "QScheme" => Self::QScheme,
            "Device" => Self::Device,
            "Stream" => Self::Stream,
            "std::string" | "c10::string_view" | "std::string_view" | "::std::string_view" => {
                Self::Str
            }
            "Dimname" => Self::Dimname,
            "DimnameList" => Self::DimnameList,
            "ScalarList" => Self::ScalarList,
            _ => return None,
        })
    }

    /// Returns the name of the type in error messages.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Tensor => "Tensor",
            Self::Scalar => "Number",
            Self::Int64 | Self::SymInt => "int",
            Self::Double => "float",
            Self::Complex => "complex",
            Self::TensorList => "tuple of Tensors",
            Self::IntList => "tuple of ints",
            Self::FloatList => "tuple of floats",
            Self::Generator => "torch.Generator",
            Self::Bool => "bool",
            Self::Storage => "torch.Storage",
            Self::Object => "object",
            Self::ScalarType => "torch.dtype",
            Self::Layout => "torch.layout",
            Self::MemoryFormat => "torch.memory_format",
            Self::QScheme => "torch.qscheme",
            Self::Device => "torch.device",
            Self::Stream => "torch.Stream",
            Self::Str => "str",
            Self::Dimname => "name",
            Self::DimnameList => "tuple of names",
            Self::ScalarList => "tuple of Scalars",
        }
    }
}

impl Signature {
    /// Reads a signature as the parser does when the binding is first called.
    ///
    /// # Errors
    /// If the parser does not know a type. The error is the message of its exception.
    pub fn parse(text: &str) -> Result<Self, String> {
        let malformed = || format!("malformed signature: {text}");
        let (name, rest) = text.split_once('(').ok_or_else(malformed)?;
        let (inside, flag) = rest.rsplit_once(')').ok_or_else(malformed)?;
        let mut parameters = Vec::new();
        let mut is_keyword_only = false;
        for part in inside.split(", ").filter(|part| !part.is_empty()) {
            if part == "*" {
                is_keyword_only = true;
            } else {
                parameters.push(Parameter::parse(part, is_keyword_only)?);
            }
        }
        Ok(Self {
            name: name.to_owned(),
            parameters,
            is_deprecated: flag == "|deprecated",
            is_hidden: !flag.is_empty(),
        })
    }

    /// Returns the number of parameters without a default.
    #[must_use]
    pub fn least(&self) -> usize {
        let required = self.parameters.iter().filter(|p| p.default.is_none());
        required.count()
    }

    /// Returns the number of parameters that positional arguments may fill.
    #[must_use]
    pub fn positional(&self) -> usize {
        let positional = self.parameters.iter().filter(|p| !p.is_keyword_only);
        positional.count()
    }

    /// `true` if numbers count as tensors. Only functions without an overload for numbers allow
    /// this.
    pub(super) fn takes_numbers_as_tensors(&self) -> bool {
        const BASES: [&str; 8] = [
            "add",
            "div",
            "divide",
            "mul",
            "multiply",
            "sub",
            "subtract",
            "true_divide",
        ];
        let name = self.name.as_str();
        let base = name.strip_suffix("_out").or_else(|| name.strip_suffix('_'));
        let base = base.unwrap_or(name);
        BASES.contains(&base)
            || base == "floor_divide"
            || matches!(name, "to" | "_to_copy" | "copy_" | "copy" | "_conj")
    }
}

impl Parameter {
    fn parse(text: &str, is_keyword_only: bool) -> Result<Self, String> {
        let missing = || format!("FunctionParameter(): missing type: {text}");
        let (ty, name) = text.split_once(' ').ok_or_else(missing)?;
        let (ty, is_optional) = match ty.split_once('?') {
            Some((ty, _)) => (ty, true),
            None => (ty, false),
        };
        let (ty, size) = match ty.split_once('[') {
            Some((ty, size)) => (ty, size.trim_end_matches(']').parse().unwrap_or(0)),
            None => (ty, 0),
        };
        let unknown = || format!("FunctionParameter(): invalid type string: {ty}");
        let kind = Kind::parse(ty).ok_or_else(unknown)?;
        let (name, default) = match name.split_once('=') {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (name, None),
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            size,
            takes_none: is_optional || default.as_deref() == Some("None"),
            default,
            is_keyword_only,
        })
    }

    /// Returns NumPy's names for the parameter. The parser accepts them too.
    pub(super) fn numpy_names(&self) -> &'static [&'static str] {
        match self.name.as_str() {
            "dim" => &["axis"],
            "keepdim" => &["keepdims"],
            "input" => &["x", "a", "x1"],
            "other" => &["x2"],
            _ => &[],
        }
    }
}
