//! Converts a YAML tree to an [`Entry`] (torchgen `NativeFunction.from_yaml`).
//!
//! torchgen stops at the first error. This reports it, keeps the field's default and continues.

mod dispatch;
mod fields;
mod flow;
mod precompute;
mod ufunc;

use std::ops::Range;

use opatlas_schema::parse::{ParsedSchema, last_separator, parse_name, parse_schema};
use opatlas_schema::print::write_schema;
use opatlas_schema::signature::signature;
use opatlas_source::diagnostic::{Complaints, Diagnostic, RuleId};
use opatlas_source::{Span, message};
use opatlas_yaml::{Item, Kind, NodeId, Tree};

use super::entry::{DeviceCheck, Entry, Field, FieldPlace, Placed, TagName, Variants};
use crate::slips;

/// Bounds the capacity that is allocated in advance; real lists are shorter.
const FEW: usize = 64;

/// The key that the loader adds to every mapping.
pub(super) const LINE_KEY: &str = "__line__";

/// Reads an item of the list. `text` is the text of the item's tree.
#[must_use]
pub fn lower(item: &Item, text: &str) -> Entry {
    let mut lowering = Lowering {
        tree: &item.tree,
        text,
        entry: empty(item.span),
    };
    lowering
        .entry
        .diagnostics
        .extend(item.diagnostics.iter().cloned());
    lowering.entry(item.root);
    lowering.entry
}

fn empty(span: Span) -> Entry {
    Entry {
        span,
        func_at: span,
        namespace: "aten".into(),
        name: None,
        schema: None,
        canonical: Box::default(),
        signature: Box::default(),
        variants: Variants::default(),
        structured: false,
        structured_delegate: None,
        structured_inherits: None,
        precomputed: None,
        autogen: Vec::new(),
        ufunc_inner_loop: Vec::new(),
        dispatch: None,
        kernels: Vec::new(),
        tags: Vec::new(),
        python_module: None,
        category_override: None,
        device_check: DeviceCheck::default(),
        device_guard: true,
        manual_kernel_registration: false,
        manual_cpp_binding: false,
        use_const_ref_for_mutable_tensors: false,
        cpp_no_default_args: Vec::new(),
        fields: Vec::new(),
        diagnostics: Complaints::default(),
    }
}

struct Lowering<'t> {
    tree: &'t Tree,
    text: &'t str,
    entry: Entry,
}

