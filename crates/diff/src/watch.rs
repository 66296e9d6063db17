//! Finds the commits of PyTorch that break an out-of-tree backend.
//!
//! A backend is written for the first revision. A commit breaks it if a kernel stops compiling or
//! loading, or if an operator that the backend inherits stops working. A later commit may restore what
//! the backend is written for.

use std::collections::BTreeSet;

use super::backend::{
    Cell, UnknownOperator, cells_of_unlisted, listed_operators, unknown_operators,
};
use super::declarations::{self, KernelChange, SourceFits};
use opatlas_operators::backend::BackendFile;
use opatlas_rules::KernelFit;
use opatlas_source::sentence::codes;
use opatlas_source::{Message, message};
use opatlas_verdict::View;

opatlas_source::words! {
    /// The step that fails for an operator on the backend.
    pub enum Stops {
        Compiling = "compiling",
        Loading = "loading",
        Working = "working",
    }
}

/// An operator that a commit breaks for the backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The operator.
    pub operator: String,
    /// The step that fails.
    pub stops: Stops,
    /// `false` if the sources do not show the type of the kernel.
    pub is_certain: bool,
    /// The reason.
    pub why: Message,
    /// The declaration of the kernel before the commit, if a changed declaration breaks it.
    pub old: Option<String>,
    /// The declaration of the kernel after the commit.
    pub new: Option<String>,
    /// The later commit that restores what the backend is written for.
    pub restored_by: Option<String>,
}

/// Compares a backend with a new revision. Returns `None` unless both releases have its key.
#[must_use]
pub fn breaks(
    file: &BackendFile,
    fits: &SourceFits,
    base: View<'_>,
    head: View<'_>,
) -> Option<Vec<Break>> {
    let (old, new) = (base.inputs.catalogue, head.inputs.catalogue);
    let key = file.backend_key(new.release)?;
    file.backend_key(old.release)?;
    let listed = listed_operators(file);
    let is_registered = |operator: &str| file.registered.contains(operator);
    let gone = unknown_operators(&listed, old, new);
    let gone = gone.into_iter().filter(|operator| operator.vanished);
    let kernels = declarations::compare(file, fits, old, new).kernels;
    let (lost, _) = cells_of_unlisted(key, &listed, base, head);
    let gone = gone.map(|operator| {
        let is_registered = is_registered(&operator.name);
        of_gone(operator, is_registered)
    });
    let kernels = kernels.into_iter().filter_map(|kernel| {
        let is_registered = is_registered(&kernel.operator);
        of_kernel(kernel, is_registered)
    });
    Some(
        gone.chain(kernels)
            .chain(lost.into_iter().map(of_lost))
            .collect(),
    )
}

/// torchgen refuses a listed operator that does not exist. A registration waits for it forever.
fn of_gone(gone: UnknownOperator, is_registered: bool) -> Break {
    let near = match &*gone.near {
        [] => Message::default(),
        near => message!("; similar names: {}", codes(near)),
    };
    let (stops, why) = if is_registered {
        (
            Stops::Working,
            message!("the operator is gone, so its kernel never runs{}", near),
        )
    } else {
        (
            Stops::Compiling,
            message!("the operator is gone, so torchgen refuses the file{}", near),
        )
    };
    Break {
        operator: gone.name,
        stops,
        is_certain: true,
        why,
        old: None,
        new: None,
        restored_by: None,
    }
}

fn of_kernel(kernel: KernelChange, is_registered: bool) -> Option<Break> {
    let (is_certain, why) = match kernel.fit {
        KernelFit::Fits => return None,
        KernelFit::Unknown(why) => (false, why),
        KernelFit::Refused(why) => (true, why),
    };
    Some(Break {
        operator: kernel.operator,
        stops: if is_registered {
            Stops::Loading
        } else {
            Stops::Compiling
        },
        is_certain,
        why,
        old: kernel.old,
        new: kernel.new,
        restored_by: None,
    })
}

fn of_lost(lost: Cell) -> Break {
    let server = match lost.source_key {
        Some(key) => message!("the kernel for {} served it", key),
        None => message!("the backend does not list it"),
    };
    let why = match &*lost.needs {
        [one] if *one != lost.operator => message!("{}; it now needs `{}`", server, one),
        [one, _, ..] => message!("{}; it now needs `{}` and others", server, one),
        _ => message!("{}; it now needs a kernel", server),
    };
    Break {
        operator: lost.operator,
        stops: Stops::Working,
        is_certain: true,
        why,
        old: None,
        new: None,
        restored_by: None,
    }
}

/// A commit of PyTorch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// The author date, in microseconds since 1970-01-01 UTC.
    pub date: i64,
    /// The first line of its message.
    pub subject: String,
}

/// A commit that breaks the backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakingCommit {
    /// The commit.
    pub commit: Commit,
    /// The operators that it breaks.
    pub breaks: Vec<Break>,
}

/// Follows a backend from commit to commit.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// The number of commits.
    pub commits: usize,
    /// The last commit.
    pub last: Option<Commit>,
    /// The commits that break the backend, oldest first.
    pub breaking: Vec<BreakingCommit>,
}

impl Watch {
    /// Adds a commit: what it breaks, and what is broken after it compared with the first revision.
    pub fn add(&mut self, commit: Commit, mut breaks: Vec<Break>, since_first: &[Break]) {
        self.commits += 1;
        self.last = Some(commit.clone());
        let now: BTreeSet<&str> = since_first.iter().map(|one| &*one.operator).collect();
        let earlier = self
            .breaking
            .iter_mut()
            .flat_map(|breaking| &mut breaking.breaks);
        for one in earlier.filter(|one| one.restored_by.is_none()) {
            if !now.contains(&*one.operator) {
                one.restored_by = Some(commit.id.clone());
            }
        }
        // A declaration that becomes what the backend is written for breaks nothing.
        breaks.retain(|one| one.stops == Stops::Working || now.contains(&*one.operator));
        if !breaks.is_empty() {
            self.breaking.push(BreakingCommit { commit, breaks });
        }
    }
}
