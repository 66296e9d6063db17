//! Extracts the files that Opatlas reads from a wheel.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::FetchError;
use super::candidate::WheelName;
use crate::cli::read::{self, Origin};
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

pub(super) const MEMBERS: [(&str, &str); 4] = [
    (
        NATIVE_FUNCTIONS,
        "torchgen/packaged/ATen/native/native_functions.yaml",
    ),
    (TAGS, "torchgen/packaged/ATen/native/tags.yaml"),
    (DERIVATIVES, "torchgen/packaged/autograd/derivatives.yaml"),
    (DEPRECATED, "torchgen/packaged/autograd/deprecated.yaml"),
];

/// The maximum size of a file in a wheel, in bytes. Real ones are under 1 MiB.
pub(super) const MAX_MEMBER: u64 = 8 << 20;

/// The maximum size of the list of files, in bytes. Real ones are under 4 MiB.
const MAX_LIST: u64 = 64 << 20;

/// Reads the files in a wheel. Older releases do not have all of them.
pub(super) fn bundle(version: &str, wheel: File) -> Result<Bundle, FetchError> {
    let broken = |reason: String| FetchError::Wheel {
        version: version.into(),
        reason,
    };
    let mut archive = open(wheel).map_err(broken)?;
    let mut bundle = Bundle::default();
    for (name, member) in MEMBERS {
        if let Some(bytes) = read_member(&mut archive, member).map_err(broken)? {
            bundle.insert(name, bytes);
        }
    }
    match bundle.file(NATIVE_FUNCTIONS) {
        Some(_) => Ok(bundle),
        None => Err(broken(format!("it does not contain {}", MEMBERS[0].1))),
    }
}

/// The version of a wheel on the disk: from its name, or from its metadata if it was renamed.
pub(super) fn version(path: &Path) -> Result<String, FetchError> {
    let name = path.file_name().and_then(|name| name.to_str());
    if let Some(name) = name.and_then(WheelName::parse) {
        return Ok(name.version);
    }
    let file = read::open(path, Origin::Found).map_err(|source| FetchError::File {
        path: path.into(),
        source,
    })?;
    let found = open(file).and_then(|mut archive| version_inside(&mut archive));
    found.map_err(|reason| FetchError::NotAWheel {
        path: path.into(),
        reason,
    })
}

fn version_inside(archive: &mut ZipArchive<Metered>) -> Result<String, String> {
    // The folder of the metadata is named after the project and its version.
    let of_metadata = |name: &str| {
        let folder = name.strip_suffix(".dist-info/METADATA")?;
        let name = format!("{folder}-py3-none-any.whl");
        WheelName::parse(&name).map(|name| name.version)
    };
    let mut names = archive.file_names().filter_map(Result::ok);
    let found = names.find_map(|name| of_metadata(&name));
    found.ok_or_else(|| "it has no metadata of torch".to_owned())
}

/// Counts what is read, and fails at a limit.
struct Metered {
    file: File,
    left: Rc<Cell<u64>>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 {
            return Err(io::Error::other("its list of files is too long"));
        }
        let count = self.file.read(buffer)?;
        self.left.set(self.left.get().saturating_sub(count as u64));
        Ok(count)
    }
}

impl Seek for Metered {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// Reads the list of files. Its length is limited, since it is kept in memory.
fn open(file: File) -> Result<ZipArchive<Metered>, String> {
    let left = Rc::new(Cell::new(MAX_LIST));
    let metered = Metered {
        file,
        left: Rc::clone(&left),
    };
    let archive = ZipArchive::new(metered).map_err(|error| error.to_string())?;
    left.set(u64::MAX);
    Ok(archive)
}

/// `None` if the wheel does not have the file.
fn read_member(archive: &mut ZipArchive<Metered>, member: &str) -> Result<Option<Vec<u8>>, String> {
    let entry = match archive.by_name(member) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(format!("{member}: {error}")),
    };
    let mut bytes = Vec::new();
    let read = entry.take(MAX_MEMBER + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("{member}: {error}"))?;
    if bytes.len() as u64 > MAX_MEMBER {
        return Err(format!("{member} has more than {MAX_MEMBER} bytes"));
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn wheel(members: &[(&str, Vec<u8>)], change: impl Fn(&mut Vec<u8>)) -> Result<Bundle, String> {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        let packed = stored.compression_method(zip::CompressionMethod::Deflated);
        for (member, bytes) in members {
            let options = if bytes.len() > 1000 { packed } else { stored };
            archive.start_file(*member, options).unwrap();
            archive.write_all(bytes).unwrap();
        }
        let mut bytes = archive.finish().unwrap().into_inner();
        change(&mut bytes);
        let path = folder.path().join("torch.whl");
        fs::write(&path, bytes).unwrap();
        super::bundle("2.9.0", File::open(path).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_wheel_is_read_whole_or_not_at_all() {
        let native = || {
            (
                MEMBERS[0].1,
                b"- func: one(Tensor self) -> Tensor\n".to_vec(),
            )
        };
        let tags = |bytes: Vec<u8>| (MEMBERS[1].1, bytes);
        let limit = usize::try_from(MAX_MEMBER).unwrap();
        let kept = |_: &mut Vec<u8>| {};
        let found = wheel(&[native(), tags(vec![b'#'; limit])], kept).unwrap();
        assert_eq!(found.file(TAGS).unwrap().len(), limit);
        // One byte more, and the file was cut before.
        let said = wheel(&[native(), tags(vec![b'#'; limit + 1])], kept).unwrap_err();
        assert!(said.contains("tags.yaml has more than"), "{said}");
        // A method that is unknown made the file absent before.
        let text = b"- tag: core".to_vec();
        let method = |bytes: &mut Vec<u8>| {
            for (signature, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
                let found = bytes.windows(4).rposition(|window| window == signature);
                bytes[found.unwrap() + at] = 99;
            }
        };
        let said = wheel(&[native(), tags(text.clone())], method).unwrap_err();
        assert!(said.contains("tags.yaml: "), "{said}");
        let damage = |bytes: &mut Vec<u8>| {
            let found = bytes.windows(text.len()).position(|window| window == text);
            bytes[found.unwrap()] ^= 1;
        };
        let said = wheel(&[native(), tags(text.clone())], damage).unwrap_err();
        assert!(said.contains("tags.yaml: "), "{said}");
    }

    #[test]
    fn a_renamed_wheel_has_its_version_inside() {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let version = |name: &str, member: &str| {
            let path = folder.path().join(name);
            let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
            archive
                .start_file(member, zip::write::SimpleFileOptions::default())
                .unwrap();
            archive.write_all(b"Version: 1").unwrap();
            archive.finish().unwrap();
            super::version(&path).map_err(|error| error.to_string())
        };
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(version("torch-2.9.0-cp311-none-any.whl", "x"), ok("2.9.0"));
        let member = "torch-2.8.0+cu128.dist-info/METADATA";
        assert_eq!(version("renamed.whl", member), ok("2.8.0"));
        for member in [
            "x",
            "numpy-2.0.dist-info/METADATA",
            "torch-../x.dist-info/METADATA",
        ] {
            let said = version("renamed.whl", member).unwrap_err();
            assert!(
                said.contains("renamed.whl is not a wheel of torch"),
                "{said}"
            );
        }
        fs::write(folder.path().join("text.whl"), "no archive").unwrap();
        let said = super::version(&folder.path().join("text.whl")).unwrap_err();
        assert!(matches!(said, FetchError::NotAWheel { .. }), "{said}");
    }
}
