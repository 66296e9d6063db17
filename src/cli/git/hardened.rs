//! Starts git without the settings of the repository, whose author may be a stranger: git runs the
//! programs that settings name. Nothing else starts git.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const NOTHING: &str = "/dev/null";
const FAILS: &str = "false";

/// Override settings that name a program, a file or a remote, or change the output.
const SETTINGS: &[(&str, &str)] = &[
    ("protocol.allow", "never"),
    // A setting for one protocol overrides the one for all.
    ("protocol.ext.allow", "never"),
    ("protocol.file.allow", "never"),
    ("protocol.git.allow", "never"),
    ("protocol.http.allow", "never"),
    ("protocol.https.allow", "never"),
    ("protocol.ssh.allow", "never"),
    ("core.alternateRefsCommand", FAILS),
    ("core.askPass", FAILS),
    ("core.attributesFile", NOTHING),
    // Larger objects are streamed, so that their size is known before they are read.
    ("core.bigFileThreshold", "8m"),
    ("core.editor", FAILS),
    ("core.excludesFile", NOTHING),
    ("core.fsmonitor", "false"),
    ("core.gitProxy", FAILS),
    ("core.hooksPath", NOTHING),
    ("core.pager", "cat"),
    ("core.quotePath", "false"),
    ("core.sshCommand", FAILS),
    ("credential.helper", ""),
    ("diff.external", FAILS),
    ("diff.orderFile", NOTHING),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("gpg.program", FAILS),
    ("gpg.openpgp.program", FAILS),
    ("gpg.ssh.program", FAILS),
    ("gpg.x509.program", FAILS),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.follow", "false"),
    ("log.mailmap", "false"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
];

const VARIABLES: &[(&str, &str)] = &[
    // Overrides `protocol.*` in every configuration, also in versions without GIT_NO_LAZY_FETCH.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", NOTHING),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", FAILS),
    ("SSH_ASKPASS", FAILS),
    ("GIT_EDITOR", FAILS),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", FAILS),
    ("GIT_PROXY_COMMAND", FAILS),
];

/// The variables for the objects of a push while a hook runs.
const QUARANTINE: [&str; 3] = [
    "GIT_QUARANTINE_PATH",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

/// The variables that limit where git looks for a repository.
const DISCOVERY: [&str; 2] = ["GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

pub(super) fn command(folder: &Path) -> Command {
    let mut command = bare();
    command.arg("--no-pager").arg("-C").arg(folder);
    for (name, value) in SETTINGS {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    for (name, value) in trusted() {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    command.envs(VARIABLES.iter().copied());
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "every other part of the program asks this one"
)]
fn bare() -> Command {
    let mut command = Command::new("git");
    let is_in_hook = std::env::var_os(QUARANTINE[0]).is_some();
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_kept = is_in_hook && QUARANTINE.contains(&&*text) || DISCOVERY.contains(&&*text);
        if text.starts_with("GIT_") && !is_kept {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    in_own_group(&mut command);
    command
}

/// Settings of the user and the system, which git reads outside of repositories only.
fn trusted() -> &'static [(String, String)] {
    static TRUSTED: OnceLock<Vec<(String, String)>> = OnceLock::new();
    TRUSTED.get_or_init(|| {
        let mut command = bare();
        command.env("GIT_DIR", NOTHING);
        command.args(["config", "--null", "--get-regexp", r"^safe\."]);
        let found = command
            .stderr(Stdio::null())
            .output()
            .map(|output| output.stdout)
            .unwrap_or_default();
        let found = String::from_utf8_lossy(&found);
        let pairs = found
            .split('\0')
            .filter_map(|pair| pair.split_once('\n'))
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        pairs.collect()
    })
}

/// So that its children end with it and cannot prompt on the terminal.
#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}
