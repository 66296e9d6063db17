//! Kernel declarations (torchgen `dest/native_functions.py`).

use opatlas_pytorch::release::Release;
use opatlas_schema::faces::{
    Context, KernelParts, Refused, Sizes, native_kernel, structured_arguments,
};
use opatlas_schema::function::Argument;

use super::FaceMaker;
use crate::catalogue::Catalogue;
use crate::entry::{KernelEntry, KernelSource};
use crate::group::Group;
use crate::operator::{Operator, OperatorId};

/// The declarations for one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFaces {
    /// The key.
    pub key: Box<str>,
    /// The declarations in `NativeFunctions.h`, with their namespace unless that is `at::native`.
    pub declarations: Vec<String>,
    /// Whether it is the class of a structured kernel.
    pub is_structured: bool,
}

/// The names of a structured kernel, for its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredClass {
    /// The base class of all kernels of the operator, `structured_add_Tensor`.
    pub meta_class: String,
    /// The arguments of `TORCH_META_FUNC` and `TORCH_META_FUNC2`: `add, Tensor`.
    pub meta_name: String,
    /// The parameters of `meta`.
    pub meta_arguments: String,
    /// The parameters of `impl`.
    pub impl_arguments: String,
}

impl FaceMaker<'_> {
    /// The kernel declarations of an operator by key.
    #[must_use]
    pub fn kernels(&self, id: OperatorId) -> Vec<KeyFaces> {
        let catalogue = self.catalogue;
        let operator = catalogue.operator(id);
        let cx = self.context(operator);
        let structured = self.structured(id);
        let mut found: Vec<(usize, KeyFaces)> = structured
            .iter()
            .flat_map(|out| out.classes(catalogue))
            .map(|faces| (self.index().order(self.catalogue, &faces.key), faces))
            .collect();
        let classes = found.len();
        let mut shared = [None, None];
        for kernel in catalogue.kernels(id) {
            let key = kernel.key.as_str();
            if found[..classes].iter().any(|(_, class)| *class.key == *key) {
                continue;
            }
            if let Ok(text) = unstructured(operator, kernel, &mut shared, cx) {
                let text = match namespace_source(catalogue, id, kernel) {
                    Some(source) => source.kernel.within_namespace(text),
                    None => text,
                };
                let faces = KeyFaces {
                    key: key.into(),
                    declarations: vec![text],
                    is_structured: false,
                };
                found.push((self.index().order(self.catalogue, key), faces));
            }
        }
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, faces)| faces).collect()
    }

    /// The out variant whose class serves a member of a structured group.
    fn structured(&self, id: OperatorId) -> Option<StructuredOut> {
        let catalogue = self.catalogue;
        let out = structured_out(catalogue.groups.of(id))?;
        let operator = catalogue.operator(out.out);
        let has_class = |kernel: &KernelEntry| is_class(operator, kernel, catalogue.release);
        let has_classes = catalogue.kernels(out.out).iter().any(has_class);
        has_classes.then_some(out)
    }
}

