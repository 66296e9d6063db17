//! `opatlas search`: finds operators in all revisions of a project.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};

use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::search::{FoundView, SearchView};

use super::Target;
use super::api::Api;
use super::columns::columns;

/// The maximum number of operators that the API finds.
const MOST: usize = 500;

/// Finds operators by name, schema or kernel, in all revisions of a project.
///
/// Names may be written as in C++ and Python, such as torch.ops.aten.add.Tensor or F.relu. If nothing
/// matches, similar names are listed.
#[derive(Debug, Args)]
pub(super) struct Search {
    /// Parts of a name, an argument, a type, or the name of a kernel
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,

    /// Only operators that the last revision does not have
    #[arg(long)]
    removed: bool,

    /// The number of operators to list, at most 500
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

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
}

impl Search {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if !(1..=MOST).contains(&self.limit) {
            bail!("--limit must be between 1 and {MOST}");
        }
        let api = Api::open(&self.target, Opening::Change).await?;
        let done = self.search(&api).await;
        api.close().await;
        done.map(|()| ExitCode::SUCCESS)
    }

    async fn search(&self, api: &Api) -> anyhow::Result<()> {
        let (words, limit) = (self.words.join(" "), self.limit.to_string());
        let path = ["v1", "projects", &*self.project, "search"];
        let query = [
            ("q", Some(&*words)),
            ("limit", Some(&*limit)),
            ("removed", self.removed.then_some("true")),
        ];
        if self.format == Format::Json {
            return api.print_json(&path, &query).await;
        }
        let found: SearchView = api.get(&path, &query).await?;
        let rows: Vec<Vec<String>> = found.items.iter().map(row).collect();
        print!("{}", columns(&rows));
        if rows.is_empty() {
            println!("No operator matches.");
        }
        if rows.len() == self.limit {
            println!("there may be more; raise --limit");
        }
        Ok(())
    }
}

fn row(found: &FoundView) -> Vec<String> {
    let spans = found.present.iter().map(|stretch| {
        let (from, to) = (stretch.from.title(), stretch.to.title());
        if from == to {
            from
        } else {
            format!("{from} to {to}")
        }
    });
    let spans = spans.collect::<Vec<_>>().join(", ");
    let spans = match found.present.is_empty() {
        true => "in no revision".to_owned(),
        false => spans,
    };
    vec![
        line(&found.operator).into_owned(),
        line(&spans).into_owned(),
    ]
}
