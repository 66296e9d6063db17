//! C++ types as far as they decide between overloads, and what C++ converts into what.

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CppType {
    Tensor,
    Tensors,
    OptionalTensors,
    Bool,
    Integer,
    SymInt,
    Float,
    Scalar,
    Integers,
    SymIntegers,
    Floats,
    ScalarType,
    Layout,
    Device,
    MemoryFormat,
    Options,
    Generator,
    Dimname,
    Dimnames,
    Text,
    Storage,
    /// `std::nullopt`
    Null,
    Optional(Box<Self>),
    /// Values in braces.
    List(Vec<Self>),
    Tuple(Vec<Self>),
    /// A type that no operator takes.
    Other,
    Unknown,
}

use CppType as T;

/// The cost of passing a tensor to a parameter of a class or a template.
pub(super) const UNLIKELY: u32 = 100;

/// Words that say nothing about the type.
const NOISE: [&str; 16] = [
    "const",
    "static",
    "inline",
    "constexpr",
    "extern",
    "friend",
    "virtual",
    "explicit",
    "typename",
    "at",
    "c10",
    "std",
    "torch",
    "native",
    "class",
    "struct",
];

impl CppType {
    /// The type that a declaration names; `auto` and names of templates are unknown.
    pub(super) fn parse(text: &str) -> Self {
        let words = text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut plain = String::new();
        for part in words {
            let end = part.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            if !NOISE.contains(&end) && !is_macro(end) {
                plain.push_str(end);
            }
            plain.extend(part[end.len()..].chars().filter(|c| "<>,".contains(*c)));
        }
        Self::of_plain(&plain)
    }

    fn of_plain(text: &str) -> Self {
        let (name, inner) = match text.split_once('<') {
            Some((name, inner)) => (name, inner.strip_suffix('>').unwrap_or(inner)),
            None => (text, ""),
        };
        match name {
            "Tensor" | "TensorBase" | "TensorRef" => T::Tensor,
            "TensorList" | "ITensorListRef" | "MaterializedITensorListRef" => T::Tensors,
            "IOptTensorListRef" => T::OptionalTensors,
            "bool" => T::Bool,
            "int" | "int64_t" | "long" | "size_t" | "int32_t" | "uint64_t" | "unsigned"
            | "int8_t" | "uint8_t" | "uint32_t" | "int16_t" | "longlong" | "ptrdiff_t" => {
                T::Integer
            }
            "SymInt" => T::SymInt,
            "double" | "float" => T::Float,
            "Scalar" => T::Scalar,
            "IntArrayRef" | "DimVector" => T::Integers,
            "OptionalIntArrayRef" => Self::optional(T::Integers),
            "SymIntArrayRef" | "SymDimVector" => T::SymIntegers,
            "OptionalSymIntArrayRef" => Self::optional(T::SymIntegers),
            "ScalarType" | "TypeMeta" => T::ScalarType,
            "Layout" => T::Layout,
            "Device" | "DeviceType" => T::Device,
            "MemoryFormat" => T::MemoryFormat,
            "TensorOptions" => T::Options,
            "Generator" => T::Generator,
            "Dimname" => T::Dimname,
            "DimnameList" => T::Dimnames,
            "string" | "string_view" | "char" | "basic_string_view" => T::Text,
            "Storage" => T::Storage,
            "optional" | "OptionalRef" | "OptionalArrayRef" | "MaybeOwned"
            | "OptionalTensorRef" => match (name, inner) {
                ("OptionalTensorRef", _) => Self::optional(T::Tensor),
                ("OptionalArrayRef", _) => Self::optional(Self::list_of(&Self::of_plain(inner))),
                _ => Self::optional(Self::of_plain(inner)),
            },
            "ArrayRef" | "vector" | "SmallVector" | "SmallVectorImpl" | "array" | "List"
            | "IListRef" => {
                let element = split(inner).first().map(|&element| Self::of_plain(element));
                Self::list_of(&element.unwrap_or(T::Unknown))
            }
            "tuple" | "pair" => T::Tuple(split(inner).into_iter().map(Self::of_plain).collect()),
            "" | "auto" | "decltype" | "T" => T::Unknown,
            _ => T::Other,
        }
    }

    pub(super) fn optional(inner: Self) -> Self {
        match inner {
            T::Unknown => T::Unknown,
            inner => T::Optional(Box::new(inner)),
        }
    }

    fn list_of(element: &Self) -> Self {
        match element {
            T::Tensor => T::Tensors,
            T::Optional(inner) if **inner == T::Tensor => T::OptionalTensors,
            T::Integer => T::Integers,
            T::SymInt => T::SymIntegers,
            T::Float => T::Floats,
            T::Dimname => T::Dimnames,
            T::Unknown => T::Unknown,
            _ => T::Other,
        }
    }

