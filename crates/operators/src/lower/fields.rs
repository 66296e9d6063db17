//! Fields with simple values.

use opatlas_schema::parse::parse_name;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use opatlas_yaml::{Kind, NodeId, ScalarType};

use super::{LINE_KEY, Lowering};
use crate::entry::{Field, Placed};

fn expected(field: Field) -> (RuleId, &'static str) {
    match field {
        Field::Structured
        | Field::DeviceGuard
        | Field::ManualKernelRegistration
        | Field::ManualCppBinding
        | Field::UseConstRefForMutableTensors => {
            (RuleId::FieldTypeBool, "`True` or `False` without quotes")
        }
        Field::Tags => (RuleId::FieldTypeList, "a tag or a list of tags"),
        Field::CppNoDefaultArgs => (RuleId::FieldTypeList, "a list of argument names"),
        Field::Dispatch => (
            RuleId::FieldTypeDict,
            "a mapping from dispatch keys to kernels",
        ),
        Field::UfuncInnerLoop => (RuleId::FieldTypeDict, "a string or a mapping"),
        Field::Precomputed => (RuleId::Precomputed, "a list of strings"),
        Field::Func
        | Field::Variants
        | Field::Autogen
        | Field::StructuredDelegate
        | Field::StructuredInherits
        | Field::PythonModule
        | Field::CategoryOverride
        | Field::DeviceCheck => (RuleId::FieldTypeStr, "a string"),
    }
}

/// Whether an explicit null is the same as a missing field (rule `field-null`).
fn may_be_null(field: Field) -> bool {
    matches!(
        field,
        Field::Dispatch
            | Field::DeviceCheck
            | Field::StructuredDelegate
            | Field::StructuredInherits
            | Field::PythonModule
            | Field::CategoryOverride
            | Field::Precomputed
    )
}

pub(super) fn unknown_key(name: &str, at: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(RuleId::UnknownKey, at, message!("unknown field `{}`", name));
    let nearest = opatlas_source::suggest::near(name, Field::ALL.iter().map(|f| f.as_str()));
    match nearest {
        Some(nearest) => diagnostic.with_near_name(at, nearest),
        None => diagnostic.with_help("remove it, or indent it if it belongs to the field above"),
    }
}

pub(super) fn line_key(at: Span) -> Diagnostic {
    Diagnostic::new(
        RuleId::YamlLineKey,
        at,
        message!(
            "PyTorch overwrites `{}` with the line number when it reads the file",
            LINE_KEY
        ),
    )
    .with_help("remove it")
}

impl<'t> Lowering<'t> {
    pub(super) fn is_null(&self, node: NodeId) -> bool {
        matches!(self.tree.kind(node), Kind::Scalar(s) if s.ty == ScalarType::Null)
    }

    pub(super) fn wrong_type(&mut self, field: Field, node: NodeId) {
        let (rule, what) = expected(field);
        let at = self.tree.span(node);
        let name = field.as_str();
        if self.is_null(node) {
            let at = self.entry.field(field).map_or(at, |place| place.key);
            self.report(
                Diagnostic::new(RuleId::FieldNull, at, message!("`{}` has no value", name))
                    .with_help(message!("write {}, or remove the field", what)),
            );
            return;
        }
        let found = match self.tree.kind(node) {
            Kind::Scalar(scalar) => match scalar.ty {
                ScalarType::Bool(_) => "a boolean",
                ScalarType::Int => "an integer",
                ScalarType::Float => "a number",
                ScalarType::Timestamp => "a date",
                ScalarType::Str => "a string",
                ScalarType::Null | ScalarType::Binary | ScalarType::Merge | ScalarType::Value => {
                    "another type"
                }
            },
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
            Kind::Recursive => "an alias of itself",
        };
        let mut diagnostic = Diagnostic::new(
            rule,
            at,
            message!("`{}` must be {}, not {}", name, what, found),
        );
        if rule == RuleId::FieldTypeStr && matches!(self.tree.kind(node), Kind::Scalar(_)) {
            let text = at.slice(self.text).to_owned();
            diagnostic = diagnostic
                .with_help("YAML parses this text as another type; quote it")
                .with_safe_fix(at, format!("'{text}'"));
        } else {
            diagnostic = diagnostic.with_help(message!("write {}", what));
        }
        self.report(diagnostic);
    }

