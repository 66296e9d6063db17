//! Code for implementing an operator: in PyTorch, in a library, or in a backend.

use std::borrow::Cow;

use opatlas_schema::faces::{Refused, Sizes, dispatcher, native_kernel};
use opatlas_schema::function::SchemaKind;

use super::FaceMaker;
use super::kernels::{namespace_source, structured_class};
use crate::entry::{KernelEntry, KernelSource};
use crate::operator::{Operator, OperatorId};

/// Ways to implement an operator for a key, without those that torchgen rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImplementationFaces {
    /// The key.
    pub key: Box<str>,
    /// In PyTorch's own tree.
    pub in_tree: Option<InTree>,
    /// The function in a library.
    pub function: Option<String>,
    /// Its registration.
    pub registration: String,
    /// The backend stub, if the file does not list the operator under `symint`.
    pub backend: Option<BackendStub>,
    /// The backend stub if it does; `None` without symbolic sizes.
    pub backend_symint: Option<BackendStub>,
}

/// A kernel in PyTorch's own tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTree {
    /// Whether the entry already has a kernel for the key. If not, the name is a proposal.
    pub is_declared: bool,
    /// The kernel's name.
    pub kernel: Box<str>,
    /// Its declaration in `NativeFunctions.h`.
    pub declaration: String,
    /// Its definition.
    pub definition: String,
    /// Its line of `dispatch:`.
    pub yaml: String,
    /// The entry of that line: for a structured operator, the out variant.
    pub entry: String,
    /// Its class, if the kernel is structured.
    pub structured: Option<Structured>,
}

/// The parts of a structured kernel besides `impl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structured {
    /// The base class of all kernels of the operator.
    pub meta_class: String,
    /// The definition of `meta`, shared by all keys.
    pub meta_definition: String,
}

/// A kernel in a backend with generated stubs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendStub {
    /// The member of `KEYNativeFunctions` in the stubs.
    pub declaration: String,
    /// The lines of the backend file.
    pub yaml: String,
}

const IMPLICIT: &str = "CompositeImplicitAutograd";

impl FaceMaker<'_> {
    /// The ways to implement an operator for a key of the release.
    #[must_use]
    pub fn implementation(&self, id: OperatorId, key: &str) -> ImplementationFaces {
        let operator = self.catalogue.operator(id);
        ImplementationFaces {
            key: key.into(),
            in_tree: self.in_tree(id, key),
            function: self.function(operator),
            registration: registration(operator, key),
            backend: self.backend_stub(operator, key, Sizes::Concrete),
            backend_symint: if operator.schema().has_symint() {
                self.backend_stub(operator, key, Sizes::Symbolic)
            } else {
                None
            },
        }
    }

    fn function(&self, operator: &Operator) -> Option<String> {
        let (schema, cx) = (operator.schema(), self.context(operator));
        let parts = dispatcher(schema, Sizes::Symbolic, cx).ok()?;
        Some(format!("{};", parts.named(&operator.name().unambiguous())))
    }

    /// The declaration of an operator in a backend's stubs.
    #[must_use]
    pub fn backend_declaration(&self, operator: &Operator, sizes: Sizes) -> Option<String> {
        let (schema, cx) = (operator.schema(), self.context(operator));
        let mut kernel = schema.default_kernel();
        if sizes == Sizes::Symbolic {
            kernel.push_str("_symint");
        }
        let parts = dispatcher(schema, sizes, cx).ok()?;
        Some(format!("static {};", parts.named(&kernel)))
    }

    /// A backend file, unless torchgen refuses one for the key.
    fn backend_stub(&self, operator: &Operator, key: &str, sizes: Sizes) -> Option<BackendStub> {
        let (backend, list) = match key.strip_prefix("Autograd") {
            Some(backend) => (backend, "autograd"),
            None => (key, "supported"),
        };
        if !self.may_be_outside(backend) || !self.may_be_outside(key) {
            return None;
        }
        let declaration = self.backend_declaration(operator, sizes)?;
        let name = operator.name();
        let mut yaml = format!("backend: {backend}\ncpp_namespace: acme\n{list}:\n- {name}\n");
        if sizes == Sizes::Symbolic {
            yaml.push_str(&format!("symint:\n- {name}\n"));
        }
        Some(BackendStub { declaration, yaml })
    }

    /// True for keys that PyTorch knows but has no kernels on. Only these may have a backend file.
    fn may_be_outside(&self, key: &str) -> bool {
        let known = self.catalogue.release.data().dispatch_keys_known;
        known.contains(key) && self.index().order(self.catalogue, key) == usize::MAX
    }

    /// A kernel in PyTorch's tree, unless the entry refuses the key.
    fn in_tree(&self, id: OperatorId, key: &str) -> Option<InTree> {
        let catalogue = self.catalogue;
        let data = catalogue.release.data();
        if !data.dispatch_keys_allowed.contains(key) || catalogue.operator(id).is_generated() {
            return None;
        }
        if data.structured_keys.contains(key)
            && let Some(class) = structured_class(catalogue, id)
            && let Some(out) = catalogue.groups.of(id).out
        {
            return Some(self.structured_kernel(catalogue.operator(out), key, &class));
        }
        if self.conflicts(id, key) {
            return None;
        }
        self.unstructured_kernel(id, key).ok()
    }

    /// True if torchgen rejects a kernel on the key next to the kernels that the entry already has.
    fn conflicts(&self, id: OperatorId, key: &str) -> bool {
        let operator = self.catalogue.operator(id);
        let kernels = self.catalogue.kernels(id);
        if kernels.iter().any(|kernel| kernel.key.as_str() == key) {
            return false;
        }
        if operator.is_structured() && (key == "Meta" || key.starts_with(IMPLICIT)) {
            return true;
        }
        if !is_composite(key) {
            return false;
        }
        // Composite operators get other generated variants.
        let schema = operator.schema();
        let has_variants = schema.kind() != SchemaKind::Functional
            || schema
                .returns
                .iter()
                .any(|value| value.annotation.is_some())
            || !schema.returns.iter().any(|value| value.ty.is_tensor_like())
            || operator
                .declared()
                .is_some_and(|placed| !placed.entry.autogen.is_empty());
        has_variants
            || kernels.is_empty()
            || kernels.iter().any(|kernel| {
                let other = kernel.key.as_str();
                is_composite(other) && !may_stand_together(key, other)
            })
    }

    fn structured_kernel(
        &self,
        out: &Operator,
        key: &str,
        class: &super::StructuredClass,
    ) -> InTree {
        let declared = out.kernels().iter().find(|k| k.key.as_str() == key);
        let kernel: Box<str> = match declared {
            Some(kernel) => (*kernel.kernel.name).into(),
            None => proposal(out, key).into(),
        };
        let place = |text| in_namespace(declared, text);
        let meta_macro = if class.meta_name.contains(',') {
            "TORCH_META_FUNC2"
        } else {
            "TORCH_META_FUNC"
        };
        InTree {
            is_declared: declared.is_some(),
            declaration: place(super::kernels::class_text(
                key,
                &kernel,
                class,
                self.catalogue.release,
            )),
            definition: format!(
                "TORCH_IMPL_FUNC({kernel})\n({}) {{\n  // ...\n}}\n",
                class.impl_arguments
            ),
            yaml: format!("{key}: {}", named(declared, &kernel)),
            entry: out.qualified_name().to_owned(),
            kernel,
            structured: Some(Structured {
                meta_class: class.meta_class.clone(),
                meta_definition: format!(
                    "{meta_macro}({})\n({}) {{\n  // ...\n}}\n",
                    class.meta_name, class.meta_arguments
                ),
            }),
        }
    }

    fn unstructured_kernel(&self, id: OperatorId, key: &str) -> Result<InTree, Refused> {
        let operator = self.catalogue.operator(id);
        let kernels = self.catalogue.kernels(id);
        let declared = kernels.iter().find(|k| k.key.as_str() == key);
        let kernel: Box<str> = match declared {
            Some(kernel) => (*kernel.kernel.name).into(),
            None => proposal(operator, key).into(),
        };
        let sizes = if kernel.contains("_symint") && operator.schema().has_symint() {
            Sizes::Symbolic
        } else {
            Sizes::Concrete
        };
        let parts = native_kernel(operator.schema(), sizes, self.context(operator))?;
        let export = super::kernels::export_of(key, &kernel, self.catalogue.release);
        let home = declared.and_then(|kernel| namespace_source(self.catalogue, id, kernel));
        Ok(InTree {
            is_declared: declared.is_some(),
            declaration: in_namespace(home, format!("{export} {};", parts.named(&kernel))),
            definition: format!("{} {{\n  // ...\n}}\n", parts.without_defaults(&kernel)),
            yaml: lines(kernels, declared, key, &kernel),
            entry: operator.qualified_name().to_owned(),
            kernel,
            structured: None,
        })
    }
}

