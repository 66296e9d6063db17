//! Converts a YAML tree to a [`BackendFile`].

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::{Span, message, suggest};
use opatlas_yaml::{Kind, NodeId, Root, ScalarType, Tree};

use super::BackendFile;
use super::vendor::Profile;
use crate::entry::Placed;

pub(super) fn read(bytes: &[u8], profile: Option<&Profile>) -> BackendFile {
    let (text, diagnostics) = opatlas_yaml::decode(bytes);
    let mut diagnostics = Complaints::from(diagnostics);
    let document = opatlas_yaml::parse(&text).bounded();
    let broken = !document.diagnostics.is_empty() || !diagnostics.is_empty();
    diagnostics.extend(document.diagnostics);
    for item in document.items {
        diagnostics.extend(item.diagnostics);
    }
    let tree = document.tree.unwrap_or_default();
    let mut reader = Reader {
        tree: &tree,
        file: BackendFile {
            text: text.as_ref().into(),
            diagnostics,
            ..BackendFile::default()
        },
    };
    match document.root {
        Root::Mapping(node) => reader.mapping(node, profile),
        Root::Sequence if !broken => {
            if let Some(file) = reader.sequence(document.root_id, &text, profile) {
                return file;
            }
        }
        root if !broken => reader.report(root_fault(&text, root)),
        _ => {}
    }
    reader.file
}

pub(super) fn root_fault(text: &str, root: Root) -> Diagnostic {
    let what = match root {
        Root::Empty => "it is empty",
        Root::Sequence => "it is a list",
        Root::Scalar(_) | Root::Mapping(_) => "it is a single value",
    };
    let start = text.len() - text.trim_start().len();
    let end = text[start..]
        .find(['\n', '\r'])
        .map_or(text.len(), |at| start + at);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Diagnostic::new(
        RuleId::BackendRoot,
        Span::new(offset(start), offset(end)),
        message!("a backend file must be a mapping, but {}", what),
    )
    .with_help("start with `backend:`, `cpp_namespace:` and `supported:`")
}

pub(super) struct Reader<'t> {
    pub(super) tree: &'t Tree,
    pub(super) file: BackendFile,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    Empty,
    Refused,
}