    /// Null counts as missing where it is allowed.
    pub(super) fn string(
        &mut self,
        field: Field,
        value: Option<NodeId>,
    ) -> Option<(NodeId, &'t str)> {
        let node = value?;
        if let Some(text) = self.tree.str_value(node) {
            return Some((node, text));
        }
        if !(self.is_null(node) && may_be_null(field)) {
            self.wrong_type(field, node);
        }
        None
    }

    fn flag(&mut self, field: Field, value: Option<NodeId>) -> Option<bool> {
        let node = value?;
        if let Kind::Scalar(scalar) = self.tree.kind(node)
            && let ScalarType::Bool(flag) = scalar.ty
        {
            return Some(flag);
        }
        self.wrong_type(field, node);
        None
    }

    pub(super) fn flags(&mut self, value: impl Fn(Field) -> Option<NodeId>) {
        let mut read = |field| self.flag(field, value(field));
        let structured = read(Field::Structured);
        let guard = read(Field::DeviceGuard);
        let manual_kernel = read(Field::ManualKernelRegistration);
        let manual_binding = read(Field::ManualCppBinding);
        let const_ref = read(Field::UseConstRefForMutableTensors);
        let entry = &mut self.entry;
        entry.structured = structured.unwrap_or(false);
        entry.device_guard = guard.unwrap_or(true);
        entry.manual_kernel_registration = manual_kernel.unwrap_or(false);
        entry.manual_cpp_binding = manual_binding.unwrap_or(false);
        entry.use_const_ref_for_mutable_tensors = const_ref.unwrap_or(false);
    }

    pub(super) fn texts(&mut self, value: impl Fn(Field) -> Option<NodeId>) {
        self.entry.python_module = self.text(Field::PythonModule, value(Field::PythonModule));
        self.entry.category_override =
            self.text(Field::CategoryOverride, value(Field::CategoryOverride));
        self.entry.structured_inherits =
            self.text(Field::StructuredInherits, value(Field::StructuredInherits));
        if let Some(inherits) = &self.entry.structured_inherits
            && inherits.value.contains("::")
        {
            let diagnostic = qualified(Field::StructuredInherits, &inherits.value, inherits.at);
            self.report(diagnostic);
        }
        self.delegate(value(Field::StructuredDelegate));
    }

    fn text(&mut self, field: Field, value: Option<NodeId>) -> Option<Placed<Box<str>>> {
        let (node, text) = self.string(field, value)?;
        Some(Placed {
            value: text.into(),
            at: self.whole(node, text),
        })
    }

    fn delegate(&mut self, value: Option<NodeId>) {
        let Some((node, text)) = self.string(Field::StructuredDelegate, value) else {
            return;
        };
        let at = self.whole(node, text);
        if text.contains("::") {
            self.report(qualified(Field::StructuredDelegate, text, at));
            return;
        }
        match parse_name(text, at.start) {
            Ok(value) => self.entry.structured_delegate = Some(Placed { value, at }),
            Err(cause) => self.report(
                Diagnostic::new(
                    RuleId::StructuredDelegateMalformed,
                    at,
                    message!("`{}` is not an operator name: {}", text, cause.message),
                )
                .with_help("name the structured out variant, such as `add.out`"),
            ),
        }
    }
}

fn qualified(field: Field, text: &str, at: Span) -> Diagnostic {
    let bare = text.rsplit("::").next().unwrap_or(text);
    Diagnostic::new(
        RuleId::StructuredDelegateNamespace,
        at,
        message!("`{}` cannot have a namespace", field.as_str()),
    )
    .with_help(message!(
        "write `{}`; PyTorch uses the operator's own namespace",
        bare
    ))
    .with_fix(at, bare)
}