impl<'t> Lowering<'t> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.entry.diagnostics.push(diagnostic);
    }

    /// Makes diagnostics only as long as they are kept.
    fn report_with(&mut self, rule: RuleId, complaint: impl FnOnce(&Self) -> Diagnostic) {
        if self.entry.diagnostics.is_full(rule) {
            self.entry.diagnostics.count(rule, 1);
        } else {
            let complaint = complaint(self);
            self.report(complaint);
        }
    }

    fn place(&self, node: NodeId, range: Range<usize>) -> Span {
        self.tree.place(node, range)
    }

    fn whole(&self, node: NodeId, value: &str) -> Span {
        self.place(node, 0..value.len())
    }

    fn entry(&mut self, root: NodeId) {
        let Kind::Mapping(pairs) = self.tree.kind(root) else {
            if self
                .entry
                .diagnostics
                .iter()
                .any(|d| d.rule == RuleId::YamlTag)
            {
                return; // the tag makes it something else
            }
            self.report(slips::no_mapping(self.text, self.tree.span(root)));
            return;
        };
        let mut values = [None; Field::ALL.len()];
        self.entry.fields.reserve_exact(pairs.len());
        for &(key, value) in pairs {
            if let Some(field) = self.field(key, value) {
                values[field as usize] = Some(value);
            }
        }
        let value = |field: Field| values[field as usize];
        // `func` comes first: the others refer to it.
        self.func(value(Field::Func));
        self.flags(value);
        self.texts(value);
        self.variants(value(Field::Variants));
        self.device_check(value(Field::DeviceCheck));
        self.tags(value(Field::Tags));
        self.autogen(value(Field::Autogen));
        self.cpp_no_default_args(value(Field::CppNoDefaultArgs));
        self.precomputed(value(Field::Precomputed));
        self.ufunc(value(Field::UfuncInnerLoop));
        self.dispatch(value(Field::Dispatch));
        self.quote_in_braces();
    }

    /// Reports unknown keys. YAML has reported the second of two equal keys, which is ignored.
    fn field(&mut self, key: NodeId, value: NodeId) -> Option<Field> {
        let key_at = self.tree.span(key);
        let Some(name) = self.tree.str_value(key) else {
            if !matches!(self.tree.kind(key), Kind::Scalar(_)) {
                return None; // reported as yaml-unhashable-key
            }
            self.report_with(RuleId::UnknownKey, |lowering| {
                fields::unknown_key(key_at.slice(lowering.text), key_at)
            });
            return None;
        };
        let Some(field) = Field::parse(name) else {
            if name == LINE_KEY {
                self.report(fields::line_key(key_at));
            } else {
                self.report_with(RuleId::UnknownKey, |_| fields::unknown_key(name, key_at));
            }
            return None;
        };
        if self.entry.field(field).is_some() {
            return None;
        }
        self.entry.fields.push(FieldPlace {
            field,
            key: key_at,
            value: self.tree.span(value),
        });
        Some(field)
    }

    fn func(&mut self, value: Option<NodeId>) {
        let Some(node) = value.filter(|&node| !self.is_null(node)) else {
            if self.misspells_func() {
                return;
            }
            self.report(
                Diagnostic::new(
                    RuleId::MissingFunc,
                    self.entry.span,
                    "the entry has no `func`",
                )
                .with_help("add `func: name(Type argument, ...) -> ReturnType`"),
            );
            return;
        };
        self.entry.func_at = self.tree.span(node);
        let Some(text) = self.tree.str_value(node) else {
            self.report(
                Diagnostic::new(
                    RuleId::FuncNotString,
                    self.tree.span(node),
                    "`func` must be a string that contains the schema",
                )
                .with_help("write `func: name(Type argument, ...) -> ReturnType`"),
            );
            return;
        };
        let at = self.whole(node, text);
        let parsed = if at.slice(self.text) == text {
            parse_schema(text, at.start)
        } else {
            // Escapes and folded lines need a position for each piece.
            self.replaced(parse_schema(text, 0), node)
        };
        self.schema(parsed, text, node);
    }

    fn misspells_func(&self) -> bool {
        self.entry.diagnostics.iter().any(|diagnostic| {
            let fix = diagnostic.fix.as_ref();
            fix.is_some_and(|fix| &*fix.replacement == Field::Func.as_str())
        })
    }

    fn schema(&mut self, parsed: ParsedSchema, text: &str, node: NodeId) {
        if let Some(namespace) = parsed.namespace {
            let told = parsed
                .diagnostics
                .iter()
                .any(|d| d.rule == RuleId::Namespace);
            if namespace.contains("::") && !told {
                let end = last_separator(text).unwrap_or(0);
                let diagnostic = Diagnostic::new(
                    RuleId::Namespace,
                    self.place(node, 0..end),
                    message!("`{}` has more than one level of namespace", namespace),
                )
                .with_help(
                    "write `namespace::name(...)`; the schema itself cannot contain `::`, not even \
                     in a default",
                );
                self.report(diagnostic);
            }
            self.entry.namespace = namespace;
        }
        self.entry.name = parsed.name;
        self.entry.diagnostics.extend(parsed.diagnostics);
        if let Some(schema) = parsed.schema {
            // Most texts are canonical, so the length is right.
            let mut canonical = String::with_capacity(text.len());
            let _ = write_schema(&mut canonical, &schema);
            self.entry.canonical = canonical.into();
            self.entry.signature = signature(&schema).into();
            self.entry.schema = Some(schema);
        }
    }

    fn replaced(&self, mut parsed: ParsedSchema, node: NodeId) -> ParsedSchema {
        let place = |span: &mut Span| {
            *span = self.place(node, span.start as usize..span.end as usize);
        };
        for diagnostic in &mut parsed.diagnostics {
            place(&mut diagnostic.span);
            diagnostic
                .related
                .iter_mut()
                .for_each(|(_, span)| place(span));
            // The edit would have to be escaped like the scalar.
            diagnostic.fix = None;
        }
        if let Some(schema) = &mut parsed.schema {
            schema.for_each_place(&mut |at| place(&mut at.0));
        }
        parsed
    }

    fn variants(&mut self, value: Option<NodeId>) {
        let Some((node, text)) = self.string(Field::Variants, value) else {
            return;
        };
        let mut variants = Variants {
            function: false,
            method: false,
        };
        for (range, piece) in pieces(text) {
            match piece {
                "function" => variants.function = true,
                "method" => variants.method = true,
                other => self.report_with(RuleId::Variants, |lowering| {
                    Diagnostic::new(
                        RuleId::Variants,
                        lowering.place(node, range),
                        message!("unknown variant `{}`", other),
                    )
                    .with_help(
                        "write `function`, `method`, or `function, method` with one space after \
                         the comma",
                    )
                }),
            }
        }
        if variants.function || variants.method {
            self.entry.variants = variants;
        }
    }

    fn device_check(&mut self, value: Option<NodeId>) {
        let Some((node, text)) = self.string(Field::DeviceCheck, value) else {
            return;
        };
        match text {
            "NoCheck" => self.entry.device_check = DeviceCheck::NoCheck,
            "ExactSame" => self.entry.device_check = DeviceCheck::ExactSame,
            other => {
                let diagnostic = Diagnostic::new(
                    RuleId::DeviceCheck,
                    self.whole(node, text),
                    message!("unknown device check `{}`", other),
                )
                .with_help("write `NoCheck` or `ExactSame`");
                self.report(diagnostic);
            }
        }
    }

    fn tags(&mut self, value: Option<NodeId>) {
        let Some(node) = value else { return };
        match self.tree.kind(node) {
            Kind::Sequence(items) => {
                self.entry.tags.reserve_exact(items.len());
                for &item in items {
                    let tag = self.tag(item);
                    self.entry.tags.push(tag);
                }
            }
            Kind::Scalar(_) if self.tree.str_value(node).is_some() => {
                let tag = self.tag(node);
                self.entry.tags.reserve_exact(1);
                self.entry.tags.push(tag);
            }
            _ => self.wrong_type(Field::Tags, node),
        }
    }

    fn tag(&self, node: NodeId) -> Placed<TagName> {
        let at = self.tree.span(node);
        let value = match (self.tree.kind(node), self.tree.str_value(node)) {
            (Kind::Scalar(scalar), Some(_)) => TagName::Text(scalar.value.into()),
            (Kind::Scalar(scalar), None) => TagName::Scalar(scalar.value.into()),
            _ => TagName::Collection,
        };
        Placed { value, at }
    }

    fn autogen(&mut self, value: Option<NodeId>) {
        let Some((node, text)) = self.string(Field::Autogen, value) else {
            return;
        };
        if text.is_empty() {
            return;
        }
        let names = pieces(text).take(FEW).count();
        self.entry.autogen.reserve_exact(names);
        for (range, piece) in pieces(text) {
            let at = self.place(node, range);
            match parse_name(piece, at.start) {
                Ok(value) => self.entry.autogen.push(Placed { value, at }),
                Err(cause) => self.report_with(RuleId::AutogenMalformed, |_| {
                    Diagnostic::new(
                        RuleId::AutogenMalformed,
                        at,
                        message!("`{}` is not an operator name: {}", piece, cause.message),
                    )
                    .with_help("write names such as `add.out`, separated by a comma and one space")
                }),
            }
        }
    }

    fn cpp_no_default_args(&mut self, value: Option<NodeId>) {
        let Some(node) = value else { return };
        let Kind::Sequence(items) = self.tree.kind(node) else {
            self.wrong_type(Field::CppNoDefaultArgs, node);
            return;
        };
        for &item in items {
            let at = self.tree.span(item);
            match self.tree.str_value(item) {
                Some(name) => self.entry.cpp_no_default_args.push(Placed {
                    value: name.into(),
                    at,
                }),
                None => self.report_with(RuleId::CppNoDefaultArgs, |_| {
                    Diagnostic::new(
                        RuleId::CppNoDefaultArgs,
                        at,
                        "an argument name must be a string",
                    )
                    .with_help("list the names of arguments that have a default")
                }),
            }
        }
    }
}

pub(super) fn pieces(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    text.split(", ").map(move |piece| {
        let range = start..start + piece.len();
        start = range.end + 2;
        (range, piece)
    })
}