impl Reader<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.file.diagnostics.push(diagnostic);
    }

    pub(super) fn plain(&mut self, pairs: &[(NodeId, NodeId)]) {
        let value = |key: &str| {
            let mut pairs = pairs.iter();
            let pair = pairs.find(|(k, _)| self.tree.str_value(*k) == Some(key));
            pair.copied()
        };
        let fields = [
            "backend",
            "cpp_namespace",
            "class_name",
            "use_out_as_primary",
            "device_guard",
            "supported",
            "symint",
            "autograd",
            "full_codegen",
            "ir_gen",
            "non_native",
        ]
        .map(value);
        let [
            backend,
            namespace,
            class,
            out,
            guard,
            supported,
            symint,
            autograd,
            full,
            ir,
            other,
        ] = fields;
        self.file.backend = self.required("backend", backend);
        self.file.cpp_namespace = self.required("cpp_namespace", namespace);
        self.file.class_name = class.and_then(|(_, node)| self.text(node));
        self.file.use_out_as_primary = self.flag("use_out_as_primary", out);
        self.file.device_guard = self.flag("device_guard", guard);
        self.file.supported = self.operators("supported", supported, Null::Empty);
        self.file.symint = self.operators("symint", symint, Null::Empty);
        self.file.autograd = self.operators("autograd", autograd, Null::Refused);
        self.file.full_codegen = self.operators("full_codegen", full, Null::Refused);
        self.file.ir_gen = self.unchecked(ir);
        self.file.non_native = self.unchecked(other);
        for &(key, _) in pairs {
            self.known(key);
        }
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.tree.kind(node), Kind::Scalar(s) if s.ty == ScalarType::Null)
    }

    /// `None` for null.
    pub(super) fn text(&self, node: NodeId) -> Option<Placed<Box<str>>> {
        let at = self.tree.span(node);
        let value = match self.tree.kind(node) {
            Kind::Scalar(scalar) if scalar.ty == ScalarType::Null => return None,
            Kind::Scalar(scalar) => scalar.value,
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Recursive => at.slice(self.tree.text()),
        };
        Some(Placed {
            value: value.into(),
            at,
        })
    }

    fn required(&mut self, key: &str, pair: Option<(NodeId, NodeId)>) -> Option<Placed<Box<str>>> {
        let found = pair.and_then(|(_, node)| self.text(node));
        if found.is_none() {
            let at = pair.map_or(Span::at(0), |(key, _)| self.tree.span(key));
            let message = match pair {
                Some(_) => message!("`{}` has no value", key),
                None => message!("the file has no `{}`", key),
            };
            let help = match key {
                "backend" => {
                    "set it to the dispatch key of the backend, for example `backend: XLA`"
                }
                _ => {
                    "set it to the C++ namespace of the kernels, for example `cpp_namespace: acme`"
                }
            };
            self.report(Diagnostic::new(RuleId::BackendRequired, at, message).with_help(help));
        }
        found
    }

    pub(super) fn flag(&mut self, key: &str, pair: Option<(NodeId, NodeId)>) -> bool {
        let Some((key_node, node)) = pair else {
            return false;
        };
        if let Kind::Scalar(scalar) = self.tree.kind(node)
            && let ScalarType::Bool(flag) = scalar.ty
        {
            return flag;
        }
        let at = if self.is_null(node) { key_node } else { node };
        self.report(
            Diagnostic::new(
                RuleId::BackendBool,
                self.tree.span(at),
                message!("`{}` must be a boolean", key),
            )
            .with_help("write `True` or `False` without quotes"),
        );
        false
    }

    fn operators(
        &mut self,
        key: &str,
        pair: Option<(NodeId, NodeId)>,
        null: Null,
    ) -> Vec<Placed<Box<str>>> {
        let Some((key_node, node)) = pair else {
            return Vec::new();
        };
        if null == Null::Empty && self.is_null(node) {
            return Vec::new();
        }
        let items: Vec<NodeId> = match self.tree.kind(node) {
            Kind::Sequence(items) => items.to_vec(),
            // Python extends lists with any iterable.
            Kind::Mapping(pairs) if key == "full_codegen" => {
                pairs.iter().map(|(key, _)| *key).collect()
            }
            Kind::Scalar(s)
                if key == "full_codegen" && s.ty == ScalarType::Str && s.value.is_empty() =>
            {
                Vec::new()
            }
            _ => {
                let at = if self.is_null(node) { key_node } else { node };
                self.report(
                    Diagnostic::new(
                        RuleId::BackendSupportedList,
                        self.tree.span(at),
                        message!("`{}` must be a list of operators", key),
                    )
                    .with_help(message!(
                        "write `{}: []`, or one line `- op.overload` per operator",
                        key
                    )),
                );
                return Vec::new();
            }
        };
        let mut operators = Vec::with_capacity(items.len());
        for item in items {
            match (self.tree.str_value(item), self.tree.kind(item)) {
                (Some(name), _) => operators.push(Placed {
                    value: name.into(),
                    at: self.tree.span(item),
                }),
                // A set of scalars may contain anything.
                (None, Kind::Scalar(_)) if key == "symint" => {}
                (None, _) => self.report(
                    Diagnostic::new(
                        RuleId::BackendOpExists,
                        self.tree.span(item),
                        message!("an operator name in `{}` must be a string", key),
                    )
                    .with_help("write the operator's name, `op.overload`"),
                ),
            }
        }
        operators
    }

    fn unchecked(&self, pair: Option<(NodeId, NodeId)>) -> Vec<Placed<Box<str>>> {
        let Some((_, node)) = pair else {
            return Vec::new();
        };
        let Kind::Sequence(items) = self.tree.kind(node) else {
            return Vec::new();
        };
        let name = |item: &NodeId| {
            let node = match self.tree.kind(*item) {
                Kind::Mapping(pairs) => {
                    let func =
                        |(key, _): &&(NodeId, NodeId)| self.tree.str_value(*key) == Some("func");
                    pairs.iter().find(func)?.1
                }
                _ => *item,
            };
            let value = self.tree.str_value(node)?.into();
            let at = self.tree.span(node);
            Some(Placed { value, at })
        };
        items.iter().filter_map(name).collect()
    }

    /// Reports unknown keys, which are the same in all releases.
    fn known(&mut self, key: NodeId) {
        let taken = Release::LATEST.data().backend_yaml_keys_taken;
        let at = self.tree.span(key);
        let name = self.tree.str_value(key);
        if name.is_some_and(|name| taken.contains(name)) {
            return;
        }
        let written = at.slice(self.tree.text());
        let fault = Diagnostic::new(
            RuleId::BackendKnownKeys,
            at,
            message!("unknown key `{}` in a backend file", written),
        );
        let nearest = suggest::near(written, taken.iter());
        let fault = match nearest {
            _ if name == Some("extra_headers") => fault.with_help(
                "remove it; PyTorch's error message lists it as a valid key, but its reader \
                 rejects it",
            ),
            Some(nearest) => fault.with_near_name(at, nearest),
            None => fault.with_help(message!(
                "the valid keys are {}",
                taken.iter().collect::<Vec<_>>().join(", ")
            )),
        };
        self.report(fault);
    }
}

#[cfg(test)]
mod tests {
    use super::super::BackendFile;
    use opatlas_source::diagnostic::RuleId;

    fn check(text: &str, expected: &[RuleId]) {
        let read = BackendFile::read(text.as_bytes());
        let rules: Vec<_> = read.diagnostics.iter().map(|d| d.rule).collect();
        assert_eq!(rules, expected, "{text}");
    }

    #[test]
    fn shapes() {
        check("- a", &[RuleId::BackendRoot]);
        check("", &[RuleId::BackendRoot]);
        check("{}", &[RuleId::BackendRequired, RuleId::BackendRequired]);
        let with = |more: &str| format!("backend: XLA\ncpp_namespace: x\n{more}\n");
        check(&with("supported:"), &[]);
        check(&with("symint:"), &[]);
        check(&with("autograd:"), &[RuleId::BackendSupportedList]);
        check(&with("full_codegen:"), &[RuleId::BackendSupportedList]);
        check(&with("supported: sq"), &[RuleId::BackendSupportedList]);
        check(&with("supported: [1]"), &[RuleId::BackendOpExists]);
        check(&with("symint: [1]"), &[]);
        check(&with("symint: [[1]]"), &[RuleId::BackendOpExists]);
        check(&with("device_guard: 1"), &[RuleId::BackendBool]);
        check(&with("use_out_as_primary:"), &[RuleId::BackendBool]);
        check(&with("suported: []"), &[RuleId::BackendKnownKeys]);
        check(&with("extra_headers: x"), &[RuleId::BackendKnownKeys]);
        check(&with("ir_gen: 3\nnon_native: [{func: 'f() -> ()'}]"), &[]);
    }
}
