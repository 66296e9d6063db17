//! One entry of `native_functions.yaml` as it was written, field by field.
//!
//! An entry does not depend on a release and not on its neighbours, and its places count from its
//! own beginning. So an entry that did not change between two revisions is shared by both.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, FunctionSchema, SchemaKind};
use opatlas_schema::name::OperatorName;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where, from the beginning of the entry.
    pub at: Span,
}

/// The fields that an entry may have; the same in all releases (`docs/spec/files.md`, section 3,
/// unknown-key).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are PyTorch's own")]
pub enum Field {
    Func,
    Variants,
    Dispatch,
    Autogen,
    Tags,
    Structured,
    StructuredDelegate,
    StructuredInherits,
    Precomputed,
    UfuncInnerLoop,
    PythonModule,
    CategoryOverride,
    DeviceCheck,
    DeviceGuard,
    ManualKernelRegistration,
    ManualCppBinding,
    UseConstRefForMutableTensors,
    CppNoDefaultArgs,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 18] = [
        Self::Func,
        Self::Variants,
        Self::Dispatch,
        Self::Autogen,
        Self::Tags,
        Self::Structured,
        Self::StructuredDelegate,
        Self::StructuredInherits,
        Self::Precomputed,
        Self::UfuncInnerLoop,
        Self::PythonModule,
        Self::CategoryOverride,
        Self::DeviceCheck,
        Self::DeviceGuard,
        Self::ManualKernelRegistration,
        Self::ManualCppBinding,
        Self::UseConstRefForMutableTensors,
        Self::CppNoDefaultArgs,
    ];

    /// The key as in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Func => "func",
            Self::Variants => "variants",
            Self::Dispatch => "dispatch",
            Self::Autogen => "autogen",
            Self::Tags => "tags",
            Self::Structured => "structured",
            Self::StructuredDelegate => "structured_delegate",
            Self::StructuredInherits => "structured_inherits",
            Self::Precomputed => "precomputed",
            Self::UfuncInnerLoop => "ufunc_inner_loop",
            Self::PythonModule => "python_module",
            Self::CategoryOverride => "category_override",
            Self::DeviceCheck => "device_check",
            Self::DeviceGuard => "device_guard",
            Self::ManualKernelRegistration => "manual_kernel_registration",
            Self::ManualCppBinding => "manual_cpp_binding",
            Self::UseConstRefForMutableTensors => "use_const_ref_for_mutable_tensors",
            Self::CppNoDefaultArgs => "cpp_no_default_args",
        }
    }

    /// The field of this key.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == key)
    }
}

/// The position of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPlace {
    /// Which.
    pub field: Field,
    /// Its key.
    pub key: Span,
    /// Its value; empty right behind the key where there is none.
    pub value: Span,
}

/// The forms in which C++ and Python can call the operator.
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

/// Whether the generated code checks that all tensors are on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeviceCheck {
    /// `NoCheck`
    NoCheck,
    /// `ExactSame`, the default.
    #[default]
    ExactSame,
}

impl DeviceCheck {
    /// The value as in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoCheck => "NoCheck",
            Self::ExactSame => "ExactSame",
        }
    }
}

/// A dispatch key by its name, which keys are equal by. Names that no release knows are kept, for the rules to
/// refuse.
#[derive(Debug, Clone, Eq)]
pub enum KeyName {
    /// A key that some release knows.
    Known(&'static str),
    /// Any other text.
    Unknown(Box<str>),
}

impl KeyName {
    /// The key of a name, shared where some release knows it. Keys have only ever been renamed, so the newest
    /// and the oldest release together know all of them.
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
        // Known ones may be the same text and not just an equal one.
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
    /// The text before the last `::`; without it the kernel is in `at`. PyTorch always appends
    /// `::native` (torchgen `NativeFunction.from_yaml`).
    pub namespace: Option<Arc<str>>,
    /// The function's name. Shared: one line of `dispatch` may put it on many keys.
    pub name: Arc<str>,
}

/// What brought a kernel into an entry's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelSource {
    /// A line of `dispatch:`.
    Declared,
    /// No `dispatch:` at all: the implicit composite.
    Implicit,
    /// `ufunc_inner_loop:`
    Ufunc,
    /// The operator is generated.
    Generated,
}

/// One kernel on one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelEntry {
    /// The key.
    pub key: KeyName,
    /// The kernel.
    pub kernel: Kernel,
    /// Why it is there.
    pub source: KernelSource,
    /// The key's name where written; for kernels that are not, the place of what brings them.
    pub key_at: Span,
    /// The kernel's name where written.
    pub kernel_at: Span,
}

/// One line of `dispatch:`, comma lists split, in the order written. A key may come twice.
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

/// A tag as written. Only strings name tags; anything else is kept for the rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TagName {
    /// A string.
    Text(Box<str>),
    /// Some other scalar, as written.
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
    /// Names of scalar types or of classes of them.
    pub dtypes: Vec<Placed<Box<str>>>,
    /// The whole value.
    pub at: Span,
}

/// `precomputed`: arguments of structured kernels that the meta function works out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Precompute {
    /// Kernel argument, and what replaces it.
    pub replace: Vec<(Placed<Box<str>>, Vec<Argument>)>,
    /// Arguments added without replacing any.
    pub add: Vec<Argument>,
}

/// Everything an entry says. Fields that could not be read hold their defaults, and a diagnostic
/// says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The whole entry, the dash of its list item excluded.
    pub span: Span,
    /// The value of `func`; the whole entry where there is none.
    pub func_at: Span,
    /// The operator's namespace, `aten` where none is written.
    pub namespace: Box<str>,
    /// The operator's name, read even where the rest of the schema is broken.
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
    /// `precomputed`, where it is neither absent nor null. An empty list says nothing, but needs a
    /// structured operator all the same.
    pub precomputed: Option<Precompute>,
    /// `autogen`
    pub autogen: Vec<Placed<OperatorName>>,
    /// `ufunc_inner_loop`
    pub ufunc_inner_loop: Vec<UfuncLoop>,
    /// `dispatch` as written; `None` where it is absent or null.
    pub dispatch: Option<Vec<DispatchLine>>,
    /// The kernels that follow: of `dispatch`, later lines winning; the implicit composite; those
    /// of ufuncs. Comma lists are split.
    pub kernels: Vec<KernelEntry>,
    /// `tags`, before any that a release adds by itself.
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
    /// The fields in the order written.
    pub fields: Vec<FieldPlace>,
    /// What could not be read.
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

    /// The kernel on a key, composites only under their own name.
    #[must_use]
    pub fn kernel(&self, key: &str) -> Option<&KernelEntry> {
        self.kernels.iter().find(|k| k.key.as_str() == key)
    }

    /// Whether a kernel is put on this key.
    #[must_use]
    pub fn has_kernel(&self, key: &str) -> bool {
        self.kernel(key).is_some()
    }

    /// Whether the operator is abstract: it delegates, or its keys are more than the implicit
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
