//! `opatlas trends`: counts over the revisions of a project.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};

use opatlas_source::suggest::nearest;
use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::trends::{KeyPoint, MAX_POINTS, Point, Trends as View};

use super::Target;
use super::api::Api;
use super::columns::columns;
use super::side::stored_address;

/// Shows how the operators and the coverage of backends changed, revision by revision.
///
/// Without --key it counts operators of each kind and breaking changes. With --key it counts the
/// operators that work, fail or are unknown on a backend; with --way those on a way to run them.
#[derive(Debug, Args)]
pub(super) struct Trends {
    /// The backend's runtime key, such as MPS
    #[arg(long, conflicts_with = "way")]
    key: Option<String>,

    /// A way to run operators, such as vmap
    #[arg(long)]
    way: Option<String>,

    /// The first revision: a label, a commit or sha256:DIGITS; by default the first one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    from: Option<String>,

    /// The last revision; by default the latest one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    to: Option<String>,

    /// The number of revisions, at least 2; of more, evenly spaced ones are shown
    #[arg(long, default_value_t = 60, value_name = "NUMBER")]
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

impl Trends {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let api = Api::open(&self.target, Opening::Change).await?;
        let done = self.show(&api).await;
        api.close().await;
        done.map(|()| ExitCode::SUCCESS)
    }

    async fn show(&self, api: &Api) -> anyhow::Result<()> {
        if !(2..=MAX_POINTS).contains(&self.limit) {
            bail!("--limit must be between 2 and {MAX_POINTS}");
        }
        let limit = self.limit.to_string();
        let path = ["v1", "projects", &*self.project, "trends"];
        let query = [
            ("from", self.from.as_deref()),
            ("to", self.to.as_deref()),
            ("way", self.way.as_deref()),
            ("points", Some(&*limit)),
        ];
        if self.format == Format::Json {
            return api.print_json(&path, &query).await;
        }
        let trends: View = api.get(&path, &query).await?;
        print!("{}", self.table(&trends)?);
        if trends.points.len() < trends.revisions {
            let (shown, all) = (trends.points.len(), trends.revisions);
            println!("{shown} of {all} revisions; raise --limit to see more");
        }
        Ok(())
    }

    fn table(&self, trends: &View) -> anyhow::Result<String> {
        let head: &[&str] = match (&self.key, &self.way) {
            (Some(_), _) => &["REVISION", "WORKS", "KERNELS", "PARTLY", "FAILS", "UNKNOWN"],
            (None, Some(_)) => &["REVISION", "OPERATORS", "MISSING", "UNKNOWN"],
            (None, None) => &[
                "REVISION",
                "DECLARED",
                "GENERATED",
                "STRUCTURED",
                "COMPOSITE",
                "CORE",
                "BREAKING",
            ],
        };
        let mut rows = vec![head.iter().map(|&cell| cell.to_owned()).collect()];
        for point in &trends.points {
            let mut row = vec![line(&point.place.title()).into_owned()];
            row.extend(match &self.key {
                Some(key) => coverage(key, point)?,
                None => counts(point),
            });
            rows.push(row);
        }
        Ok(columns(&rows))
    }
}

fn coverage(key: &str, point: &Point) -> anyhow::Result<Vec<String>> {
    let Some(found) = point.coverage.iter().find(|of| of.key == key) else {
        let keys = point.coverage.iter().map(|of| &*of.key);
        bail!(
            "no counts for `{key}`{}",
            match nearest(key, keys) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            }
        );
    };
    let KeyPoint {
        kernels,
        partly,
        fails,
        unknown,
        percent,
        ..
    } = found;
    Ok(vec![
        format!("{percent} %"),
        kernels.to_string(),
        partly.to_string(),
        fails.to_string(),
        unknown.to_string(),
    ])
}

fn counts(point: &Point) -> Vec<String> {
    if let Some(way) = &point.way {
        return [way.operators, way.missing, way.unknown]
            .map(|count| count.to_string())
            .to_vec();
    }
    let breaking = point.step.as_ref();
    let breaking = breaking.map_or_else(|| "-".to_owned(), |step| step.breaking.to_string());
    let composite = point.composite_implicit + point.composite_explicit;
    let mut cells = [
        point.operators,
        point.generated,
        point.structured,
        composite,
        point.core,
    ]
    .map(|count| count.to_string())
    .to_vec();
    cells.push(breaking);
    cells
}
