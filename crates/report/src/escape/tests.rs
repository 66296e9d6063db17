use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use opatlas_source::message;
use proptest::prelude::*;

use super::*;

/// Text that tries to be more than text.
fn hostile() -> impl Strategy<Value = String> {
    const PIECES: [&str; 48] = [
        "`",
        "``",
        "\\",
        "|",
        "\\|",
        "*",
        "**a**",
        "_b_",
        "~~c~~",
        "[x](https://evil.example)",
        "![x](y)",
        "<b>",
        "</code>",
        "<!--",
        "&amp;",
        "&#64;",
        "@team",
        "#1",
        "!1",
        "GH-1",
        "~bug",
        "$x$",
        "$`x`$",
        ":tada:",
        "https://evil.example/a",
        "www.evil.example",
        "a@b.example",
        "mailto:a@b.example",
        "\n",
        "\r\n",
        "\t",
        "    ",
        "- ",
        "1. ",
        "# ",
        "> ",
        "---",
        "===",
        "::stop-commands::x",
        "##[add-mask]x",
        "\u{1b}]52;c;x\u{7}",
        "\u{1b}[31m",
        "\u{9b}",
        "\u{7f}",
        "\u{202e}",
        "\u{2028}",
        "]]>",
        "\",=1",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        2 => "[a-z ]{1,3}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// As hosting sites read Markdown.
fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.alerts = true;
    options
}

/// The nodes of a document in order, text as it is read.
fn read(markdown: &str) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options());
    let mut nodes = Vec::new();
    let mut prose = String::new();
    for node in root.descendants() {
        let said = match &node.data.borrow().value {
            NodeValue::Document => continue,
            NodeValue::Text(text) => {
                prose.push_str(&text.replace(WORD_JOINER, ""));
                continue;
            }
            NodeValue::Code(code) => format!("code {}", code.literal),
            NodeValue::CodeBlock(block) => format!("block {}", block.literal),
            NodeValue::List(_) => "list".to_owned(),
            NodeValue::Item(_) => "item".to_owned(),
            NodeValue::Paragraph => "paragraph".to_owned(),
            NodeValue::Table(_) => "table".to_owned(),
            NodeValue::TableRow(_) => "row".to_owned(),
            NodeValue::TableCell => "cell".to_owned(),
            other => format!("{other:?}"),
        };
        if !prose.is_empty() {
            nodes.push(format!("text {}", std::mem::take(&mut prose)));
        }
        nodes.push(said);
    }
    if !prose.is_empty() {
        nodes.push(format!("text {prose}"));
    }
    nodes
}

/// Prose as Markdown shows it: no space at either end.
fn shown(text: &str) -> String {
    line(text).replace(WORD_JOINER, "").trim().to_owned()
}

fn assert_harmless(text: &str) {
    assert!(!text.contains(is_acting), "{text:?}");
}