    /// The type of an element, or of what an optional value holds.
    pub(super) fn element(&self) -> Self {
        match self {
            T::Tensors | T::Tensor => T::Tensor,
            T::OptionalTensors => Self::optional(T::Tensor),
            T::Integers => T::Integer,
            T::SymIntegers => T::SymInt,
            T::Floats => T::Float,
            T::Dimnames => T::Dimname,
            T::Optional(inner) => inner.element(),
            T::List(items) => items.first().cloned().unwrap_or(T::Unknown),
            _ => T::Unknown,
        }
    }

    /// What an optional value holds; other values themselves.
    pub(super) fn held(&self) -> Self {
        match self {
            T::Optional(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }

    /// Whether a value may be, or hold, a tensor.
    pub(super) fn has_tensor(&self) -> bool {
        match self {
            T::Tensor | T::Tensors | T::OptionalTensors => true,
            T::Optional(inner) => inner.has_tensor(),
            T::List(items) | T::Tuple(items) => items.iter().any(Self::has_tensor),
            _ => false,
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, T::Unknown | T::Other)
    }

    /// What it costs to pass a value of this type to a parameter: nothing for the type itself, more
    /// the further C++ converts it. `None` if it does not.
    pub(super) fn cost(&self, parameter: &Self) -> Option<u32> {
        if *parameter == T::Other && self.has_tensor() {
            return Some(UNLIKELY);
        }
        if self == parameter || self.is_unknown() || parameter.is_unknown() {
            return Some(0);
        }
        match (self, parameter) {
            (T::List(items), _) if items.is_empty() => Some(2),
            (T::Null, T::Optional(_)) => Some(1),
            (T::Optional(value), T::Optional(wanted)) => value.cost(wanted).map(|cost| cost + 1),
            (T::Tensor, T::Optional(wanted)) if **wanted == T::Tensor => Some(1),
            (_, T::Optional(wanted)) => self.cost(wanted).map(|cost| cost + 3),
            (T::List(items), T::Tuple(_)) if items.len() > 1 => Some(3),
            (T::List(items), _) => Self::cost_of_items(items, parameter),
            (T::Tensor, T::Tensors) | (T::Integer, T::SymInt | T::Integers) => Some(3),
            (T::Integer | T::SymInt, T::SymIntegers) | (T::Float, T::Floats) => Some(3),
            (T::Integer | T::Float | T::Bool | T::SymInt, T::Scalar) => Some(3),
            (T::Bool | T::Float, T::Integer) | (T::Integer | T::Bool, T::Float) => Some(1),
            (T::Integer | T::Float, T::Bool) => Some(1),
            (T::ScalarType | T::Device | T::Layout | T::MemoryFormat, T::Options) => Some(3),
            (T::Tensors, T::OptionalTensors) => Some(3),
            _ => None,
        }
    }

    /// The values of a list become the elements of an array, or the one argument of a value.
    fn cost_of_items(items: &[Self], parameter: &Self) -> Option<u32> {
        let element = match parameter {
            T::Integers
            | T::SymIntegers
            | T::Floats
            | T::Tensors
            | T::OptionalTensors
            | T::Dimnames => parameter.element(),
            T::Scalar if items.len() == 1 => T::Scalar,
            _ => return None,
        };
        let fits = |item: &Self| {
            let is_narrowing = matches!((item, &element), (T::Float, T::Integer));
            !is_narrowing && item.cost(&element).is_some()
        };
        items.iter().all(fits).then_some(1)
    }
}

/// `TORCH_API`, `C10_ALWAYS_INLINE`
fn is_macro(word: &str) -> bool {
    word.contains('_')
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
}

/// Splits at the commas outside brackets.
pub(super) fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = text[from..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_known() {
        for (text, ty) in [
            ("const at::Tensor &", T::Tensor),
            ("::std::optional<at::Scalar>", T::optional(T::Scalar)),
            (
                "const c10::List<::std::optional<at::Tensor>> &",
                T::OptionalTensors,
            ),
            ("static inline std::vector<Tensor>", T::Tensors),
            ("TORCH_API SmallVector<int64_t, 5>", T::Integers),
            (
                "::std::tuple<at::Tensor,at::Tensor>",
                T::Tuple(vec![T::Tensor, T::Tensor]),
            ),
            ("const auto&", T::Unknown),
            ("TensorIterator", T::Other),
        ] {
            assert_eq!(T::parse(text), ty, "{text}");
        }
    }

    #[test]
    fn conversions_are_those_of_cpp() {
        assert_eq!(T::Tensor.cost(&T::Scalar), None);
        assert_eq!(T::Integer.cost(&T::ScalarType), None);
        assert!(T::Integer.cost(&T::Integer) < T::Integer.cost(&T::Scalar));
        assert!(T::Null.cost(&T::optional(T::ScalarType)).is_some());
        assert_eq!(T::List(vec![T::Tensor]).cost(&T::Integers), None);
    }
}
