//! Fields of an entry other than its schema, kernels and tags (`docs/spec/compatibility.md`, section
//! 5: binding, dispatch, runtime).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::side::DeclaredEntry;
use crate::change::{Change, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::entry::{DeviceCheck, Entry, Field, Placed};

pub(super) fn compare(
    operator: &Arc<str>,
    old: DeclaredEntry<'_>,
    new: DeclaredEntry<'_>,
    changes: &mut Vec<Change>,
) {
    let mut fields = Fields {
        operator,
        old,
        new,
        changes,
    };
    fields.variants();
    fields.bindings();
    fields.structure();
    fields.runtime();
}

struct Fields<'a, 'c> {
    operator: &'a Arc<str>,
    old: DeclaredEntry<'a>,
    new: DeclaredEntry<'a>,
    changes: &'c mut Vec<Change>,
}

impl Fields<'_, '_> {
    fn add(&mut self, rule: ChangeRuleId, field: Field, old: String, new: String) {
        let change = Change::new(rule, Arc::clone(self.operator), Subject::Operator)
            .old(self.old.field(field, old))
            .new_side(self.new.field(field, new));
        self.changes.push(change);
    }

    fn flag(&mut self, field: Field, of: fn(&Entry) -> bool, on: ChangeRuleId, off: ChangeRuleId) {
        let (old, new) = (of(self.old.entry()), of(self.new.entry()));
        if old != new {
            let text = |value: bool| (if value { "True" } else { "False" }).to_owned();
            let rule = if new { on } else { off };
            self.add(rule, field, text(old), text(new));
        }
    }

    fn name(&mut self, field: Field, of: fn(&Entry) -> Option<&str>, rule: ChangeRuleId) {
        let (old, new) = (of(self.old.entry()), of(self.new.entry()));
        if old != new {
            let text = |value: Option<&str>| value.unwrap_or("").to_owned();
            self.add(rule, field, text(old), text(new));
        }
    }

    fn variants(&mut self) {
        let (old, new) = (self.old.entry().variants, self.new.entry().variants);
        let text = |variants: opatlas_operators::entry::Variants| {
            let names = [(variants.function, "function"), (variants.method, "method")];
            let names = names
                .into_iter()
                .filter(|(is, _)| *is)
                .map(|(_, name)| name);
            names.collect::<Vec<_>>().join(", ")
        };
        let moves = [
            (
                old.method,
                new.method,
                ChangeRuleId::VariantMethodRemoved,
                ChangeRuleId::VariantMethodAdded,
            ),
            (
                old.function,
                new.function,
                ChangeRuleId::VariantFunctionRemoved,
                ChangeRuleId::VariantFunctionAdded,
            ),
        ];
        for (before, after, removed, added) in moves {
            if before != after {
                let rule = if before { removed } else { added };
                self.add(rule, Field::Variants, text(old), text(new));
            }
        }
    }

    fn bindings(&mut self) {
        fn value(placed: Option<&Placed<Box<str>>>) -> Option<&str> {
            placed.map(|placed| &*placed.value)
        }
        self.name(
            Field::PythonModule,
            |e| value(e.python_module.as_ref()),
            ChangeRuleId::PythonModuleChanged,
        );
        self.cpp_defaults();
        self.flag(
            Field::ManualCppBinding,
            |e| e.manual_cpp_binding,
            ChangeRuleId::ManualCppBindingAdded,
            ChangeRuleId::ManualCppBindingRemoved,
        );
        self.name(
            Field::CategoryOverride,
            |e| value(e.category_override.as_ref()),
            ChangeRuleId::CategoryOverrideChanged,
        );
        self.flag(
            Field::UseConstRefForMutableTensors,
            |e| e.use_const_ref_for_mutable_tensors,
            ChangeRuleId::ConstRefChanged,
            ChangeRuleId::ConstRefChanged,
        );
    }

    fn cpp_defaults(&mut self) {
        fn names(entry: &Entry) -> Vec<&str> {
            let names = entry.cpp_no_default_args.iter();
            names.map(|placed| &*placed.value).collect()
        }
        let (old, new) = (names(self.old.entry()), names(self.new.entry()));
        let only = |a: &[&str], b: &[&str]| -> Vec<Arc<str>> {
            let b: FxHashSet<&str> = b.iter().copied().collect();
            let only = a.iter().filter(|name| !b.contains(*name));
            only.map(|name| Arc::from(*name)).collect()
        };
        let moves = [
            (ChangeRuleId::CppNoDefaultArgsAdded, only(&new, &old)),
            (ChangeRuleId::CppNoDefaultArgsRemoved, only(&old, &new)),
        ];
        for (rule, names) in moves {
            if !names.is_empty() {
                let field = Field::CppNoDefaultArgs;
                let change = Change::new(rule, Arc::clone(self.operator), Subject::Names(names))
                    .old(self.old.field(field, old.join(", ")))
                    .new_side(self.new.field(field, new.join(", ")));
                self.changes.push(change);
            }
        }
    }

    fn structure(&mut self) {
        self.flag(
            Field::Structured,
            |e| e.structured,
            ChangeRuleId::StructuredChanged,
            ChangeRuleId::StructuredChanged,
        );
        self.name(
            Field::StructuredDelegate,
            |e| {
                e.structured_delegate
                    .as_ref()
                    .map(|name| name.value.as_str())
            },
            ChangeRuleId::StructuredDelegateChanged,
        );
        self.name(
            Field::StructuredInherits,
            |e| e.structured_inherits.as_ref().map(|name| &*name.value),
            ChangeRuleId::StructuredInheritsChanged,
        );
        let (before, after) = (self.old.entry(), self.new.entry());
        let (old, new) = (precomputed(before), precomputed(after));
        if old != new {
            self.add(
                ChangeRuleId::PrecomputedChanged,
                Field::Precomputed,
                old,
                new,
            );
        }
        let (old, new) = (ufunc(before), ufunc(after));
        if old != new {
            self.add(
                ChangeRuleId::UfuncInnerLoopChanged,
                Field::UfuncInnerLoop,
                old,
                new,
            );
        }
        self.flag(
            Field::ManualKernelRegistration,
            |e| e.manual_kernel_registration,
            ChangeRuleId::ManualKernelRegistrationChanged,
            ChangeRuleId::ManualKernelRegistrationChanged,
        );
    }

    fn runtime(&mut self) {
        let (old, new) = (self.old.entry().device_check, self.new.entry().device_check);
        if old != new {
            let rule = match new {
                DeviceCheck::NoCheck => ChangeRuleId::DeviceCheckRemoved,
                DeviceCheck::ExactSame => ChangeRuleId::DeviceCheckAdded,
            };
            let (old, new) = (old.as_str().to_owned(), new.as_str().to_owned());
            self.add(rule, Field::DeviceCheck, old, new);
        }
        self.flag(
            Field::DeviceGuard,
            |e| e.device_guard,
            ChangeRuleId::DeviceGuardChanged,
            ChangeRuleId::DeviceGuardChanged,
        );
    }
}

fn precomputed(entry: &Entry) -> String {
    let Some(precompute) = &entry.precomputed else {
        return String::new();
    };
    let argument = |argument: &opatlas_schema::function::Argument| {
        format!("{} {}", argument.ty, argument.name)
    };
    let mut lines: Vec<String> = precompute
        .replace
        .iter()
        .map(|(old, by)| {
            let by: Vec<String> = by.iter().map(argument).collect();
            format!("{} -> {}", old.value, by.join(", "))
        })
        .collect();
    lines.extend(precompute.add.iter().map(argument));
    lines.join("; ")
}

fn ufunc(entry: &Entry) -> String {
    let loops = entry.ufunc_inner_loop.iter().map(|each| {
        let dtypes: Vec<&str> = each.dtypes.iter().map(|dtype| &*dtype.value).collect();
        format!("{}: {} ({})", each.key.value, each.name, dtypes.join(", "))
    });
    loops.collect::<Vec<_>>().join("; ")
}
