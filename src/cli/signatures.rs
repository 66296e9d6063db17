//! `opatlas signatures`: the C++ and Python declarations of an operator, and how to implement it.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};

use opatlas_operators::faces::FaceMaker;
use opatlas_report::signatures::{Language, Sizes, declarations, implementation};

use super::subject::{Chosen, Subject};
use super::{output, suggesting, table};

/// Shows the C++ and Python declarations of an operator.
///
/// With --key it shows how to implement the operator for that dispatch key instead: in PyTorch's own
/// tree, in a library that registers kernels, and in a backend file. It reads the last stored revision
/// of the project, unless --revision selects another one.
#[derive(Debug, Args)]
pub(super) struct Signatures {
    /// The operator, such as add.Tensor
    #[arg(value_name = "OPERATOR")]
    operator: String,

    /// Show how to implement the operator for this dispatch key
    #[arg(long, conflicts_with = "lang")]
    key: Option<String>,

    /// Only forms with symbolic sizes (c10::SymInt)
    #[arg(long)]
    symint: bool,

    /// Only the declarations of one language
    #[arg(long, value_enum)]
    lang: Option<Lang>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lang {
    Cpp,
    Python,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Signatures {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let subject = self.chosen.read().await?;
        print!("{}", self.text(&subject)?);
        Ok(ExitCode::SUCCESS)
    }

    fn text(&self, subject: &Subject) -> anyhow::Result<String> {
        let Subject {
            snapshot, title, ..
        } = subject;
        let found = snapshot.find_in(|| title.clone(), &self.operator);
        let id = found.map_err(suggesting)?;
        // Also for text output, so that both have the same errors.
        let made = opatlas_wire::signatures::signatures(snapshot, id, self.key.as_deref())
            .map_err(table::refusal)?;
        let operator = snapshot.catalogue.operator(id);
        if self.symint && !operator.schema().has_symint() {
            bail!(
                "no argument of `{}` is a SymInt, so it has no forms with symbolic sizes; leave out --symint",
                operator.qualified_name()
            );
        }
        if self.format == Format::Json {
            return Ok(output::json(&serde_json::to_string_pretty(&made)?) + "\n");
        }
        let maker = FaceMaker::new(&snapshot.catalogue);
        let sizes = if self.symint {
            Sizes::Symbolic
        } else {
            Sizes::All
        };
        let name = operator.qualified_name();
        Ok(match made.implement {
            Some(view) => implementation(name, &maker.implementation(id, &view.key), sizes),
            None => {
                let language = match self.lang {
                    None => Language::All,
                    Some(Lang::Cpp) => Language::Cpp,
                    Some(Lang::Python) => Language::Python,
                };
                declarations(name, &maker.faces(id), language, sizes)
            }
        })
    }
}
