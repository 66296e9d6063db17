//! The C++ and Python declarations of operators.

use opatlas_operators::faces::{
    BackendStub, Bound, DeprecatedFaces, DirectFunctions, FaceBinding, FaceMaker,
    ImplementationFaces, InTree, KeyFaces, OperatorFaces,
};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Stub;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::{IntoParams, ToSchema};

use crate::paths::Generated;
use crate::problem::Problem;
use opatlas_service::Snapshot;
use opatlas_service::faces::kernel_key;

/// Options of an operator's declarations.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SignaturesQuery {
    /// Also return how to implement the operator for this dispatch key.
    #[param(example = "PrivateUse1")]
    pub key: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// Options of the declarations of an operator in a posted bundle.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PostedSignaturesQuery {
    /// The operator, as in `/v1/parse`: `base_name[.overload]`, with its namespace unless it is
    /// `aten`. It may be a generated operator.
    #[param(example = "blend")]
    pub operator: String,
    /// Also return how to implement the operator for this dispatch key.
    #[param(example = "PrivateUse1")]
    pub key: Option<String>,
    /// The release of PyTorch whose rules apply; by default the newest known.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// The operators whose declarations to return.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SignatureListQuery {
    /// Whether to include generated operators; by default yes.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The number of operators in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A page of declarations.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignaturesList {
    /// The declarations, one item for each operator.
    pub items: Vec<Signatures>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// The declarations of an operator, as the release's torchgen generates them. A member is absent if
/// the operator has no such declaration, or if torchgen refuses to generate it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Signatures {
    /// `base_name[.overload]`
    #[schema(example = "add.Tensor")]
    pub name: String,
    /// The unboxed signature with symbolic sizes: what is registered with the dispatcher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatcher: Option<String>,
    /// The unboxed signature with concrete sizes, if it differs. An out-of-tree backend declares it for
    /// an operator that it does not list under `symint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatcher_int: Option<String>,
    /// `at::` functions: plain, faithful, and both with symbolic sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<String>>,
    /// Methods of `at::Tensor`, in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Functions that call a kernel without the dispatcher, by their namespace in `at`. Those of `mps`
    /// and `xpu` exist only in builds for these.
    #[serde(skip_serializing_if = "DirectMap::is_empty")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Vec<String>>>)]
    pub direct_functions: DirectMap,
    /// The declarations in `NativeFunctions.h`, for each dispatch key with a kernel; in the namespace
    /// `at::native`, unless a declaration gives another.
    #[serde(skip_serializing_if = "KernelMap::is_empty")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Vec<String>>>)]
    pub kernels: KernelMap,
    /// The function's signature for Python's argument parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python_function: Option<String>,
    /// The method's signature for Python's argument parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python_method: Option<String>,
    /// The function in the type stub; then its form with separate integers, or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pyi_function: Option<[Option<String>; 2]>,
    /// The method in the type stub, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pyi_method: Option<[Option<String>; 2]>,
    /// Where Python binds it.
    pub bound: BoundView,
    /// The Python functions, methods and properties that take it.
    pub bindings: Vec<BindingView>,
    /// The deprecated Python signatures that call it, from `deprecated.yaml`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deprecated: Vec<DeprecatedView>,
    /// How to implement it for the requested key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implement: Option<ImplementView>,
}

/// Where Python binds an operator. The first three members are about its name; the argument parser
/// then chooses an overload.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Bound)]
pub struct BoundView {
    /// `torch` has a function of this name.
    pub torch: bool,
    /// `Tensor` has a method or attribute of this name.
    #[serde(rename = "Tensor")]
    pub tensor: bool,
    /// The module of `torch._C` that has a function of this name.
    #[schema(example = "_nn")]
    pub module: Option<String>,
    /// Whether one of these calls can reach this overload itself.
    pub overload: bool,
}

/// A Python function, method or property that takes an operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PythonBinding)]
pub struct BindingView {
    /// Where it is: `torch`, `Tensor`, or a module such as `torch._C._nn`.
    #[schema(example = "Tensor")]
    pub place: String,
    /// Its name there.
    #[schema(example = "mT")]
    pub name: String,
    /// `function`, `method` or `property`.
    #[schema(example = "property")]
    pub kind: &'static str,
    /// The signatures of the argument parser that take the operator, as they are tried. A property has
    /// none.
    pub signatures: Vec<String>,
    /// True if it is written by hand.
    pub by_hand: bool,
}

/// A deprecated Python signature of an operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeprecatedSignature)]
pub struct DeprecatedView {
    /// The signature as a schema.
    #[schema(example = "add(Tensor self, Scalar alpha, Tensor other) -> Tensor")]
    pub schema: String,
    /// The function's signature for Python's argument parser; null if there is only the method.
    pub python_function: Option<String>,
    /// The method's signature for Python's argument parser; null if there is only the function.
    pub python_method: Option<String>,
    /// The function in the type stub. Methods have none.
    pub pyi_function: Option<String>,
}

/// How to implement an operator for a dispatch key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Implementation)]
pub struct ImplementView {
    /// The key.
    pub key: String,
    /// In PyTorch's own tree; null if its file takes no kernel of the operator on the key.
    pub in_tree: Option<InTreeView>,
    /// The function that a library registers; it has the dispatcher's signature.
    pub function: Option<String>,
    /// The lines that register it.
    pub registration: String,
    /// A backend whose file does not list the operator under `symint`; null if PyTorch has kernels on the
    /// key.
    pub backend: Option<BackendView>,
    /// A backend whose file does; null where no argument is a symbolic size.
    pub backend_symint: Option<BackendView>,
}

