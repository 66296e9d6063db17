//! `opatlas support`: since when operators work on backends.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};

use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::place::Place;
use opatlas_wire::support::{Cell, SupportView};

use super::api::{Api, Call, JSON};
use super::columns::columns;
use super::side::stored_address;
use super::{Target, output};

/// Shows since when operators work on backends, and whether they still do.
///
/// Reads all revisions of a project between --from and --to. A verdict that is not known is `unknown`.
#[derive(Debug, Args)]
pub(super) struct Support {
    /// The operators, such as add.Tensor
    #[arg(required = true, value_name = "OPERATOR")]
    operators: Vec<String>,

    /// The runtime keys, separated by commas or given one by one
    #[arg(
        long,
        value_name = "KEY",
        value_delimiter = ',',
        default_value = "CPU,CUDA,MPS,XPU"
    )]
    key: Vec<String>,

    /// The first revision: a label, a commit or sha256:DIGITS; by default the first one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    from: Option<String>,

    /// The last revision; by default the latest one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    to: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
}

impl Support {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let has_comma = |name: &&String| name.contains(',');
        if let Some(name) = self.operators.iter().find(has_comma) {
            bail!("unknown operator `{name}`; separate operators by spaces");
        }
        let api = Api::open(&self.target, Opening::Change).await?;
        let text = self.text(&api).await;
        api.close().await;
        print!("{}", text?);
        Ok(ExitCode::SUCCESS)
    }

    async fn text(&self, api: &Api) -> anyhow::Result<String> {
        let (operators, keys) = (self.operators.join(","), self.key.join(","));
        let path = ["v1", "projects", &*self.project, "support"];
        let query = [
            ("operators", Some(&*operators)),
            ("keys", Some(&*keys)),
            ("from", self.from.as_deref()),
            ("to", self.to.as_deref()),
        ];
        let call = |accept| Call {
            path: &path,
            query: &query,
            accept,
        };
        Ok(match self.format {
            Format::Csv => api.text(call("text/csv")).await?,
            Format::Markdown => api.text(call("text/markdown")).await?,
            Format::Json => {
                let value: serde_json::Value = serde_json::from_str(&api.text(call(JSON)).await?)?;
                output::json(&serde_json::to_string_pretty(&value)?) + "\n"
            }
            Format::Text => table(&api.get(&path, &query).await?),
        })
    }
}

fn table(support: &SupportView) -> String {
    let last = support.to.title();
    let head = ["OPERATOR", "KEY", "WORKS", "SINCE", "KERNEL SINCE"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for of in &support.operators {
        let cells = of.cells.iter();
        rows.extend(cells.map(|cell| row(&of.operator, cell)));
    }
    let title = format!("{} {last}\n", support.project);
    line(title.trim_end()).into_owned() + "\n" + &columns(&rows)
}

fn row(operator: &str, cell: &Cell) -> Vec<String> {
    let title = |place: &Option<Place>, is_latest: bool| match place {
        None => "-".to_owned(),
        Some(first) if is_latest => format!("{} or before", first.title()),
        Some(first) => first.title(),
    };
    let until = match (&cell.last, cell.supported) {
        (Some(last), false) => format!(" to {}", last.title()),
        _ => String::new(),
    };
    let works = cell.works.as_deref().unwrap_or("-");
    let cells = [
        operator.to_owned(),
        cell.key.clone(),
        works.to_owned(),
        title(&cell.first, cell.first_at_latest) + &until,
        title(&cell.first_kernel, cell.first_kernel_at_latest),
    ];
    cells.iter().map(|cell| line(cell).into_owned()).collect()
}
