//! Operators on the wire, as in `docs/spec/registry.md`, section 4.

use std::borrow::Cow;

use opatlas_operators::entry::{Entry, KernelEntry, Precompute};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Keys;
use opatlas_schema::function::{self, FunctionSchema, SchemaKind};
use opatlas_source::NATIVE_FUNCTIONS;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

use crate::finding::{Span, place};
use opatlas_service::Snapshot;

/// The kind of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperatorKind {
    /// Mutates nothing.
    Functional,
    /// Mutates `self`, and has an in-place name.
    Inplace,
    /// Mutates keyword-only out arguments.
    Out,
    /// Mutates positional arguments other than `self`.
    Mutable,
    /// Has an out argument named `_scratch_*`.
    Scratch,
}

/// An argument of a schema.
#[derive(Debug, Serialize, ToSchema)]
pub struct Argument<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type, without the annotation.
    #[serde(rename = "type")]
    #[schema(example = "Tensor")]
    pub ty: String,
    /// The text after `=`.
    pub default: Option<Cow<'a, str>>,
    /// The alias annotation, without its parentheses.
    #[schema(example = "a!")]
    pub annotation: Option<String>,
    /// Whether it is keyword-only (after `*`).
    pub kwarg_only: bool,
    /// Whether it is an out argument.
    pub is_out: bool,
    /// Whether it is the self argument.
    pub is_self: bool,
}

/// A return value of a schema.
#[derive(Debug, Serialize, ToSchema)]
pub struct Return<'a> {
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// Its type, without the annotation.
    #[serde(rename = "type")]
    #[schema(example = "Tensor")]
    pub ty: String,
    /// The alias annotation, without its parentheses.
    pub annotation: Option<String>,
}

/// A kernel registered on a key, and its origin.
#[derive(Debug, Serialize, ToSchema)]
pub struct Registration<'a> {
    /// The runtime or alias key.
    #[schema(example = "CPU")]
    pub key: &'static str,
    /// The kernel's C++ name; null if only its file is known.
    pub kernel: Option<Cow<'a, str>>,
    /// The origin of the registration.
    #[schema(example = "declared")]
    pub origin: &'static str,
    /// Whether it is a fallthrough.
    pub fallthrough: bool,
    /// Whether a later registration for the same key replaces it.
    pub overridden: bool,
    /// The file of the bundle, or the source file in PyTorch.
    pub file: Option<&'a str>,
    /// The position in a file of the bundle.
    pub span: Option<Span>,
}

/// The kernels of an operator by key, as in torchgen, in the order declared.
#[derive(Debug)]
pub struct Kernels<'a>(&'a [KernelEntry]);

/// An operator: its declaration, and what follows from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Operator<'a> {
    /// `base_name[.overload]`.
    #[schema(example = "add.Tensor")]
    pub name: &'a str,
    /// Its namespace, most often `aten`.
    #[schema(example = "aten")]
    pub namespace: &'a str,
    /// The name before the dot.
    pub base_name: &'a str,
    /// The name after the dot; empty for the default overload.
    pub overload: &'a str,
    /// The canonical schema, without the namespace.
    #[schema(example = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")]
    pub schema: &'a str,
    /// What it mutates.
    pub kind: OperatorKind,
    /// Whether it is generated.
    pub generated: bool,
    /// The operator that it is generated from.
    pub generated_from: Option<String>,
    /// Its arguments, in schema order.
    pub arguments: Vec<Argument<'a>>,
    /// Its return values.
    pub returns: Vec<Return<'a>>,
    /// Its bindings: `function`, `method`.
    pub variants: Vec<&'static str>,
    /// `structured: True`
    pub structured: bool,
    /// The structured operator that it delegates to.
    pub structured_delegate: Option<&'a str>,
    /// The C++ class that its structured kernel inherits from.
    pub structured_inherits: Option<&'a str>,
    /// Kernels by key, as in torchgen: comma lists split, the implicit composite added.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub dispatch: Kernels<'a>,
    /// All known registrations in order: from the files, from backend files, hand-written and
    /// observed.
    pub registrations: Vec<Registration<'a>>,
    /// Its tags, including those that the release adds.
    pub tags: Vec<&'a str>,
    /// The operators generated from it.
    pub autogen: Vec<&'a str>,
    /// The module of the Python binding.
    pub python_module: Option<&'a str>,
    /// `NoCheck` or `ExactSame`.
    pub device_check: &'static str,
    /// Whether the generated code guards the device.
    pub device_guard: bool,
    /// `category_override`
    pub category_override: Option<&'a str>,
    /// `manual_cpp_binding`
    pub manual_cpp_binding: bool,
    /// `cpp_no_default_args`
    pub cpp_no_default_args: Vec<&'a str>,
    /// `manual_kernel_registration`
    pub manual_kernel_registration: bool,
    /// `use_const_ref_for_mutable_tensors`
    pub use_const_ref_for_mutable_tensors: bool,
    /// The lines of `precomputed`.
    pub precomputed: Vec<String>,
    /// The lines of `ufunc_inner_loop`.
    pub ufunc_inner_loop: Vec<String>,
    /// Whether it is a view operator.
    pub is_view: bool,
    /// The signature that it shares with its variants.
    pub signature: &'a str,
    /// The file that declares it; null for generated operators.
    pub file: Option<&'a str>,
    /// The position of its entry; null for generated operators.
    pub span: Option<Span>,
}

