//! Reads a profile from `vendor.yaml`.

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, VENDOR, message};
use opatlas_yaml::{Kind, NodeId, Root, ScalarType, Tree};

use super::Profile;

const FIELDS: [&str; 18] = [
    "name",
    "key",
    "spellings",
    "namespace",
    "cpp_namespace",
    "keys",
    "lists",
    "operator",
    "schema",
    "dispatch",
    "kernel",
    "delegates",
    "autograd",
    "autograd_only",
    "skip_if",
    "conditions",
    "versions",
    "fields",
];

const MOST_NAMES: usize = 256;

type Pairs<T> = Vec<(Box<str>, T)>;

impl Profile {
    /// Reads a profile, `vendor.yaml`: a mapping with the fields of this type.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let (text, mut diagnostics) = opatlas_yaml::decode(bytes);
        if let Some(first) = diagnostics.pop() {
            return Err(first);
        }
        let document = opatlas_yaml::parse(&text);
        if let Some(first) = document.diagnostics.into_iter().next() {
            return Err(first);
        }
        let tree = document.tree.unwrap_or_default();
        let Root::Mapping(root) = document.root else {
            return Err(fault(
                Span::default(),
                message!("{} must be a mapping", VENDOR),
            ));
        };
        let mut profile = Self::default();
        let Kind::Mapping(pairs) = tree.kind(root) else {
            return Ok(profile);
        };
        for &(key, value) in pairs {
            profile.field(&tree, key, value)?;
        }
        if profile.key.is_empty() {
            Err(fault(
                tree.span(root),
                "a vendor profile needs `key`".into(),
            ))
        } else {
            Ok(profile)
        }
    }

    fn field(&mut self, tree: &Tree, key: NodeId, node: NodeId) -> Result<(), Diagnostic> {
        let name = tree.str_value(key).unwrap_or("");
        let value = Value { tree, name, node };
        match name {
            "name" => self.name = value.text()?,
            "key" => self.key = value.text()?,
            "namespace" => self.namespace = value.text()?,
            "cpp_namespace" => self.cpp_namespace = value.text()?,
            "schema" => self.schema = value.text()?,
            "dispatch" => self.dispatch = value.text()?,
            "kernel" => self.kernel = value.text()?,
            "spellings" => self.spellings = value.list()?,
            "keys" => self.keys = value.list()?,
            "operator" => self.operator = value.list()?,
            "autograd" => self.autograd = value.list()?,
            "autograd_only" => self.autograd_only = value.list()?,
            "conditions" => self.conditions = value.list()?,
            "versions" => self.versions = value.list()?,
            "fields" => self.fields = value.list()?,
            "lists" => self.lists = value.texts()?,
            "delegates" => self.delegates = value.flag()?,
            "skip_if" => self.skip_if = value.flags()?,
            _ => {
                let message = message!("unknown field `{}` in a vendor profile", name);
                let help = message!("the fields are {}", FIELDS.join(", "));
                return Err(fault(tree.span(key), message).with_help(help));
            }
        }
        Ok(())
    }
}

/// The value of a field of the profile.
struct Value<'t> {
    tree: &'t Tree,
    name: &'t str,
    node: NodeId,
}

