//! Projects of a server, with their policies and exceptions.

use opatlas_service::compare::Rulebook;
use opatlas_store::ProjectName;
use opatlas_wire::problem::Kind;
use opatlas_wire::projects::{NewProject, ProjectView};

use super::http::{Ask, JSON, LINES};
use super::{Error, Remote};

impl Remote {
    async fn project(&self, project: &str) -> Result<ProjectView, Error> {
        let url = self.http.base.url(&["v1", "projects", project], &[]);
        self.http.ask(Ask::get(url, JSON)).await?.value()
    }

    pub(crate) async fn project_names(&self) -> Result<Vec<String>, Error> {
        let url = self.http.base.url(&["v1", "projects"], &[]);
        let projects: Vec<ProjectView> = self.http.ask(Ask::get(url, LINES)).await?.lines()?;
        Ok(projects.into_iter().map(|project| project.name).collect())
    }

    /// Creates the project if it does not exist, which needs the permission `admin`.
    pub(crate) async fn ensure_project(&self, project: &str) -> Result<(), Error> {
        match self.project(project).await {
            Err(error) if error.is(Kind::UnknownProject) => {}
            found => return found.map(drop),
        }
        let new = NewProject {
            name: project.to_owned(),
            description: None,
            policy: None,
        };
        let url = self.http.base.url(&["v1", "projects"], &[]);
        let body = opatlas_wire::json::json(&new);
        let ask = Ask::post(url, JSON, body).idempotent();
        self.http.ask(ask).await.map(drop)
    }

    pub(crate) async fn rulebook(&self, project: &ProjectName) -> Result<Rulebook, Error> {
        let stored = self.project(project.as_str()).await?;
        let policy = stored.policy.map(|policy| policy.to_string());
        let exceptions = self.exceptions(project.as_str()).await?;
        Ok(Rulebook::of(project, policy.as_deref(), &exceptions))
    }
}
