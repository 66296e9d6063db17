//! Reads one entry: its operator, releases and kernels (`docs/spec/vendors.md`, section 5).

use std::sync::Arc;

use opatlas_schema::parse::parse_schema;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::suggest::nearest;
use opatlas_source::{Message, Span, message};
use opatlas_yaml::{Kind, NodeId, ScalarType};

use super::read::{List, Reader};
use super::recognition::field;
use super::schema::{Whole, is_plain, runtime_schema, whole_schema};
use super::{Section, VendorEntry, VendorKernel, Versions};
use crate::entry::Placed;

impl<'t> Reader<'t> {
    /// Reads an entry. `key` names the operator in a mapping by operator.
    pub(super) fn entry(&mut self, list: List<'_>, key: Option<NodeId>, item: NodeId) {
        let Some((func, named)) = self.operator(list, key, item) else {
            return;
        };
        let Some(text) = self.tree.str_value(func) else {
            self.nameless(list, item);
            return;
        };
        let is_mapping = matches!(self.tree.kind(item), Kind::Mapping(_));
        if is_mapping && list.section != Section::Derivatives {
            self.fields(item, named);
        }
        let declares = !self.profile.schema.is_empty() && named == Some(&*self.profile.schema);
        let section = match list.namespace {
            Some(_) if declares => Section::Custom,
            _ => list.section,
        };
        let mut entry = self.named(section, func, text);
        if let Some(namespace) = list.namespace
            && section.is_own()
        {
            entry.namespace.get_or_insert_with(|| namespace.into());
        }
        if is_mapping {
            entry.versions = self.versions(item);
            entry.kernels = self.kernels(item);
            entry.may_be_structured = self.may_be_structured(item);
            entry.is_registered = self.is_registered(item);
            entry.is_conditional = self.has_any(item, &self.profile.conditions);
            entry.autograd = self.autograd(item);
        }
        if self.profile.autograd_only.contains(&entry.name.value) {
            entry.autograd = Some(entry.name.at);
            entry.kernels.get_or_insert_default();
        }
        self.entries.push(entry);
    }

    /// The node that names the operator, and the field that it is the value of.
    fn operator(
        &mut self,
        list: List<'_>,
        key: Option<NodeId>,
        item: NodeId,
    ) -> Option<(NodeId, Option<&'t str>)> {
        if key.is_none() && !matches!(self.tree.kind(item), Kind::Mapping(_)) {
            return Some((item, None));
        }
        let (tree, profile) = (self.tree, self.profile);
        let of = |name: &str| field(tree, item, name);
        if list.section == Section::Derivatives {
            return match of("name") {
                Some(node) => Some((node, None)),
                None => {
                    self.nameless(list, item);
                    None
                }
            };
        }
        if !profile.schema.is_empty()
            && let Some(node) = of(&profile.schema)
        {
            return Some((node, Some(&profile.schema)));
        }
        if let Some(key) = key {
            return Some((key, None));
        }
        let mut fields = profile.operator.iter();
        let found = fields.find_map(|name| Some((of(name)?, Some(&**name))));
        if found.is_none() {
            self.nameless(list, item);
        }
        found
    }

    fn nameless(&mut self, list: List<'_>, item: NodeId) {
        let fields: Vec<&str> = match list.section {
            Section::Derivatives => vec!["name"],
            _ => {
                let schema = Some(&self.profile.schema).filter(|field| !field.is_empty());
                let fields = self.profile.operator.iter().chain(schema);
                fields.map(|field| &**field).collect()
            }
        };
        let place = match list.name {
            "." => "the list".into(),
            name => message!("`{}`", name),
        };
        let named = fields.join("` or `");
        let message = message!("an entry of {} has no `{}`", place, named);
        let fault = Diagnostic::new(RuleId::VendorSchema, self.tree.span(item), message);
        self.diagnostics
            .push(fault.with_help("name the operator, or give its schema"));
    }

    fn named(&mut self, section: Section, func: NodeId, text: &str) -> VendorEntry {
        let at = self.tree.span(func);
        let (namespace, name, schema) = if text.contains('(') {
            self.whole(section, func, text)
        } else {
            let (namespace, name) = match text.rsplit_once("::") {
                Some((namespace, name)) => (Some(namespace.trim().into()), name),
                None => (None, text),
            };
            (namespace, name.trim().into(), None)
        };
        if section.is_own() && schema.is_none() && !text.contains('(') {
            let message = message!("`{}` of `{}` has no schema", text, section.as_str());
            let fault = Diagnostic::new(RuleId::VendorSchema, at, message);
            self.diagnostics
                .push(fault.with_help("give its whole schema: no other file has it"));
        }
        VendorEntry {
            section,
            namespace,
            name: Placed { value: name, at },
            schema: schema.map(Arc::new),
            versions: Versions::default(),
            kernels: None,
            may_be_structured: true,
            autograd: None,
            is_registered: true,
            is_conditional: false,
        }
    }

