//! Nothing that a bundle may hold makes reading and judging it slow or large: every input is generated
//! at two sizes, and what grows is counted (steps of name search, findings kept, entries), never timed.
//! That none of them hangs is the rest of the test: each of these took minutes in some former build.

use std::fmt::Write as _;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::file::{MOST_ARGUMENTS, MOST_ENTRIES};
use opatlas_pytorch::release::Release;
use opatlas_rules::{Findings, MOST_FINDINGS, MOST_OF_A_RULE};
use opatlas_schema::parse::parse_schema;
use opatlas_source::diagnostic::{RuleId, Severity};
use opatlas_source::{Bundle, LineIndex};

/// What a test that must not hang reads, in bytes.
const SIZE: usize = 1 << 18;

const OPERATOR: &str =
    "- func: f(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: f\n  autogen: f.out\n";

/// Pieces up to about a size.
fn fill(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 100);
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&piece(number));
    }
    text
}

/// Five letters, different for each number.
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    for _ in 0..5 {
        name.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
        number /= 26;
    }
    name
}

fn judged(native: &str, others: &[(&str, &str)]) -> (Catalogue, Findings) {
    let mut bundle = Bundle::of_native_functions(native.as_bytes());
    for (name, text) in others {
        bundle.insert(name, text.as_bytes());
    }
    let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
    let findings = opatlas_rules::check(&catalogue);
    // Every place can be told at once, however long the lines are.
    let text = opatlas_yaml::decode(bundle.file("native_functions.yaml").unwrap()).0;
    let index = LineIndex::new(&text);
    for finding in findings
        .iter()
        .filter(|f| &*f.file == "native_functions.yaml")
    {
        assert!(index.line_span(&text, finding.span).start.line >= 1);
    }
    bounded(&findings);
    (catalogue, findings)
}

/// Holds findings to the bounds that are documented.
fn bounded(findings: &Findings) {
    assert!(findings.len() <= MOST_FINDINGS);
    let rules: std::collections::BTreeSet<_> = findings.iter().map(|f| f.rule).collect();
    for rule in rules {
        let count = findings.iter().filter(|f| f.rule == rule).count();
        assert!(count <= MOST_OF_A_RULE, "{rule}: {count}");
    }
    for finding in findings {
        let text = finding.message.len() + finding.help.as_ref().map_or(0, |help| help.len());
        assert!(text < 10_000, "{}: {text}", finding.rule);
    }
}

fn omitted(findings: &Findings, rule: RuleId) -> usize {
    let of_rule = findings.omitted().iter().find(|o| o.rule == rule);
    of_rule.map_or(0, |omitted| omitted.count)
}

#[test]
fn findings_are_kept_up_to_a_number_and_counted_beyond() {
    let tags = 5_000;
    let text = format!(
        "- func: f(Tensor self) -> Tensor\n  tags: [{}]\n",
        "b,".repeat(tags)
    );
    let (_, findings) = judged(&text, &[]);
    assert_eq!(findings.len(), MOST_OF_A_RULE);
    assert_eq!(omitted(&findings, RuleId::Tags), tags - MOST_OF_A_RULE);
    assert_eq!(findings.count(Severity::Error), tags);
    assert!(!opatlas_rules::is_valid(&findings));
    let again = judged(&text, &[]).1;
    assert_eq!(findings, again);
}

#[test]
fn errors_are_kept_before_what_is_less_bad() {
    // More rules than there is room for would be needed to crowd one out, so count by hand.
    let mut text = String::new();
    for number in 0..1_500 {
        let _ = writeln!(text, "- func: g{number}(Tensor self) -> Tensor\n  tags: b");
        let _ = writeln!(text, "- func: h{number}(Tensor self, int result) -> Tensor");
    }
    let (_, findings) = judged(&text, &[]);
    assert_eq!(findings.count(Severity::Error), 1_500);
    let kept = findings.iter().filter(|f| f.severity == Severity::Error);
    assert_eq!(kept.count(), MOST_OF_A_RULE);
    assert_eq!(omitted(&findings, RuleId::Tags), 500);
    assert_eq!(omitted(&findings, RuleId::ArgumentNamingSemantic), 500);
}

