//! The answers about one operator as a picture, for services that preview links.

use std::fmt::Write as _;

use opatlas_verdict::{Answer, Verdict};

use super::answers::{Answered, since_words};
use crate::escape;

/// In pixels: what services that preview links ask for.
const WIDTH: usize = 1200;
const HEIGHT: usize = 630;
const MARGIN: usize = 60;
/// The most characters of the name and of the line below it.
const NAME: usize = 36;
const LINE: usize = 70;
/// The cells of a row.
const COLUMNS: usize = 4;
const ROWS: usize = 2;
const GAP: usize = 20;
const CELL: (usize, usize) = ((WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS, 150);

/// An SVG picture with an operator's name, a line of text, and a cell for each backend.
#[must_use]
pub fn card(name: &str, line: &str, answers: &[Answered]) -> String {
    let (title, line) = (
        escape::xml(&shortened(name, NAME)),
        escape::xml(&shortened(line, LINE)),
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui,Segoe UI,Roboto,DejaVu Sans,sans-serif\">\
         <title>{title}</title><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f6f7f9\"/>\
         <text x=\"{MARGIN}\" y=\"120\" font-size=\"50\" font-weight=\"700\" fill=\"#171b23\" \
         font-family=\"ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace\">{title}</text>\
         <text x=\"{MARGIN}\" y=\"180\" font-size=\"28\" fill=\"#545d6b\">{line}</text>"
    );
    for (at, answer) in answers.iter().take(COLUMNS * ROWS).enumerate() {
        cell(&mut out, at, answer);
    }
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"590\" font-size=\"26\" fill=\"#3445b4\">Opatlas</text></svg>"
    );
    out
}

fn cell(out: &mut String, at: usize, answer: &Answered) {
    let (width, height) = CELL;
    let (x, y) = (
        MARGIN + at % COLUMNS * (width + GAP),
        220 + at / COLUMNS * (height + GAP),
    );
    let (fill, ink) = colors(answer.verdict.into());
    let since = answer.since.map_or_else(String::new, since_words);
    let (key, since) = (escape::xml(answer.key), escape::xml(&since));
    let (at, verdict) = (x + 20, answer.verdict.as_str());
    let _ = write!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"{fill}\"/>\
         <g fill=\"{ink}\"><text x=\"{at}\" y=\"{}\" font-size=\"32\" font-weight=\"700\">{key}</text>\
         <text x=\"{at}\" y=\"{}\" font-size=\"26\">{} {verdict}</text>\
         <text x=\"{at}\" y=\"{}\" font-size=\"20\">{since}</text></g>",
        y + 45,
        y + 90,
        glyph(answer.verdict),
        y + 125,
    );
}

/// The fill of a cell and the color of its text, as in the web interface.
fn colors(answer: Answer) -> (&'static str, &'static str) {
    match answer {
        Answer::Yes => ("#cdebd8", "#15693a"),
        Answer::Partly => ("#fbe6b4", "#6b4200"),
        Answer::No => ("#f9d0cc", "#b3261e"),
        Answer::Unknown => ("#e7eaef", "#545d6b"),
    }
}

/// The symbol of a verdict, as in the web interface.
fn glyph(verdict: Verdict) -> char {
    match verdict.letter() {
        'r' => '●',
        'd' => '◐',
        'p' => '◔',
        'b' => '○',
        'f' => '✕',
        _ => '?',
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use opatlas_verdict::releases::Since;

    use super::*;

    #[test]
    fn cards_hold_nothing_that_acts_and_stay_small() {
        let answer = Answered {
            key: "MPS",
            verdict: Verdict::parse("runs").unwrap(),
            since: Some(Since::Release("2.14.1")),
        };
        let name = format!("<script>{}", "x".repeat(10_000));
        let svg = card(&name, "\"&", &[answer; 50]);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(svg.contains("● runs") && svg.contains("since 2.14.1"));
        assert!(svg.len() < 8_000, "{}", svg.len());
    }
}