impl Value<'_> {
    fn wrong(&self, expected: &str) -> Diagnostic {
        let at = self.tree.span(self.node);
        fault(at, message!("`{}` must be {}", self.name, expected))
    }

    fn few<T>(&self, items: &[T]) -> Result<(), Diagnostic> {
        if items.len() <= MOST_NAMES {
            return Ok(());
        }
        let message = message!("`{}` can have at most {} items", self.name, MOST_NAMES);
        Err(fault(self.tree.span(self.node), message))
    }

    fn text(&self) -> Result<Box<str>, Diagnostic> {
        let text = self.tree.str_value(self.node);
        text.map(Box::from).ok_or_else(|| self.wrong("a string"))
    }

    fn list(&self) -> Result<Vec<Box<str>>, Diagnostic> {
        let wrong = || self.wrong("a list of strings");
        let Kind::Sequence(items) = self.tree.kind(self.node) else {
            return Err(wrong());
        };
        self.few(items)?;
        let items = items.iter().map(|&item| self.tree.str_value(item));
        items
            .map(|item| item.map(Box::from).ok_or_else(wrong))
            .collect()
    }

    fn pairs<T>(
        &self,
        expected: &str,
        read: impl Fn(NodeId) -> Option<T>,
    ) -> Result<Pairs<T>, Diagnostic> {
        let Kind::Mapping(pairs) = self.tree.kind(self.node) else {
            return Err(self.wrong(expected));
        };
        self.few(pairs)?;
        let pairs = pairs.iter().map(|&(key, value)| {
            let pair = self.tree.str_value(key).map(Box::from).zip(read(value));
            pair.ok_or_else(|| self.wrong(expected))
        });
        pairs.collect()
    }

    fn texts(&self) -> Result<Pairs<Box<str>>, Diagnostic> {
        let read = |node| self.tree.str_value(node).map(Box::from);
        self.pairs("a mapping from lists to namespaces", read)
    }

    fn flags(&self) -> Result<Pairs<bool>, Diagnostic> {
        let read = |node| boolean(self.tree, node);
        self.pairs("a mapping from fields to `True` or `False`", read)
    }

    fn flag(&self) -> Result<bool, Diagnostic> {
        boolean(self.tree, self.node).ok_or_else(|| self.wrong("`True` or `False`"))
    }
}

fn boolean(tree: &Tree, node: NodeId) -> Option<bool> {
    match tree.kind(node) {
        Kind::Scalar(scalar) => match scalar.ty {
            ScalarType::Bool(flag) => Some(flag),
            _ => None,
        },
        _ => None,
    }
}

fn fault(at: Span, message: Message) -> Diagnostic {
    Diagnostic::new(RuleId::VendorProfile, at, message)
        .with_help("`opatlas explain vendor-profile` shows a valid profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_or_refused_with_a_place() {
        let text = "name: Acme\nkey: PrivateUse1\nspellings: [ACME]\nnamespace: acme\n";
        let profile = Profile::read(text.as_bytes()).unwrap();
        assert_eq!(
            &*profile.dispatch_key("AutogradACME"),
            "AutogradPrivateUse1"
        );
        assert!(profile.is_own_key("ACME") && !profile.is_own_key("CPU"));
        for (text, at) in [
            ("name: Acme\n", "name"),
            ("key: PrivateUse1\ncolour: red\n", "colour"),
            ("key: PrivateUse1\nfields: op_api\n", "op_api"),
            ("key: PrivateUse1\nlists: [aten]\n", "[aten]"),
            ("key: PrivateUse1\nskip_if: {off: 1}\n", "{off: 1}"),
        ] {
            let fault = Profile::read(text.as_bytes()).unwrap_err();
            assert!(fault.span.slice(text).starts_with(at), "{text}: {fault:?}");
        }
    }

    #[test]
    fn a_mapping_is_read() {
        let text = "key: PrivateUse1\nlists: {., aten: aten, own: acme}\n";
        assert!(
            Profile::read(text.as_bytes()).is_err(),
            "`.` has no namespace"
        );
        let text = "{\"key\": \"PrivateUse1\", \"lists\": {\".\": \"aten\", \"own\": \"acme\"}, \
                    \"skip_if\": {\"off\": true}, \"operator\": [\"op\"]}";
        let profile = Profile::read(text.as_bytes()).unwrap();
        assert_eq!(profile.list("."), Some("aten"));
        assert_eq!(profile.list("own"), Some("acme"));
        assert_eq!(profile.skip_if, [("off".into(), true)]);
        assert_eq!(profile.operator, ["op".into()]);
        assert_eq!(&*profile.dispatch, "dispatch");
    }
}
