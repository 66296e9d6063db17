//! Neutralizes the text of a report from a stranger's job.
//!
//! A hosting site turns text into mentions, references and links, even if entities spell the
//! characters, and shows images from other sites. An invisible character (U+2060) inside of each
//! prevents this. The markup that reports use stays.

/// WORD JOINER, a character without width.
const JOINER: char = '\u{2060}';
const TAGS: [&str; 6] = [
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<code>",
    "</code>",
];
const ENTITIES: [&str; 3] = ["&amp;", "&lt;", "&gt;"];

/// More characters than the longest name of an entity, with the semicolon.
const LONGEST_ENTITY: usize = 40;

pub(super) struct Markup {
    /// The scheme, host and port of the server with the full comparison.
    origin: Option<String>,
}

impl Markup {
    /// Allows links to the server of a permalink only.
    pub(super) fn linking_to(permalink: Option<&str>) -> Self {
        Self {
            origin: permalink.and_then(origin).map(str::to_owned),
        }
    }

    /// The text without mentions and foreign links. It looks the same to a reader.
    pub(super) fn harmless(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while !rest.is_empty() {
            rest = self.step(&mut out, rest);
        }
        out
    }

    fn step<'t>(&self, out: &mut String, rest: &'t str) -> &'t str {
        let whole = self.link(rest).or_else(|| {
            let known = TAGS.iter().chain(&ENTITIES);
            known.copied().find(|known| rest.starts_with(known))
        });
        if let Some(whole) = whole {
            out.push_str(whole);
            return &rest[whole.len()..];
        }
        let (piece, is_split) = piece(rest);
        match is_split {
            Some(at) => {
                out.push_str(&piece[..at]);
                out.push(JOINER);
                out.push_str(&piece[at..]);
            }
            None => out.extend(piece.chars().map(readable)),
        }
        &rest[piece.len()..]
    }

    fn link<'t>(&self, rest: &'t str) -> Option<&'t str> {
        let url = rest.strip_prefix("](")?;
        let after = url.strip_prefix(self.origin.as_deref()?)?;
        let is_end = |char: char| char == ')' || char.is_whitespace() || "<>(\"'\\".contains(char);
        let end = after.find(is_end)?;
        let is_of_server = after.starts_with(['/', '?', '#', ')']);
        let whole = rest.len() - after.len() + end + 1;
        (is_of_server && after[end..].starts_with(')')).then(|| &rest[..whole])
    }
}

fn piece(rest: &str) -> (&str, Option<usize>) {
    const PAIRS: [(&str, usize); 4] = [("](", 1), ("]:", 1), ("![", 1), ("://", 1)];
    for (pair, at) in PAIRS {
        if rest.starts_with(pair) {
            return (&rest[..pair.len()], Some(at));
        }
    }
    let bytes = rest.as_bytes();
    let begins = |text: &str| {
        let found = rest.get(..text.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(text))
    };
    if begins("www.") {
        return (&rest[..4], Some(3));
    }
    if begins("gh-") && bytes.get(3).is_some_and(u8::is_ascii_digit) {
        return (&rest[..3], Some(3));
    }
    let next = bytes.get(1).copied().unwrap_or_default();
    let acts = match bytes[0] {
        b'@' => next.is_ascii_alphanumeric(),
        b'#' => next.is_ascii_digit(),
        b'<' => next.is_ascii_alphabetic() || b"/!?".contains(&next),
        b'&' => is_entity(&rest[1..]),
        _ => false,
    };
    let length = rest.chars().next().map_or(0, char::len_utf8);
    (&rest[..length], acts.then_some(length))
}

/// In HTML, as in a folded section, a numeric entity needs no semicolon.
fn is_entity(rest: &str) -> bool {
    let mut name = rest
        .bytes()
        .take(LONGEST_ENTITY)
        .skip_while(u8::is_ascii_alphanumeric);
    rest.starts_with('#') || name.next() == Some(b';')
}

fn readable(char: char) -> char {
    match char {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other => other,
    }
}