/// Returns the kernel as the entry names it, or the proposed name.
fn named<'k>(declared: Option<&'k KernelEntry>, proposed: &'k str) -> Cow<'k, str> {
    declared.map_or(Cow::Borrowed(proposed), |entry| entry.kernel.declared())
}

fn in_namespace(declared: Option<&KernelEntry>, declaration: String) -> String {
    match declared {
        Some(entry) => entry.kernel.within_namespace(declaration),
        None => declaration,
    }
}

/// The lines of `dispatch`. The first line of an entry without any also keeps the implicit kernel.
fn lines(
    kernels: &[KernelEntry],
    declared: Option<&KernelEntry>,
    key: &str,
    kernel: &str,
) -> String {
    let is_implicit = |kernel: &&KernelEntry| kernel.source == KernelSource::Implicit;
    if declared.as_ref().is_some_and(is_implicit) {
        return "# leave out `dispatch`: this kernel is the default".to_owned();
    }
    let line = format!("{key}: {}", named(declared, kernel));
    let implicit = kernels.iter().find(is_implicit);
    match implicit.filter(|_| !is_composite(key) || is_nested(key)) {
        Some(kept) => format!("{}: {}\n{line}", kept.key.as_str(), kept.kernel.declared()),
        None => line,
    }
}

fn is_composite(key: &str) -> bool {
    key.starts_with("Composite")
}

/// True if one entry may have kernels on both composite keys.
fn may_stand_together(a: &str, b: &str) -> bool {
    [a, b].into_iter().any(is_nested) && ![a, b].contains(&"CompositeExplicitAutogradNonFunctional")
}

fn is_nested(key: &str) -> bool {
    key == "CompositeImplicitAutogradNestedTensor"
}

/// A name like those of existing kernels: `add_out_mps`.
fn proposal(operator: &Operator, key: &str) -> String {
    let name = operator.schema().default_kernel();
    let separator = if name.ends_with('_') { "" } else { "_" };
    format!("{name}{separator}{}", key.to_lowercase())
}

fn registration(operator: &Operator, key: &str) -> String {
    let (namespace, name) = (operator.namespace(), operator.name());
    let function = operator.name().unambiguous();
    format!(
        "TORCH_LIBRARY_IMPL({namespace}, {key}, m) {{\n  \
         m.impl(\"{name}\", TORCH_FN({function}));\n}}\n"
    )
}
