//! pip's configuration: its files and the environment variables `PIP_...`.
//!
//! A later file overrides an earlier one, `[download]` overrides `[install]`, which overrides
//! `[global]`, and the environment overrides all files.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::FetchError;
use crate::cli::read::{self, Origin};

const MAX_FILE: u64 = 1 << 20;
const SECTIONS: [&str; 3] = ["download", "install", "global"];

/// Environment variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

impl Variables {
    /// The variables of the process that are text.
    pub(super) fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    /// The value of a variable, unless it is empty.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    pub(super) fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }
}

#[cfg(test)]
impl Variables {
    pub(super) fn of(variables: &[(&str, &str)]) -> Self {
        let owned = variables.iter().map(|(n, v)| ((*n).into(), (*v).into()));
        Self(owned.collect())
    }
}

/// The options that pip's configuration sets.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    variables: Variables,
    files: BTreeMap<(String, String), String>,
}

impl Configuration {
    /// Fails if a file cannot be read or has a line that pip would not accept.
    pub(super) fn read(variables: Variables) -> Result<Self, FetchError> {
        let mut files = BTreeMap::new();
        for path in paths(&variables) {
            match read::bytes(&path, Origin::Found, MAX_FILE) {
                Ok(bytes) => add(&mut files, &path, &String::from_utf8_lossy(&bytes))?,
                Err(error) if is_absent(error.kind()) => {}
                Err(source) => return Err(FetchError::File { path, source }),
            }
        }
        Ok(Self { variables, files })
    }

    /// The value of an option, such as `index-url`, unless it is empty.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        let variable = format!("PIP_{}", option.to_uppercase().replace('-', "_"));
        let of_section = |section: &&str| {
            let key = ((*section).to_owned(), option.to_owned());
            self.files.get(&key).map(|value| value.trim())
        };
        let in_files = || SECTIONS.iter().filter_map(of_section);
        let set = self.variables.value(&variable);
        set.or_else(|| in_files().find(|value| !value.is_empty()))
    }

    /// The values of an option that takes several.
    pub(super) fn values(&self, option: &str) -> impl Iterator<Item = &str> {
        self.value(option)
            .into_iter()
            .flat_map(str::split_whitespace)
    }

    pub(super) fn is_on(&self, option: &str) -> bool {
        let value = self.value(option).map(str::to_lowercase);
        matches!(
            value.as_deref(),
            Some("1" | "y" | "yes" | "t" | "true" | "on")
        )
    }

    pub(super) fn variables(&self) -> &Variables {
        &self.variables
    }
}

/// Whether pip passes over a file that it cannot open for this reason: a service may have the home
/// folder of another user.
pub(super) fn is_absent(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
    )
}

const FILE: &str = if cfg!(windows) { "pip.ini" } else { "pip.conf" };

/// The files that pip reads, the most general one first.
fn paths(variables: &Variables) -> Vec<PathBuf> {
    let own = variables.path("PIP_CONFIG_FILE");
    let nowhere = if cfg!(windows) { "nul" } else { "/dev/null" };
    if own.as_deref() == Some(Path::new(nowhere)) {
        return Vec::new();
    }
    let mut folders = general(variables);
    if !own.as_deref().is_some_and(Path::exists) {
        folders.extend(of_user(variables));
    }
    folders.extend(variables.path("VIRTUAL_ENV"));
    let files = folders.into_iter().map(|folder| folder.join(FILE));
    files.chain(own).collect()
}

fn general(variables: &Variables) -> Vec<PathBuf> {
    if cfg!(windows) {
        let data = variables.path("PROGRAMDATA");
        return data.map(|data| data.join("pip")).into_iter().collect();
    }
    if cfg!(target_os = "macos") {
        return vec!["/Library/Application Support/pip".into()];
    }
    let shared = variables.value("XDG_CONFIG_DIRS").unwrap_or("/etc/xdg");
    let shared = std::env::split_paths(shared).map(|folder| folder.join("pip"));
    shared.chain([PathBuf::from("/etc")]).collect()
}

fn of_user(variables: &Variables) -> Vec<PathBuf> {
    let home = variables.home();
    let below = |part: &str| home.as_ref().map(|home| home.join(part));
    let found = if cfg!(windows) {
        let data = variables.path("APPDATA").map(|data| data.join("pip"));
        [below("pip"), None, data]
    } else {
        let own = variables.path("XDG_CONFIG_HOME");
        let own = own.or_else(|| below(".config")).map(|own| own.join("pip"));
        let mac = below("Library/Application Support/pip");
        [
            below(".pip"),
            own,
            mac.filter(|_| cfg!(target_os = "macos")),
        ]
    };
    found.into_iter().flatten().collect()
}

