//! Fields of an entry besides its schema, kernels and tags (BC.md section 5: binding, dispatch,
//! runtime).

use super::side::Written;
use crate::change::{Change, Subject};
use opatlas_operators::entry::{DeviceCheck, Entry, Field, Placed};

/// Adds what changed between two entries of the same operator.
pub(super) fn compare(
    operator: &str,
    old: Written<'_>,
    new: Written<'_>,
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
    operator: &'a str,
    old: Written<'a>,
    new: Written<'a>,
    changes: &'c mut Vec<Change>,
}

impl Fields<'_, '_> {
    fn add(&mut self, rule: &'static str, field: Field, old: String, new: String) {
        let change = Change::new(rule, self.operator, Subject::Operator)
            .old(self.old.field(field, old))
            .new_side(self.new.field(field, new));
        self.changes.push(change);
    }

    fn flag(&mut self, field: Field, of: fn(&Entry) -> bool, on: &'static str, off: &'static str) {
        let (old, new) = (of(self.old.entry()), of(self.new.entry()));
        if old != new {
            let text = |value: bool| (if value { "True" } else { "False" }).to_owned();
            let rule = if new { on } else { off };
            self.add(rule, field, text(old), text(new));
        }
    }

    fn name(&mut self, field: Field, of: fn(&Entry) -> Option<&str>, rule: &'static str) {
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
                "variant-method-removed",
                "variant-method-added",
            ),
            (
                old.function,
                new.function,
                "variant-function-removed",
                "variant-function-added",
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
            "python-module-changed",
        );
        self.cpp_defaults();
        self.flag(
            Field::ManualCppBinding,
            |e| e.manual_cpp_binding,
            "manual-cpp-binding-added",
            "manual-cpp-binding-removed",
        );
        self.name(
            Field::CategoryOverride,
            |e| value(e.category_override.as_ref()),
            "category-override-changed",
        );
        self.flag(
            Field::UseConstRefForMutableTensors,
            |e| e.use_const_ref_for_mutable_tensors,
            "const-ref-changed",
            "const-ref-changed",
        );
    }

    fn cpp_defaults(&mut self) {
        let names = |entry: &Entry| -> Vec<Box<str>> {
            let names = entry.cpp_no_default_args.iter();
            names.map(|placed| placed.value.clone()).collect()
        };
        let (old, new) = (names(self.old.entry()), names(self.new.entry()));
        let only = |a: &[Box<str>], b: &[Box<str>]| -> Vec<Box<str>> {
            a.iter().filter(|name| !b.contains(name)).cloned().collect()
        };
        let moves = [
            ("cpp-no-default-args-added", only(&new, &old)),
            ("cpp-no-default-args-removed", only(&old, &new)),
        ];
        for (rule, names) in moves {
            if !names.is_empty() {
                let field = Field::CppNoDefaultArgs;
                let change = Change::new(rule, self.operator, Subject::Names(names))
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
            "structured-changed",
            "structured-changed",
        );
        self.name(
            Field::StructuredDelegate,
            |e| {
                e.structured_delegate
                    .as_ref()
                    .map(|name| name.value.as_str())
            },
            "structured-delegate-changed",
        );
        self.name(
            Field::StructuredInherits,
            |e| e.structured_inherits.as_ref().map(|name| &*name.value),
            "structured-inherits-changed",
        );
        let (before, after) = (self.old.entry(), self.new.entry());
        let (old, new) = (precomputed(before), precomputed(after));
        if old != new {
            self.add("precomputed-changed", Field::Precomputed, old, new);
        }
        let (old, new) = (ufunc(before), ufunc(after));
        if old != new {
            self.add("ufunc-inner-loop-changed", Field::UfuncInnerLoop, old, new);
        }
        self.flag(
            Field::ManualKernelRegistration,
            |e| e.manual_kernel_registration,
            "manual-kernel-registration-changed",
            "manual-kernel-registration-changed",
        );
    }

    fn runtime(&mut self) {
        let (old, new) = (self.old.entry().device_check, self.new.entry().device_check);
        if old != new {
            let rule = match new {
                DeviceCheck::NoCheck => "device-check-removed",
                DeviceCheck::ExactSame => "device-check-added",
            };
            let (old, new) = (old.as_str().to_owned(), new.as_str().to_owned());
            self.add(rule, Field::DeviceCheck, old, new);
        }
        self.flag(
            Field::DeviceGuard,
            |e| e.device_guard,
            "device-guard-changed",
            "device-guard-changed",
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
