//! Converts between paths and the protocol's URIs.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters to encode.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The path of a file URI; `None` for other URIs.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // Any other authority is a network share, which a path cannot express.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    let path = if is_drive {
        path.strip_prefix('/')?
    } else {
        path.starts_with('/').then_some(&*path)?
    };
    Some(PathBuf::from(path))
}

/// The URI of a path; `None` if the path is not Unicode.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace('\\', "/");
    let root = if text.starts_with('/') {
        "file://"
    } else {
        "file:///"
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
