//! Fields with simple values. Lowering reports values of a wrong type.

use opatlas_operators::bindings::PYTHON_MODULES;
use opatlas_operators::entry::{DeviceCheck, Entry, Field, Placed};
use opatlas_operators::operator::PlacedEntry;
use opatlas_schema::function::Argument;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashMap;

use crate::scope::field_edit::adding;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

/// Valid values of `category_override`.
const CATEGORIES: [&str; 2] = ["factory", "dummy"];

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for placed in sink.while_wanted(scope.entries()) {
        manual_registration(placed, sink);
        let entry = &placed.entry;
        known(
            placed,
            RuleId::PythonModule,
            Field::PythonModule,
            &PYTHON_MODULES,
            entry.python_module.as_ref(),
            sink,
        );
        known(
            placed,
            RuleId::CategoryOverride,
            Field::CategoryOverride,
            &CATEGORIES,
            entry.category_override.as_ref(),
            sink,
        );
    }
    for subject in sink.while_wanted(scope.subjects()) {
        foreach(&subject, sink);
        const_ref(&subject, sink);
        no_default_args(&subject, sink);
    }
}

fn has(entry: &Entry, rule: RuleId) -> bool {
    entry
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.rule == rule)
}

fn manual_registration(placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    if !entry.manual_kernel_registration
        || entry.dispatch.is_none()
        || has(entry, RuleId::FieldTypeDict)
    {
        return;
    }
    let (Some(manual), Some(dispatch)) = (
        entry.field(Field::ManualKernelRegistration),
        entry.field(Field::Dispatch),
    ) else {
        return;
    };
    let diagnostic = Diagnostic::new(
        RuleId::DispatchManualRegistration,
        manual.key,
        "an operator with manual kernel registration cannot have a `dispatch` section",
    )
    .with_help("remove one of the two fields")
    .with_related("the kernels are here", dispatch.key);
    sink.entry(placed, diagnostic);
}

fn known(
    placed: &PlacedEntry,
    rule: RuleId,
    field: Field,
    values: &[&'static str],
    value: Option<&Placed<Box<str>>>,
    sink: &mut Sink,
) {
    let Some(value) = value.filter(|value| !values.contains(&&*value.value)) else {
        return;
    };
    let message = message!(
        "`{}` has no effect as a value of `{}`",
        value.value.escape_debug(),
        field.as_str()
    );
    let mut diagnostic = Diagnostic::new(rule, value.at, message);
    let near = sink.suggestions.near(&value.value, values.iter().copied());
    diagnostic = match near {
        Some(near) => diagnostic.with_near_name(value.at, near),
        None => diagnostic.with_help(message!("the values in use are {}", values.join(", "))),
    };
    sink.entry(placed, diagnostic);
}

fn foreach(subject: &Subject<'_>, sink: &mut Sink) {
    let entry = subject.entry();
    let unchecked = entry.device_check == DeviceCheck::NoCheck;
    if unchecked
        || !subject.schema.name.as_str().starts_with("_foreach")
        || has(entry, RuleId::DeviceCheck)
    {
        return;
    }
    let diagnostic = Diagnostic::new(
        RuleId::ForeachDeviceCheck,
        subject.field_or_name(Field::DeviceCheck),
        "a `_foreach` operator needs `device_check: NoCheck`: its tensors may be on different \
         devices",
    )
    .with_help("add `device_check: NoCheck`");
    let diagnostic = match entry.field(Field::DeviceCheck) {
        Some(place) if place.value.is_empty() => diagnostic,
        Some(place) => diagnostic.with_fix(place.value, "NoCheck"),
        None => adding(diagnostic, subject.text(), entry, "device_check: NoCheck"),
    };
    subject.report(sink, diagnostic);
}

fn const_ref(subject: &Subject<'_>, sink: &mut Sink) {
    let Some(out) = subject.schema.arguments.out().first() else {
        return;
    };
    let field = subject.entry().field(Field::UseConstRefForMutableTensors);
    let Some(place) = field.filter(|_| subject.entry().use_const_ref_for_mutable_tensors) else {
        return;
    };
    let diagnostic = Diagnostic::new(
        RuleId::UseConstRef,
        place.key,
        message!(
            "`{}` is an out argument, which PyTorch always passes by mutable reference",
            out.name
        ),
    )
    .with_help("remove the field")
    .with_related("the out argument is here", out.at.0)
    .with_fix(place.value, "False");
    subject.report(sink, diagnostic);
}

fn no_default_args(subject: &Subject<'_>, sink: &mut Sink) {
    const RULE: RuleId = RuleId::CppNoDefaultArgs;
    let arguments = subject.schema.arguments.all();
    let names = &subject.entry().cpp_no_default_args;
    if names.is_empty() {
        return;
    }
    let mut by_name: FxHashMap<&str, &Argument> = FxHashMap::default();
    for argument in arguments {
        by_name.entry(&argument.name).or_insert(argument);
    }
    for name in names {
        let named = by_name.get(&*name.value);
        let message = match named {
            Some(argument) if argument.default.is_some() => continue,
            Some(_) => message!("argument `{}` has no default", name.value),
            None => message!("unknown argument `{}`", name.value.escape_debug()),
        };
        let with_default = || {
            arguments
                .iter()
                .filter(|argument| argument.default.is_some())
        };
        let mut diagnostic = Diagnostic::new(RULE, name.at, message);
        if sink.is_full(RULE) {
            subject.report(sink, diagnostic);
            continue;
        }
        let budget = &sink.suggestions;
        diagnostic = match budget.near(&name.value, with_default().map(|a| &*a.name)) {
            Some(near) if named.is_none() => diagnostic.with_near_name(name.at, near),
            _ => diagnostic.with_help("list only arguments that have a default"),
        };
        subject.report(sink, diagnostic);
    }
}