/// The wire form of an operator of a snapshot.
#[must_use]
pub fn operator(snapshot: &Snapshot, id: OperatorId) -> Operator<'_> {
    let catalogue = &snapshot.catalogue;
    let operator = catalogue.operator(id);
    let schema = operator.schema();
    let placed = operator.declared();
    let entry = placed.map(|placed| &*placed.entry);
    let from = operator.generated_from();
    Operator {
        name: operator.name_text(),
        namespace: operator.namespace(),
        base_name: operator.base_name(),
        overload: operator.name().overload(),
        schema: operator.canonical(),
        kind: operator.kind.into(),
        generated: operator.is_generated(),
        generated_from: from.map(|id| catalogue.operator(id).qualified_name().to_owned()),
        arguments: arguments(schema),
        returns: returns(schema),
        variants: variants(operator.variants()),
        structured: operator.is_structured(),
        structured_delegate: operator.structured_delegate().map(|name| name.as_str()),
        structured_inherits: entry.and_then(|e| text(e.structured_inherits.as_ref())),
        dispatch: Kernels(catalogue.kernels(id)),
        registrations: registrations(snapshot, id),
        tags: operator.tags.iter().map(|tag| &**tag).collect(),
        autogen: entry.map_or_else(Vec::new, autogen),
        python_module: entry.and_then(|e| text(e.python_module.as_ref())),
        device_check: operator.device_check().as_str(),
        device_guard: operator.device_guard(),
        category_override: entry.and_then(|e| text(e.category_override.as_ref())),
        manual_cpp_binding: operator.has_manual_cpp_binding(),
        cpp_no_default_args: entry.map_or_else(Vec::new, no_default_arguments),
        manual_kernel_registration: entry.is_some_and(|e| e.manual_kernel_registration),
        use_const_ref_for_mutable_tensors: match operator.generated() {
            Some(made) => made.use_const_ref_for_mutable_tensors,
            None => entry.is_some_and(|e| e.use_const_ref_for_mutable_tensors),
        },
        precomputed: entry
            .and_then(|e| e.precomputed.as_ref())
            .map_or_else(Vec::new, precomputed),
        ufunc_inner_loop: entry.map_or_else(Vec::new, inner_loops),
        is_view: operator.is_view,
        signature: operator.signature(),
        file: placed
            .map(|_| NATIVE_FUNCTIONS)
            .or_else(|| Some(&*operator.vendor()?.file)),
        span: match (placed, operator.vendor()) {
            (Some(placed), _) => {
                let at = placed.place(placed.entry.span);
                Some(place(snapshot, NATIVE_FUNCTIONS, at))
            }
            (None, Some(vendor)) => Some(place(snapshot, &vendor.file, vendor.at)),
            (None, None) => None,
        },
    }
}

/// Arguments on the wire.
#[must_use]
pub fn arguments(schema: &FunctionSchema) -> Vec<Argument<'_>> {
    let arguments = &schema.arguments;
    let all = arguments.all().iter().enumerate();
    all.map(|(i, argument)| Argument {
        name: &argument.name,
        ty: argument.ty.to_string(),
        default: argument.default.as_deref().map(Cow::Borrowed),
        annotation: argument.annotation.as_ref().map(ToString::to_string),
        kwarg_only: arguments.is_keyword_only(i),
        is_out: arguments.is_out(i),
        is_self: arguments.self_index() == Some(i),
    })
    .collect()
}

