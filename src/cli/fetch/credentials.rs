//! Names and passwords for package indexes: those in an address, and those in a netrc file.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

use super::FetchError;
use super::configuration::{Variables, is_absent};
use crate::cli::read::{self, Origin};

const MAX_FILE: u64 = 1 << 20;

/// A name and a password.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    name: String,
    password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(...)")
    }
}

impl Credentials {
    /// The credentials in an address, if there are any.
    pub(super) fn of_url(url: &Url) -> Option<Self> {
        let text = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        let (name, password) = (text(url.username()), url.password().map(text));
        (!name.is_empty() || password.is_some()).then(|| Self {
            name,
            password: password.unwrap_or_default(),
        })
    }

    /// The value of the header `Authorization`.
    pub(super) fn header(&self) -> String {
        let pair = format!("{}:{}", self.name, self.password);
        format!("Basic {}", STANDARD.encode(pair))
    }
}

/// The machines in a netrc file.
#[derive(Debug, Default)]
pub(super) struct Netrc(Vec<(Option<String>, Credentials)>);

impl Netrc {
    /// Reads the file that `NETRC` names, or `.netrc` in the home folder. No file is an empty one.
    pub(super) fn read(variables: &Variables) -> Result<Self, FetchError> {
        let of_home = || variables.home().map(|home| home.join(".netrc"));
        let Some(path) = variables.path("NETRC").or_else(of_home) else {
            return Ok(Self::default());
        };
        match read::bytes(&path, Origin::Found, MAX_FILE) {
            Ok(bytes) => Ok(Self::parse(&String::from_utf8_lossy(&bytes))),
            Err(error) if is_absent(error.kind()) => Ok(Self::default()),
            Err(source) => Err(FetchError::File { path, source }),
        }
    }

    fn parse(text: &str) -> Self {
        let mut words = text.lines().flat_map(words_of_line);
        let mut machines: Vec<(Option<String>, Credentials)> = Vec::new();
        while let Some(word) = words.next() {
            if word == "default" || word == "machine" {
                let host = (word == "machine").then(|| words.next().unwrap_or_default());
                let nobody = Credentials {
                    name: String::new(),
                    password: String::new(),
                };
                machines.push((host.map(str::to_lowercase), nobody));
            } else if let (Some((_, last)), Some(value)) = (machines.last_mut(), words.next()) {
                match word {
                    "login" => value.clone_into(&mut last.name),
                    "password" => value.clone_into(&mut last.password),
                    _ => {}
                }
            }
        }
        Self(machines)
    }

    pub(super) fn credentials(&self, host: &str) -> Option<Credentials> {
        let of_host = |name: &Option<String>| name.as_deref().is_none_or(|name| name == host);
        let found = self.0.iter().find(|(name, _)| of_host(name));
        found.map(|(_, credentials)| credentials.clone())
    }
}

fn words_of_line(line: &str) -> impl Iterator<Item = &str> {
    let is_comment = line.trim_start().starts_with('#');
    let words = (!is_comment).then(|| line.split_whitespace());
    words.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_netrc_file_gives_the_first_machine_that_fits() {
        let text = "# mine\nmachine a.org login me password one\nmachine B.org\n  login you\n  \
                    password two\ndefault login any password three\nmachine c.org login no\n";
        let netrc = Netrc::parse(text);
        let header = |host| netrc.credentials(host).map(|found| found.header());
        let basic = |pair: &str| Some(format!("Basic {}", STANDARD.encode(pair)));
        assert_eq!(header("a.org"), basic("me:one"));
        assert_eq!(header("b.org"), basic("you:two"));
        assert_eq!(header("c.org"), basic("any:three"));
        assert_eq!(Netrc::parse("machine a.org login").credentials("b"), None);
        assert!(!format!("{netrc:?}").contains("three"));
    }
}
