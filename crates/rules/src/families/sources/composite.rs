//! What composite functions must not do (`docs/spec/sources.md`, section 3).
//!
//! A function is composite if the files name it for CompositeImplicitAutograd, or sources register it
//! there. Functions that PyTorch guards by tests for tensor subclasses, and kernels of out and in-place
//! operators, may do more: they write to tensors that they were given.

use rustc_hash::FxHashMap;

use super::at;
use crate::sink::Sink;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::RuleId;
use opatlas_sources::{Call, File, Function, Functions, parameter_types};

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

/// Tests by which a composite function keeps what is not compliant away from tensor subclasses.
const GUARDS: [&str; 4] = [
    "areAnyOptionalTensorSubclassLike",
    "areAnyTensorSubclassLike",
    "isTensorSubclassLike",
    "areAnyArgsTensorList",
];

/// A function for a composite key.
struct Composite {
    operator: OperatorId,
    /// The namespace and the types of its parameters; empty where only the name is known.
    scope: Box<str>,
    parameters: Option<Vec<Box<str>>>,
    is_implicit: bool,
}

pub(super) fn check(catalogue: &Catalogue, files: &[File<'_>], sink: &mut Sink) {
    let composites = composites(catalogue);
    let found = Functions::find(files, |name| composites.contains_key(name));
    let bases: rustc_hash::FxHashSet<&str> = catalogue
        .iter()
        .filter(|(_, operator)| operator.kind == SchemaKind::Out)
        .map(|(_, operator)| operator.name().base())
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
            catalogue,
            composite,
            function,
            file,
            bases: &bases,
        }
        .check(sink);
    }
}

/// The functions for composite keys, by their names.
fn composites(catalogue: &Catalogue) -> FxHashMap<Box<str>, Vec<Composite>> {
    let mut composites: FxHashMap<Box<str>, Vec<Composite>> = FxHashMap::default();
    let faces = FaceMaker::new(catalogue);
    for (id, operator) in catalogue.iter() {
        if operator.generated().is_some() {
            continue;
        }
        for kernel in catalogue.kernels(id) {
            let key = kernel.key.as_str();
            if !key.starts_with("Composite") {
                continue;
            }
            let declared = faces.kernels(id);
            let declared = declared.iter().find(|faces| &*faces.key == key);
            let declaration = declared.and_then(|faces| faces.declarations.first());
            // PyTorch appends `native` to what an entry names.
            let written = kernel.kernel.namespace.as_deref().unwrap_or("at");
            let namespace = format!("{written}::native");
            composites
                .entry((&*kernel.kernel.name).into())
                .or_default()
                .push(Composite {
                    operator: id,
                    scope: namespace.into(),
                    parameters: declaration.map(|text| parameter_types(text)),
                    is_implicit: key.starts_with("CompositeImplicit"),
                });
        }
    }
    for row in catalogue
        .sources
        .rows()
        .iter()
        .filter(|row| row.is_dispatched())
    {
        let key = row.key.as_deref().unwrap_or_default();
        let operator = row.qualified_name().and_then(|name| catalogue.find(&name));
        if let (Some(kernel), Some(id)) = (row.kernel.as_deref(), operator)
            && key.starts_with("Composite")
        {
            let (scope, name) = kernel.rsplit_once("::").unwrap_or(("", kernel));
            composites.entry(name.into()).or_default().push(Composite {
                operator: id,
                scope: scope.into(),
                parameters: None,
                is_implicit: key.starts_with("CompositeImplicit"),
            });
        }
    }
    composites
}

impl Composite {
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

/// The body of a composite function.
struct Body<'b> {
    catalogue: &'b Catalogue,
    composite: &'b Composite,
    function: &'b Function,
    file: &'b str,
    /// The base names of operators with an out form.
    bases: &'b rustc_hash::FxHashSet<&'b str>,
}

impl Body<'_> {
    fn check(&self, sink: &mut Sink) {
        let operator = self.catalogue.operator(self.composite.operator);
        let name = operator.qualified_name();
        let writes = operator.kind != SchemaKind::Functional;
        let mut returned = operator.schema().returns.iter();
        let returns_no_tensor =
            !returned.any(|returned| returned.ty.to_string().contains("Tensor"));
        let is_guard = |call: &Call| GUARDS.contains(&&*call.name);
        let is_guarded = self.function.calls.iter().any(is_guard);
        for call in &self.function.calls {
            let Some((rule, what, help)) = self.banned(call) else {
                continue;
            };
            let is_exempt = match rule {
                RuleId::CompositeStub => self.composite.is_implicit,
                _ if !self.composite.is_implicit || is_guarded => true,
                RuleId::CompositeOutCall | RuleId::CompositeResize | RuleId::CompositeCopy => {
                    writes
                }
                // `item` and its like are there to read.
                RuleId::CompositeDataAccess => returns_no_tensor,
                _ => false,
            };
            if is_exempt {
                continue;
            }
            let message = format!("`{}`, composite for `{name}`, {what}", self.function.name);
            sink.about(self.file, &name, at(rule, call.at, message).with_help(help));
        }
    }

    /// The rule that a call breaks, what it does, and what to do instead.
    fn banned(&self, call: &Call) -> Option<(RuleId, String, &'static str)> {
        let name = &*call.name;
        let path = &*call.path;
        if call.is_method && READS.contains(&name) {
            let help = "move this part into an operator with kernels for its backends";
            return Some((
                RuleId::CompositeDataAccess,
                format!("reads data by `{name}`"),
                help,
            ));
        }
        if RESIZES.contains(&name) {
            let help = "compute a tensor of the right size instead";
            return Some((
                RuleId::CompositeResize,
                format!("resizes a tensor by `{path}`"),
                help,
            ));
        }
        if call.is_method && METADATA.contains(&name) {
            let help = "use operators such as `as_strided` or `view`";
            return Some((
                RuleId::CompositeMetadata,
                format!("changes metadata by `{name}`"),
                help,
            ));
        }
        if call.is_method && name == "copy_" {
            let help = "use the operation's result directly, unless the target is a view";
            return Some((RuleId::CompositeCopy, "calls `copy_`".to_owned(), help));
        }
        let base = name
            .strip_suffix("_outf")
            .or_else(|| name.strip_suffix("_out"));
        let is_out = !call.is_method && base.is_some_and(|base| self.bases.contains(base));
        if is_out {
            let help = "call the functional form";
            return Some((
                RuleId::CompositeOutCall,
                format!("calls the out form `{path}`"),
                help,
            ));
        }
        if !call.is_method && name.ends_with("_stub") {
            let help = "list the backends with a kernel under `dispatch`";
            return Some((
                RuleId::CompositeStub,
                format!("calls the DispatchStub `{path}`"),
                help,
            ));
        }
        None
    }
}
