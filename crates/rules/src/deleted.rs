//! Files that a commit deletes although PyTorch's code generator needs them.

use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS, Span, TAGS, message};

const NEEDED: [&str; 3] = [NATIVE_FUNCTIONS, TAGS, DERIVATIVES];

/// The files that the base has and the head lacks. Both must be complete, as trees of commits are;
/// otherwise a missing file may only not have been given. Source: torchgen/gen.py (main),
/// tools/autograd/load_derivatives.py.
#[must_use]
pub fn deleted(base: &Bundle, head: &Bundle) -> Vec<Finding> {
    let is_deleted = |name: &&str| base.file(name).is_some() && head.file(name).is_none();
    let deleted = NEEDED.into_iter().filter(is_deleted);
    let found = deleted.map(|name| Finding {
        rule: RuleId::DeletedFile,
        severity: Severity::Error,
        message: message!("the head deletes `{}`", name),
        file: name.into(),
        span: Span::at(0),
        operator: None,
        help: Some("restore it: PyTorch's code generator fails without it".into()),
        related: Vec::new(),
        fix: None,
        suppressed: false,
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_the_generator_needs_count() {
        let mut base = Bundle::of_native_functions(*b"[]");
        base.insert(TAGS, b"- tag: core\n".to_vec());
        base.insert("observed.json", b"{}".to_vec());
        let head = Bundle::of_native_functions(*b"[]");
        let found = deleted(&base, &head);
        let files: Vec<&str> = found.iter().map(|finding| &*finding.file).collect();
        assert_eq!(files, [TAGS]);
        assert_eq!(deleted(&head, &base), []);
        assert_eq!(deleted(&base, &base), []);
    }
}
