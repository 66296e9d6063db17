//! Verdicts against those that torchgen gave on the same documents: a file is valid exactly where
//! every stage accepts it.

use std::collections::BTreeMap;

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::Stage;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, DERIVATIVES, LineIndex, NATIVE_FUNCTIONS, TAGS};
use serde_json::Value;

fn judge(yaml: &[u8], tags: Option<&str>, release: Release) -> (Catalogue, Vec<Finding>) {
    let mut bundle = Bundle::of_native_functions(yaml);
    if let Some(tags) = tags {
        bundle.insert(TAGS, tags.as_bytes());
    }
    let catalogue = Catalogue::read(&bundle, release, None);
    let findings = opatlas_rules::check(&catalogue);
    assert_eq!(findings.omitted(), []);
    let findings = findings.into_kept();
    (catalogue, findings)
}

fn errors(findings: &[Finding]) -> Vec<&'static str> {
    let errors = findings.iter().filter(|f| refused_by_torchgen(f));
    errors.map(|f| f.rule.as_str()).collect()
}

/// The recordings end with torchgen: no autograd code was generated, and nothing was compiled or loaded.
fn refused_by_torchgen(finding: &Finding) -> bool {
    let stage = opatlas_rules::registry::of(finding.rule).stage;
    let is_later = stage > Stage::Codegen;
    finding.severity == Severity::Error && !is_later
}

/// Documents whose verdict differs, by what they are about and the rules that spoke.
#[derive(Default)]
struct Differences {
    rows: usize,
    by_cause: BTreeMap<String, Vec<String>>,
}

impl Differences {
    fn compare(&mut self, id: &str, cause: &str, expected: &str, errors: &[&str]) {
        self.rows += 1;
        if (expected == "accept") == errors.is_empty() {
            return;
        }
        let cause = if errors.is_empty() {
            format!("missed: {cause}, {expected}")
        } else {
            format!("wrong: {cause}: {}", errors.join(", "))
        };
        self.by_cause.entry(cause).or_default().push(id.to_owned());
    }

    fn none(self) {
        let count: usize = self.by_cause.values().map(Vec::len).sum();
        for (cause, ids) in &self.by_cause {
            println!(
                "{:4} {cause}: {}",
                ids.len(),
                ids[..ids.len().min(4)].join(" ")
            );
        }
        assert_eq!(count, 0, "of {} documents", self.rows);
    }
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or("")
}

fn bytes(row: &Value) -> Vec<u8> {
    match row["yaml"].as_str() {
        Some(yaml) => yaml.as_bytes().to_vec(),
        None => base64(text(row, "yaml_base64")),
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in text.bytes().take_while(|&b| b != b'=') {
        let value = digits.iter().position(|&d| d == digit).unwrap();
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xFF).unwrap());
        }
    }
    bytes
}

#[test]
fn documents_of_the_rules() {
    let mut differences = Differences::default();
    for row in opatlas_conformance::golden("validator.jsonl.gz") {
        let stages = ["parse", "group", "codegen"];
        let refused = stages
            .into_iter()
            .find(|stage| row["stages"][stage] == "reject");
        let (_, findings) = judge(&bytes(&row), row["tags_yaml"].as_str(), Release::V2_9);
        let expected = refused.unwrap_or("accept");
        differences.compare(
            text(&row, "id"),
            text(&row, "rule"),
            expected,
            &errors(&findings),
        );
    }
    differences.none();
}

