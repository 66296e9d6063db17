//! Topics: there is one for everything that files can name, and every example is what it says.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Field;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_source::diagnostic::{RuleId, Severity};
use opatlas_topics::{GUIDE, Kind, Next, Topic, Verdict, all, find};

fn findings(yaml: &str, release: Release, least: Severity) -> Vec<RuleId> {
    let bundle = Bundle::of_native_functions(yaml.as_bytes());
    let findings = opatlas_rules::check(&Catalogue::read(&bundle, release, None));
    let found = findings.listed().filter(|f| f.severity <= least);
    found.map(|finding| finding.rule).collect()
}

fn errors(yaml: &str, release: Release) -> Vec<RuleId> {
    findings(yaml, release, Severity::Error)
}

/// Warnings of `check`, and variants listed in `autogen` that torchgen does not generate.
fn faults(yaml: &str, release: Release) -> Vec<String> {
    let rules = findings(yaml, release, Severity::Warning).into_iter();
    let mut faults: Vec<String> = rules.map(|rule| rule.to_string()).collect();
    let bundle = Bundle::of_native_functions(yaml.as_bytes());
    let catalogue = Catalogue::read(&bundle, release, None);
    let lists = yaml
        .lines()
        .filter_map(|line| line.trim().strip_prefix("autogen: "));
    for name in lists.flat_map(|list| list.split(", ")) {
        let found = catalogue
            .find_qualified(name)
            .or_else(|| catalogue.find(name));
        match found.map(|id| catalogue.operator(id)) {
            Some(made) if made.is_generated() => {}
            _ => faults.push(format!("no {name}")),
        }
    }
    faults
}

fn releases(topic: &Topic) -> impl Iterator<Item = Release> {
    let (since, until) = (topic.since, topic.until.unwrap_or(Release::LATEST));
    Release::all().filter(move |release| (since..=until).contains(release))
}

#[test]
fn everything_that_a_file_can_name_has_a_topic() {
    for release in Release::all() {
        let keys = Keys::of(release);
        for slot in keys.slots() {
            let name = keys.name(Key::Runtime(slot));
            let topic = find(name).unwrap_or_else(|| panic!("{name} of {release}"));
            assert_eq!(topic.kind, Kind::DispatchKey, "{name}");
            assert!(
                topic.since <= release && topic.until.is_none_or(|until| release <= until),
                "{name}"
            );
            assert_ne!(topic.summary, "A dispatch key of the runtime.", "{name}");
        }
        for ty in release.data().base_types.iter() {
            assert_eq!(find(ty).map(|topic| topic.kind), Some(Kind::Type), "{ty}");
        }
    }
    for alias in Alias::ALL {
        assert_eq!(
            find(alias.name()).map(|topic| topic.kind),
            Some(Kind::AliasKey),
            "{alias}"
        );
    }
    for field in Field::ALL {
        assert_eq!(
            find(field.as_str()).map(|topic| topic.kind),
            Some(Kind::Field),
            "{field:?}"
        );
    }
    for annotation in ["(a)", "(a!)", "(a -> *)", "(a! -> a|b)"] {
        assert_eq!(
            find(annotation).map(|topic| topic.kind),
            Some(Kind::Annotation),
            "{annotation}"
        );
    }
}

#[test]
fn topics_have_one_name_each_and_point_at_topics() {
    let topics = all();
    let mut ids = BTreeSet::new();
    for topic in &topics {
        for name in std::iter::once(&*topic.id).chain(topic.names.iter().copied()) {
            assert!(ids.insert(name.to_owned()), "{name} is used twice");
            assert_eq!(find(name).map(|found| found.id), Some(topic.id.clone()));
        }
        assert!(topic.summary.ends_with(['.', '?']), "{}", topic.id);
        assert!(!topic.body.is_empty(), "{}", topic.id);
        for text in topic.body.iter().map(|text| &**text).chain(topic.differs) {
            assert!(
                text.ends_with('.') && !text.contains("  "),
                "{}: {text}",
                topic.id
            );
        }
    }
    for topic in &topics {
        for other in &topic.see {
            assert!(find(other).is_some(), "{} points at {other}", topic.id);
            assert_ne!(*other, topic.id);
        }
        let see: BTreeSet<_> = topic.see.iter().collect();
        assert_eq!(see.len(), topic.see.len(), "{} points twice", topic.id);
    }
    assert!(find("no-such-topic").is_none());
}

