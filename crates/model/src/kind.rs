//! The arguments of a call, as far as a text shows them. They choose among overloads.

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A tensor.
    Tensor,
    /// A list of tensors.
    Tensors,
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
    /// A Boolean.
    Bool,
    /// A number of any kind.
    Number,
    /// A string.
    Str,
    /// `None`.
    None,
    /// A list of integers.
    Ints,
    /// A list of floating-point numbers.
    Floats,
    /// A list of Booleans.
    Bools,
    /// A value of unknown kind.
    Unknown,
}

/// The most arguments of a call that are kept. No operator has more.
const MOST: usize = 64;

/// The arguments of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Arguments {
    /// Positional arguments.
    pub positional: Vec<Kind>,
    /// Keyword arguments.
    pub keywords: Vec<(String, Kind)>,
    /// The call has all arguments of the operator, those with defaults too, as in a graph of
    /// TorchScript.
    pub is_complete: bool,
}

impl Arguments {
    pub(crate) fn add(&mut self, keyword: Option<&str>, kind: Kind) {
        if self.positional.len() + self.keywords.len() >= MOST {
            return;
        }
        match keyword {
            Some(keyword) => self.keywords.push((keyword.to_owned(), kind)),
            None => self.positional.push(kind),
        }
    }

    /// Whether an argument may be a tensor.
    pub(crate) fn may_have_tensor(&self) -> bool {
        let named = self.keywords.iter().map(|(_, kind)| *kind);
        let mut all = self.positional.iter().copied().chain(named);
        all.any(|kind| matches!(kind, Kind::Tensor | Kind::Tensors | Kind::Unknown))
    }
}

impl Kind {
    /// The kind of a type of TorchScript, such as `int[]`, `Optional[Tensor]` or `Float(2, 3)`.
    pub(crate) fn of_type(text: &str) -> Self {
        let text = text.trim();
        let inner = |prefix: &str| text.strip_prefix(prefix)?.strip_suffix(']');
        if let Some(inner) = inner("Optional[") {
            return Self::of_type(inner);
        }
        if let Some(inner) = inner("List[") {
            return Self::of_type(inner).list();
        }
        if let Some(inner) = text.strip_suffix("[]") {
            return Self::of_type(inner).list();
        }
        match text.trim_end_matches('?') {
            "Tensor" => Self::Tensor,
            "int" => Self::Int,
            "float" => Self::Float,
            "bool" => Self::Bool,
            "number" | "Scalar" => Self::Number,
            "str" => Self::Str,
            "NoneType" | "None" => Self::None,
            text if is_shaped_tensor(text) => Self::Tensor,
            _ => Self::Unknown,
        }
    }

    fn list(self) -> Self {
        match self {
            Self::Tensor => Self::Tensors,
            Self::Int => Self::Ints,
            Self::Float => Self::Floats,
            Self::Bool => Self::Bools,
            _ => Self::Unknown,
        }
    }

    /// The kind of a literal of Python.
    pub(crate) fn of_literal(text: &str) -> Self {
        let text = text.trim();
        if let Some(items) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            let mut items = items.split(',').filter(|item| !item.trim().is_empty());
            let Some(first) = items.next().map(Self::of_literal) else {
                return Self::Unknown;
            };
            let is_same = items.all(|item| Self::of_literal(item) == first);
            return if is_same { first.list() } else { Self::Unknown };
        }
        match text {
            "None" => Self::None,
            "True" | "False" => Self::Bool,
            _ if text.starts_with(['"', '\'']) => Self::Str,
            _ if text.parse::<i64>().is_ok() => Self::Int,
            _ if text.starts_with(|c: char| c.is_ascii_digit() || "-.".contains(c))
                && text.parse::<f64>().is_ok() =>
            {
                Self::Float
            }
            _ => Self::Unknown,
        }
    }
}

/// `Float(2, 3, strides=[3, 1])`, as the graphs of traces show a tensor.
fn is_shaped_tensor(text: &str) -> bool {
    const DTYPES: [&str; 12] = [
        "Float",
        "Double",
        "Half",
        "BFloat16",
        "Long",
        "Int",
        "Short",
        "Char",
        "Byte",
        "Bool",
        "ComplexFloat",
        "ComplexDouble",
    ];
    let name = text.split('(').next().unwrap_or_default();
    text.contains('(') && DTYPES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_literals_have_kinds() {
        let types = [
            ("Tensor", Kind::Tensor),
            ("Optional[Tensor]", Kind::Tensor),
            ("Float(2, 3, strides=[3, 1], device=cpu)", Kind::Tensor),
            ("int[]", Kind::Ints),
            ("List[Tensor]", Kind::Tensors),
            ("Tensor?[]", Kind::Tensors),
            ("NoneType", Kind::None),
            ("__torch__.M", Kind::Unknown),
            ("(Tensor, int)", Kind::Unknown),
        ];
        for (text, kind) in types {
            assert_eq!(Kind::of_type(text), kind, "{text}");
        }
        let literals = [
            ("[1, 1]", Kind::Ints),
            ("[]", Kind::Unknown),
            ("[1, x]", Kind::Unknown),
            ("1e-05", Kind::Float),
            ("-1", Kind::Int),
            ("nan", Kind::Unknown),
            ("x", Kind::Unknown),
        ];
        for (text, kind) in literals {
            assert_eq!(Kind::of_literal(text), kind, "{text}");
        }
    }
}