proptest! {
    #[test]
    fn prose_is_only_text(text in hostile()) {
        let markdown = prose(&text);
        assert_harmless(&markdown);
        let nodes = read(&format!("- x{markdown}y\n"));
        let said = line(&text).replace(WORD_JOINER, "");
        prop_assert_eq!(nodes.len(), 4, "{}", markdown);
        prop_assert_eq!(&nodes[3], &format!("text x{said}y"));
    }

    #[test]
    fn a_paragraph_is_only_text(text in hostile()) {
        let markdown = paragraph(&text);
        assert_harmless(&markdown);
        let nodes = read(&format!("- {markdown}\n"));
        let expected = shown(&text);
        let mut wanted = vec!["list".to_owned(), "item".to_owned()];
        if !expected.is_empty() {
            wanted.extend(["paragraph".to_owned(), format!("text {expected}")]);
        }
        prop_assert_eq!(nodes, wanted, "{}", markdown);
    }

    #[test]
    fn code_is_one_span(text in hostile()) {
        let markdown = code(&text);
        assert_harmless(&markdown);
        let nodes = read(&format!("x {markdown} y\n"));
        prop_assert_eq!(&nodes[1], "text x ");
        let expected = format!("code {}", line(&text));
        prop_assert_eq!(nodes[2].trim_end(), expected.trim_end());
        prop_assert_eq!(&nodes[3..], ["text  y"]);
    }

    #[test]
    fn a_sentence_keeps_its_pieces(name in hostile(), value in hostile()) {
        let markdown = markdown(&message!("unknown field `{}`, here {} it", name, value));
        assert_harmless(&markdown);
        let nodes = read(&markdown);
        prop_assert_eq!(nodes.len(), 4, "{}", markdown);
        let expected = format!("code {}", line(&name));
        prop_assert_eq!(nodes[2].trim_end(), expected.trim_end());
        let said = line(&value).replace(WORD_JOINER, "");
        prop_assert_eq!(&nodes[3], &format!("text , here {said} it"));
    }

    #[test]
    fn a_cell_stays_a_cell(name in hostile(), value in hostile()) {
        let (name, text) = (code_cell(&name), prose(&value));
        assert_harmless(&name);
        let nodes = read(&format!("| a | b | c |\n|---|---|---|\n| {name} | {text} | c |\n"));
        let row = nodes.iter().rposition(|node| node == "row").unwrap();
        let cells = nodes[row..].iter().filter(|node| *node == "cell");
        prop_assert_eq!(cells.count(), 3);
        prop_assert_eq!(nodes[row..].iter().filter(|node| node.starts_with("code")).count(), 1);
        prop_assert!(nodes[row..].iter().all(|node| {
            ["row", "cell"].contains(&&**node) || node.starts_with("code") || node.starts_with("text")
        }), "{:?}", nodes);
        prop_assert_eq!(nodes.last().map(String::as_str), Some("text c"));
    }

    #[test]
    fn a_code_block_ends_where_it_ends(lines in prop::collection::vec(hostile(), 1..4)) {
        let markdown = code_block("diff", &lines, "    ");
        assert_harmless(&markdown.replace('\n', ""));
        let nodes = read(&format!("- the entry:\n\n{markdown}\n\nend\n"));
        prop_assert_eq!(nodes.iter().filter(|node| node.starts_with("block")).count(), 1);
        prop_assert_eq!(nodes.last().map(String::as_str), Some("text end"));
        prop_assert_eq!(nodes.len(), 7, "{:?}", nodes);
    }

    #[test]
    fn an_address_is_only_a_target(url in hostile()) {
        let url = address(&format!("https://own.example/{url}"));
        assert_harmless(&url);
        let nodes = read(&format!("| a | b |\n|---|---|\n| [x]({url}) | c |\n"));
        prop_assert_eq!(nodes.last().map(String::as_str), Some("text c"));
        prop_assert_eq!(nodes.iter().filter(|node| node.starts_with("Link")).count(), 1);
        prop_assert_eq!(nodes.iter().filter(|node| *node == "text x").count(), 1);
    }

    #[test]
    fn xml_is_only_text(text in hostile()) {
        let attribute = xml_attribute(&text);
        assert_harmless(&attribute);
        let document = format!("<a b=\"{attribute}\">{}</a>", xml(&text));
        assert_harmless(&document.replace(['\n', '\t'], ""));
        let document = roxmltree::Document::parse(&document).unwrap();
        let element = document.root_element();
        prop_assert_eq!(element.children().filter(|child| !child.is_text()).count(), 0);
        let expected = lines(&text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}");
        prop_assert_eq!(element.text().unwrap_or_default(), &expected);
        prop_assert_eq!(element.attribute("b"), Some(&*expected));
    }

    #[test]
    fn a_workflow_command_is_one_line(text in hostile()) {
        let data = command_data(&text);
        let property = command_property(&text);
        assert_harmless(&data.replace('\t', ""));
        prop_assert_eq!(data.replace("%0A", "\n").replace("%25", "%"), lines(&text).into_owned());
        prop_assert!(!property.contains(['\n', ':', ',']));
    }

    #[test]
    fn a_sarif_message_has_no_links(text in hostile()) {
        let message = sarif(&text);
        assert_harmless(&message.replace(['\n', '\t'], ""));
        prop_assert!(!message.contains("]("));
    }

    #[test]
    fn a_uri_has_no_more_than_it_may(text in hostile()) {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
        prop_assert!(uri(&text).chars().all(is_allowed));
    }

    #[test]
    fn a_line_of_csv_is_one_line(fields in prop::collection::vec(hostile(), 1..4)) {
        let mut out = String::new();
        crate::csv::line(&mut out, &fields);
        let record = out.strip_suffix("\r\n").unwrap();
        assert_harmless(record);
        let mut read = vec![String::new()];
        let mut is_quoted = false;
        for char in record.chars() {
            match char {
                '"' => {
                    is_quoted = !is_quoted;
                    read.last_mut().unwrap().push('"');
                }
                ',' if !is_quoted => read.push(String::new()),
                other => read.last_mut().unwrap().push(other),
            }
        }
        prop_assert_eq!(read.len(), fields.len());
        for (read, field) in read.iter().zip(&fields) {
            let bare = read.strip_prefix('"').and_then(|read| read.strip_suffix('"'));
            let bare = bare.map_or_else(|| read.clone(), |bare| bare.replace("\"\"", "\""));
            prop_assert!(!bare.starts_with(['=', '+', '-', '@']));
            let expected = line(field);
            prop_assert_eq!(bare.trim_start_matches('\''), expected.trim_start_matches('\''));
        }
    }

    #[test]
    fn a_word_stays_a_word_in_a_shell(text in hostile()) {
        let word = shell(&text);
        assert_harmless(&word);
        if let Some(quoted) = word.strip_prefix('\'') {
            let inner = quoted.strip_suffix('\'').unwrap().replace(r"'\''", "");
            prop_assert!(!inner.contains('\''));
        }
    }
}

#[test]
fn the_parser_sees_markup() {
    for markup in [
        "**a**",
        "_b_",
        "~~c~~",
        "`d`",
        "[x](https://evil.example)",
        "<b>",
        "$x$",
        "- a",
        "1. a",
        "https://evil.example/a",
        "www.evil.example",
        "a@b.example",
        "> a",
        "[ ] a",
    ] {
        let nodes = read(&format!("- {markup}\n"));
        let text = format!("text {markup}");
        assert_ne!(nodes, ["list", "item", "paragraph", &text], "{markup}");
    }
}

#[test]
fn plain_text_stays_plain() {
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code(" a "), "`  a  `");
    assert_eq!(
        prose("a_b: 50 % of it, c++ - 1.5"),
        "a\\_b: 50 % of it, c++ - 1.5"
    );
    let said = message!("`{}` <b> @{} #1", "a_b", "team");
    assert_eq!(markdown(&said), "`a_b` \\<b\\> @\u{2060}team #\u{2060}1");
    assert_eq!(prose("`x` y"), "\\`x\\` y");
    assert_eq!(prose("\u{1b}[31m"), "\\\\u{1b}\\[31m");
}

#[test]
fn words_stay_words_in_a_shell() {
    assert_eq!(shell(""), "''");
    assert_eq!(shell("add.Tensor"), "add.Tensor");
    assert_eq!(shell("a b;c'd$(e)"), r"'a b;c'\''d$(e)'");
    assert_eq!(shell("-x"), "'-x'");
}

#[test]
fn a_cut_text_shows_that_it_is() {
    assert_eq!(cut("äöü", 3), "äöü");
    assert_eq!(cut("äöüß", 3), "äö…");
}
