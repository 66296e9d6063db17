//! One entry of `native_functions.yaml`, field by field.
//!
//! Its positions are relative, so revisions can share unchanged entries.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, FunctionSchema, SchemaKind};
use opatlas_schema::name::OperatorName;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;

/// A value with its position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its position, relative to the entry.
    pub at: Span,
}

opatlas_source::words! {
    /// The fields of an entry, the same in all releases (`docs/spec/files.md`, section 3, unknown-key).
    pub enum Field {
        Func = "func",
        Variants = "variants",
        Dispatch = "dispatch",
        Autogen = "autogen",
        Tags = "tags",
        Structured = "structured",
        StructuredDelegate = "structured_delegate",
        StructuredInherits = "structured_inherits",
        Precomputed = "precomputed",
        UfuncInnerLoop = "ufunc_inner_loop",
        PythonModule = "python_module",
        CategoryOverride = "category_override",
        DeviceCheck = "device_check",
        DeviceGuard = "device_guard",
        ManualKernelRegistration = "manual_kernel_registration",
        ManualCppBinding = "manual_cpp_binding",
        UseConstRefForMutableTensors = "use_const_ref_for_mutable_tensors",
        CppNoDefaultArgs = "cpp_no_default_args",
    }
}

/// The position of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPlace {
    /// The field.
    pub field: Field,
    /// The position of its key.
    pub key: Span,
    /// The position of its value; empty after the key if there is none.
    pub value: Span,
}

/// How C++ and Python can call the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variants {
    /// `at::op` and `torch.op`.
    pub function: bool,
    /// `Tensor.op`.
    pub method: bool,
}

impl Default for Variants {
    fn default() -> Self {
        Self {
            function: true,
            method: false,
        }
    }
}

opatlas_source::words! {
    /// Whether generated code checks that all tensors are on one device.
    #[derive(Default)]
    pub enum DeviceCheck {
        NoCheck = "NoCheck",
        /// `ExactSame`, the default.
        #[default]
        ExactSame = "ExactSame",
    }
}

/// A dispatch key's name, by which keys are compared. Rules reject unknown names.
#[derive(Debug, Clone, Eq)]
pub enum KeyName {
    /// A key of some release.
    Known(&'static str),
    /// Any other text.
    Unknown(Box<str>),
}

impl KeyName {
    /// Keys have only been renamed, so the newest and the oldest release together know all of them.
    #[must_use]
    pub fn of(name: &str) -> Self {
        [Release::LATEST, Release::V2_0]
            .into_iter()
            .find_map(|release| release.data().dispatch_keys_known.find(name))
            .map_or_else(|| Self::Unknown(name.into()), Self::Known)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(name) => name,
            Self::Unknown(name) => name,
        }
    }
}

impl PartialEq for KeyName {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.as_str(), other.as_str());
        // Fast path for the same text.
        std::ptr::eq(one, other) || one == other
    }
}

impl Hash for KeyName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl AsRef<str> for KeyName {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// A kernel by its C++ name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The text before the last `::`; by default `at`. PyTorch always appends `::native`.
    pub namespace: Option<Arc<str>>,
    /// The function's name, shared between the keys of a line.
    pub name: Arc<str>,
}

impl Kernel {
    /// Returns the namespace of the function, such as `custom::deep::native`, unless it is
    /// `at::native`.
    #[must_use]
    pub fn own_namespace(&self) -> Option<String> {
        let namespace = self.namespace.as_deref().filter(|name| *name != "at")?;
        Some(format!("{namespace}::native"))
    }

    /// Returns the name of the function, with its namespace unless that is `at::native`.
    #[must_use]
    pub fn qualified(&self) -> Cow<'_, str> {
        match self.own_namespace() {
            Some(namespace) => format!("{namespace}::{}", self.name).into(),
            None => Cow::Borrowed(&self.name),
        }
    }

    /// Returns the kernel as the entry spells it, without the `::native` that PyTorch appends.
    #[must_use]
    pub fn declared(&self) -> Cow<'_, str> {
        match self.namespace.as_deref() {
            Some(namespace) => format!("{namespace}::{}", self.name).into(),
            None => Cow::Borrowed(&self.name),
        }
    }

    /// Declares the function, within its namespace unless that is `at::native`.
    #[must_use]
    pub fn within_namespace(&self, declaration: String) -> String {
        match self.own_namespace() {
            Some(namespace) => format!("namespace {namespace} {{ {} }}", declaration.trim_end()),
            None => declaration,
        }
    }
}

/// The source of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelSource {
    /// A line of `dispatch:`.
    Declared,
    /// No `dispatch:`, which means the implicit composite.
    Implicit,
    /// `ufunc_inner_loop:`
    Ufunc,
    /// A generated operator.
    Generated,
}

/// A kernel for a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelEntry {
    /// The key.
    pub key: KeyName,
    /// The kernel.
    pub kernel: Kernel,
    /// Its source.
    pub source: KernelSource,
    /// The position of the key; for implied kernels, of their source.
    pub key_at: Span,
    /// The position of the kernel's name.
    pub kernel_at: Span,
}