#[test]
fn allowed_findings_are_not_counted_among_those_left_out() {
    let entry = |number: usize| {
        format!(
            "# opatlas: allow(argument-naming-semantic) on purpose\n- func: h{number}(Tensor self, int result) -> Tensor\n"
        )
    };
    let text: String = (0..1_500).map(entry).collect();
    let (_, findings) = judged(&text, &[]);
    assert_eq!(
        findings.count(Severity::Warning),
        0,
        "{:?}",
        findings.omitted()
    );
    assert_eq!(omitted(&findings, RuleId::SuppressionUnused), 0);
}

/// Twice as many arguments as are read, in a file that is read piece by piece and in one that is not.
#[test]
fn arguments_are_read_up_to_a_number() {
    let arguments = "Tensor a, ".repeat(999);
    let entries = (0..2 * MOST_ARGUMENTS / 1_000)
        .map(|at| format!("- func: f{at}({arguments}Tensor b) -> Tensor\n"));
    let text: String = entries.collect();
    for text in [text.clone(), format!("%YAML 1.1\n---\n{text}")] {
        let (catalogue, findings) = judged(&text, &[]);
        let read = catalogue.native_functions.entries.len();
        assert_eq!(read, MOST_ARGUMENTS / 1_001 + 1);
        let mut limits = findings.iter().filter(|f| f.rule == RuleId::YamlLimit);
        let limit = limits.next().unwrap();
        assert!(limits.next().is_none());
        assert!(
            limit.message.contains("arguments and returns"),
            "{}",
            &*limit.message
        );
    }
}

#[test]
fn entries_are_read_up_to_a_number() {
    for text in [
        "-\n".repeat(MOST_ENTRIES + 9),
        "- x\n".repeat(MOST_ENTRIES + 9),
    ] {
        let (catalogue, findings) = judged(&text, &[]);
        assert_eq!(catalogue.native_functions.entries.len(), MOST_ENTRIES);
        assert_eq!(
            findings
                .iter()
                .filter(|f| f.rule == RuleId::YamlLimit)
                .count(),
            1
        );
        assert_eq!(findings.len(), MOST_OF_A_RULE + 1);
        assert_eq!(
            omitted(&findings, RuleId::YamlEntryMapping),
            MOST_ENTRIES - MOST_OF_A_RULE
        );
    }
}

#[test]
fn entries_are_read_until_too_many_cannot_be() {
    let entry = |number: usize| {
        let names = "1,".repeat(500);
        format!("- func: f{number}() -> ()\n  cpp_no_default_args: [{names}]\n")
    };
    let text: String = (0..300).map(entry).collect();
    let (catalogue, findings) = judged(&text, &[]);
    assert_eq!(catalogue.native_functions.entries.len(), 201);
    assert_eq!(
        findings
            .iter()
            .filter(|f| f.rule == RuleId::YamlLimit)
            .count(),
        1
    );
    let count = findings.count(Severity::Error);
    assert_eq!(count, 201 * 500 + 1);
}

#[test]
fn namesakes_share_their_kernels() {
    let keys: String = [
        "CPU",
        "CUDA",
        "MPS",
        "XPU",
        "SparseCPU",
        "SparseCUDA",
        "Meta",
        "MTIA",
    ]
    .map(|key| format!("    {key}: f\n"))
    .concat();
    let text = format!(
        "- func: f() -> ()\n  dispatch:\n{keys}{}",
        "- func: f() -> ()\n  dispatch: {}\n".repeat(7_000)
    );
    let (catalogue, _) = judged(&text, &[]);
    let ids: Vec<_> = catalogue.all_named("f").collect();
    assert_eq!(ids.len(), 7_001);
    let first = catalogue.kernels(ids[0]);
    assert_eq!(first.len(), 8);
    assert!(
        ids.iter()
            .all(|id| std::ptr::eq(catalogue.kernels(*id), first))
    );
}

#[test]
fn a_type_that_is_none_is_explained_once() {
    // Explaining one part used to explain all parts of it in turn: 2^40 steps, or a full stack.
    for depth in [40, 8_000] {
        let nested = format!("L{}{}", "[a]".repeat(depth), "]".repeat(depth));
        let lists = format!("{}int{}", "List[".repeat(depth), "]".repeat(depth));
        let marked = format!("int{}", "(a)".repeat(depth));
        for ty in [nested, lists, marked] {
            let read = parse_schema(&format!("f({ty} x) -> ()"), 0);
            assert_eq!(read.diagnostics.len(), 1);
        }
    }
}