/// Return values on the wire.
#[must_use]
pub fn returns(schema: &FunctionSchema) -> Vec<Return<'_>> {
    let returns = schema.returns.iter().map(|ret| Return {
        name: ret.name.as_deref(),
        ty: ret.ty.to_string(),
        annotation: ret.annotation.as_ref().map(ToString::to_string),
    });
    returns.collect()
}

/// A registration of a snapshot on the wire.
#[must_use]
pub fn registration<'a>(
    snapshot: &Snapshot,
    keys: &'static Keys,
    made: opatlas_dispatch::Registration<'a>,
) -> Registration<'a> {
    Registration {
        key: keys.name(made.key),
        kernel: made.kernel,
        origin: made.origin.as_str(),
        fallthrough: made.fallthrough,
        overridden: made.overridden,
        file: made.file,
        span: made
            .file
            .zip(made.span)
            .map(|(file, span)| place(snapshot, file, span)),
    }
}

pub(crate) fn registrations(snapshot: &Snapshot, id: OperatorId) -> Vec<Registration<'_>> {
    let view = snapshot.view();
    let made = view.registrations(id);
    made.map(|made| registration(snapshot, view.keys(), made))
        .collect()
}

pub(crate) fn variants(variants: opatlas_operators::entry::Variants) -> Vec<&'static str> {
    let all = [(variants.function, "function"), (variants.method, "method")];
    let chosen = all.into_iter().filter(|&(has, _)| has);
    chosen.map(|(_, name)| name).collect()
}

pub(crate) fn text(placed: Option<&opatlas_operators::entry::Placed<Box<str>>>) -> Option<&str> {
    placed.map(|placed| &*placed.value)
}

pub(crate) fn autogen(entry: &Entry) -> Vec<&str> {
    let names = entry.autogen.iter();
    names.map(|name| name.value.as_str()).collect()
}

pub(crate) fn no_default_arguments(entry: &Entry) -> Vec<&str> {
    let names = entry.cpp_no_default_args.iter();
    names.map(|name| &*name.value).collect()
}

/// As in `precomputed`: `dim -> int dim, int n`; added parameters come last.
pub(crate) fn precomputed(precompute: &Precompute) -> Vec<String> {
    let list = |arguments: &[function::Argument]| {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        arguments.join(", ")
    };
    let replaced = precompute
        .replace
        .iter()
        .map(|(name, by)| format!("{} -> {}", name.value, list(by)));
    let added = (!precompute.add.is_empty()).then(|| list(&precompute.add));
    replaced.chain(added).collect()
}

/// As in `ufunc_inner_loop`: `Generic: add (AllAndComplex)`.
pub(crate) fn inner_loops(entry: &Entry) -> Vec<String> {
    let loops = entry.ufunc_inner_loop.iter().map(|inner| {
        let types: Vec<_> = inner.dtypes.iter().map(|ty| &*ty.value).collect();
        format!("{}: {} ({})", inner.key.value, inner.name, types.join(", "))
    });
    loops.collect()
}

impl Serialize for Kernels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for kernel in self.0 {
            map.serialize_entry(kernel.key.as_str(), &*kernel.kernel.declared())?;
        }
        map.end()
    }
}

impl From<SchemaKind> for OperatorKind {
    fn from(kind: SchemaKind) -> Self {
        match kind {
            SchemaKind::Functional => Self::Functional,
            SchemaKind::Inplace => Self::Inplace,
            SchemaKind::Out => Self::Out,
            SchemaKind::Mutable => Self::Mutable,
            SchemaKind::Scratch => Self::Scratch,
        }
    }
}

impl From<OperatorKind> for SchemaKind {
    fn from(kind: OperatorKind) -> Self {
        match kind {
            OperatorKind::Functional => Self::Functional,
            OperatorKind::Inplace => Self::Inplace,
            OperatorKind::Out => Self::Out,
            OperatorKind::Mutable => Self::Mutable,
            OperatorKind::Scratch => Self::Scratch,
        }
    }
}
