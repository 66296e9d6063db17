//! Authorization: actions, the projects they apply to, and the grants of a token.

use std::fmt;
use std::str::FromStr;

use opatlas_store::{ProjectName, TokenRecord};

/// A permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Read stored data, and compute over texts that are not stored.
    Read,
    /// Store revisions, with labels that are not versions, and send probe results.
    Ingest,
    /// Create, move and delete labels; version labels, which decide `latest`, always need this.
    Label,
    /// Add and remove exceptions.
    Except,
    /// Create, change and delete projects; delete revisions.
    Admin,
}

/// The projects that a token applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projects {
    /// All projects, including future ones.
    All,
    /// These projects.
    Only(Vec<ProjectName>),
}

/// The permissions of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The token's id, which may appear in logs.
    pub id: String,
    /// The token's name.
    pub name: String,
    /// The projects that it applies to.
    pub projects: Projects,
    /// What it permits.
    pub actions: Vec<Action>,
    /// When it expires, in microseconds since 1970-01-01 UTC.
    pub expires_at: Option<i64>,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Ingest,
        Self::Label,
        Self::Except,
        Self::Admin,
    ];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Ingest => "ingest",
            Self::Label => "label",
            Self::Except => "except",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|action| action.as_str() == text);
        found.ok_or_else(|| {
            format!("unknown action `{text}`; actions are read, ingest, label, except and admin")
        })
    }
}

impl Projects {
    /// Whether a project is included.
    #[must_use]
    pub fn has(&self, project: &ProjectName) -> bool {
        match self {
            Self::All => true,
            Self::Only(projects) => projects.contains(project),
        }
    }

    /// The stored form: names separated by spaces, or `*`.
    #[must_use]
    pub fn stored(&self) -> String {
        match self {
            Self::All => "*".to_owned(),
            Self::Only(projects) => {
                let names: Vec<_> = projects.iter().map(ProjectName::as_str).collect();
                names.join(" ")
            }
        }
    }

    fn of(stored: &str) -> Option<Self> {
        match stored {
            "*" => Some(Self::All),
            names => {
                let names = names.split_whitespace().map(ProjectName::parse);
                Some(Self::Only(names.collect::<Result<_, _>>().ok()?))
            }
        }
    }
}

impl Grant {
    pub(super) fn of(token: &TokenRecord) -> Option<Self> {
        let actions = token.actions.split_whitespace().map(str::parse);
        Some(Self {
            id: token.id.clone(),
            name: token.name.clone(),
            projects: Projects::of(&token.projects)?,
            actions: actions.collect::<Result<_, _>>().ok()?,
            expires_at: token.expires_at,
        })
    }

    /// Whether it permits an action, in a project if the action concerns one. Any permission on a
    /// project includes reading it.
    #[must_use]
    pub fn allows(&self, action: Action, project: Option<&ProjectName>) -> bool {
        let acts = match action {
            Action::Read => !self.actions.is_empty(),
            other => self.actions.contains(&other),
        };
        acts && project.is_none_or(|project| self.projects.has(project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_holds_where_and_for_what_it_was_given() {
        let name = |text| ProjectName::parse(text).unwrap();
        let grant = Grant {
            id: "1".to_owned(),
            name: "ci".to_owned(),
            projects: Projects::Only(vec![name("acme"), name("beta")]),
            actions: vec![Action::Ingest],
            expires_at: None,
        };
        assert!(grant.allows(Action::Ingest, Some(&name("beta"))));
        assert!(grant.allows(Action::Read, Some(&name("acme"))));
        assert!(!grant.allows(Action::Ingest, Some(&name("acm"))));
        assert!(!grant.allows(Action::Read, Some(&name("acme2"))));
        assert!(!grant.allows(Action::Label, Some(&name("acme"))));
        assert_eq!(Projects::of(&grant.projects.stored()), Some(grant.projects));
        assert_eq!(Projects::of("*"), Some(Projects::All));
        assert_eq!(Projects::of("a/b"), None);
        for action in Action::ALL {
            assert_eq!(action.as_str().parse(), Ok(action));
        }
    }
}
