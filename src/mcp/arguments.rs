//! The arguments of the tools. Their doc comments are what assistants read.

use rmcp::schemars;
use serde::Deserialize;

/// A text to explain.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Why {
    /// An error message or traceback, pasted whole, or a call in Python such as F.relu(x)
    pub(super) text: String,
}

/// A model and the backends that should run it.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Preflight {
    /// The operators of the model: one per line (aten.addmm.default, optionally with a count), or
    /// the text of an FX or TorchScript graph
    pub(super) model: String,
    /// The dispatch keys of the backends, such as MPS and XPU
    pub(super) backends: Vec<String>,
    /// The PyTorch release, such as 2.15.0; the newest stored one by default
    pub(super) release: Option<String>,
    /// Also check that gradients work
    #[serde(default)]
    pub(super) training: bool,
    /// The project; pytorch by default
    pub(super) project: Option<String>,
}

/// An operator.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Table {
    /// The operator with its overload, such as add.Tensor
    pub(super) operator: String,
    /// Only this dispatch key, such as MPS, with an explanation
    pub(super) key: Option<String>,
    /// The PyTorch release or another label; the newest stored one by default
    pub(super) revision: Option<String>,
    /// The project; pytorch by default
    pub(super) project: Option<String>,
}

/// Two revisions.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Compare {
    /// The older release or label, such as 2.14.1
    pub(super) base: String,
    /// The newer one, such as 2.15.0
    pub(super) head: String,
    /// Only the changes of this operator
    pub(super) operator: Option<String>,
    /// Only the changes at this dispatch key
    pub(super) backend: Option<String>,
    /// The project; pytorch by default
    pub(super) project: Option<String>,
}

/// Operator declarations.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Check {
    /// Entries of native_functions.yaml
    pub(super) yaml: String,
    /// The PyTorch release whose rules apply, such as 2.15; the newest by default
    pub(super) release: Option<String>,
}
