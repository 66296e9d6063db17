//! The kinds of messages, one file per family. [`all`] has them in the order in which they are tried;
//! of two that recognize the same words, the first counts.

mod autograd;
mod codegen;
mod compiler;
mod cuda;
mod devices;
mod dispatcher;
mod distributed;
mod dtypes;
mod dynamo;
mod environment;
mod layouts;
mod library;
mod load;
mod missing_kernel;
mod names;
mod python;
mod tracing;
mod values;
mod vmap;

use opatlas_source::diagnostic::RuleId;

use crate::kind::Kind;

/// A pattern with its kind, and the rule of Opatlas that finds the same fault.
pub(crate) type Row = (&'static Kind, &'static str, Option<RuleId>);

const FAMILIES: [&[Kind]; 17] = [
    missing_kernel::KINDS,
    dispatcher::KINDS,
    devices::KINDS,
    vmap::KINDS,
    autograd::KINDS,
    distributed::KINDS,
    tracing::KINDS,
    compiler::KINDS,
    dynamo::KINDS,
    library::KINDS,
    load::KINDS,
    dtypes::KINDS,
    layouts::KINDS,
    python::KINDS,
    cuda::KINDS,
    values::KINDS,
    environment::KINDS,
];

/// All patterns, in order.
pub(crate) fn all() -> impl Iterator<Item = Row> {
    let rows = |kind: &'static Kind| kind.patterns.iter().map(move |it| (kind, *it, None));
    let families = FAMILIES.into_iter().flatten().flat_map(rows);
    families.chain(codegen::rows())
}

/// All kinds. Several may have one id: they differ in their causes and advice.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    let families = FAMILIES.into_iter().flatten();
    families
        .chain(missing_kernel::REFINED)
        .chain([&environment::MISSING_IN_TORCH])
        .chain(codegen::KINDS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(kind: &Kind, sentence: &str) {
        assert!(!sentence.contains("  "), "{}: {sentence}", kind.id);
        assert!(
            sentence.matches('`').count().is_multiple_of(2),
            "{}: {sentence}",
            kind.id
        );
    }

    #[test]
    fn every_kind_says_what_why_and_what_to_do() {
        for kind in kinds() {
            let id = kind.id;
            assert!(!id.is_empty() && !kind.titles.is_empty(), "{id}");
            assert!(!kind.causes.is_empty() && !kind.advice.is_empty(), "{id}");
            kind.titles.iter().for_each(|title| {
                check(kind, title);
                assert!(!title.ends_with('.'), "{id}: {title}");
            });
            for sentence in [kind.causes, kind.advice, kind.misleads].concat() {
                check(kind, sentence);
                let ends = sentence.ends_with(['.', '}', '`']);
                assert!(ends, "{id}: {sentence}");
            }
        }
    }

    #[test]
    fn kinds_of_one_id_are_about_one_way() {
        let mut ways = BTreeMap::new();
        for kind in kinds() {
            let way = ways.entry(kind.id).or_insert(kind.way);
            assert_eq!(*way, kind.way, "{}", kind.id);
        }
    }

    #[test]
    fn patterns_are_in_lower_case_and_begin_with_words() {
        for (kind, pattern, _) in all() {
            assert_eq!(pattern, pattern.to_ascii_lowercase(), "{}", kind.id);
            assert!(
                !pattern.contains("}{") && !pattern.contains('`'),
                "{pattern}"
            );
            let rest = match pattern.strip_prefix('{') {
                Some(hole) => hole.split_once('}').unwrap().1,
                None => pattern,
            };
            let first = rest.split('{').next().unwrap();
            assert!(first.len() > 3, "{pattern}");
        }
    }

    /// YAML belongs into topics and rules, where tests run it.
    #[test]
    fn advice_has_no_yaml() {
        for kind in kinds() {
            for text in kind.advice.iter().chain(kind.causes) {
                for field in ["func: ", "dispatch: ", "autogen: ", "tags: ", "variants: "] {
                    assert!(!text.contains(field), "{}: {text}", kind.id);
                }
            }
        }
    }
}
