//! The wheels of an index, and the choice of one.

use std::path::{Path, PathBuf};

use super::canonical;
use super::page::Link;

/// The version and the platform in the name of a wheel of torch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WheelName<'a> {
    /// Without the part behind `+`, which names a build.
    pub(super) version: String,
    python: &'a str,
    platform: &'a str,
}

impl<'a> WheelName<'a> {
    /// `None` if the name is not one of a wheel of torch.
    pub(super) fn parse(name: &'a str) -> Option<Self> {
        let parts: Vec<&str> = name.strip_suffix(".whl")?.split('-').collect();
        let (version, python, platform) = match *parts {
            ["torch", version, python, _, platform] => (version, python, platform),
            ["torch", version, _, python, _, platform] => (version, python, platform),
            _ => return None,
        };
        let version = version
            .split_once('+')
            .map_or(version, |(public, _)| public);
        let is_version = version.starts_with(|c: char| c.is_ascii_digit())
            && version
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'.');
        is_version.then(|| Self {
            version: canonical(version),
            python,
            platform,
        })
    }

    /// The smaller, the better: the wheels for Macs with ARM processors are the smallest ones that
    /// contain `torchgen`, and every release since 2.0 has one for Python 3.11.
    fn rank(&self) -> u8 {
        let is_small = self.platform.starts_with("macosx_") && self.platform.ends_with("_arm64");
        match (is_small, self.python) {
            (true, "cp311") => 0,
            (true, _) => 1,
            (false, _) => 2,
        }
    }
}

/// Where a wheel is.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Index(Link),
    Disk(PathBuf),
}

/// A wheel that can be read.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) version: String,
    pub(super) place: Place,
    rank: u8,
    size: u64,
}

impl Candidate {
    /// `None` if the link is not one to a wheel of torch, or if the wheel was withdrawn.
    pub(super) fn of_link(link: Link) -> Option<Self> {
        let name = WheelName::parse(&link.name).filter(|_| !link.is_yanked)?;
        Some(Self {
            rank: name.rank(),
            version: name.version,
            size: link.size.unwrap_or(u64::MAX),
            place: Place::Index(link),
        })
    }

    /// `None` if the name is not one of a wheel of torch.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let name = WheelName::parse(path.file_name()?.to_str()?)?;
        Some(Self {
            // Nothing has to be downloaded.
            rank: 0,
            size: 0,
            version: name.version,
            place: Place::Disk(path.to_owned()),
        })
    }
}

/// The best wheel of a version.
pub(super) fn choose<'a>(candidates: &'a [Candidate], version: &str) -> Option<&'a Candidate> {
    let of_version = candidates.iter().filter(|found| found.version == version);
    of_version.min_by_key(|found| (found.rank, found.size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn candidate(name: &str, size: Option<u64>, is_yanked: bool) -> Option<Candidate> {
        Candidate::of_link(Link {
            name: name.to_owned(),
            url: Url::parse("https://host/").unwrap().join(name).unwrap(),
            sha256: None,
            size,
            is_yanked,
        })
    }

    fn chosen(wheels: &[(&str, Option<u64>)]) -> Option<String> {
        let found = wheels
            .iter()
            .filter_map(|(n, size)| candidate(n, *size, false));
        let found: Vec<Candidate> = found.collect();
        match &choose(&found, "2.9.0")?.place {
            Place::Index(link) => Some(link.name.clone()),
            Place::Disk(path) => Some(path.display().to_string()),
        }
    }

    #[test]
    fn the_smallest_wheel_is_chosen() {
        let linux = "torch-2.9.0-cp311-cp311-manylinux_2_28_x86_64.whl";
        let windows = "torch-2.9.0-cp311-cp311-win_amd64.whl";
        let mac_of_310 = "torch-2.9.0-cp310-none-macosx_11_0_arm64.whl";
        let mac = "torch-2.9.0-cp311-none-macosx_14_0_arm64.whl";
        let cpu = "torch-2.9.0+cpu-cp311-cp311-linux_x86_64.whl";
        let other = "torch-2.9.1-cp311-none-macosx_14_0_arm64.whl";
        for (wheels, wanted) in [
            (
                &[(linux, Some(9)), (mac_of_310, None), (mac, Some(99))][..],
                Some(mac),
            ),
            (&[(linux, Some(9)), (mac_of_310, None)], Some(mac_of_310)),
            (&[(linux, Some(9)), (windows, Some(8))], Some(windows)),
            (&[(linux, None), (windows, Some(8))], Some(windows)),
            (&[(linux, None), (windows, None)], Some(linux)),
            (&[(cpu, None), (other, None)], Some(cpu)),
            (&[(other, None)], None),
        ] {
            assert_eq!(chosen(wheels).as_deref(), wanted, "{wheels:?}");
        }
    }

    #[test]
    fn only_wheels_of_torch_count() {
        assert!(candidate("torch-2.9-1-cp311-none-any.whl", None, false).is_some());
        for name in [
            "torch-2.9.0.tar.gz",
            "torchvision-2.9.0-cp311-none-any.whl",
            "torch-../x-cp311-none-any.whl",
            "torch--cp311-none-any.whl",
            "torch-2.9.0-cp311.whl",
        ] {
            assert!(candidate(name, None, false).is_none(), "{name}");
        }
        assert!(candidate("torch-2.9.0-cp311-none-any.whl", None, true).is_none());
    }
}
