//! What the kernels that torchgen writes call (`docs/spec/support.md`, section 2). The templates
//! are the same from 2.0 to 2.15: `dest/register_dispatch_key.py` for structured operators and the
//! wrappers of backend files, `native_function_generation.py` for generated operators,
//! `gen_functionalization_type.py` for copies of views.

use rustc_hash::FxHashMap;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;

use crate::View;
use crate::layouts::Makers;
use opatlas_dispatch::origin::Origin;

/// A call that a kernel makes: always, or in some cases only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) to: OperatorId,
    pub(crate) always: bool,
}

/// The calls that a template makes, at most so many.
pub(crate) type MostCalls = [Option<Call>; 3];

/// The operators that templates name, in the order of the fields of [`Named`].
const NAMED: [&str; 8] = [
    "empty.memory_format",
    "empty_strided",
    "copy_",
    "resize_",
    "clone",
    "reshape",
    "_copy_from",
    "_copy_from_and_resize",
];

/// Those of them that a revision has.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// The view of each operator that copies one.
    views: FxHashMap<OperatorId, OperatorId>,
    empty: Option<OperatorId>,
    empty_strided: Option<OperatorId>,
    copy: Option<OperatorId>,
    resize: Option<OperatorId>,
    clone: Option<OperatorId>,
    reshape: Option<OperatorId>,
    pub(crate) copy_from: Option<OperatorId>,
    pub(crate) copy_from_and_resize: Option<OperatorId>,
    pub(crate) makers: Makers,
}

impl Named {
    pub(crate) fn of(view: View<'_>) -> Self {
        let catalogue = view.inputs.catalogue;
        let groups = catalogue.view_groups().groups.iter();
        let [
            empty,
            empty_strided,
            copy,
            resize,
            clone,
            reshape,
            copy_from,
            copy_from_and_resize,
        ] = NAMED.map(|name| catalogue.find_in("aten", name));
        Self {
            views: groups
                .filter_map(|group| Some((group.copy?, group.view)))
                .collect(),
            empty,
            empty_strided,
            copy,
            resize,
            clone,
            reshape,
            copy_from,
            copy_from_and_resize,
            makers: Makers::of(catalogue),
        }
    }

    /// What the generated kernel of an operator at an alias calls; `None` for kernels that were
    /// written by hand. Operators that the file does not declare are left out.
    pub(crate) fn calls(&self, view: View<'_>, id: OperatorId, alias: Alias) -> Option<MostCalls> {
        let source = view.tables.source();
        let row = view.tables.row(id, Key::Alias(alias), source)?;
        let operator = view.inputs.catalogue.operator(id);
        match (row.origin, alias) {
            (Origin::Structured, Alias::CompositeExplicitAutogradNonFunctional) => {
                self.structured(view, id, operator)
            }
            (Origin::Autogen, Alias::CompositeExplicitAutograd) => {
                self.completed(view, id, operator)
            }
            (Origin::Declared, Alias::CompositeExplicitAutogradNonFunctional) => {
                self.view_copy(view, id, operator)
            }
            _ => None,
        }
    }

    /// The functional form allocates its result and runs the out form. The in-place form runs the
    /// out form, through a copy if the strides differ.
    fn structured(&self, view: View<'_>, id: OperatorId, operator: &Operator) -> Option<MostCalls> {
        let out = view.inputs.catalogue.groups.of(id).out?;
        Some(if operator.kind == SchemaKind::Functional {
            [
                always(self.empty),
                always(Some(out)),
                sometimes(self.empty_strided),
            ]
        } else {
            [
                always(Some(out)),
                sometimes(self.empty_strided),
                sometimes(self.copy),
            ]
        })
    }

    /// An out form runs the functional form, then resizes and copies. A functional form clones what
    /// the other form writes and runs that.
    fn completed(&self, view: View<'_>, id: OperatorId, operator: &Operator) -> Option<MostCalls> {
        let catalogue = view.inputs.catalogue;
        let group = catalogue.groups.of(id);
        let declared = |form: Option<OperatorId>| {
            form.filter(|&form| !catalogue.operator(form).is_generated())
        };
        if operator.kind == SchemaKind::Out {
            let functional = group.functional?;
            return Some([
                always(Some(functional)),
                sometimes(self.resize),
                always(self.copy),
            ]);
        }
        let target = declared(group.inplace).or_else(|| declared(group.mutable))?;
        Some([always(self.clone), always(Some(target)), None])
    }

    /// A copy of a view runs the view and clones it. `view_copy` reshapes where no view is possible.
    fn view_copy(&self, view: View<'_>, id: OperatorId, operator: &Operator) -> Option<MostCalls> {
        let copied = *self.views.get(&id)?;
        let base = view.inputs.catalogue.operator(copied).base_name();
        if operator.base_name().strip_suffix("_copy") != Some(base) {
            return None;
        }
        Some(if operator.name_text() == "view_copy" {
            [
                sometimes(Some(copied)),
                sometimes(self.clone),
                sometimes(self.reshape),
            ]
        } else {
            [always(Some(copied)), always(self.clone), None]
        })
    }
}

fn always(to: Option<OperatorId>) -> Option<Call> {
    to.map(|to| Call { to, always: true })
}

fn sometimes(to: Option<OperatorId>) -> Option<Call> {
    to.map(|to| Call { to, always: false })
}
