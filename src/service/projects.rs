//! Projects: made, listed, changed, deleted.

use crate::store::{NewProject, Page, Project, ProjectChange, ProjectName, ProjectOutcome};

use super::Service;
use super::error::ServiceError;

impl Service {
    /// Makes a project, or finds that there is the same already.
    ///
    /// # Errors
    /// [`ServiceError::Name`], and the store's conflict when it exists and is another.
    pub async fn create_project(
        &self,
        name: &str,
        description: Option<String>,
        policy: Option<String>,
    ) -> Result<ProjectOutcome, ServiceError> {
        let project = NewProject {
            name: ProjectName::parse(name)?,
            description,
            policy,
        };
        Ok(self.store.create_project(&project, self.now()).await?)
    }

    /// A project.
    ///
    /// # Errors
    /// What the store says.
    pub async fn project(&self, name: &str) -> Result<Project, ServiceError> {
        Ok(self.store.project(&ProjectName::parse(name)?).await?)
    }

    /// Projects by name, at most `limit`, from after `after` on.
    ///
    /// # Errors
    /// What the store says.
    pub async fn projects(
        &self,
        after: Option<&ProjectName>,
        limit: u32,
    ) -> Result<Page<Project, ProjectName>, ServiceError> {
        Ok(self.store.projects(after, limit).await?)
    }

    /// Changes a project and answers with what became of it.
    ///
    /// # Errors
    /// What the store says.
    pub async fn update_project(
        &self,
        name: &str,
        change: ProjectChange,
    ) -> Result<Project, ServiceError> {
        let name = ProjectName::parse(name)?;
        Ok(self.store.update_project(&name, change).await?)
    }

    /// Deletes a project with its revisions and labels.
    ///
    /// # Errors
    /// What the store says.
    pub async fn delete_project(&self, name: &str) -> Result<(), ServiceError> {
        let name = ProjectName::parse(name)?;
        Ok(self.store.delete_project(&name).await?)
    }
}
