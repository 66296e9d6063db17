//! Paths as addresses of the protocol.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is not written as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The path of a file; `None` for text that is in no file.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // An authority other than none or this machine names a share, which paths do not express.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    let path = match is_drive {
        true => path.strip_prefix('/')?,
        false => path.starts_with('/').then_some(&*path)?,
    };
    Some(PathBuf::from(path))
}

/// The address of a path; `None` if the path is not Unicode.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace('\\', "/");
    let root = match text.starts_with('/') {
        true => "file://",
        false => "file:///",
    };
    let path = utf8_percent_encode(&text, ENCODED);
    format!("{root}{path}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_are_inverse() {
        for path in ["/a/b c/native_functions.yaml", "/é#?%/x.yaml"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).unwrap(), Path::new(path));
        }
        let drive: Uri = "file:///c%3A/a.yaml".parse().unwrap();
        assert_eq!(path_of(&drive).unwrap(), Path::new("c:/a.yaml"));
        assert_eq!(path_of(&"untitled:a".parse().unwrap()), None);
    }
}
