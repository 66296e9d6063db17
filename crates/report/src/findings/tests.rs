use super::*;
use crate::room::UNBOUNDED;
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

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
    assert_eq!(text(&report, Colour::Never), "nothing found\n");
    assert_eq!(
        markdown(&report),
        "### Operator declarations: nothing found\n"
    );
}
