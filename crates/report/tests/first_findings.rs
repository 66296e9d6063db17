//! What the first findings say to somebody who has just pasted a schema, or types of Python and
//! C++: the message, the help, and the text after the offered edits.

use std::fmt::Write as _;

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{self, Reading, Wanted};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

fn read(text: &str) -> Reading {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    Reading::of(&Catalogue::read(&bundle, Release::V2_15, None))
}

/// What is said about a text, and what it becomes by the edits.
fn said(text: &str) -> String {
    let mut out = format!("{text}\n");
    for finding in read(text).findings {
        let (line, help) = (&*finding.message, finding.help.as_deref().unwrap_or("-"));
        let _ = writeln!(out, "  {}: {line}\n    {help}", finding.rule);
    }
    let fixed = fix::mend(NATIVE_FUNCTIONS, text, Wanted::Suggested, read);
    if fixed.applied() > 0 {
        let _ = writeln!(out, "=>\n{}", fixed.text);
    }
    out
}

fn all(texts: &[&str]) -> String {
    let said: Vec<_> = texts.iter().map(|text| said(text)).collect();
    said.join("----\n")
}

#[test]
fn of_files_that_are_not_lists() {
    insta::assert_snapshot!(all(&[
        "",
        "# only a comment\n",
        "f(Tensor self) -> Tensor",
        "aten::f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
        "func f(Tensor self) -> Tensor\n",
        "f(Tensor self) -> Tensor\n\ng(Tensor self, int dim) -> Tensor\n",
        "Some words that are not a schema.\n",
        "func: f(Tensor self) -> Tensor",
        "# about\n\nfunc: f(Tensor self) -> Tensor\nvariants: function\n\ndispatch:\n  CPU: f_cpu\n",
        "name: f\n",
        "{func: 'f(Tensor self) -> Tensor'}\n",
    ]));
}

#[test]
fn of_entries_that_are_not_mappings() {
    insta::assert_snapshot!(all(&[
        "- f(Tensor self) -> Tensor\n",
        "- func f(Tensor self) -> Tensor\n",
        "- f\n",
        "- [f]\n",
        "- func: f(Tensor self) -> Tensor\n  variants: function\n\nfunc: g(Tensor self) -> Tensor\n",
    ]));
}

#[test]
fn of_types_of_other_languages() {
    let schemas = [
        "f(Tensor self, Optional[int] dim) -> Tensor",
        "f(Tensor self, typing.Optional[List[int]] dim=None) -> Tensor",
        "f(Tensor self, Optional[Double] x) -> Tensor",
        "f(Tensor self, int | None dim) -> Tensor",
        "f(Tensor self, Union[float, None] x) -> Tensor",
        "f(Tensor self, Union[int, float] x) -> Tensor",
        "f(Tensor self, Double x, Long? n, string[] names) -> Tensor",
        "f(Tensor self, Tuple[int, int] size) -> Tensor",
        "f(Tensor self, Tuple[int, ...] size) -> Tensor",
        "f(Tensor self, tuple[Tensor, Tensor] hx) -> Tensor",
        "f(Tensor self, Tuple[Tensor, int] x, Tuple[int, int] y, Double z) -> Tensor",
        "f(Tensor self, Dict[str, int] x) -> Tensor",
        "f(Tensor self) -> Tuple[Tensor, Tensor]",
        "f(Tensor self) -> Tuple[Tensor]",
        "f(Tensor self) -> Tuple[Tensor, Optional[Double]]",
        "f(Tensor self) -> Tuple[Tensor, Banana]",
        "f(Tensor self, Banana x) -> Double",
    ];
    let texts = schemas.map(|schema| format!("- func: {schema}\n"));
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(all(&texts));
}