fn origin(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let is_web = matches!(scheme, "http" | "https");
    (is_web && !host.is_empty() && host.bytes().all(is_plain))
        .then(|| &url[..scheme.len() + 3 + host.len()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Markup;

    fn harmless(text: &str) -> String {
        Markup::linking_to(Some("https://opatlas.example/compare?x=1")).harmless(text)
    }

    fn seen(text: &str) -> String {
        harmless(text).replace('\u{2060}', "")
    }

    #[test]
    fn nobody_is_mentioned_however_it_is_spelled() {
        for (text, plain) in [
            ("@team", "@\u{2060}team"),
            ("a@b `@x` @ @-", "a@\u{2060}b `@\u{2060}x` @ @-"),
            ("&#64;team", "&\u{2060}#\u{2060}64;team"),
            ("&#x40;team", "&\u{2060}#x40;team"),
            ("&#0064;team", "&\u{2060}#\u{2060}0064;team"),
            ("<details>&#x40team", "<details>&\u{2060}#x40team"),
            ("&commat;team", "&\u{2060}commat;team"),
            ("@&#116;eam", "@&\u{2060}#\u{2060}116;eam"),
            ("other/repo#12 GH-7", "other/repo#\u{2060}12 GH-\u{2060}7"),
        ] {
            assert_eq!(harmless(text), plain);
            assert_eq!(harmless(plain), plain, "a second time changes nothing");
        }
    }

    #[test]
    fn links_lead_only_to_the_server_of_the_permalink() {
        for kept in [
            "[Full comparison](https://opatlas.example/compare/a...b#x)",
            "[all](https://opatlas.example)",
        ] {
            assert_eq!(harmless(kept), kept);
        }
        for text in [
            "[x](https://evil.example)",
            "[x](https://opatlas.example.evil.example)",
            "[x](https://opatlas.example@evil.example/)",
            "[x](//evil.example)",
            "[x](<https://opatlas.example/>)",
            "[x][y]\n\n[y]: //evil.example",
            "![x](https://opatlas.example/x.png)",
            "<img src=//evil.example>",
            "<https://evil.example>",
            "see HTTPS://evil.example or www.evil.example",
            "<!-- opatlas operators 1 -->",
        ] {
            assert_ne!(harmless(text), text);
            assert_eq!(seen(text), text);
        }
        let unlinked = Markup::linking_to(None);
        let text = unlinked.harmless("[x](https://opatlas.example/)");
        assert_eq!(text, "[x]\u{2060}(https:\u{2060}//opatlas.example/)");
    }

    #[test]
    fn what_reports_are_made_of_stays() {
        let report = "### **Blocked:** 1 breaking\n\n<details><summary><code>a&lt;b&amp;c&gt;</code></summary>\n\n\
                      - **`add.Tensor`** `Tensor(a!) self` line 3 → 4\n\n| a | b |\n|---|---|\n</details>\n";
        assert_eq!(harmless(report), report);
        // A backslash does not escape inside of HTML, so what it precedes is split too.
        let escaped = "\\<b\\> \\[x\\](y) a & b &c";
        assert_eq!(seen(escaped), escaped);
        assert_eq!(harmless("a\u{202e}b"), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn no_text_acts_and_every_text_reads_the_same(text in r"([@#&<>!\[\]():/;.`\\w -]|gh|www|&#64;|[a-z0-9\n]){0,60}") {
            let plain = harmless(&text);
            prop_assert_eq!(plain.replace('\u{2060}', ""), &*text);
            prop_assert_eq!(harmless(&plain), &*plain);
            for acts in ["](", "]:", "![", "://", "www.", "&#"] {
                prop_assert!(!plain.contains(acts), "{acts} in {plain:?}");
            }
            let bytes = plain.as_bytes().windows(2);
            for pair in bytes {
                let is_mention = pair[0] == b'@' && pair[1].is_ascii_alphanumeric();
                let is_issue = pair[0] == b'#' && pair[1].is_ascii_digit();
                prop_assert!(!is_mention && !is_issue, "{plain:?}");
            }
        }
    }
}
