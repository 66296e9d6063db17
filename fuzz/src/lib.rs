//! What the targets share: how bytes become files, and what holds of everything that is read.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;

use opatlas_source::Bundle;
use opatlas_source::diagnostic::Finding;

/// What stands between two files in one input.
pub const MARK: &[u8] = b"\n=====\n";

/// The operators that files of other kinds are read beside.
pub const OPERATORS: &[u8] = include_bytes!("../../sample/native_functions.yaml");

/// The parts of an input, at the first [`MARK`]; the second is empty where there is none.
#[must_use]
pub fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.windows(MARK.len()).position(|part| part == MARK);
    match at {
        Some(at) => (&bytes[..at], &bytes[at + MARK.len()..]),
        None => (bytes, b""),
    }
}

/// Reads a file beside operators of our own, and again beside operators that stand behind [`MARK`],
/// and checks what is found in it.
pub fn beside_operators(name: &str, bytes: &[u8]) {
    let (file, operators) = halves(bytes);
    for operators in [OPERATORS, operators] {
        let mut bundle = Bundle::of_native_functions(operators.to_vec());
        bundle.insert(name, file.to_vec());
        for release in [Release::V2_0, Release::LATEST] {
            judge(&bundle, release);
        }
    }
}

/// Runs the rules over a bundle. Every place lies in its file, at the edges of characters.
pub fn judge(bundle: &Bundle, release: Release) -> Vec<Finding> {
    let catalogue = Catalogue::read(bundle, release, None);
    let findings = opatlas_rules::check(&catalogue).into_kept();
    for finding in &findings {
        assert!(finding.span.start <= finding.span.end, "{finding:?}");
        let Some(bytes) = bundle.file(&finding.file) else {
            continue;
        };
        if std::str::from_utf8(bytes).is_ok_and(|text| !text.starts_with('\u{FEFF}')) {
            assert!(finding.span.end as usize <= bytes.len(), "{finding:?}");
        }
    }
    findings
}
