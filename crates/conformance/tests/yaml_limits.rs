//! Nothing that is put into a file makes reading it slow, large or deep.

use std::time::{Duration, Instant};

use opatlas_yaml::{DEEPEST, Kind, decode, parse, parse_chunk, split};

const SIZE: usize = 1 << 18;

fn fill(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

/// Reads a text in every way, within a time that is far more than a linear reader needs.
fn check(name: &str, text: &str) {
    let start = Instant::now();
    let (decoded, _) = decode(text.as_bytes());
    for chunk in split(&decoded).unwrap_or_default() {
        if parse_chunk(chunk.slice(&decoded)).is_none() {
            break;
        }
    }
    let document = parse(&decoded);
    let items = document.items.iter().map(|item| item.diagnostics.len());
    let found = document.diagnostics.len() + items.sum::<usize>();
    assert!(found <= 1_010, "{name}: {found} findings");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{name}: {took:?}");
}

#[test]
fn repeated_pieces_are_read_in_linear_time() {
    let pieces = [
        "[",
        "{",
        "- ",
        "? ",
        ": ",
        "a: ",
        "- \n",
        "- a\n",
        "- []\n",
        "- {}\n",
        "a",
        "a ",
        "\n",
        " ",
        "\t",
        "# c\n",
        "- @\n",
        "- \"\n",
        "- \"a\n- 'b\n",
        "- [\n",
        "- {a\n",
        "- |\n",
        "- *a\n",
        "- &a b\n",
        "- !x b\n",
        "!",
        "&a ",
        "---\n",
        "...\n",
        "%TAG ! a\n",
        "\0",
        "\u{85}",
        "\u{2028}",
        "\u{FEFF}",
        "- a\r",
        "- [&a\n- *a\n",
        "a: 1\n",
        "- a:\n  - b:\n    - c\n",
        "\u{1}",
        "- #\n",
    ];
    for piece in pieces {
        check(piece, &fill(piece));
    }
}

#[test]
fn long_values_and_crowded_collections_are_read_in_linear_time() {
    let tags: String = (0..50_000).map(|n| format!("%TAG !a{n}! a\n")).collect();
    let keys: String = (0..50_000).map(|n| format!("k{n}: v\n")).collect();
    let bomb: String = (1..20_000)
        .map(|n| format!("- &a{n} [*a{0}, *a{0}]\n", n - 1))
        .collect();
    let cases = [
        ("quoted", format!("- \"{}", fill("a\n"))),
        ("apostrophes", format!("- '{}'", fill("''"))),
        ("escapes", format!("- \"{}\"", fill("\\n"))),
        ("literal", format!("- |\n{}", fill("  a\n"))),
        ("folded", format!("- >\n{}", fill("  a\n\n"))),
        ("blank lines", format!("- |+\n{}", fill("\n"))),
        ("plain lines", format!("- {}", fill("  a\n"))),
        ("digits", format!("- {}", fill("1"))),
        ("sixties", format!("- {}1", fill("1:"))),
        ("list", format!("[{}", fill("a, "))),
        ("wide list", format!("[{}{}", "é".repeat(600), fill("é, "))),
        (
            "deep list",
            format!("{}{}", "[".repeat(DEEPEST - 1), fill("a,")),
        ),
        ("set", format!("- {{{}}}", fill("? , "))),
        ("handles", tags),
        ("keys", keys),
        ("bomb", format!("- &a0 x\n{bomb}")),
    ];
    for (name, text) in cases {
        check(name, &text);
    }
}

#[test]
fn nesting_beyond_the_limit_costs_one_entry() {
    let deep = |depth: usize| format!("- {}{}\n- b\n", "[".repeat(depth), "]".repeat(depth));
    let fits = parse(&deep(DEEPEST - 1));
    assert_eq!((fits.items.len(), fits.diagnostics.len()), (2, 0));
    let deeper = parse(&deep(DEEPEST));
    assert_eq!((deeper.items.len(), deeper.diagnostics.len()), (1, 1));
    assert_eq!(deeper.diagnostics[0].rule, "yaml-limit");
}

#[test]
fn aliases_are_references() {
    let bomb: String = (1..50)
        .map(|n| format!("- &a{n} [*a{0}, *a{0}]\n", n - 1))
        .collect();
    let document = parse(&format!("- &a0 x\n{bomb}"));
    let last = document.items.last().expect("every line is an item");
    let Kind::Sequence(children) = last.tree.kind(last.root) else {
        panic!("the last item is a list");
    };
    assert!(matches!(last.tree.kind(children[0]), Kind::Sequence(below) if below.len() == 2));
    let circle = parse("- &a [*a]\n");
    let Kind::Sequence(children) = circle.items[0].tree.kind(circle.items[0].root) else {
        panic!("the item is a list");
    };
    assert!(matches!(
        circle.items[0].tree.kind(children[0]),
        Kind::Recursive
    ));
}
