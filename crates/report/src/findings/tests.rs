use super::*;
use crate::room::UNBOUNDED;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Stop};

const BROKEN: &str = "\
- func: blend(Tensor self, double w) -> Tensor
- func: blend_(Tensor self) -> (Tensor)
  variant: method
- func: 'it''s(Tensr x) -> Tensor'
";

fn with_report<T>(show: impl Fn(&Findings<'_>) -> T) -> T {
    let bundle = Bundle::of_native_functions(BROKEN.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let findings = opatlas_rules::check(&catalogue);
    let source = SourceText::new("ops/a b.yaml", BROKEN.into());
    show(&Findings {
        omitted: &[],
        findings: &findings,
        sources: BTreeMap::from([(NATIVE_FUNCTIONS.into(), source)]),
        room: &UNBOUNDED,
    })
}

#[test]
fn text_shows_the_line_the_place_and_the_way_out() {
    let shown = with_report(|report| text(report, Colour::Never));
    assert!(
        shown.contains("error[type-unknown]: unknown type `double`"),
        "{shown}"
    );
    assert!(shown.contains("--> ops/a b.yaml:1:28"), "{shown}");
    assert!(shown.contains("did you mean `float`?"), "{shown}");
    assert!(shown.trim_end().ends_with("errors"), "{shown}");
    assert!(!shown.contains('\u{1b}'));
    let coloured = with_report(|report| text(report, Colour::Always));
    assert!(coloured.contains('\u{1b}'));
}

#[test]
fn sarif_points_where_the_finding_stands() {
    let log = with_report(sarif);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let unknown = results
        .iter()
        .find(|r| r["ruleId"] == "type-unknown")
        .unwrap();
    let place = &unknown["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "ops/a%20b.yaml");
    assert_eq!(place["region"]["startColumn"], 28);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &log["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
    }
}

#[test]
fn tools_get_what_they_can_read() {
    let annotations = with_report(github);
    assert!(annotations.contains("::error file=ops/a b.yaml,line=1,endLine=1,col=28"));
    let xml = with_report(junit);
    assert!(xml.contains("<failure type=\"type-unknown\""));
    assert_eq!(
        xml.matches("<testcase").count(),
        xml.matches("</testcase>").count()
    );
    let comment = with_report(markdown);
    assert!(
        comment.starts_with("### Operator declarations: "),
        "{comment}"
    );
}

#[test]
fn nothing_found_is_one_line() {
    let report = Findings::default();
    assert_eq!(text(&report, Colour::Never), "no findings\n");
    assert_eq!(
        markdown(&report),
        "### Operator declarations: no findings\n"
    );
}

#[test]
fn every_form_says_what_is_left_out() {
    let omitted = [Omitted {
        rule: RuleId::YamlEntryMapping,
        severity: Severity::Error,
        count: 41,
    }];
    let report = Findings {
        omitted: &omitted,
        ..Findings::default()
    };
    let sentence = "41 more findings are not shown: 41 of yaml-entry-mapping";
    for shown in [
        text(&report, Colour::Never),
        junit(&report),
        github(&report),
    ] {
        assert!(shown.contains(sentence), "{shown}");
    }
    assert!(text(&report, Colour::Never).ends_with("41 errors\n"));
    assert!(markdown(&report).contains("41 more findings"));
    let log = sarif(&report);
    let run = &log["runs"][0];
    assert_eq!(run["properties"]["omitted"]["yaml-entry-mapping"], 41);
    let message = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(message, sentence);
    assert!(!text(&Findings::default(), Colour::Never).contains("more findings"));
}

/// A rendering ends just behind its bound, so that whoever asked sees that it is too long, and ends
/// at once when nobody waits for it.
#[test]
fn renderings_end_at_their_bound_and_when_they_are_stopped() {
    let length = |room: &Room| {
        with_report(|report| {
            let report = Findings {
                room,
                findings: report.findings,
                omitted: &[],
                sources: report.sources.clone(),
            };
            [text(&report, Colour::Never), markdown(&report)].map(|shown| shown.len())
        })
    };
    let whole = length(&UNBOUNDED);
    let bounded = length(&Room::new(200, &Stop::never()));
    let stop = Stop::new();
    stop.request();
    let stopped = length(&Room::new(usize::MAX, &stop));
    for ((whole, bounded), stopped) in whole.into_iter().zip(bounded).zip(stopped) {
        assert!(200 < bounded && bounded < whole, "{bounded} of {whole}");
        assert!(stopped < 100, "{stopped}");
    }
}
