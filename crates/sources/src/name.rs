//! Names of operators and dispatch keys in source files.

/// A name split at its namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'t> {
    /// The namespace, if the name has one.
    pub namespace: Option<&'t str>,
    /// The operator: `add.Tensor`.
    pub operator: &'t str,
}

impl<'t> Names<'t> {
    /// Splits `aten::add.Tensor`, or the schema that begins with it.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let name = text.split('(').next().unwrap_or_default().trim();
        let (namespace, operator) = match name.split_once("::") {
            Some((namespace, operator)) => (Some(namespace.trim()), operator.trim()),
            None => (None, name),
        };
        // The runtime omits the overload `default`.
        let operator = operator.strip_suffix(".default").unwrap_or(operator);
        Self {
            namespace,
            operator,
        }
    }

    /// Whether it is a valid operator name.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let is_word = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let mut parts = self.operator.splitn(2, '.');
        parts.all(is_word)
            && self
                .namespace
                .is_none_or(|text| text.split(['.', ':']).all(|t| t.is_empty() || is_word(t)))
    }
}

/// The default key of an operator's kernel.
pub(crate) const CATCH_ALL: &str = "CompositeImplicitAutograd";

/// Translates old names: `CatchAll` is [`CATCH_ALL`], and `DefaultBackend` is
/// `CompositeExplicitAutograd`.
pub(crate) fn canonical_key(name: &str) -> &str {
    match name {
        "CatchAll" | "Math" => CATCH_ALL,
        "DefaultBackend" => "CompositeExplicitAutograd",
        "FuncTorchBatchedDecomposition" | "BatchedDecomposition" => "FuncTorchBatchedDecomposition",
        other => other,
    }
}

/// The dispatch key of a device in Python or C++: `cuda` and `kCUDA` are `CUDA`. `None` for names
/// that depend on the process, such as a renamed `privateuseone`.
#[must_use]
pub fn device_key(device: &str) -> Option<&'static str> {
    let device = device.strip_prefix('k').unwrap_or(device);
    let known = [
        "CPU",
        "CUDA",
        "HIP",
        "XLA",
        "MPS",
        "MTIA",
        "MAIA",
        "XPU",
        "HPU",
        "IPU",
        "VE",
        "Lazy",
        "Meta",
        "PrivateUse1",
        "PrivateUse2",
        "PrivateUse3",
    ];
    if device.eq_ignore_ascii_case("privateuseone") {
        return Some("PrivateUse1");
    }
    let mut known = known.into_iter();
    known.find(|key| key.eq_ignore_ascii_case(device))
}

/// The names that a source file gives to PrivateUse1:
/// `torch.utils.rename_privateuse1_backend("npu")`, or `c10::register_privateuse1_backend("npu")`.
pub(crate) fn renamed_backends(bytes: &[u8]) -> Vec<&str> {
    const CALL: &[u8] = b"privateuse1_backend(";
    let places = memchr::memmem::find_iter(bytes, CALL);
    let names = places.filter_map(|at| {
        let rest = bytes.get(at + CALL.len()..)?.trim_ascii_start();
        let (quote, rest) = rest.split_first()?;
        let end = memchr::memchr(*quote, rest).filter(|_| matches!(quote, b'"' | b'\''))?;
        str::from_utf8(rest.get(..end)?).ok()
    });
    let is_name = |name: &&str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    names.filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamed_backends_have_their_names() {
        let text = b"rename_privateuse1_backend('npu'); x_privateuse1_backend( \"a-b\" ); \
                     c10::register_privateuse1_backend(\n\"spyre\")";
        assert_eq!(renamed_backends(text), ["npu", "spyre"]);
        assert!(renamed_backends(b"register_privateuse1_backend(").is_empty());
    }

    #[test]
    fn names_split_at_their_namespace() {
        let cases = [
            ("aten::add.Tensor", Some("aten"), "add.Tensor"),
            ("add_(Tensor self) -> Tensor", None, "add_"),
            ("xla::f.default", Some("xla"), "f"),
        ];
        for (text, namespace, operator) in cases {
            let names = Names::of(text);
            assert_eq!((names.namespace, names.operator), (namespace, operator));
            assert!(names.is_valid(), "{text}");
        }
        assert!(!Names::of("a b").is_valid());
        assert!(!Names::of("").is_valid());
    }

    #[test]
    fn devices_have_keys() {
        assert_eq!(device_key("kCUDA"), Some("CUDA"));
        assert_eq!(device_key("xla"), Some("XLA"));
        assert_eq!(device_key("npu"), None);
    }
}