/// The kernel whose namespace PyTorch declares a kernel of an operator in: that of the out variant for
/// the same key, if the operator is grouped with one; `None` means `at::native` (torchgen
/// `get_ns_grouped_kernels`).
#[must_use]
pub fn namespace_source<'k>(
    catalogue: &'k Catalogue,
    id: OperatorId,
    kernel: &'k KernelEntry,
) -> Option<&'k KernelEntry> {
    match structured_out(catalogue.groups.of(id)) {
        Some(group) if group.out != id => {
            let mut of_out = catalogue.kernels(group.out).iter();
            of_out.find(|other| other.key == kernel.key)
        }
        _ => Some(kernel),
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StructuredOut {
    functional: OperatorId,
    pub(super) out: OperatorId,
}

/// torchgen only counts a group with a functional and an out variant.
pub(super) fn structured_out(group: &Group) -> Option<StructuredOut> {
    Some(StructuredOut {
        functional: group.functional?,
        out: group.out?,
    })
}

pub(super) fn is_class(out: &Operator, kernel: &KernelEntry, release: Release) -> bool {
    match kernel.source {
        KernelSource::Ufunc => true,
        KernelSource::Declared => {
            let keys = &release.data().structured_keys;
            out.is_structured() && keys.contains(kernel.key.as_str())
        }
        KernelSource::Implicit | KernelSource::Generated => false,
    }
}

impl StructuredOut {
    fn classes(self, catalogue: &Catalogue) -> Vec<KeyFaces> {
        let Ok(class) = self.class(catalogue) else {
            return Vec::new();
        };
        let out = catalogue.operator(self.out);
        let kernels = catalogue.kernels(self.out).iter();
        kernels
            .filter(|kernel| is_class(out, kernel, catalogue.release))
            .map(|kernel| {
                let (key, name) = (kernel.key.as_str(), &kernel.kernel.name);
                let text = class_text(key, name, &class, catalogue.release);
                let text = kernel.kernel.within_namespace(text);
                KeyFaces {
                    key: key.into(),
                    declarations: vec![text],
                    is_structured: true,
                }
            })
            .collect()
    }

    fn class(self, catalogue: &Catalogue) -> Result<StructuredClass, Refused> {
        let functional = catalogue.operator(self.functional).schema();
        let out = catalogue.operator(self.out);
        let arguments = &out.schema().arguments;
        let options = [arguments, &functional.arguments];
        if options.iter().any(|a| a.tensor_options().is_some()) {
            return Err(Refused);
        }
        let cx = Context {
            release: catalogue.release,
            const_ref_for_mutable: out.uses_const_ref_for_mutable_tensors(),
            structured_group: out.is_part_of_structured_group(),
        };
        let name = &functional.name;
        Ok(StructuredClass {
            meta_class: format!("structured_{}", name.unambiguous()),
            meta_name: match name.overload() {
                "" => name.base().to_owned(),
                overload => format!("{}, {overload}", name.base()),
            },
            meta_arguments: structured_arguments(functional.arguments.non_out(), cx)?,
            impl_arguments: structured_arguments(impl_arguments(out), cx)?,
        })
    }
}

/// The class of a structured operator; `None` for others.
#[must_use]
pub fn structured_class(catalogue: &Catalogue, id: OperatorId) -> Option<StructuredClass> {
    let out = structured_out(catalogue.groups.of(id))?;
    let is_structured = catalogue.operator(out.out).is_structured();
    is_structured.then(|| out.class(catalogue).ok()).flatten()
}

/// The arguments of the out variant with those of `precomputed`, before the out arguments.
fn impl_arguments(out: &Operator) -> impl Iterator<Item = &Argument> {
    let arguments = &out.schema().arguments;
    let precomputed = out
        .declared()
        .and_then(|placed| placed.entry.precomputed.as_ref());
    let replacing = move |name: &str| {
        let replace = &precomputed?.replace;
        let found = replace
            .iter()
            .find(|(argument, _)| *argument.value == *name);
        found.map(|(_, arguments)| arguments.as_slice())
    };
    let given = arguments.non_out().iter().enumerate();
    let given = given.flat_map(move |(i, one)| {
        // `self` cannot be replaced.
        let is_self = Some(i) == arguments.self_index();
        match replacing(&one.name).filter(|_| !is_self) {
            Some(several) => several,
            None => std::slice::from_ref(one),
        }
    });
    let added = precomputed.into_iter().flat_map(|p| &p.add);
    given.chain(added).chain(arguments.out())
}

/// `shared` keeps the parts that kernels with concrete and symbolic sizes have in common.
fn unstructured(
    operator: &Operator,
    kernel: &KernelEntry,
    shared: &mut [Option<Result<KernelParts, Refused>>; 2],
    cx: Context,
) -> Result<String, Refused> {
    let name = &*kernel.kernel.name;
    let symbolic = name.contains("_symint");
    if symbolic && !operator.schema().has_symint() {
        return Err(Refused);
    }
    let sizes = if symbolic {
        Sizes::Symbolic
    } else {
        Sizes::Concrete
    };
    let parts = shared[usize::from(symbolic)]
        .get_or_insert_with(|| native_kernel(operator.schema(), sizes, cx));
    let parts = parts.as_ref().map_err(|refused| *refused)?;
    let export = export_of(kernel.key.as_str(), name, cx.release);
    Ok(format!("{export} {};", parts.named(name)))
}

pub(super) fn class_text(
    key: &str,
    kernel: &str,
    class: &StructuredClass,
    release: Release,
) -> String {
    let export = exported_class(key, kernel, release);
    let (meta, arguments) = (&class.meta_class, &class.impl_arguments);
    format!(
        "struct {export} structured_{kernel} : public at::meta::{meta} {{\n\
         void impl({arguments});\n}};\n"
    )
}

pub(super) fn export_of(key: &str, kernel: &str, release: Release) -> &'static str {
    if release >= Release::V2_15 {
        exported(key, kernel, release)
    } else {
        "TORCH_API"
    }
}

fn exported_class(key: &str, kernel: &str, release: Release) -> &'static str {
    if release >= Release::V2_15 {
        return exported(key, kernel, release);
    }
    let has_own = key == "XPU" && (Release::V2_6..Release::V2_14).contains(&release);
    if has_own {
        "TORCH_XPU_API"
    } else {
        "TORCH_API"
    }
}

/// The export macro of the kernel's library, since 2.15.
fn exported(key: &str, kernel: &str, release: Release) -> &'static str {
    let in_cpu_library = release
        .data()
        .name_lists
        .cuda_kernels_defined_in_cpu_library;
    if is_key_of("CUDA", key) && !in_cpu_library.contains(kernel) {
        "TORCH_CUDA_CPP_API"
    } else if is_key_of("XPU", key) {
        "TORCH_XPU_API"
    } else {
        "TORCH_API"
    }
}

/// Whether a key belongs to a backend's library (torchgen `is_cuda_dispatch_key`).
fn is_key_of(backend: &str, key: &str) -> bool {
    let functionality = key.strip_suffix(backend);
    matches!(
        functionality,
        Some("" | "Quantized" | "Sparse" | "SparseCsr" | "NestedTensor" | "Autograd")
    )
}
