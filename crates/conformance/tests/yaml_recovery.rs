//! A broken entry costs one finding, at the place of the fault, and every other entry is read.

use opatlas_yaml::{Document, Root, parse};

/// Findings as `rule line:column place`.
fn findings(text: &str, document: &Document) -> Vec<String> {
    let items = document.items.iter().flat_map(|item| &item.diagnostics);
    let mut found: Vec<_> = document.diagnostics.iter().chain(items).collect();
    found.sort_by_key(|found| found.span.start);
    let show = |found: &&opatlas_source::diagnostic::Diagnostic| {
        let before = &text[..found.span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        format!(
            "{} {line}:{column} {}",
            found.rule,
            found.span.slice(text).escape_debug()
        )
    };
    found.iter().map(show).collect()
}

fn check(text: &str, items: usize, expected: &[&str]) {
    let document = parse(text);
    assert_eq!(findings(text, &document), expected, "{text}");
    assert_eq!(document.items.len(), items, "{text}");
    assert_eq!(document.root, Root::Sequence, "{text}");
}

#[test]
fn each_broken_entry_costs_one_finding() {
    check(
        "- func: a\n\tvariants: x\n- func: b\n",
        1,
        &["yaml-syntax 2:1 \\t"],
    );
    check(
        "- func: a\n variants: x\n- func: b\n",
        1,
        &["yaml-syntax 2:2 variants:"],
    );
    check(
        "- func: a\n   variants: x\n- func: b\n",
        1,
        &["yaml-syntax 2:4 variants:"],
    );
    check("- func: a, b: c\n- func: b\n", 1, &["yaml-syntax 1:13 :"]);
    check(
        "- func: a\n  variants\n  x: y\n- func: b\n",
        1,
        &["yaml-syntax 2:3 variants"],
    );
    check(
        "- func: %a\n- func: b\n- func: `\n",
        1,
        &["yaml-syntax 1:9 %", "yaml-syntax 3:9 `"],
    );
    check(
        "- func: \"a\\q\"\n- func: b\n",
        1,
        &["yaml-syntax 1:11 \\\\q"],
    );
    check("- func: *a(b)\n- func: b\n", 1, &["yaml-syntax 1:9 *a("]);
    check(
        "- func: a\n- func: b\n  - func: c\n- func: d\n",
        2,
        &["yaml-syntax 3:3 -"],
    );
}

#[test]
fn what_is_not_closed_is_blamed_where_it_opens() {
    check("- {func: a\n- func: b\n", 1, &["yaml-syntax 1:3 {"]);
    check(
        "- tags: [a, b\n  variants: x\n- func: b\n",
        1,
        &["yaml-syntax 1:9 ["],
    );
    check(
        "- func: \"a\n- func: b\n- func: 'c'\n- func: \"d\"\n- func: e\n",
        4,
        &["yaml-syntax 1:9 \\\""],
    );
    check("- a\n- func: 'b\n- c\n", 2, &["yaml-syntax 2:9 \\'"]);
}

#[test]
fn what_stands_before_the_list_costs_one_finding() {
    check("func: a\n- b\n- c\n", 2, &["yaml-syntax 2:1 -"]);
    check("%FOO\n- b\n", 1, &["yaml-syntax 1:1 %FOO"]);
    check("\t# c\n- b\n- c\n", 2, &["yaml-syntax 1:1 \\t"]);
}

#[test]
fn anchors_hold_across_broken_entries() {
    let text = "- a: &x {b: c}\n- d: *x\n- @\n- e: *x\n";
    check(text, 3, &["yaml-syntax 3:3 @"]);
    // What is lost with a broken entry is not missed elsewhere.
    check("- a: [b\n  c: &x d\n- e: *x\n", 1, &["yaml-syntax 1:6 ["]);
    check("- a: *x\n- b: &x c\n", 2, &["yaml-alias 1:6 *x"]);
    check("- &x a\n- &x b\n", 2, &["yaml-alias 2:3 &x"]);
}

#[test]
fn further_documents_are_one_finding() {
    check(
        "- a\n---\n- b\n---\n- c\n",
        3,
        &["yaml-single-document 2:1 ---"],
    );
    check("- a\n...\n- b\n", 2, &["yaml-syntax 3:1 -"]);
}

#[test]
fn faults_that_break_nothing_stay_with_their_item() {
    let text =
        "- a: 1\n  'a': 2\n  1: b\n  true: c\n  ? [d]\n  : e\n- <<: {}\n- f: !x g\n- 2001-02-30\n";
    let expected = [
        "yaml-duplicate-key 2:3 \\'a\\'",
        "yaml-duplicate-key 4:3 true",
        "yaml-unhashable-key 5:5 [d]",
        "yaml-merge-key 7:3 <<",
        "yaml-tag 8:6 !x",
        "yaml-plain-scalar-types 9:3 2001-02-30",
    ];
    check(text, 4, &expected);
    let document = parse(text);
    let counts: Vec<_> = document
        .items
        .iter()
        .map(|item| item.diagnostics.len())
        .collect();
    assert_eq!(counts, [3, 1, 1, 1]);
    assert_eq!(document.items[0].diagnostics[0].related.len(), 1);
}

#[test]
fn a_broken_mapping_is_no_empty_file_without_a_finding() {
    let document = parse("a: b\nc: @\n");
    assert_eq!(document.root, Root::Empty);
    assert_eq!(document.unread.len(), 1);
    assert_eq!(findings("a: b\nc: @\n", &document), ["yaml-syntax 2:4 @"]);
}