    /// A vendor's operators may use types that only the runtime parses, such as dictionaries.
    fn whole(&mut self, section: Section, func: NodeId, text: &str) -> Whole {
        let at = self.tree.span(func);
        let parsed = parse_schema(text, 0);
        let is_read = parsed.schema.as_ref().is_some_and(is_plain);
        if section.is_own()
            && !is_read
            && let Ok(read) = opatlas_runtime::parse(text)
        {
            let namespace = read.has_namespace.then(|| read.namespace.into());
            let schema = runtime_schema(read, at);
            return (namespace, schema.schema.name.as_str().into(), Some(schema));
        }
        if parsed.namespace.as_deref().is_some_and(|n| n.contains('(')) {
            return self.of_cpp(at, text);
        }
        let Some(first) = parsed.diagnostics.first() else {
            let schema = parsed.schema.map(|schema| whole_schema(schema, at));
            let name = parsed.name.map(|name| name.as_str().into());
            return (parsed.namespace, name.unwrap_or_default(), schema);
        };
        let span = first.span;
        let span = self
            .tree
            .place(func, span.start as usize..span.end as usize);
        // A missing part at the end has no text, so point at the whole schema.
        let span = if span.is_empty() { at } else { span };
        let message = message!("unreadable schema: {}", first.message);
        let mut fault = Diagnostic::new(RuleId::VendorSchema, span, message);
        fault.help.clone_from(&first.help);
        self.diagnostics.push(fault);
        let name = match &parsed.name {
            Some(name) => name.as_str().into(),
            None => text.split('(').next().unwrap_or("").trim().into(),
        };
        (parsed.namespace, name, None)
    }

    /// A schema with C++ types, such as `at::TensorList`. Its name counts.
    fn of_cpp(&mut self, at: Span, text: &str) -> Whole {
        let message = message!("unreadable schema: its types are those of C++");
        let fault = Diagnostic::new(RuleId::VendorSchema, at, message);
        self.diagnostics
            .push(fault.with_help("write the types as in native_functions.yaml"));
        let name = text.split('(').next().unwrap_or("").trim();
        match name.rsplit_once("::") {
            Some((namespace, name)) => (Some(namespace.into()), name.into(), None),
            None => (None, name.into(), None),
        }
    }

    /// Reports the fields that the profile does not know. `named` is the one that names the operator.
    fn fields(&mut self, item: NodeId, named: Option<&str>) {
        let Kind::Mapping(pairs) = self.tree.kind(item) else {
            return;
        };
        for (key, _) in pairs {
            let name = self.tree.str_value(*key).unwrap_or("");
            let mut known = self.profile.known_fields();
            if named == Some(name) || known.any(|field| field == name) {
                continue;
            }
            if self.diagnostics.is_full(RuleId::VendorField) {
                self.diagnostics.count(RuleId::VendorField, 1);
                continue;
            }
            let message = message!("the vendor profile has no field `{}`", name);
            let help = match nearest(name, self.profile.known_fields()) {
                Some(near) => message!("did you mean `{}`?", near),
                None => "if it does not change which kernels there are, add it to `fields` of the \
                         vendor profile"
                    .into(),
            };
            self.field_fault(*key, message, help);
        }
    }

    fn field_fault(&mut self, at: NodeId, message: Message, help: Message) {
        if self.diagnostics.is_full(RuleId::VendorField) {
            self.diagnostics.count(RuleId::VendorField, 1);
            return;
        }
        let fault = Diagnostic::new(RuleId::VendorField, self.tree.span(at), message);
        self.diagnostics.push(fault.with_help(help));
    }

    fn versions(&self, item: NodeId) -> Versions {
        let fields = self.profile.versions.iter();
        let fields = fields.filter_map(|name| field(self.tree, item, name));
        Versions::of_fields(self.tree, &fields.collect::<Vec<_>>())
    }

    fn has_any(&self, item: NodeId, fields: &[Box<str>]) -> bool {
        let mut fields = fields.iter();
        fields.any(|name| field(self.tree, item, name).is_some())
    }

