use opatlas_source::diagnostic::RuleId;

use super::*;

fn canonical(text: &str) -> String {
    let parsed = parse_schema(text, 0);
    match parsed.schema {
        Some(schema) => schema.to_string(),
        None => format!("{:?}", parsed.diagnostics),
    }
}

fn refusal(text: &str) -> (RuleId, &str) {
    let parsed = parse_schema(text, 0);
    let first = parsed.diagnostics.first().expect(text);
    assert!(parsed.schema.is_none());
    (first.rule, first.span.slice(text))
}

#[test]
fn prints_what_it_read() {
    for text in [
        "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "f() -> ()",
        "f(*, int n) -> (Tensor a, Tensor(a! -> b|c) r)",
        "f(Tensor(a|b -> *) x, int[2]?[] y=[1,2], __torch__.torch.classes.a.B? p=None) -> Tensor(a)[]",
        "f(str m='a b', int =1, Tensor ) -> int r=1",
        "_(Tensor(a!) self,, int[3] b) -> Tensor(a!)",
    ] {
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn shorthand_is_printed_in_full() {
    assert_eq!(
        canonical("f_(Tensor(a) x, Tensor! self) -> Tensor!"),
        "f_(Tensor(a) x, Tensor(b!) self) -> Tensor(b!)"
    );
}

#[test]
fn points_at_what_is_wrong() {
    for (text, rule, at) in [
        (
            "quox(Tensor self, double x) -> Tensor",
            RuleId::TypeUnknown,
            "double",
        ),
        ("quox(Tensor self)-> Tensor", RuleId::SchemaShape, "-> "),
        (
            "quox(Tensor self,int n) -> Tensor",
            RuleId::ArgumentSeparator,
            ",",
        ),
        (
            "quox(Tensor a, int[0] x) -> Tensor",
            RuleId::TypeListSize,
            "0",
        ),
        (
            "quox(Tensor?(a!) x) -> Tensor",
            RuleId::AnnotationPlacement,
            "(a!)",
        ),
        (
            "quox(Tensor(a|b!) x) -> Tensor",
            RuleId::AnnotationWriteSingleton,
            "a|b!",
        ),
        ("quox(Tensor self, *) -> Tensor", RuleId::KwargMarker, "*"),
        (
            "quox(Tensor self, int n=) -> Tensor",
            RuleId::DefaultEmpty,
            "=",
        ),
        ("quox(Tensor self) -> (Tensor)", RuleId::Returns, "(Tensor)"),
        (
            "quox(Tensor self) -> Tensor(a! -> a|b)",
            RuleId::AnnotationReturnArrowNeedsName,
            "Tensor(a! -> a|b)",
        ),
        (
            "quox(*, Tensor(a!) out, int n) -> Tensor(a!)",
            RuleId::OutArgsLast,
            "int n",
        ),
        (
            "quox_out(Tensor self) -> Tensor",
            RuleId::OpNameOutSuffix,
            "quox_out",
        ),
    ] {
        assert_eq!(refusal(text), (rule, at), "{text}");
    }
}

#[test]
fn every_broken_argument_is_reported() {
    let parsed = parse_schema("quox(Tensr a, int b, flaot c) -> Tensr", 0);
    assert_eq!(parsed.diagnostics.len(), 3);
    assert_eq!(parsed.name.unwrap().as_str(), "quox");
}

/// All texts of up to seven of these letters.
fn texts(letters: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = letters.chars().collect();
    let of_length = move |length: u32| {
        let letters = letters.clone();
        let count = letters.len();
        (0..count.pow(length)).map(move |number| {
            let digit = |place: u32| letters[number / count.pow(place) % count];
            (0..length).map(digit).collect::<String>()
        })
    };
    (0..=7).flat_map(of_length)
}

#[test]
fn texts_are_cut_where_a_general_search_would_cut_them() {
    for text in texts(", a*") {
        let pieces = Piece::new(&text, 3).split_comma();
        let pieces: Vec<_> = pieces.map(|piece| (piece.text, piece.at)).collect();
        let expected = text.split(", ").map(|part| {
            let at = part.as_ptr().addr() - text.as_ptr().addr();
            (part, 3 + offset(at))
        });
        assert_eq!(pieces, expected.collect::<Vec<_>>(), "{text:?}");
    }
    for text in texts(")- >").chain(["é) -> é) ->".into(), ") -> ) -> x".into()]) {
        assert_eq!(last_arrow(&text), text.rfind(") -> "), "{text:?}");
    }
    for text in texts(":a") {
        let last = text.split("::").last().unwrap();
        let expected = (text.len() - last.len()).checked_sub(2);
        assert_eq!(last_separator(&text), expected, "{text:?}");
    }
}
