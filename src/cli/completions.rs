//! `opatlas completions` and `opatlas man`: shell completions and manual pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{help, output};

/// Prints the completions of a shell.
///
/// For bash, add `eval "$(opatlas completions bash)"` to ~/.bashrc. For zsh, write them to a file
/// `_opatlas` in a folder of $fpath. For fish, write them to
/// ~/.config/fish/completions/opatlas.fish.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the manual page, or writes the pages of all commands to a folder.
#[derive(Debug, Args)]
pub(super) struct Manual {
    /// The folder for the pages of all commands, such as /usr/local/share/man/man1; created if it
    /// does not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Completions {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "opatlas", &mut text);
        output::bytes(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Manual {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut command = help::command().disable_help_subcommand(true);
        command.build();
        match &self.out {
            None => output::bytes(&page(&command)?)?,
            Some(folder) => {
                fs::create_dir_all(folder)
                    .with_context(|| format!("cannot create {}", folder.display()))?;
                write(folder, &command)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(folder: &Path, command: &clap::Command) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page(command)?).with_context(|| format!("cannot write {}", path.display()))?;
    let mut below = command.get_subcommands();
    below.try_for_each(|command| write(folder, command))
}

fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text)?;
    Ok(text)
}
