//! The faces of operators: their C++ and Python declarations (`docs/spec/signatures.md`).
//!
//! [`opatlas_schema::faces`] covers single schemas.

mod deprecated;
mod direct;
mod implement;
mod kernels;

use opatlas_schema::faces::{
    Call, Context, CppApi, PythonSignature, Sizes, Stub, cpp_overloads, cpp_signatures, dispatcher,
};
use opatlas_schema::types::{BaseType, Type};

use super::calls::{self, BindingKind, Place};
use super::catalogue::Catalogue;
use super::face_index::FaceIndex;
use super::operator::{Operator, OperatorId};

pub use super::bindings::Bound;
pub use deprecated::DeprecatedFaces;
pub use direct::DirectFunctions;
pub use implement::{BackendStub, ImplementationFaces, InTree, Structured};
pub use kernels::{KeyFaces, StructuredClass, namespace_source, structured_class};

/// The declarations of an operator; those that torchgen rejects are missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorFaces {
    /// The unboxed signature with symbolic sizes, for the dispatcher and backends under `symint`.
    pub dispatcher: Option<String>,
    /// The signature with concrete sizes, if it differs, for other operators of such backends.
    pub dispatcher_int: Option<String>,
    /// `at::` functions.
    pub functions: Option<Vec<String>>,
    /// Methods of `at::Tensor`.
    pub methods: Option<Vec<String>>,
    /// Functions that bypass the dispatcher: `at::cpu::add`.
    pub direct: Vec<DirectFunctions>,
    /// The declarations for each key with a kernel, in torchgen's order.
    pub kernels: Vec<KeyFaces>,
    /// The argument parser's text for the function.
    pub python_function: Option<String>,
    /// The argument parser's text for the method.
    pub python_method: Option<String>,
    /// The function in the type stub.
    pub pyi_function: Option<Stub>,
    /// The method in the type stub.
    pub pyi_method: Option<Stub>,
    /// The places where Python binds its name.
    pub bound: Bound,
    /// The Python functions, methods and properties that take it.
    pub bindings: Vec<FaceBinding>,
    /// Its deprecated Python signatures (`deprecated.yaml`), in file order.
    pub deprecated: Vec<DeprecatedFaces>,
}

/// A Python function, method or property that takes an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaceBinding {
    /// The module or class.
    pub place: Place,
    /// The name there.
    pub name: String,
    /// Function, method or property.
    pub kind: BindingKind,
    /// The parser's signatures that call the operator. Empty for a property.
    pub signatures: Vec<String>,
    /// `true` if PyTorch's developers wrote it by hand.
    pub by_hand: bool,
}

/// Makes faces of the operators of one revision.
#[derive(Debug, Clone, Copy)]
pub struct FaceMaker<'a> {
    catalogue: &'a Catalogue,
}

