//! The spellings of an operator's name.

use crate::kind::Arguments;

/// An operator as a model names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// `add.Tensor`, `addmm` or `torchvision::nms`: qualified unless the namespace is `aten`.
    pub text: String,
    /// What the model says of the overload.
    pub overload: Overload,
}

/// What a model says of the overload of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Overload {
    /// The name has it. Without a dot, it is the overload without a name (`.default` in Python).
    Given,
    /// The name has none: `aten::addmm` of a profiler is any overload of `addmm`.
    Open,
    /// The name has none, and a call has these arguments.
    Called(Arguments),
}

/// The longest name that is taken for an operator. Real ones have up to 70 characters.
const LONGEST: usize = 200;

/// Namespaces that a name may begin with in dots.
const NAMESPACES: [&str; 8] = [
    "aten",
    "prim",
    "prims",
    "quantized",
    "torchvision",
    "torchaudio",
    "higher_order",
    "_c10d_functional",
];

/// Functions of TorchScript on values of Python.
const INTERPRETED: [&str; 52] = [
    "__contains__",
    "__derive_index",
    "__getitem__",
    "__interpolate",
    "__is__",
    "__isnot__",
    "__not__",
    "__range_length",
    "_get_tracing_state",
    "_is_tracing",
    "_set_item",
    "_unwrap_optional",
    "append",
    "broadcast_shapes",
    "clear",
    "device",
    "dict",
    "divmod",
    "element_size",
    "endswith",
    "extend",
    "find",
    "floordiv",
    "format",
    "get",
    "has_torch_function",
    "hash",
    "insert",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "is_grad_enabled",
    "is_scripting",
    "items",
    "join",
    "keys",
    "len",
    "list",
    "lower",
    "ord",
    "percentFormat",
    "pop",
    "popitem",
    "replace",
    "reverse",
    "set_grad_enabled",
    "setdefault",
    "sorted",
    "startswith",
    "str",
    "strip",
    "upper",
    "warn",
];

/// Overloads of operators that take numbers, strings or lists instead of tensors.
const INTERPRETED_OVERLOADS: [&str; 14] = [
    "bool",
    "bool_list",
    "device",
    "float",
    "float_int",
    "float_list",
    "int",
    "int_float",
    "int_int",
    "int_list",
    "list_int",
    "str",
    "str_list",
    "t",
];

impl Name {
    /// An operator with this overload.
    pub(crate) fn given(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            overload: Overload::Given,
        }
    }

    /// Parses `aten::add.Tensor`, `torch.ops.aten.add.Tensor`, `aten.add.Tensor` or `add.Tensor`.
    /// `None` for what is not a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LONGEST {
            return None;
        }
        if let Some(rest) = text.strip_prefix("torch.ops.") {
            let (namespace, rest) = rest.split_once('.')?;
            return Self::of_parts(namespace, rest);
        }
        if let Some((namespace, rest)) = text.split_once("::") {
            return Self::of_parts(namespace, rest);
        }
        match text.split_once('.') {
            Some((first, rest)) if NAMESPACES.contains(&first) || rest.contains('.') => {
                Self::of_parts(first, rest)
            }
            _ => Self::of_parts("aten", text),
        }
    }

    fn of_parts(namespace: &str, rest: &str) -> Option<Self> {
        let (base, overload) = match rest.split_once('.') {
            Some((base, overload)) => (base, Some(overload)),
            None => (rest, None),
        };
        let is_overload = overload.is_none_or(is_word);
        if !is_identifier(namespace) || !is_identifier(base) || !is_overload {
            return None;
        }
        let base = match namespace {
            "aten" => base.to_owned(),
            _ => format!("{namespace}::{base}"),
        };
        Some(match overload {
            None => Self {
                text: base,
                overload: Overload::Open,
            },
            Some("default") => Self::given(&base),
            Some(overload) => Self::given(&format!("{base}.{overload}")),
        })
    }

    /// The operator that a call of TorchScript reaches: a tensor becomes a number of Python by `item`.
    pub(crate) fn reached(self) -> Self {
        const READS: [&str; 7] = [
            "Bool",
            "Int",
            "Float",
            "Complex",
            "IntImplicit",
            "FloatImplicit",
            "ScalarImplicit",
        ];
        let (base, overload) = self.text.split_once('.').unwrap_or((&self.text, ""));
        match READS.contains(&base) && matches!(overload, "" | "Tensor") {
            true => Self::given("item"),
            false => self,
        }
    }

    /// Whether TorchScript's interpreter serves it on numbers, strings and lists, so that no call
    /// reaches a backend, unless the revision declares it
    /// (`torch/csrc/jit/runtime/register_prim_ops.cpp`).
    #[must_use]
    pub fn is_of_interpreter(&self) -> bool {
        let (base, overload) = self.text.split_once('.').unwrap_or((&self.text, ""));
        INTERPRETED.contains(&base) || INTERPRETED_OVERLOADS.contains(&overload)
    }

    /// The same name, called with these arguments.
    pub(crate) fn called(self, arguments: Arguments) -> Self {
        match self.overload {
            Overload::Open => Self {
                overload: Overload::Called(arguments),
                ..self
            },
            _ => self,
        }
    }
}

/// The dotted name that ends at a place in a text, such as `torch.ops.aten.mm.default` before its
/// parenthesis.
pub(crate) fn path_before(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = before
        .bytes()
        .rev()
        .take(LONGEST)
        .take_while(is_part)
        .count();
    before.get(end - length..).unwrap_or_default()
}

pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

pub(crate) fn is_identifier(text: &str) -> bool {
    is_word(text) && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_names_the_same_overload() {
        let given = [
            ("aten.addmm.default", "addmm"),
            ("torch.ops.aten.addmm.default", "addmm"),
            ("aten::addmm.default", "addmm"),
            ("addmm.default", "addmm"),
            ("addmm.out", "addmm.out"),
            ("aten::addmm.dtype", "addmm.dtype"),
            ("torchvision.nms.default", "torchvision::nms"),
            ("torch.ops.acme.f.x", "acme::f.x"),
            ("my_ops.f.default", "my_ops::f"),
        ];
        for (text, name) in given {
            assert_eq!(Name::parse(text), Some(Name::given(name)), "{text}");
        }
        let open = [
            ("addmm", "addmm"),
            ("aten::addmm", "addmm"),
            ("aten.addmm", "addmm"),
            ("torch.ops.aten.addmm", "addmm"),
            ("torchvision::nms", "torchvision::nms"),
        ];
        for (text, name) in open {
            let parsed = Name::parse(text).unwrap();
            assert_eq!((&*parsed.text, parsed.overload), (name, Overload::Open));
        }
        for text in [
            "",
            "a b",
            "aten::",
            "1x",
            "a..b",
            "é",
            "torch.ops.aten",
            "f(",
        ] {
            assert_eq!(Name::parse(text), None, "{text}");
        }
    }
}