#[test]
fn examples_are_accepted_and_refused_as_they_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for topic in all() {
        for example in topic.examples {
            count += 1;
            let release = releases(&topic).last().unwrap();
            let errors = errors(example.yaml, release);
            let holds = match example.verdict {
                Verdict::Accepted => faults(example.yaml, release).is_empty(),
                Verdict::Refused(rule) => errors.contains(&rule),
            };
            if !holds {
                wrong.push(format!("{}: {errors:?}\n{}", topic.id, example.yaml));
            }
        }
    }
    assert!(count > 40, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_guide_reaches_every_outcome_and_ends() {
    let mut reached = BTreeSet::new();
    let mut questions = BTreeSet::from([GUIDE.questions[0].id]);
    // Questions come before those that they lead to, so no way goes in a circle.
    let places: BTreeMap<&str, usize> = GUIDE
        .questions
        .iter()
        .enumerate()
        .map(|(i, q)| (q.id, i))
        .collect();
    for (place, question) in GUIDE.questions.iter().enumerate() {
        assert!(question.answers.len() > 1 && question.text.ends_with('?'));
        for answer in question.answers {
            match answer.next {
                Next::Question(id) => {
                    assert!(places[id] > place, "{id}");
                    questions.insert(id);
                }
                Next::Outcome(id) => {
                    assert!(GUIDE.outcome(id).is_some(), "{id}");
                    reached.insert(id);
                }
            }
        }
    }
    assert_eq!(questions.len(), GUIDE.questions.len());
    assert_eq!(reached.len(), GUIDE.outcomes.len());
}

#[test]
fn outcomes_are_valid_and_have_whole_tables() {
    for outcome in GUIDE.outcomes {
        for release in Release::all() {
            assert_eq!(
                faults(outcome.yaml, release),
                Vec::<String>::new(),
                "{} {release}",
                outcome.id
            );
            let table = outcome.table(release);
            let keys: usize = table.iter().map(|row| row.keys.len()).sum();
            assert!(
                keys >= Keys::of(release).count() - 1,
                "{} {release}",
                outcome.id
            );
        }
    }
}

/// With kernels for CPU and CUDA beside the composite, torchgen writes autograd and tracing kernels.
#[test]
fn the_guide_shows_generated_kernels() {
    let outcome = GUIDE.outcome("backend-kernels-and-composite").unwrap();
    let table = outcome.table(Release::V2_9);
    let of = |key: &str| {
        let row = table.iter().find(|row| row.keys.contains(&key)).unwrap();
        (row.reason, row.kernel.as_deref())
    };
    let generated = Some("VariableType::lerp3");
    assert_eq!(of("AutogradCPU"), ("autograd kernel", generated));
    assert_eq!(of("AutogradCUDA"), ("autograd kernel", generated));
    assert_eq!(of("AutogradXLA"), ("math kernel", Some("lerp3")));
    assert_eq!(of("Tracer"), ("kernel", Some("TraceType::lerp3")));
}

/// The good example of a rule promises no variant that nothing generates.
#[test]
fn good_examples_of_rules_promise_what_is_generated() {
    for rule in opatlas_rules::registry::all() {
        if rule.good.file != opatlas_source::NATIVE_FUNCTIONS {
            continue;
        }
        let release = rule.until.unwrap_or(Release::LATEST);
        let faults = faults(rule.good.text, release);
        let missing: Vec<&String> = faults.iter().filter(|it| it.starts_with("no ")).collect();
        assert!(
            missing.is_empty(),
            "{}: {missing:?}\n{}",
            rule.id,
            rule.good.text
        );
    }
}
