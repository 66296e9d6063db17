//! Comments that allow rules.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_source::diagnostic::Finding;

const WRITES: &str = "- func: scale(Tensor(a!) self) -> Tensor(a!)";
const RULE: &str = "mutable-self-not-inplace";

fn findings(text: &str) -> Vec<Finding> {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    opatlas_rules::check(&Catalogue::read(&bundle, Release::V2_9, None)).into_kept()
}

/// The rules of what is found; suppressed ones in parentheses.
fn check(text: &str, expected: &[&str]) {
    let shown: Vec<String> = findings(text)
        .iter()
        .map(|finding| match finding.suppressed {
            true => format!("({})", finding.rule),
            false => finding.rule.as_str().to_owned(),
        })
        .collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn comments_stand_above_behind_and_within() {
    let allow = "# opatlas: allow(mutable-self-not-inplace) public since 1.0";
    let allowed = ["(mutable-self-not-inplace)"];
    check(WRITES, &[RULE]);
    check(&format!("{allow}\n{WRITES}\n"), &allowed);
    check(&format!("{allow}\n\n# about scale\n{WRITES}\n"), &allowed);
    check(&format!("{WRITES} {allow}\n"), &allowed);
    check(
        &format!("{WRITES}\n  {allow}\n  variants: function\n"),
        &allowed,
    );
    check(
        &format!("{WRITES}\n  variants: function  {allow}\n"),
        &allowed,
    );
    check(&format!("- {allow}\n  {}\n", &WRITES[2..]), &allowed);
    check(
        &format!("{WRITES} {}\r\n", allow.replace("# ", "#")),
        &allowed,
    );
}

#[test]
fn a_comment_belongs_to_one_entry() {
    let allow = "# opatlas: allow(mutable-self-not-inplace) public since 1.0";
    let other = "- func: shift(Tensor(a!) self) -> Tensor(a!)";
    let second = ["mutable-self-not-inplace", "(mutable-self-not-inplace)"];
    check(&format!("{WRITES}\n{allow}\n{other}\n"), &second);
    check(&format!("{WRITES}\n{other} {allow}\n"), &second);
    let first = ["(mutable-self-not-inplace)", "mutable-self-not-inplace"];
    check(&format!("{WRITES} {allow}\n{other}\n"), &first);
    check(
        &format!(
            "[{{{}}}, {{{}}}] {allow}\n",
            &quoted(WRITES),
            &quoted(other)
        ),
        &second,
    );
}

/// An entry in flow style.
fn quoted(entry: &str) -> String {
    let func = entry.trim_start_matches("- func: ");
    format!("func: '{func}'")
}

#[test]
fn comments_that_do_nothing_are_reported() {
    let sound = "- func: scale_(Tensor(a!) self) -> Tensor(a!)";
    let allow = "# opatlas: allow(mutable-self-not-inplace) public since 1.0";
    check(&format!("{allow}\n{sound}\n"), &["suppression-unused"]);
    check(
        &format!("{WRITES}\n{allow}\n"),
        &[RULE, "suppression-unused"],
    );
    check(
        &format!("{sound} # opatlas: allow(mutable-self) public since 1.0\n"),
        &["suppression-unknown-rule"],
    );
    check(
        &format!("{sound} # opatlas: ignore\n"),
        &["suppression-malformed"],
    );
    check(
        &format!("{sound} # opatlas: allow()\n"),
        &["suppression-malformed"],
    );
    check(
        &format!("{sound} # opatlas: allow(a\n"),
        &["suppression-malformed"],
    );
    check(
        &format!("{WRITES} # opatlas: allow(mutable-self-not-inplace)\n"),
        &["(mutable-self-not-inplace)", "suppression-without-reason"],
    );
    check(
        &format!("{WRITES} # opatlas: allow(mutable-self-not-inplace, out-arg-naming) both\n"),
        &["(mutable-self-not-inplace)", "suppression-unused"],
    );
}

#[test]
fn other_text_is_no_comment_of_ours() {
    for text in [
        "- func: \"scale(str s='# opatlas: ignore') -> Tensor\"\n",
        "- func: scale(Tensor self) -> Tensor # see opatlas: ignore\n",
        "- func: scale(Tensor self) -> Tensor#opatlas: ignore\n",
    ] {
        let ours = |f: &Finding| f.rule.as_str().starts_with("suppression");
        assert!(!findings(text).iter().any(ours), "{text}");
    }
}

#[test]
fn suppressed_errors_still_make_a_file_invalid() {
    let text = "- func: scale_(Tensor self) -> Tensor # opatlas: allow(inplace-self) later\n";
    let found = findings(text);
    assert!(found.iter().all(|finding| finding.suppressed));
    assert!(!opatlas_rules::is_valid(&found));
    assert!(opatlas_rules::is_valid(&findings(WRITES)));
}
