//! Functions that call a kernel without the dispatcher: `at::cpu::add`, `at::meta::add`
//! (torchgen `RegisterDispatchKey`, `Target.NAMESPACED_DECLARATION`).

use opatlas_pytorch::release::Release;
use opatlas_schema::function::SchemaKind;

use super::FaceMaker;
use super::kernels::{is_class, structured_out};
use crate::operator::{Operator, OperatorId};

/// The functions of an operator in the namespace of a dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectFunctions {
    /// The namespace within `at`: `cpu`.
    pub namespace: String,
    /// The declarations, spelled as in `at::`.
    pub declarations: Vec<String>,
}

/// The keys whose functions torchgen declares, and their first release (`gen.py`,
/// `functions_keys`). MPS and XPU functions exist only in builds for these devices.
const KEYS: [(&str, Release); 12] = [
    ("CPU", Release::V2_0),
    ("CUDA", Release::V2_0),
    ("MPS", Release::V2_0),
    ("SparseMPS", Release::V2_9),
    ("SparseCsrMPS", Release::V2_9),
    ("XPU", Release::V2_6),
    ("MTIA", Release::V2_8),
    ("Meta", Release::V2_0),
    (IMPLICIT, Release::V2_0),
    ("CompositeImplicitAutogradNestedTensor", Release::V2_0),
    (EXPLICIT, Release::V2_0),
    (NON_FUNCTIONAL, Release::V2_0),
];

const IMPLICIT: &str = "CompositeImplicitAutograd";
const EXPLICIT: &str = "CompositeExplicitAutograd";
const NON_FUNCTIONAL: &str = "CompositeExplicitAutogradNonFunctional";

impl FaceMaker<'_> {
    /// Returns the functions of an operator that bypass the dispatcher, by namespace.
    #[must_use]
    pub fn direct_functions(&self, id: OperatorId) -> Vec<DirectFunctions> {
        let operator = self.catalogue.operator(id);
        let keys = self.direct_keys(id);
        if keys.is_empty() {
            return Vec::new();
        }
        let Some(declarations) = self.plain_functions(operator) else {
            return Vec::new();
        };
        let of_key = |key: &'static str| DirectFunctions {
            namespace: key.to_ascii_lowercase(),
            declarations: declarations.clone(),
        };
        keys.into_iter().map(of_key).collect()
    }

    /// Returns the dispatch keys in whose namespaces an operator has functions.
    #[must_use]
    pub fn direct_keys(&self, id: OperatorId) -> Vec<&'static str> {
        if self.catalogue.operator(id).vendor().is_some() {
            return Vec::new();
        }
        let release = self.catalogue.release;
        let known = KEYS.into_iter().filter(|(_, since)| *since <= release);
        known
            .map(|(key, _)| key)
            .filter(|key| self.has_direct(id, key))
            .collect()
    }

    /// Returns the functions of an operator, such as `at::cpu::add_out`, in the namespaces of keys
    /// that all the releases have.
    #[must_use]
    pub fn direct_names(&self, id: OperatorId, releases: [Release; 2]) -> Vec<String> {
        let operator = self.catalogue.operator(id);
        let suffix = match operator.kind {
            SchemaKind::Out => "_out",
            _ => "",
        };
        let is_common = |key: &&str| {
            let mut known = KEYS.iter().filter(|(name, _)| name == key);
            known.any(|(_, since)| releases.iter().all(|release| since <= release))
        };
        let keys = self.direct_keys(id).into_iter().filter(is_common);
        keys.map(|key| {
            let (space, name) = (key.to_ascii_lowercase(), operator.base_name());
            format!("at::{space}::{name}{suffix}")
        })
        .collect()
    }

    /// Returns the kernels of an operator that `NativeFunctions.h` declares as functions, such as
    /// `at::native::narrow`. Omits classes.
    #[must_use]
    pub fn native_functions(&self, id: OperatorId) -> Vec<String> {
        let catalogue = self.catalogue;
        let operator = catalogue.operator(id);
        let kernels = catalogue.kernels(id).iter();
        let functions = kernels.filter(|kernel| !is_class(operator, kernel, catalogue.release));
        let mut names: Vec<String> = functions
            .map(|kernel| match kernel.kernel.own_namespace() {
                Some(namespace) => format!("{namespace}::{}", kernel.kernel.name),
                None => format!("at::native::{}", kernel.kernel.name),
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn has_direct(&self, id: OperatorId, key: &str) -> bool {
        let catalogue = self.catalogue;
        let operator = catalogue.operator(id);
        let out = structured_out(catalogue.groups.of(id)).map(|group| group.out);
        if let Some(out) = out.filter(|out| catalogue.operator(*out).is_structured()) {
            let kernels = catalogue.kernels(out).iter();
            let mut of_key = kernels.filter(|kernel| kernel.key.as_str() == key);
            let of_class = |kernel| is_class(catalogue.operator(out), kernel, catalogue.release);
            match key {
                "Meta" => return true,
                NON_FUNCTIONAL => return operator.kind != SchemaKind::Out,
                _ if of_key.any(of_class) => return true,
                _ => {}
            }
        }
        let kernels = catalogue.kernels(id).iter();
        let has = |wanted: &str| kernels.clone().any(|kernel| kernel.key.as_str() == wanted);
        let is_composite = || [IMPLICIT, EXPLICIT, NON_FUNCTIONAL].into_iter().any(has);
        // The meta kernel of an in-place operator only returns its tensor.
        let is_made = key == "Meta"
            && operator.kind == SchemaKind::Inplace
            && operator.schema().returns.len() == 1
            && !is_composite();
        (has(key) || is_made) && !is_registered_by_hand(operator)
    }
}

fn is_registered_by_hand(operator: &Operator) -> bool {
    operator
        .declared()
        .is_some_and(|placed| placed.entry.manual_kernel_registration)
}