#[test]
fn what_aliases_stand_for_is_read_up_to_a_number_of_bytes() {
    let arguments: Vec<String> = (0..40)
        .map(|number| format!("int a{number:0>90}"))
        .collect();
    let shared = format!("- &a\n  func: f({}) -> ()\n", arguments.join(", "));
    let text = format!("{shared}{}", "- *a\n".repeat(20_000));
    let (catalogue, findings) = judged(&text, &[]);
    let read = catalogue.native_functions.entries.len();
    assert!((200..500).contains(&read), "{read}");
    assert!(findings.iter().any(|f| f.rule == RuleId::YamlLimit));
    // A few are no matter.
    let text = format!("{shared}{}", "- *a\n".repeat(20));
    let (catalogue, findings) = judged(&text, &[]);
    assert_eq!(catalogue.native_functions.entries.len(), 21);
    assert!(!findings.iter().any(|f| f.rule == RuleId::YamlLimit));
}

#[test]
fn operators_that_cannot_be_read_do_not_slow_lookups() {
    let broken = fill(SIZE / 2, |n| {
        format!("- func: h{n}(Tensor self -> Tensor\n")
    });
    let listed = fill(SIZE / 2, |n| format!("- operator{}x\n", letters(n)));
    let backend = format!("backend: XLA\ncpp_namespace: x\nsupported:\n{listed}");
    let (catalogue, findings) = judged(&broken, &[("backends/a.yaml", &backend)]);
    assert!(catalogue.native_functions.may_hide("h7"));
    assert!(!catalogue.native_functions.may_hide("h7x"));
    assert!(omitted(&findings, RuleId::BackendOpExists) > 1_000);
}

#[test]
fn comments_of_ours_are_read_in_one_pass() {
    let allowed = "tags,".repeat(SIZE / 5);
    for text in [
        format!("# {}\n{OPERATOR}", "opatlas:".repeat(SIZE / 8)),
        format!("# {}\n{OPERATOR}", " # opatlas:".repeat(SIZE / 11)),
        format!("- func: f() -> () {}\n", " # opatlas:".repeat(SIZE / 11)),
        format!("- func: '{}'\n", " # opatlas: '".repeat(SIZE / 13)),
        format!("# opatlas: allow({allowed}) x\n{OPERATOR}"),
        format!(
            "- func: f() -> ()\n  tags: [{}] # opatlas: allow({allowed}) x\n",
            "b,".repeat(SIZE / 4)
        ),
    ] {
        let _ = judged(&text, &[]);
    }
}

#[test]
fn a_second_comment_of_ours_on_a_line_counts_too() {
    let text = "- func: f(Tensor self, int result) -> Tensor # opatlas: allow(argument-naming-semantic) a # opatlas: allow(tags) b\n  tags: none\n";
    let (_, findings) = judged(text, &[]);
    let found: Vec<_> = findings.iter().map(|f| (f.rule, f.suppressed)).collect();
    assert!(found.contains(&(RuleId::Tags, true)), "{found:?}");
    assert!(
        found.contains(&(RuleId::ArgumentNamingSemantic, true)),
        "{found:?}"
    );
}

