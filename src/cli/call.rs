//! `opatlas call`: which signature of a Python function given arguments take.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use opatlas_pytorch::python_functions::find;
use opatlas_service::Snapshot;
use opatlas_wire::calls;

use super::subject::{Chosen, Subject};
use super::{output, table};

/// Shows which overload a call from Python takes, or which operators a line of Python reaches.
///
/// A line such as `F.relu(x, inplace=True)`, `x.add_(y)`, `nn.Linear(3, 4)(x)` or `x += 1` is read as it
/// is: variables count as tensors. Functions that are written in Python, and modules, have the operators
/// that were recorded in a process, and when they call each. For the name of a binding it shows more:
///
/// It lists the signatures of a function or method in the order in which PyTorch's argument parser tries
/// them. With ARGS it also shows the signature that the arguments take and the operator that the call
/// runs first, or the exception that PyTorch raises. It reads the last stored revision of the project,
/// unless --release, --revision or --file selects another one.
///
/// ARGS are values of Python in one text. A tensor is `tensor`, which is float32 with two dimensions, or
/// has properties: `tensor(int64, 0-dim)`, `tensor(requires_grad)`. Other values are `Generator`,
/// `Storage`, `torch.float64`, `'text'`, `[1, 2]` and so on. The first argument of a method is the tensor
/// itself.
#[derive(Debug, Args)]
pub(super) struct Call {
    /// The function (torch.add, Tensor.add, torch.linalg.norm, torch._C._nn.gelu, or its name alone), or a
    /// line of Python
    #[arg(value_name = "FUNCTION")]
    function: String,

    /// The arguments, such as "tensor, 1, alpha=2"
    #[arg(value_name = "ARGS", allow_hyphen_values = true)]
    arguments: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Call {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let subject = self.chosen.read().await?;
        print!("{}", self.text(&subject)?);
        Ok(ExitCode::SUCCESS)
    }

    fn text(&self, subject: &Subject) -> anyhow::Result<String> {
        let snapshot = &subject.snapshot;
        if self.is_line(snapshot) {
            return self.line(snapshot);
        }
        let binding = calls::binding(snapshot, &self.function).map_err(table::refusal)?;
        let given = self.arguments.as_deref();
        let arguments = given.map(calls::arguments).transpose();
        let outcome = arguments.map_err(table::refusal)?;
        let outcome = outcome.map(|arguments| binding.call(&arguments));
        if self.format == Format::Json {
            let view = calls::view(&binding, outcome);
            return Ok(output::json(&serde_json::to_string_pretty(&view)?) + "\n");
        }
        let release = snapshot.release().to_string();
        let given = given.zip(outcome.as_ref());
        Ok(opatlas_report::calls::call(&binding, &release, given))
    }

    /// Whether FUNCTION is more than the name of a binding.
    fn is_line(&self, snapshot: &Snapshot) -> bool {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let is_function = self.function.chars().all(is_name);
        let is_recorded = || find(&self.function, snapshot.release()).is_some();
        self.arguments.is_none() && (!is_function || is_recorded())
    }

    fn line(&self, snapshot: &Snapshot) -> anyhow::Result<String> {
        if self.format == Format::Json {
            let view = calls::PythonLine::of(snapshot, &self.function);
            return Ok(output::json(&serde_json::to_string_pretty(&view)?) + "\n");
        }
        let reach = opatlas_operators::calls::reach(&snapshot.catalogue, &self.function);
        let release = snapshot.release().to_string();
        Ok(opatlas_report::calls::line(
            &self.function,
            &release,
            &reach,
        ))
    }
}
