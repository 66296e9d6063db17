//! Calls that composite functions must not make (`docs/spec/sources.md`, section 3).
//!
//! A function is composite if it is registered for CompositeImplicitAutograd, in files or sources,
//! or if a formula of `derivatives.yaml` calls it. Functions that check for tensor subclasses, and
//! kernels of out and in-place operators, may do more.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivatives::Derivatives;
use opatlas_operators::derivatives::names::called;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, message};
use opatlas_sources::{Call, File, Function, Functions, parameter_types};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sink::Sink;

/// Methods that read the data of a tensor.
const READS: [&str; 9] = [
    "accessor",
    "const_data_ptr",
    "data_ptr",
    "generic_packed_accessor",
    "item",
    "mutable_data_ptr",
    "packed_accessor",
    "packed_accessor32",
    "packed_accessor64",
];

/// Calls that resize a tensor.
const RESIZES: [&str; 6] = [
    "resize_",
    "resize_as_",
    "resize_as_sparse_",
    "resize_impl_cpu_",
    "resize_output",
    "resize_output_symint",
];

/// Methods of a TensorImpl that change metadata.
const METADATA: [&str; 9] = [
    "empty_tensor_restride",
    "set_size",
    "set_sizes_and_strides",
    "set_sizes_contiguous",
    "set_storage_and_dtype",
    "set_storage_keep_dtype",
    "set_storage_offset",
    "set_stride",
    "set_storage",
];

/// Checks for tensor subclasses.
const GUARDS: [&str; 4] = [
    "areAnyOptionalTensorSubclassLike",
    "areAnyTensorSubclassLike",
    "isTensorSubclassLike",
    "areAnyArgsTensorList",
];

/// The namespace of functions that formulas call (`torch/csrc/autograd/FunctionsManual.cpp`).
const OF_FORMULAS: &str = "torch::autograd::generated::details";

struct Composite {
    operator: Box<str>,
    /// Namespace and parameter types; empty if only the name is known.
    scope: Box<str>,
    parameters: Option<Vec<Box<str>>>,
    role: Role,
    writes: bool,
    returns_no_tensor: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Implicit,
    /// The kernel of an explicit composite, which must only not call a DispatchStub.
    Explicit,
    Formula,
}

pub(super) fn check(catalogue: &Catalogue, files: &[File<'_>], sink: &mut Sink) {
    let composites = composites(catalogue);
    let found = Functions::find(files, |name| composites.contains_key(name));
    let kernels = kernels(catalogue);
    let bases: FxHashSet<&str> = catalogue
        .iter()
        .filter(|(_, operator)| operator.kind == SchemaKind::Out)
        .map(|(_, operator)| operator.base_name())
        .collect();
    for function in &found.all {
        let named = composites
            .get(&*function.name)
            .map_or(&[][..], Vec::as_slice);
        let Some(composite) = named.iter().find(|composite| composite.is(function)) else {
            continue;
        };
        let file = files
            .get(function.file as usize)
            .map_or("", |file| file.path);
        Body {
            composite,
            function,
            file,
            bases: &bases,
            kernels: &kernels,
        }
        .check(sink);
    }
}

/// The kernels in `at::native` that the dispatcher chooses between, with the base names of their
/// operators. Kernels that only decompose are left out.
fn kernels(catalogue: &Catalogue) -> FxHashMap<&str, &str> {
    let mut kernels = FxHashMap::default();
    for (_, operator) in catalogue.iter() {
        let written = operator.declared().map_or(&[][..], |_| operator.kernels());
        let chosen = written.iter().filter(|kernel| {
            kernel.kernel.namespace.is_none()
                && !kernel.key.as_str().starts_with("CompositeImplicit")
        });
        for kernel in chosen {
            kernels.insert(&*kernel.kernel.name, operator.base_name());
        }
    }
    kernels
}

fn composites(catalogue: &Catalogue) -> FxHashMap<Box<str>, Vec<Composite>> {
    let mut composites: FxHashMap<Box<str>, Vec<Composite>> = FxHashMap::default();
    let faces = FaceMaker::new(catalogue);
    for (id, operator) in catalogue.iter() {
        if operator.generated().is_some() {
            continue;
        }
        for kernel in catalogue.kernels(id) {
            let key = kernel.key.as_str();
            let Some(role) = Role::on(key) else {
                continue;
            };
            let declared = faces.kernels(id);
            let declared = declared.iter().find(|faces| &*faces.key == key);
            let declaration = declared.and_then(|faces| faces.declarations.first());
            // PyTorch appends `native` to the namespace.
            let written = kernel.kernel.namespace.as_deref().unwrap_or("at");
            let composite = Composite {
                parameters: declaration.map(|text| parameter_types(text)),
                ..Composite::kernel(catalogue, id, &format!("{written}::native"), role)
            };
            let named = composites.entry((&*kernel.kernel.name).into());
            named.or_default().push(composite);
        }
    }
    let rows = catalogue.sources.rows().iter();
    for row in rows.filter(|row| row.is_dispatched()) {
        let role = Role::on(row.key.as_deref().unwrap_or_default());
        let operator = row.qualified_name().and_then(|name| catalogue.find(&name));
        if let (Some(kernel), Some(id), Some(role)) = (row.kernel.as_deref(), operator, role) {
            let (scope, name) = kernel.rsplit_once("::").unwrap_or(("", kernel));
            let composite = Composite::kernel(catalogue, id, scope, role);
            composites.entry(name.into()).or_default().push(composite);
        }
    }
    if let Some(derivatives) = &catalogue.derivatives {
        add_formulas(derivatives, &mut composites);
    }
    composites
}

/// Adds the functions that formulas call, each for the first entry that calls it.
fn add_formulas(derivatives: &Derivatives, composites: &mut FxHashMap<Box<str>, Vec<Composite>>) {
    let mut known: FxHashSet<&str> = FxHashSet::default();
    for entry in &derivatives.entries {
        let formulas = entry.sets.iter().flat_map(|set| &set.formulas);
        for text in formulas.filter_map(|formula| derivatives.formula(formula)) {
            for name in called(text).filter(|name| known.insert(name)) {
                let schema = derivatives.value(entry.name);
                let operator = schema.split('(').next().unwrap_or(schema);
                composites.entry(name.into()).or_default().push(Composite {
                    operator: operator.into(),
                    scope: OF_FORMULAS.into(),
                    parameters: None,
                    role: Role::Formula,
                    writes: false,
                    returns_no_tensor: false,
                });
            }
        }
    }
}

impl Role {
    /// The role of a kernel for a dispatch key; `None` if the key is not composite.
    fn on(key: &str) -> Option<Self> {
        match key {
            _ if key.starts_with("CompositeImplicit") => Some(Self::Implicit),
            _ if key.starts_with("Composite") => Some(Self::Explicit),
            _ => None,
        }
    }
}

impl Composite {
    fn kernel(catalogue: &Catalogue, id: OperatorId, scope: &str, role: Role) -> Self {
        let operator = catalogue.operator(id);
        let mut returned = operator.schema().returns.iter();
        Self {
            operator: operator.qualified_name().into(),
            scope: scope.into(),
            parameters: None,
            role,
            writes: operator.kind != SchemaKind::Functional,
            returns_no_tensor: !returned.any(|one| one.ty.to_string().contains("Tensor")),
        }
    }

    fn is(&self, function: &Function) -> bool {
        let scope = function.scope.strip_suffix(&*self.scope);
        let is_within = scope.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
        let fits = self
            .parameters
            .as_ref()
            .is_none_or(|types| *types == function.parameters);
        is_within && fits
    }
}

struct Body<'b> {
    composite: &'b Composite,
    function: &'b Function,
    file: &'b str,
    bases: &'b FxHashSet<&'b str>,
    kernels: &'b FxHashMap<&'b str, &'b str>,
}