/// Inputs of one file or two that each read and judge in linear work.
#[test]
fn crowded_files_are_read_and_judged_in_linear_time() {
    let half = SIZE / 2;
    let operators = fill(half, |n| {
        format!("- func: operator{}(Tensor self) -> Tensor\n", letters(n))
    });
    let near = |prefix: &str, suffix: &str| {
        fill(half, |n| {
            format!("{prefix}operator{}x{suffix}\n", letters(n))
        })
    };
    let tagged = fill(half, |n| {
        format!("- func: g{n}() -> ()\n  tags: name{}x\n", letters(n))
    });
    let tags = fill(half, |n| format!("- tag: name{}\n  desc: x\n", letters(n)));
    let of_f = |rest: String| format!("- name: f(Tensor self, Tensor other) -> Tensor\n{rest}");
    let out = "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n";
    let native: Vec<String> = vec![
        format!(
            "- func: f(Tensor self, int a=1) -> Tensor\n  cpp_no_default_args: [{}]\n",
            "b,".repeat(half)
        ),
        format!(
            "- func: f(Tensor self, int a=1) -> Tensor\n  cpp_no_default_args: [{}]\n",
            "1,".repeat(half)
        ),
        format!(
            "{out}  ufunc_inner_loop:\n    Generic: f ({})\n",
            "Flaot, ".repeat(SIZE / 7)
        ),
        format!("{out}  precomputed: [{}]\n", "b,".repeat(half)),
        format!(
            "- func: f() -> ()\n  variants: {}\n",
            "fun, ".repeat(SIZE / 5)
        ),
        format!("- func: f() -> ()\n  autogen: {}\n", "., ".repeat(SIZE / 3)),
        format!(
            "- func: f() -> ()\n  dispatch:\n    ? {}\n    : {}\n",
            "CPU,".repeat(SIZE / 8),
            "k".repeat(half)
        ),
        format!(
            "- func: {}() -> ()\n  tags: [{}]\n",
            "a".repeat(60_000),
            "b,".repeat(half)
        ),
        format!("[{}]\n", "{func: 'f() -> ()'},".repeat(SIZE / 20)),
        format!("[{}\n", "{func: 'f() -> ()'},".repeat(SIZE / 20)),
        format!("[{}]\n", "{func: f() -> x},".repeat(SIZE / 17)),
        format!("[{}]\n", "é,".repeat(SIZE / 3)),
        "- func: f() -> ()\u{85}".repeat(SIZE / 19),
        "\u{1}a".repeat(half),
        fill(SIZE, |n| {
            format!("- func: f{n}({}int b) -> ()\n", "int[ a, ".repeat(480))
        }),
        fill(SIZE, |n| {
            format!("- func: f(int a{n}) -> ()\n  dispatch: {{}}\n")
        }),
        fill(SIZE, |n| format!("- func: f.a{n}(Tensor self) -> Tensor\n")),
        fill(SIZE, |n| {
            format!("- func: a.b{n}(int c{n}) -> ()\n- func: a_cpu_dispatch.b{n}(int d{n}) -> ()\n")
        }),
    ];
    for text in &native {
        let _ = judged(text, &[]);
    }
    let pairs: Vec<(&str, &str, String)> = vec![
        (&tagged, "tags.yaml", tags),
        (
            &operators,
            "derivatives.yaml",
            near("- name: ", "(Tensor self) -> Tensor"),
        ),
        (
            &operators,
            "backends/a.yaml",
            format!(
                "backend: XLA\ncpp_namespace: x\nsupported:\n{}",
                near("- ", "")
            ),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(format!("  self: {}\n", "self.sizes() ".repeat(4_500))),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(format!(
                "  other: {}\n",
                "self.sym_strides() ".repeat(3_000)
            )),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(format!("  self: {}\n", "self.sizes() ".repeat(SIZE / 13))),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(format!(
                "  ? {0}\n  : grad\n  ? {0} \n  : non_differentiable\n",
                fill(60_000, |n| format!("self,x{n},"))
            )),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(fill(SIZE, |n| format!("  self,{n}: grad\n"))),
        ),
        (
            OPERATOR,
            "derivatives.yaml",
            of_f(format!(
                "  dispatch:\n{}",
                fill(SIZE, |n| format!("    AutogradCPV{n}: {{self: grad}}\n"))
            )),
        ),
    ];
    for (native, name, text) in &pairs {
        let _ = judged(native, &[(name, text)]);
    }
}

#[test]
fn limits_are_findings_of_their_own() {
    let of_f = |rest: String| format!("- name: f(Tensor self, Tensor other) -> Tensor\n{rest}");
    let arguments: Vec<String> = (0..200).map(|n| format!("Tensor a{n}")).collect();
    let wide = format!("f({}) -> Tensor", arguments.join(", "));
    for (native, other) in [
        (
            OPERATOR.to_owned(),
            of_f(format!("  self: {}\n", "grad ".repeat(20_000))),
        ),
        (
            OPERATOR.to_owned(),
            of_f(fill(20_000, |n| format!("  self,{n}: grad\n"))),
        ),
        (
            OPERATOR.to_owned(),
            of_f(format!(
                "  dispatch:\n{}",
                fill(20_000, |n| format!("    K{n}: {{self: grad}}\n"))
            )),
        ),
        (
            format!("- func: {wide}\n"),
            format!("- name: {wide}\n  a0: grad\n"),
        ),
        (
            format!(
                "- func: f() -> ()\n  dispatch:\n    ? {}\n    : f\n",
                "CPU,".repeat(300)
            ),
            "[]\n".to_owned(),
        ),
    ] {
        let (_, findings) = judged(&native, &[("derivatives.yaml", &other)]);
        let limits = findings.iter().filter(|f| f.rule == RuleId::YamlLimit);
        assert_eq!(limits.count(), 1, "{:?}", findings.first());
    }
}