/// A kernel in PyTorch's own tree.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InTreeKernel)]
pub struct InTreeView {
    /// Whether the entry has a kernel for the key already. If not, the kernel's name is a proposal.
    pub declared: bool,
    /// The kernel's name.
    pub kernel: String,
    /// The declaration in `NativeFunctions.h`.
    pub declaration: String,
    /// The definition to write.
    pub definition: String,
    /// The line of `dispatch:`; the first line of an entry without any comes with its implicit kernel.
    pub yaml: String,
    /// The operator whose entry the line belongs to.
    pub entry: String,
    /// The class that all kernels of a structured operator derive from.
    pub meta_class: Option<String>,
    /// The definition of its `meta`.
    pub meta_definition: Option<String>,
}

/// The backend file's lines and the generated declaration.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BackendStub)]
pub struct BackendView {
    /// The member of `KEYNativeFunctions` that torchgen declares.
    pub declaration: String,
    /// The backend file.
    pub yaml: String,
}

/// Declarations by key, in torchgen's order of keys.
#[derive(Debug)]
pub struct KernelMap(Vec<KeyFaces>);

impl KernelMap {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for KernelMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for faces in &self.0 {
            map.serialize_entry(&*faces.key, &faces.declarations)?;
        }
        map.end()
    }
}

/// Functions by namespace.
#[derive(Debug)]
pub struct DirectMap(Vec<DirectFunctions>);

impl DirectMap {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for DirectMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for of_key in &self.0 {
            map.serialize_entry(&of_key.namespace, &of_key.declarations)?;
        }
        map.end()
    }
}

/// The declarations of an operator, and how it is implemented for a key. Fails for an unknown key.
pub fn signatures(
    snapshot: &Snapshot,
    id: OperatorId,
    key: Option<&str>,
) -> Result<Signatures, Problem> {
    let maker = FaceMaker::new(&snapshot.catalogue);
    let key = key.map(|key| kernel_key(snapshot.release(), key));
    let key = key
        .transpose()
        .map_err(|error| Problem::from(error).about("key"))?;
    let implementation = key.map(|key| maker.implementation(id, key));
    Ok(view(snapshot, id, maker.faces(id), implementation))
}

/// Faces on the wire.
#[must_use]
pub fn view(
    snapshot: &Snapshot,
    id: OperatorId,
    faces: OperatorFaces,
    implementation: Option<ImplementationFaces>,
) -> Signatures {
    Signatures {
        name: snapshot.catalogue.operator(id).qualified_name().to_owned(),
        dispatcher: faces.dispatcher,
        dispatcher_int: faces.dispatcher_int,
        functions: faces.functions,
        methods: faces.methods,
        direct_functions: DirectMap(faces.direct),
        kernels: KernelMap(faces.kernels),
        python_function: faces.python_function,
        python_method: faces.python_method,
        pyi_function: faces.pyi_function.map(stub),
        pyi_method: faces.pyi_method.map(stub),
        bound: faces.bound.into(),
        bindings: faces.bindings.into_iter().map(Into::into).collect(),
        deprecated: faces.deprecated.into_iter().map(Into::into).collect(),
        implement: implementation.map(Into::into),
    }
}

fn stub(stub: Stub) -> [Option<String>; 2] {
    [Some(stub.plain), stub.variadic]
}

impl From<Bound> for BoundView {
    fn from(bound: Bound) -> Self {
        Self {
            torch: bound.torch,
            tensor: bound.tensor,
            module: bound.module,
            overload: bound.overload,
        }
    }
}

impl From<FaceBinding> for BindingView {
    fn from(binding: FaceBinding) -> Self {
        Self {
            place: binding.place.to_string(),
            name: binding.name,
            kind: opatlas_report::calls::kind(binding.kind),
            signatures: binding.signatures,
            by_hand: binding.by_hand,
        }
    }
}

impl From<DeprecatedFaces> for DeprecatedView {
    fn from(faces: DeprecatedFaces) -> Self {
        Self {
            schema: faces.schema,
            python_function: faces.python_function,
            python_method: faces.python_method,
            pyi_function: faces.pyi_function,
        }
    }
}

impl From<ImplementationFaces> for ImplementView {
    fn from(faces: ImplementationFaces) -> Self {
        Self {
            key: faces.key.into(),
            in_tree: faces.in_tree.map(Into::into),
            function: faces.function,
            registration: faces.registration,
            backend: faces.backend.map(Into::into),
            backend_symint: faces.backend_symint.map(Into::into),
        }
    }
}

impl From<InTree> for InTreeView {
    fn from(kernel: InTree) -> Self {
        let (meta_class, meta_definition) = match kernel.structured {
            Some(class) => (Some(class.meta_class), Some(class.meta_definition)),
            None => (None, None),
        };
        Self {
            declared: kernel.is_declared,
            kernel: kernel.kernel.into(),
            declaration: kernel.declaration,
            definition: kernel.definition,
            yaml: kernel.yaml,
            entry: kernel.entry,
            meta_class,
            meta_definition,
        }
    }
}

impl From<BackendStub> for BackendView {
    fn from(stub: BackendStub) -> Self {
        Self {
            declaration: stub.declaration,
            yaml: stub.yaml,
        }
    }
}