impl Body<'_> {
    fn check(&self, sink: &mut Sink) {
        let composite = self.composite;
        let is_guard = |call: &Call| GUARDS.contains(&&*call.name);
        let is_guarded = self.function.calls.iter().any(is_guard);
        for call in &self.function.calls {
            let Some((rule, what, help)) = self.banned(call) else {
                continue;
            };
            let is_exempt = match rule {
                RuleId::CompositeStub => composite.role != Role::Explicit,
                _ if composite.role == Role::Explicit || is_guarded => true,
                RuleId::CompositeOutCall | RuleId::CompositeResize | RuleId::CompositeCopy => {
                    composite.writes
                }
                // `item` and similar functions read data.
                RuleId::CompositeDataAccess => composite.returns_no_tensor,
                _ => false,
            };
            if is_exempt {
                continue;
            }
            let (function, operator) = (&self.function.name, &composite.operator);
            let message = match composite.role {
                Role::Formula => {
                    message!(
                        "`{}`, called by formulas such as that of `{}`, {}",
                        function,
                        operator,
                        what
                    )
                }
                _ => message!("`{}`, composite for `{}`, {}", function, operator, what),
            };
            sink.about(
                self.file,
                operator,
                Diagnostic::new(rule, call.at, message).with_help(help),
            );
        }
    }

    fn banned(&self, call: &Call) -> Option<(RuleId, Message, &'static str)> {
        let name = &*call.name;
        let path = &*call.path;
        if call.is_method && READS.contains(&name) {
            let help = "move this part into an operator with kernels for its backends";
            return Some((
                RuleId::CompositeDataAccess,
                message!("reads data by `{}`", name),
                help,
            ));
        }
        if RESIZES.contains(&name) {
            let help = "compute a tensor of the right size instead";
            return Some((
                RuleId::CompositeResize,
                message!("resizes a tensor by `{}`", path),
                help,
            ));
        }
        if call.is_method && METADATA.contains(&name) {
            let help = "use operators such as `as_strided` or `view`";
            return Some((
                RuleId::CompositeMetadata,
                message!("changes metadata by `{}`", name),
                help,
            ));
        }
        if call.is_method && name == "copy_" {
            let help = "use the operation's result directly, unless the target is a view";
            return Some((RuleId::CompositeCopy, "calls `copy_`".into(), help));
        }
        let base = name
            .strip_suffix("_outf")
            .or_else(|| name.strip_suffix("_out"));
        let is_out = !call.is_method && base.is_some_and(|base| self.bases.contains(base));
        if is_out {
            let help = "call the functional form";
            return Some((
                RuleId::CompositeOutCall,
                message!("calls the out form `{}`", path),
                help,
            ));
        }
        if !call.is_method && name.ends_with("_stub") {
            let help = "list the backends with a kernel under `dispatch`";
            return Some((
                RuleId::CompositeStub,
                message!("calls the DispatchStub `{}`", path),
                help,
            ));
        }
        self.native_call(call)
    }

    fn native_call(&self, call: &Call) -> Option<(RuleId, Message, &'static str)> {
        let path = call.path.trim_start_matches("::");
        let name = path
            .strip_prefix("at::")
            .unwrap_or(path)
            .strip_prefix("native::")?;
        let operator = self.kernels.get(name)?;
        let message = message!(
            "calls `{}`, a kernel of `{}`, without the dispatcher",
            path,
            operator
        );
        let help = "call the operator in `at::`, or its method";
        Some((RuleId::CompositeNativeCall, message, help))
    }
}
