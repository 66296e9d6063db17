//! The C++ and Python declarations of operators.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::{IntoParams, ToSchema};

use crate::service::faces::kernel_key;
use crate::service::search::{Filter, find};
use crate::service::{Snapshot, ViewId};
use opatlas_operators::faces::{
    BackendStub, Bound, FaceMaker, ImplementationFaces, InTree, KeyFaces, OperatorFaces,
};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Stub;

use super::Api;
use super::extract::{Path, Query};
use super::negotiate::{JSON, Media, Wishes};
use super::paths::{Generated, OperatorPath, RevisionPath};
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::respond::{self, Making, ViewRequest, json};
use super::stream;

/// What is asked of an operator's declarations.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SignaturesQuery {
    /// Also how the operator is implemented for this dispatch key.
    #[param(example = "PrivateUse1")]
    pub key: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// Which operators' declarations are wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SignatureListQuery {
    /// Whether generated operators are wanted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// The declarations of an operator, as torchgen of the release makes them. A member is absent where
/// the operator has no such declaration, or torchgen refuses to make it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Signatures {
    /// `base_name[.overload]`
    #[schema(example = "add.Tensor")]
    pub name: String,
    /// The unboxed signature with symbolic sizes: what is registered with the dispatcher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatcher: Option<String>,
    /// The same with concrete sizes, where it differs: what an out-of-tree backend declares for an
    /// operator that it does not list under `symint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatcher_int: Option<String>,
    /// `at::` functions: plain, faithful, and both with symbolic sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<String>>,
    /// Methods of `at::Tensor`, in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// For each dispatch key with a kernel, what `NativeFunctions.h` declares.
    #[serde(skip_serializing_if = "KernelMap::is_empty")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Vec<String>>>)]
    pub kernels: KernelMap,
    /// What Python's argument parser gets for the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python_function: Option<String>,
    /// What it gets for the method.
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
    /// How it is implemented for the key that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implement: Option<ImplementView>,
}

/// Where Python has an operator. The first three are about its name, behind which the argument
/// parser chooses an overload.
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

/// How an operator is implemented for a dispatch key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Implementation)]
pub struct ImplementView {
    /// The key.
    pub key: String,
    /// In PyTorch's own tree.
    pub in_tree: Option<InTreeView>,
    /// The function that a library registers; it has the dispatcher's signature.
    pub function: Option<String>,
    /// The lines that register it.
    pub registration: String,
    /// A backend whose file does not list the operator under `symint`.
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
    /// What `NativeFunctions.h` declares.
    pub declaration: String,
    /// What the author defines.
    pub definition: String,
    /// The line of `dispatch:`.
    pub yaml: String,
    /// The operator whose entry the line belongs to.
    pub entry: String,
    /// The class that all kernels of a structured operator derive from.
    pub meta_class: Option<String>,
    /// The definition of its `meta`.
    pub meta_definition: Option<String>,
}

/// What a backend file and its generated stubs hold.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BackendStub)]
pub struct BackendView {
    /// The member of `KEYNativeFunctions` that torchgen declares.
    pub declaration: String,
    /// The lines of the backend file.
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

/// The declarations of an operator
///
/// The C++ and Python declarations that torchgen of the release makes of the operator. With `key`
/// also what is written to implement it for that key.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/signatures",
    tag = "operators",
    operation_id = "get_signatures",
    params(OperatorPath, SignaturesQuery),
    responses(
        (status = 200, description = "The declarations", body = Signatures),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or dispatch key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(query): Query<SignaturesQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let name = path.operator;
    let request = ViewRequest {
        revision: &revision,
        view: "signatures",
        parameters: (name.clone(), query.key.clone()),
        media,
        making: Making::Checked,
    };
    let asked = revision.clone();
    respond::view(&api, &wishes, request, move |snapshot| {
        let id = snapshot.find(&asked, &name)?;
        Ok(json(&signatures(snapshot, id, query.key.as_deref())?))
    })
    .await
}

/// The declarations of all operators
///
/// The same for each operator of a revision, one a line; written ones in the order of the file, then
/// generated ones.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/signatures",
    tag = "operators",
    operation_id = "list_signatures",
    params(RevisionPath, SignatureListQuery),
    responses(
        (status = 200, description = "The declarations, one operator a line", body = Signatures, content_type = "application/x-ndjson"),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<SignatureListQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(&[Media::NdJson])?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let filter = Filter {
        generated: query.generated.map_or_else(Default::default, Into::into),
        ..Filter::default()
    };
    let id = ViewId::new(&revision, "all signatures", &filter, media.as_str());
    if let Some(response) = respond::not_modified(&wishes, id) {
        return Ok(response);
    }
    let snapshot = api.service.snapshot(&revision).await?;
    let found = {
        let snapshot = Arc::clone(&snapshot);
        let found = move || find(&snapshot, &filter);
        api.service.compute(move |_| Ok(found())).await?
    };
    let count = found.len();
    let make = move |range: Range<usize>| {
        let mut text = Vec::with_capacity(range.len() * 4096);
        for &id in &found[range] {
            let faces = FaceMaker::new(&snapshot.catalogue).faces(id);
            stream::push_line(&mut text, &view(&snapshot, id, faces, None));
        }
        text
    };
    Ok(stream::lines(id, count, make))
}

/// The declarations of an operator, and how it is implemented for a key.
///
/// # Errors
/// The problem of an unknown key.
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

fn view(
    snapshot: &Snapshot,
    id: OperatorId,
    faces: OperatorFaces,
    implementation: Option<ImplementationFaces>,
) -> Signatures {
    Signatures {
        name: snapshot.catalogue.operator(id).qualified_name(),
        dispatcher: faces.dispatcher,
        dispatcher_int: faces.dispatcher_int,
        functions: faces.functions,
        methods: faces.methods,
        kernels: KernelMap(faces.kernels),
        python_function: faces.python_function,
        python_method: faces.python_method,
        pyi_function: faces.pyi_function.map(stub),
        pyi_method: faces.pyi_method.map(stub),
        bound: faces.bound.into(),
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