#[test]
fn random_documents() {
    let mut differences = Differences::default();
    let mut elsewhere = Vec::new();
    for row in opatlas_conformance::golden("documents_fuzz.jsonl.gz") {
        let stages = ["verdict", "group_verdict", "codegen_verdict"];
        let refused = stages.into_iter().find(|stage| row[stage] == "reject");
        let yaml = text(&row, "yaml");
        let (catalogue, findings) = judge(yaml.as_bytes(), None, Release::V2_9);
        let cause = match text(&row["error"], "first_line") {
            "" => text(&row["error"], "type"),
            line => line,
        };
        let cause: String = cause.chars().take(60).collect();
        let id = text(&row, "id");
        let errors = errors(&findings);
        differences.compare(id, &cause, refused.unwrap_or("accept"), &errors);
        if let Some(line) = row["error"]["context_line"].as_u64()
            && !errors.is_empty()
            && !stands_on(&catalogue, &findings, yaml, line)
        {
            elsewhere.push(format!("{id} line {line}: {cause}: {errors:?}"));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
    differences.none();
}

/// Whether an error stands in the entry that begins on a line, or names it.
fn stands_on(catalogue: &Catalogue, findings: &[Finding], yaml: &str, line: u64) -> bool {
    let index = LineIndex::new(yaml);
    let entry = catalogue.native_functions.entries.iter().find(|placed| {
        let span = placed.place(placed.entry.span);
        u64::from(index.line_column(yaml, span.start).line) == line
    });
    let Some(placed) = entry else { return true };
    let span = placed.place(placed.entry.span);
    let within = |start: u32| span.start <= start && start <= span.end;
    findings.iter().any(|finding| {
        let related = finding
            .related
            .iter()
            .any(|related| within(related.span.start));
        refused_by_torchgen(finding) && (within(finding.span.start) || related)
    })
}

#[test]
fn documents_by_release() {
    let mut differences = Differences::default();
    for row in opatlas_conformance::golden("validator_by_release.jsonl.gz") {
        for (release, expected) in row["verdicts"].as_object().unwrap() {
            let release = Release::parse(release).unwrap().release;
            let (_, findings) = judge(&bytes(&row), None, release);
            let id = format!("{}@{release}", text(&row, "id"));
            let expected = expected.as_str().unwrap();
            differences.compare(&id, text(&row, "rule"), expected, &errors(&findings));
        }
    }
    differences.none();
}

#[test]
fn schemas_as_entries() {
    let mut differences = Differences::default();
    for row in opatlas_conformance::golden("schemas_fuzz.jsonl.gz") {
        let schema = text(&row, "schema");
        let quoted = serde_json::to_string(&schema).unwrap();
        let (_, findings) = judge(
            format!("- func: {quoted}\n").as_bytes(),
            None,
            Release::V2_9,
        );
        // The recorded verdict is that of reading the entry alone.
        let at_entry: Vec<&str> = findings
            .iter()
            .filter(|f| f.severity == Severity::Error)
            .map(|f| f.rule)
            .filter(|&rule| opatlas_rules::registry::of(rule).stage <= Stage::Entry)
            .map(|rule| rule.as_str())
            .collect();
        let cause: String = text(&row, "error").chars().take(60).collect();
        differences.compare(schema, &cause, text(&row, "verdict"), &at_entry);
    }
    differences.none();
}

/// The findings of rules about one more file, laid over a small `native_functions.yaml`, against
/// torchgen's verdicts on that file.
fn files_over_a_base(recorded: &str, name: &str) {
    let mut rows = opatlas_conformance::golden(recorded).into_iter();
    let base = rows.next().unwrap();
    let mut differences = Differences::default();
    for row in rows {
        let base = text(&base, "native_functions_yaml").as_bytes();
        let mut bundle = Bundle::of_native_functions(base);
        bundle.insert(name, text(&row, "yaml").as_bytes());
        let found = opatlas_rules::check(&Catalogue::read(&bundle, Release::V2_9, None));
        let mut findings = found.into_kept();
        // The recorded verdict is that of reading the file; this is found when kernels are written.
        findings.retain(|finding| {
            &*finding.file == name && finding.rule != RuleId::BackendSymintNeedsSymint
        });
        let expected = text(&row, "verdict");
        let errors = errors(&findings);
        differences.compare(text(&row, "id"), text(&row, "rule"), expected, &errors);
    }
    assert!(differences.rows >= 14, "{}", differences.rows);
    differences.none();
}

#[test]
fn derivatives_files() {
    files_over_a_base("derivatives.jsonl.gz", DERIVATIVES);
}

#[test]
fn backend_files() {
    files_over_a_base("backends.jsonl.gz", "backends/xla.yaml");
}

/// A real release has no errors under its own rules; what else is found is printed by rule.
#[test]
fn releases_are_valid_as_themselves() {
    let mut counts: BTreeMap<(Severity, &str), BTreeMap<String, usize>> = BTreeMap::new();
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            continue;
        };
        let release = Release::from_label(version).unwrap().release;
        let findings = opatlas_rules::check(&Catalogue::read(&bundle, release, None));
        assert_eq!(findings.omitted(), [], "{version}");
        for finding in &findings {
            assert!(
                finding.severity != Severity::Error,
                "{version}: {finding:?}"
            );
            assert_eq!(&*finding.file, NATIVE_FUNCTIONS);
            let by_version = counts
                .entry((finding.severity, finding.rule.as_str()))
                .or_default();
            *by_version.entry(version.to_owned()).or_default() += 1;
        }
    }
    for ((severity, rule), by_version) in counts {
        let (least, most) = (by_version.values().min(), by_version.values().max());
        println!(
            "{severity} {rule}: {} to {} in {} releases",
            least.unwrap(),
            most.unwrap(),
            by_version.len()
        );
    }
}