/// One line of `dispatch:` in file order, split at commas. Keys may repeat.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DispatchLine {
    /// The key.
    pub key: KeyName,
    /// The kernel.
    pub kernel: Kernel,
    /// The position of the key.
    pub key_at: Span,
    /// The position of the kernel.
    pub kernel_at: Span,
}

/// A tag. Rules reject anything but strings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TagName {
    /// A string.
    Text(Box<str>),
    /// Another scalar.
    Scalar(Box<str>),
    /// A list or mapping.
    Collection,
}

/// One loop of `ufunc_inner_loop`: `name (dtypes)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UfuncLoop {
    /// `Generic`, `ScalarOnly`, ...
    pub key: Placed<Box<str>>,
    /// The C++ function.
    pub name: Box<str>,
    /// Names of scalar types or of their classes.
    pub dtypes: Vec<Placed<Box<str>>>,
    /// The whole value.
    pub at: Span,
}

/// `precomputed`: arguments of structured kernels that the meta function computes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Precompute {
    /// Replaced kernel arguments, with their replacements.
    pub replace: Vec<(Placed<Box<str>>, Vec<Argument>)>,
    /// Additional arguments.
    pub add: Vec<Argument>,
}

/// An entry. Fields that could not be read have their defaults and a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The whole entry, without the dash of its list item.
    pub span: Span,
    /// The value of `func`; the whole entry if it is missing.
    pub func_at: Span,
    /// The operator's namespace, `aten` by default.
    pub namespace: Box<str>,
    /// The operator's name, read even if the rest of the schema is broken.
    pub name: Option<OperatorName>,
    /// The schema.
    pub schema: Option<FunctionSchema>,
    /// The schema's canonical text; empty without a schema.
    pub canonical: Box<str>,
    /// The canonical text of its signature ([`opatlas_schema::signature`]); empty without a schema.
    pub signature: Box<str>,
    /// `variants`
    pub variants: Variants,
    /// `structured`
    pub structured: bool,
    /// `structured_delegate`
    pub structured_delegate: Option<Placed<OperatorName>>,
    /// `structured_inherits`
    pub structured_inherits: Option<Placed<Box<str>>>,
    /// `precomputed`, unless missing or null. Even an empty list needs a structured operator.
    pub precomputed: Option<Precompute>,
    /// `autogen`
    pub autogen: Vec<Placed<OperatorName>>,
    /// `ufunc_inner_loop`
    pub ufunc_inner_loop: Vec<UfuncLoop>,
    /// `dispatch`; `None` if it is missing or null.
    pub dispatch: Option<Vec<DispatchLine>>,
    /// Kernels of `dispatch` (the last line for a key wins), the implicit composite, and ufuncs.
    pub kernels: Vec<KernelEntry>,
    /// `tags`, without those that a release adds.
    pub tags: Vec<Placed<TagName>>,
    /// `python_module`
    pub python_module: Option<Placed<Box<str>>>,
    /// `category_override`
    pub category_override: Option<Placed<Box<str>>>,
    /// `device_check`
    pub device_check: DeviceCheck,
    /// `device_guard`
    pub device_guard: bool,
    /// `manual_kernel_registration`
    pub manual_kernel_registration: bool,
    /// `manual_cpp_binding`
    pub manual_cpp_binding: bool,
    /// `use_const_ref_for_mutable_tensors`
    pub use_const_ref_for_mutable_tensors: bool,
    /// `cpp_no_default_args`
    pub cpp_no_default_args: Vec<Placed<Box<str>>>,
    /// The fields in file order.
    pub fields: Vec<FieldPlace>,
    /// Errors in the entry.
    pub diagnostics: Complaints,
}

impl Entry {
    /// The position of a field, if declared.
    #[must_use]
    pub fn field(&self, field: Field) -> Option<&FieldPlace> {
        self.fields.iter().find(|place| place.field == field)
    }

    /// The kind of its schema.
    #[must_use]
    pub fn kind(&self) -> Option<SchemaKind> {
        self.schema.as_ref().map(FunctionSchema::kind)
    }

    /// The kernel for a key; composites only under their own name.
    #[must_use]
    pub fn kernel(&self, key: &str) -> Option<&KernelEntry> {
        self.kernels.iter().find(|k| k.key.as_str() == key)
    }

    /// Whether it has a kernel for this key.
    #[must_use]
    pub fn has_kernel(&self, key: &str) -> bool {
        self.kernel(key).is_some()
    }

    /// Whether the operator is abstract: it delegates, or has kernels other than the implicit
    /// composites (torchgen `NativeFunction.is_abstract`; an empty table is abstract).
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        self.structured_delegate.is_some()
            || self.kernels.is_empty()
            || self.kernels.iter().any(|k| {
                !matches!(
                    k.key.as_str(),
                    "CompositeImplicitAutograd" | "CompositeImplicitAutogradNestedTensor"
                )
            })
    }
}