impl<'a> FaceMaker<'a> {
    /// A maker for the operators of a catalogue.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self { catalogue }
    }

    /// Lazy: building it takes longer than a few faces that do not need it.
    fn index(&self) -> &'a FaceIndex {
        self.catalogue.face_index()
    }

    /// All faces of an operator.
    #[must_use]
    pub fn faces(&self, id: OperatorId) -> OperatorFaces {
        let operator = self.catalogue.operator(id);
        let mut faces = OperatorFaces {
            direct: self.direct_functions(id),
            kernels: self.kernels(id),
            bindings: self.bindings(id),
            bound: self.bound(id),
            deprecated: self.deprecated(id),
            ..OperatorFaces::default()
        };
        (faces.dispatcher, faces.dispatcher_int) = self.dispatcher(operator);
        let variants = operator.variants();
        if variants.function {
            let call = Call::Function;
            faces.functions = self.cpp(operator, call);
            (faces.python_function, faces.pyi_function) = self.python(operator, call);
        }
        if variants.method {
            let call = Call::Method;
            faces.methods = self.cpp(operator, call);
            (faces.python_method, faces.pyi_method) = self.python(operator, call);
        }
        faces
    }

    /// The unboxed signature, and the one with concrete sizes if it differs.
    #[must_use]
    pub fn dispatcher(&self, operator: &Operator) -> (Option<String>, Option<String>) {
        let (schema, cx) = (operator.schema(), self.context(operator));
        let name = schema.default_kernel();
        let declared = |sizes| {
            let parts = dispatcher(schema, sizes, cx).ok()?;
            Some(parts.named(&name))
        };
        let symbolic = declared(Sizes::Symbolic);
        let is_size = |ty: &Type| ty.is_like(BaseType::SymInt);
        let has_size = schema.arguments.all().iter().any(|a| is_size(&a.ty))
            || schema.returns.iter().any(|r| is_size(&r.ty));
        if !has_size {
            return (symbolic, None);
        }
        let concrete = declared(Sizes::Concrete).filter(|int| Some(int) != symbolic.as_ref());
        (symbolic, concrete)
    }

    /// Like [`Self::dispatcher`], for an id.
    #[must_use]
    pub fn dispatcher_of(&self, id: OperatorId) -> (Option<String>, Option<String>) {
        self.dispatcher(self.catalogue.operator(id))
    }

    /// The `at::` functions and methods.
    #[must_use]
    pub fn calls(&self, id: OperatorId) -> Vec<String> {
        let operator = self.catalogue.operator(id);
        let variants = operator.variants();
        let functions = variants.function.then_some(Call::Function);
        let methods = variants.method.then_some(Call::Method);
        let calls = functions.into_iter().chain(methods);
        calls
            .filter_map(|call| self.cpp(operator, call))
            .flatten()
            .collect()
    }

    /// The Python bindings of an operator.
    #[must_use]
    pub fn bound(&self, id: OperatorId) -> Bound {
        let names = self.index().names(self.catalogue);
        names.bound(self.catalogue, id)
    }

    /// The Python functions, methods and properties that take an operator.
    #[must_use]
    pub fn bindings(&self, id: OperatorId) -> Vec<FaceBinding> {
        let operator = self.catalogue.operator(id).qualified_name();
        let bindings = calls::of_operator(self.catalogue, id).into_iter();
        let faces = bindings.map(|binding| FaceBinding {
            signatures: binding
                .signatures_of(operator)
                .map(|signature| signature.text.clone())
                .collect(),
            by_hand: binding.is_by_hand(),
            kind: binding.kind,
            place: binding.place,
            name: binding.name,
        });
        faces.collect()
    }

    /// The `at::` functions or the methods of an operator, whether it has that variant or not;
    /// `None` if torchgen rejects them.
    #[must_use]
    pub fn cpp(&self, operator: &Operator, call: Call) -> Option<Vec<String>> {
        self.cpp_named(operator, call, operator.has_manual_cpp_binding())
    }

    /// Returns the functions of an operator under its own name, even if `at::` has a handwritten
    /// one.
    fn plain_functions(&self, operator: &Operator) -> Option<Vec<String>> {
        self.cpp_named(operator, Call::Function, false)
    }

    fn cpp_named(
        &self,
        operator: &Operator,
        call: Call,
        manual_binding: bool,
    ) -> Option<Vec<String>> {
        let written = operator.declared();
        let no_default: Vec<&str> = written
            .iter()
            .flat_map(|placed| &placed.entry.cpp_no_default_args)
            .map(|name| &*name.value)
            .collect();
        let api = CppApi {
            manual_binding,
            no_default: &no_default,
        };
        cpp_signatures(operator.schema(), call, api, self.context(operator)).ok()
    }

    /// The names and parameter types of the `at::` functions or methods of an operator; none if it has not
    /// that variant, or torchgen rejects it.
    #[must_use]
    pub fn cpp_overloads(&self, operator: &Operator, call: Call) -> Vec<String> {
        let variants = operator.variants();
        let exists = match call {
            Call::Function => variants.function,
            Call::Method => variants.method,
        };
        let api = CppApi {
            manual_binding: operator.has_manual_cpp_binding(),
            no_default: &[],
        };
        let cx = self.context(operator);
        let all = exists.then(|| cpp_overloads(operator.schema(), call, api, cx).ok());
        all.flatten().unwrap_or_default()
    }

    /// The Python signature of an operator; `None` if torchgen rejects it.
    #[must_use]
    pub fn python_signature(&self, id: OperatorId, call: Call) -> Option<PythonSignature<'a>> {
        let operator = self.catalogue.operator(id);
        let category = operator.category_override();
        let cx = self.context(operator);
        PythonSignature::new(operator.schema(), call, category, cx).ok()
    }

    fn python(&self, operator: &Operator, call: Call) -> (Option<String>, Option<Stub>) {
        let category = operator.category_override();
        let cx = self.context(operator);
        match PythonSignature::new(operator.schema(), call, category, cx) {
            Ok(signature) => (signature.parser_text().ok(), signature.stub().ok()),
            Err(_) => (None, None),
        }
    }

    fn context(&self, operator: &Operator) -> Context {
        Context {
            release: self.catalogue.release,
            const_ref_for_mutable: operator.uses_const_ref_for_mutable_tensors(),
            structured_group: operator.is_part_of_structured_group(),
        }
    }
}
