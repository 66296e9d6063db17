//! Projects: create, list, change, delete.

use opatlas_store::{Edit, NewProject, Page, Project, ProjectChange, ProjectName, ProjectOutcome};

use super::Service;
use super::error::ServiceError;
use super::policy::{PolicyFault, read_policy};

const AT_ONCE: u32 = 1000;

impl Service {
    /// Creates a project, or finds an identical one. Fails with the store's conflict if a different
    /// one exists, and if the policy is invalid.
    pub async fn create_project(
        &self,
        name: &str,
        description: Option<String>,
        policy: Option<String>,
    ) -> Result<ProjectOutcome, ServiceError> {
        expect_storable("description", description.as_deref())?;
        expect_policy(policy.as_deref())?;
        let project = NewProject {
            name: ProjectName::parse(name)?,
            description,
            policy,
        };
        Ok(self.store.create_project(&project, self.now()).await?)
    }

    /// A project.
    pub async fn project(&self, name: &str) -> Result<Project, ServiceError> {
        Ok(self.store.project(&ProjectName::parse(name)?).await?)
    }

    /// At most `limit` projects after `after`, by name.
    pub async fn projects(
        &self,
        after: Option<&ProjectName>,
        limit: u32,
    ) -> Result<Page<Project, ProjectName>, ServiceError> {
        Ok(self.store.projects(after, limit).await?)
    }

    /// Like [`Service::projects`], restricted to the projects that `sees` accepts.
    pub async fn projects_seen(
        &self,
        after: Option<&ProjectName>,
        limit: u32,
        sees: impl Fn(&ProjectName) -> bool,
    ) -> Result<Page<Project, ProjectName>, ServiceError> {
        let mut seen = Vec::new();
        let mut after = after.cloned();
        // One more than requested tells whether there is a next page.
        while seen.len() <= limit as usize {
            let page = self.store.projects(after.as_ref(), AT_ONCE).await?;
            seen.extend(page.items.into_iter().filter(|it| sees(&it.name)));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(Page::cut(seen, limit, |project| project.name.clone()))
    }

    /// Changes a project and returns it. Fails if the policy is invalid.
    pub async fn update_project(
        &self,
        name: &str,
        change: ProjectChange,
    ) -> Result<Project, ServiceError> {
        let name = ProjectName::parse(name)?;
        if let Edit::Set(description) = &change.description {
            expect_storable("description", description.as_deref())?;
        }
        if let Edit::Set(policy) = &change.policy {
            expect_policy(policy.as_deref())?;
        }
        let project = self.store.update_project(&name, change).await?;
        self.rulebooks.invalidate(&name).await;
        Ok(project)
    }

    /// Deletes a project with its revisions and labels.
    pub async fn delete_project(&self, name: &str) -> Result<(), ServiceError> {
        let name = ProjectName::parse(name)?;
        self.store.delete_project(&name).await?;
        self.known.invalidate_all();
        self.histories.clear();
        self.rulebooks.invalidate(&name).await;
        Ok(())
    }
}

const POLICY_BYTES: usize = 16 * 1024;

fn expect_policy(policy: Option<&str>) -> Result<(), ServiceError> {
    let Some(text) = policy else {
        return Ok(());
    };
    let bytes = text.len();
    if bytes > POLICY_BYTES {
        let why = format!("it has {bytes} bytes of JSON, but the limit is {POLICY_BYTES}");
        return Err(PolicyFault::new("policy", why).into());
    }
    read_policy(text)?;
    Ok(())
}

/// Rejects text that not every database can store: PostgreSQL has no U+0000.
pub(super) fn expect_storable(
    member: &'static str,
    text: Option<&str>,
) -> Result<(), ServiceError> {
    match text {
        Some(text) if text.contains('\0') => Err(ServiceError::Unstorable(member)),
        _ => Ok(()),
    }
}