/// Adds the options of a file to those of earlier ones.
fn add(
    files: &mut BTreeMap<(String, String), String>,
    path: &Path,
    text: &str,
) -> Result<(), FetchError> {
    let (mut section, mut last) = (None, None);
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let (true, Some(key)) = (line.starts_with([' ', '\t']), &last) {
            let value: &mut String = files.entry(Clone::clone(key)).or_default();
            value.push('\n');
            value.push_str(trimmed);
            continue;
        }
        let name = trimmed
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        if let Some(name) = name {
            (section, last) = (Some(name.to_owned()), None);
            continue;
        }
        let option = trimmed.split_once(['=', ':']);
        let (Some(section), Some((name, value))) = (&section, option) else {
            // The line may contain a password, so it is not shown.
            let reason = format!("{}:{}: not `name = value`", path.display(), at + 1);
            return Err(FetchError::Settings { reason });
        };
        let name = name.trim().to_lowercase().replace('_', "-");
        let key = (section.clone(), name.trim_start_matches("--").to_owned());
        files.insert(key.clone(), value.trim().to_owned());
        last = Some(key);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, variables: Variables) -> Configuration {
        let mut files = BTreeMap::new();
        add(&mut files, Path::new("pip.conf"), text).unwrap();
        Configuration { variables, files }
    }

    #[test]
    fn sections_and_variables_override_each_other_in_pips_order() {
        let text = "; a comment\n[global]\nindex-url = https://a/simple\ntimeout: 60\n\
                    find_links =\n    /one\n    /two\n[list]\nindex-url = https://wrong\n\
                    [install]\nindex-url=https://b/simple\ntrusted-host = b c\n";
        let found = of(text, Variables::default());
        assert_eq!(found.value("index-url"), Some("https://b/simple"));
        assert_eq!(found.value("timeout"), Some("60"));
        assert_eq!(found.value("proxy"), None);
        assert_eq!(
            found.values("find-links").collect::<Vec<_>>(),
            ["/one", "/two"]
        );
        assert_eq!(found.values("trusted-host").collect::<Vec<_>>(), ["b", "c"]);
        let text = format!("{text}[download]\nindex-url = https://c/simple\n");
        let found = of(&text, Variables::default());
        assert_eq!(found.value("index-url"), Some("https://c/simple"));
        let variables = [("PIP_INDEX_URL", "https://d"), ("PIP_TIMEOUT", "")];
        let found = of(&text, Variables::of(&variables));
        assert_eq!(found.value("index-url"), Some("https://d"));
        assert_eq!(found.value("timeout"), Some("60"));
    }

    #[test]
    fn a_line_that_is_no_option_is_named_without_its_text() {
        for (text, line) in [
            ("[global]\nsecret\n", ":2:"),
            ("secret = 1\n", ":1:"),
            ("\u{feff}[global]\n\n# x\nsecret", ":4:"),
        ] {
            let mut files = BTreeMap::new();
            let error = add(&mut files, Path::new("pip.conf"), text).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(line) && !said.contains("secret"), "{said}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_are_where_pip_has_them() {
        let shown = |variables: &[(&str, &str)]| {
            let paths = paths(&Variables::of(variables)).into_iter();
            let shown: Vec<_> = paths.map(|path| path.display().to_string()).collect();
            shown.join(" ")
        };
        let home = ("HOME", "/home/me");
        assert_eq!(
            shown(&[home, ("VIRTUAL_ENV", "/env")]),
            "/etc/xdg/pip/pip.conf /etc/pip.conf /home/me/.pip/pip.conf \
             /home/me/.config/pip/pip.conf /env/pip.conf"
        );
        assert_eq!(
            shown(&[
                ("XDG_CONFIG_DIRS", "/a:/b"),
                ("XDG_CONFIG_HOME", "/c"),
                home
            ]),
            "/a/pip/pip.conf /b/pip/pip.conf /etc/pip.conf /home/me/.pip/pip.conf /c/pip/pip.conf"
        );
        assert_eq!(shown(&[home, ("PIP_CONFIG_FILE", "/dev/null")]), "");
        // A file that exists replaces those of the user.
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(
            shown(&[home, ("PIP_CONFIG_FILE", own)]),
            format!("/etc/xdg/pip/pip.conf /etc/pip.conf {own}")
        );
    }
}