    fn is_registered(&mut self, item: NodeId) -> bool {
        let profile = self.profile;
        let mut is_registered = true;
        for (name, unless) in &profile.skip_if {
            if let Some(node) = field(self.tree, item, name) {
                is_registered &= self.flag(name, node) != Some(*unless);
            }
        }
        is_registered
    }

    fn may_be_structured(&self, item: NodeId) -> bool {
        let structured = field(self.tree, item, "structured").map(|node| self.tree.kind(node));
        !matches!(structured, Some(Kind::Scalar(s)) if s.ty == ScalarType::Bool(false))
    }

    /// The field that adds a kernel at the autograd key.
    fn autograd(&mut self, item: NodeId) -> Option<Span> {
        let profile = self.profile;
        let mut found = None;
        for name in &profile.autograd {
            if let Some(node) = field(self.tree, item, name)
                && self.flag(name, node) == Some(true)
            {
                found = found.or(Some(self.tree.span(node)));
            }
        }
        found
    }

    /// A boolean, or the text of one. Generators of vendors take both.
    fn flag(&mut self, name: &str, node: NodeId) -> Option<bool> {
        let flag = match self.tree.kind(node) {
            Kind::Scalar(scalar) => match scalar.ty {
                ScalarType::Bool(flag) => Some(flag),
                ScalarType::Str if scalar.value.eq_ignore_ascii_case("true") => Some(true),
                ScalarType::Str if scalar.value.eq_ignore_ascii_case("false") => Some(false),
                _ => None,
            },
            _ => None,
        };
        if flag.is_none() {
            let message = message!("`{}` must be a boolean", name);
            self.field_fault(node, message, "write `True` or `False`".into());
        }
        flag
    }

    /// The kernels of `dispatch`, and the one that a field names.
    fn kernels(&mut self, item: NodeId) -> Option<Vec<VendorKernel>> {
        let profile = self.profile;
        let mut found = None;
        if let Some(dispatch) = field(self.tree, item, &profile.dispatch)
            && !self.is_empty(dispatch)
        {
            self.dispatch(dispatch, found.get_or_insert_default());
        }
        if let Some(node) = field(self.tree, item, &profile.kernel) {
            let kernels = found.get_or_insert_default();
            match self.kernel_name(node) {
                Some(kernel) => kernels.push(VendorKernel {
                    key: profile.key.clone(),
                    kernel,
                }),
                None => {
                    let message = message!("`{}` names no kernel", profile.kernel);
                    let help = "write its name, or a list of `- kernel_name: ...`";
                    self.field_fault(node, message, help.into());
                }
            }
        }
        found
    }

    /// `true` for null and for an empty mapping.
    fn is_empty(&self, node: NodeId) -> bool {
        match self.tree.kind(node) {
            Kind::Scalar(scalar) => scalar.ty == ScalarType::Null,
            Kind::Mapping(pairs) => pairs.is_empty(),
            Kind::Sequence(_) | Kind::Recursive => false,
        }
    }

    fn dispatch(&mut self, dispatch: NodeId, kernels: &mut Vec<VendorKernel>) {
        let name = &*self.profile.dispatch;
        let help = "write one line `KEY: kernel` per dispatch key";
        let Kind::Mapping(pairs) = self.tree.kind(dispatch) else {
            let message = message!("`{}` must be a mapping", name);
            self.field_fault(dispatch, message, help.into());
            return;
        };
        for &(keys, value) in pairs {
            let (Some(names), Some(kernel)) =
                (self.tree.str_value(keys), self.tree.str_value(value))
            else {
                let message = message!("`{}` must name a kernel for each key", name);
                self.field_fault(keys, message, help.into());
                continue;
            };
            let at = self.tree.span(value);
            kernels.extend(names.split(',').map(|key| VendorKernel {
                key: self.profile.dispatch_key(key.trim()),
                kernel: Placed {
                    value: kernel.into(),
                    at,
                },
            }));
        }
    }

    /// The kernel of a field: a name, or the first `kernel_name` of a list.
    fn kernel_name(&self, node: NodeId) -> Option<Placed<Box<str>>> {
        let named = match self.tree.kind(node) {
            Kind::Sequence(items) => {
                let mut items = items.iter();
                items.find_map(|&item| field(self.tree, item, "kernel_name"))?
            }
            _ => node,
        };
        let value = self.tree.str_value(named)?.into();
        let at = self.tree.span(named);
        Some(Placed { value, at })
    }
}
