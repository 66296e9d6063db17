//! The findings that people see: the flags of `check` and `lsp`.

use clap::Args;
use opatlas_rules::Shown;

/// Which findings to show besides new errors and warnings.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ShownOptions {
    /// Also show infos
    #[arg(long)]
    info: bool,

    /// Also show findings that the base has: in git, the state before your change
    #[arg(long)]
    all: bool,
}

impl ShownOptions {
    pub(super) fn shown(self) -> Shown {
        Shown {
            infos: self.info,
            known: self.all,
        }
    }
}
