//! `opatlas call`: which signature of a Python function given arguments take.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use opatlas_operators::calls::{Reach, reach};
use opatlas_service::Snapshot;
use opatlas_wire::calls;

use super::subject::{Chosen, Subject};
use super::{output, table};

/// Shows which overload a call from Python takes, or which operators a line of Python reaches.
///
/// For the name of a function or method it lists the signatures in the order in which PyTorch's argument
/// parser tries them. With ARGS it also shows the signature that the arguments take and the operator that
/// the call runs first, or the exception that PyTorch raises.
///
/// A line of Python, such as `F.relu(x, inplace=True)`, `x.add_(y)`, `nn.Linear(3, 4)(x)` or `x += 1`, is
/// read as it is; variables count as tensors. For a function that is written in Python, or a module, it
/// shows the operators that were recorded in a process, and when each is called. It reads the last stored
/// revision of the project, unless --revision selects another one.
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
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if self.arguments.is_some() || !self.function.chars().all(is_part) {
            return self.arguments.is_none();
        }
        let binding = calls::binding(snapshot, &self.function);
        let is_bound = binding.is_ok_and(|binding| !binding.is_in_python());
        !is_bound && matches!(self.reach(snapshot), Reach::Reached(_))
    }

    fn reach(&self, snapshot: &Snapshot) -> Reach {
        reach(&snapshot.catalogue, &self.function)
    }

    fn line(&self, snapshot: &Snapshot) -> anyhow::Result<String> {
        if self.format == Format::Json {
            let view = calls::PythonLine::from(self.reach(snapshot));
            return Ok(output::json(&serde_json::to_string_pretty(&view)?) + "\n");
        }
        let reach = self.reach(snapshot);
        let release = snapshot.release().to_string();
        Ok(opatlas_report::calls::line(
            &self.function,
            &release,
            &reach,
        ))
    }
}
