//! No surface contradicts another: what tables, cards, histories, trends, gaps, coverage and the hover
//! of an editor say about an operator is what the matrix says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use opatlas_dispatch::autograd_key;
use opatlas_lsp::{Disk, Place, Server};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_service::compare::Compared;
use opatlas_service::history::Timeline;
use opatlas_service::{Ingest, Limits, Protection, Service, Snapshot, Strictness};
use opatlas_source::Stop;
use opatlas_store::SqliteStore;
use opatlas_verdict::{Answer, Fact, MOST_OPERATORS, Standing, Verdict};
use opatlas_wire::comparison::SideView;
use opatlas_wire::coverage::coverage_view;
use opatlas_wire::gaps::{GapRequest, view as gaps};
use opatlas_wire::matrix::matrix_view;
use opatlas_wire::tables::with_table;
use opatlas_wire::tables_query::TableQuery;
use serde_json::{Value, json};

const RELEASES: [&str; 3] = ["2.3.1", "2.9.0", "2.15.0"];

/// How many operators of each release are compared on all keys.
const OPERATORS: usize = 200;

/// The keys whose gaps are compared.
const GAPS: [&str; 5] = ["CPU", "MPS", "XLA", "SparseCPU", "HIP"];

/// The stride's first operator.
const SEED: usize = 7;

/// The three releases, stored.
pub(crate) async fn service() -> Option<(Service, Arc<Timeline>)> {
    let store = Arc::new(SqliteStore::open("sqlite::memory:").await.unwrap());
    let clock = Arc::new(|| 1_700_000_000_000_000);
    let service = Service::new(store, clock, Limits::default());
    service.create_project("p", None, None).await.unwrap();
    for label in RELEASES {
        let ingest = Ingest {
            project: "p",
            bundle: opatlas_conformance::release(label)?,
            label: Some(label),
            release: None,
            protection: Protection::Kept,
            strictness: Strictness::Lenient,
            caller: None,
        };
        service.ingest(ingest).await.unwrap();
    }
    let timeline = service.timeline("p", None).await.unwrap();
    Some((service, timeline))
}

/// A release with what its matrix says.
struct Sample {
    snapshot: Arc<Snapshot>,
    title: String,
    place: usize,
    /// The verdict of each operator on each key of a backend.
    verdicts: BTreeMap<(String, &'static str), &'static str>,
    keys: Vec<&'static str>,
    chosen: Vec<OperatorId>,
}

impl Sample {
    fn new(snapshot: Arc<Snapshot>, title: String, place: usize) -> Self {
        let view = snapshot.view();
        let matrix = matrix_view(view, opatlas_service::search::Generated::Include);
        let words: BTreeMap<char, &str> = matrix
            .verdicts
            .legend
            .iter()
            .map(|letter| (letter.letter, letter.verdict))
            .collect();
        let keys = matrix.verdicts.keys.clone();
        let mut verdicts = BTreeMap::new();
        for operator in &matrix.operators {
            let row = &matrix.verdicts.rows[operator.verdicts];
            for (key, letter) in keys.iter().zip(row.chars()) {
                verdicts.insert((operator.name.clone(), *key), words[&letter]);
            }
        }
        let ids: Vec<OperatorId> = snapshot.catalogue.iter().map(|(id, _)| id).collect();
        let stride = ids.len() / OPERATORS;
        let chosen = ids.into_iter().skip(SEED).step_by(stride).take(OPERATORS);
        let chosen = chosen.collect();
        Self {
            snapshot,
            title,
            place,
            verdicts,
            keys,
            chosen,
        }
    }

    fn name(&self, id: OperatorId) -> &str {
        self.snapshot.catalogue.operator(id).qualified_name()
    }

    fn verdict(&self, operator: &str, key: &'static str) -> &'static str {
        self.verdicts[&(operator.to_owned(), key)]
    }

    /// The declared operators with an answer on a key.
    fn declared(&self, key: &'static str, answer: Answer) -> u64 {
        let declared = self.snapshot.catalogue.iter();
        let declared = declared.filter(|(_, operator)| !operator.is_generated());
        let counted =
            declared.filter(|(id, _)| answer_of(self.verdict(self.name(*id), key)) == answer);
        counted.count() as u64
    }
}

fn answer_of(verdict: &str) -> Answer {
    Answer::from(Verdict::parse(verdict).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn surfaces_do_not_contradict_each_other() {
    let Some((service, timeline)) = service().await else {
        return;
    };
    let mut samples = Vec::new();
    for place in 0..timeline.items.len() {
        let snapshot = service.snapshot(&timeline.resolved(place)).await.unwrap();
        samples.push(Sample::new(snapshot, timeline.items[place].title(), place));
    }
    for sample in &samples {
        tables(sample);
        chains(sample);
        coverage(sample);
        leverage(sample);
        for key in GAPS {
            gap_list(sample, &timeline, key);
        }
        histories(sample, &service, &timeline).await;
        trends(sample, &service, &timeline).await;
    }
    for pair in samples.windows(2) {
        cards(&pair[0], &pair[1]);
    }
    hovers(&samples[2]);
}

/// The table of each operator, and its support answers.
fn tables(sample: &Sample) {
    for &id in &sample.chosen {
        let name = sample.name(id);
        let query = TableQuery::default();
        let table = with_table(&sample.snapshot, &sample.title, name, &query, |table| {
            serde_json::to_value(&table).unwrap()
        });
        let table = table.unwrap();
        for entry in table["table"].as_array().unwrap() {
            let (key, support) = (entry["key"].as_str().unwrap(), &entry["support"]);
            let told = (name, key, &sample.title);
            let verdict = support["verdict"].as_str().unwrap();
            if let Some(known) = sample.keys.iter().find(|known| **known == key) {
                assert_eq!(verdict, sample.verdict(name, known), "{told:?}");
            }
            let answer = answer_of(verdict);
            assert_eq!(support["works"], answer.as_str(), "{told:?}");
            let is_unknown = answer == Answer::Unknown;
            assert_eq!(support["known_from"].is_null(), is_unknown, "{told:?}");
            assert_eq!(support["settled_by"].is_null(), !is_unknown, "{told:?}");
            if is_unknown {
                assert!(support["because"].is_string(), "{told:?}");
            }
        }
        for training in table["training"].as_array().unwrap() {
            let key = training["key"].as_str().unwrap();
            let known = sample.keys.iter().find(|known| **known == key).unwrap();
            let inference = match answer_of(sample.verdict(name, known)) {
                Answer::Yes | Answer::Partly => "yes",
                answer => answer.as_str(),
            };
            assert_eq!(training["inference"], inference, "{name} {key}");
        }
    }
}

/// Every chain is short, repeats nothing, and ends where its verdict says.
fn chains(sample: &Sample) {
    let view = sample.snapshot.view();
    for &id in &sample.chosen {
        for slot in view.keys().slots() {
            let chain = view.chain(id, slot);
            let support = view.support(id, slot);
            let told = (
                sample.name(id),
                view.keys().name(Key::Runtime(slot)),
                &chain,
            );
            assert_eq!(
                chain.first().map(|link| link.operator),
                Some(id),
                "{told:?}"
            );
            for (at, link) in chain.iter().enumerate() {
                assert!(!chain[..at].contains(link), "{told:?}");
            }
            let described: BTreeSet<_> = chain.iter().map(|link| link.operator).collect();
            assert!(described.len() <= MOST_OPERATORS + 1, "{told:?}");
            let is_cut = chain.iter().any(|link| matches!(link.fact, Fact::More(_)));
            let facts = chain.iter().map(|link| &link.fact);
            let is_reason = |fact: &Fact| match Answer::from(support.verdict) {
                Answer::Yes => true,
                Answer::Unknown => matches!(fact, Fact::Unknown(_)),
                _ => matches!(
                    fact,
                    Fact::Missing
                        | Fact::Raises(_)
                        | Fact::Partly(_)
                        | Fact::CallsUndeclared { .. }
                ),
            };
            assert!(
                is_cut || facts.clone().any(is_reason),
                "{support:?} {told:?}"
            );
            if Answer::from(support.verdict) == Answer::Yes {
                let fails = |fact: &Fact| matches!(fact, Fact::Missing | Fact::Raises(_));
                assert!(!facts.clone().any(fails), "{told:?}");
            }
            if let Some(&last) = support.through.last().filter(|_| !is_cut) {
                assert_eq!(
                    chain.last().map(|link| link.operator),
                    Some(last),
                    "{told:?}"
                );
            }
        }
    }
}

/// Coverage counts what the matrix shows, and says why operators are unknown.
fn coverage(sample: &Sample) {
    let view = sample.snapshot.view();
    let counted = opatlas_dispatch::coverage(*view, |_, _| true);
    let coverage = serde_json::to_value(coverage_view(view, counted)).unwrap();
    let backends = coverage["backends"].as_array().unwrap();
    assert_eq!(backends.len(), sample.keys.len());
    for (backend, key) in backends.iter().zip(&sample.keys) {
        let told = (key, &sample.title);
        assert_eq!(backend["key"], *key);
        assert_eq!(
            backend["working"],
            sample.declared(key, Answer::Yes),
            "{told:?}"
        );
        let verdicts = &backend["verdicts"];
        assert_eq!(
            verdicts["partly"],
            sample.declared(key, Answer::Partly),
            "{told:?}"
        );
        let others = backend["other_backends"].as_u64().unwrap();
        assert_eq!(
            verdicts["fails"].as_u64().unwrap() + others,
            sample.declared(key, Answer::No),
            "{told:?}"
        );
        let unknown = sample.declared(key, Answer::Unknown);
        assert_eq!(verdicts["unknown"], unknown, "{told:?}");
        let reasons = backend["unknown"].as_array().unwrap().iter();
        let explained = reasons.map(|reason| reason["operators"].as_u64().unwrap());
        assert_eq!(explained.sum::<u64>(), unknown, "{told:?}");
    }
}

/// Kernels that would help are missing ones, and what they unlock does not work yet.
fn leverage(sample: &Sample) {
    let view = sample.snapshot.view();
    for key in ["MPS", "SparseCPU"] {
        let slot = view.keys().slot(key).unwrap();
        for step in view.leverage(slot, 5, |_| 1).steps {
            for id in step.unlocks {
                let answer = Answer::from(view.verdict(id, slot));
                assert!(
                    matches!(answer, Answer::No | Answer::Partly),
                    "{} on {key}: {answer:?}",
                    sample.name(id)
                );
            }
        }
    }
}

/// A gap list has each declared operator without a kernel, unknown ones last.
fn gap_list(sample: &Sample, timeline: &Timeline, key: &'static str) {
    let asked = GapRequest {
        revision: &SideView::of_revision(&timeline.resolved(sample.place)),
        snapshot: &sample.snapshot,
        key,
        since: None,
        usage: None,
        only: None,
        tag: None,
    };
    let gaps = gaps(&asked, &Stop::never()).unwrap();
    let is_unknown = |works: &str| works == Answer::Unknown.as_str();
    assert!(gaps.items.is_sorted_by_key(|gap| is_unknown(gap.works)));
    for gap in &gaps.items {
        let verdict = sample.verdict(&gap.operator, key);
        let told = (&gap.operator, key, &sample.title);
        assert_eq!(
            (gap.verdict, gap.works),
            (verdict, answer_of(verdict).as_str()),
            "{told:?}"
        );
        assert_eq!(gap.settled_by.is_some(), is_unknown(gap.works), "{told:?}");
        assert_eq!(gap.known_from.is_none(), is_unknown(gap.works), "{told:?}");
        assert_eq!(
            gap.lacking,
            matches!(answer_of(verdict), Answer::No | Answer::Partly)
        );
    }
    let (counts, told) = (&gaps.counts, (key, &sample.title));
    let count = |answer| sample.declared(key, answer);
    assert_eq!(u64::from(counts.working), count(Answer::Yes), "{told:?}");
    assert_eq!(u64::from(counts.partly), count(Answer::Partly), "{told:?}");
    assert_eq!(
        u64::from(counts.unknown),
        count(Answer::Unknown),
        "{told:?}"
    );
    let all = counts.working + counts.lacking + counts.unknown;
    assert_eq!(all, counts.applicable, "{told:?}");
    assert_eq!(all + counts.other_backends, counts.operators, "{told:?}");
}

/// The last state of a history is that of the release, on all keys that the newest release has too.
async fn histories(sample: &Sample, service: &Service, timeline: &Arc<Timeline>) {
    let names: Vec<String> = sample
        .chosen
        .iter()
        .map(|id| sample.name(*id).to_owned())
        .collect();
    let newest = Keys::of(Release::LATEST);
    let known = sample.keys.iter();
    let known = known.filter(|key| newest.slot(key).is_some());
    let keys: Vec<String> = known.clone().map(|key| (*key).to_owned()).collect();
    let asked = 0..=sample.place;
    let table = service
        .support(timeline, &names, &keys, &asked)
        .await
        .unwrap();
    for support in &table {
        for (cell, key) in support.cells.iter().zip(known.clone()) {
            let verdict = sample.verdict(&support.operator, key);
            let told = (&support.operator, key, &sample.title);
            let last = cell.verdict_at(sample.place);
            assert_eq!(last.map(Verdict::as_str), Some(verdict), "{told:?}");
            let range = cell.range_at(sample.place).unwrap();
            let works = answer_of(verdict) == Answer::Yes;
            assert_eq!(range.is_supported(), works, "{told:?}");
            assert_eq!(
                range.standing() == Standing::Unknown,
                verdict == "unknown",
                "{told:?}"
            );
        }
    }
    for name in names.iter().step_by(10) {
        let history = service
            .history(timeline, name, asked.clone(), None)
            .await
            .unwrap();
        let ranges = history.ranges.iter();
        for range in ranges.filter(|range| range.range.contains(&sample.place)) {
            let key = sample.keys.iter().find(|key| **key == range.key).unwrap();
            let verdict = range.verdict.map(Verdict::as_str);
            assert_eq!(verdict, Some(sample.verdict(name, key)), "{name} {key}");
        }
    }
}

/// The four counts of a trend are those of the matrix, and add up to the operators.
async fn trends(sample: &Sample, service: &Service, timeline: &Timeline) {
    let facts = service.facts(timeline, &[sample.place]).await.unwrap();
    let point = opatlas_wire::trends::point(timeline, sample.place, &facts[0], true);
    assert!(point.coverage.len() > 10);
    for of in &point.coverage {
        let key = sample.keys.iter().find(|key| **key == of.key).unwrap();
        let told = (key, &sample.title);
        let fails = of.fails + of.other_backends;
        let counts = [of.served, of.partly, fails, of.unknown];
        let answers = [Answer::Yes, Answer::Partly, Answer::No, Answer::Unknown];
        let expected = answers.map(|answer| sample.declared(key, answer));
        assert_eq!(counts.map(u64::from), expected, "{told:?}");
        assert_eq!(counts.iter().sum::<u32>(), point.operators, "{told:?}");
    }
}

/// The cards of new operators name each backend once, where the matrix has it.
fn cards(base: &Sample, head: &Sample) {
    let sides = (base.snapshot.clone(), head.snapshot.clone());
    let compared = Compared::new(sides.0, sides.1, &Stop::never()).unwrap();
    assert!(compared.cards().len() > 20);
    for card in compared.cards() {
        let lists = [
            (&card.runs, [Answer::Yes, Answer::Yes]),
            (&card.fails, [Answer::Partly, Answer::No]),
            (&card.unknown, [Answer::Unknown, Answer::Unknown]),
        ];
        for (keys, answers) in lists {
            for key in keys {
                let answer = answer_of(head.verdict(&card.operator, key));
                assert!(answers.contains(&answer), "{} on {key}", card.operator);
            }
        }
        assert_eq!(
            card.because.is_some(),
            !card.unknown.is_empty(),
            "{}",
            card.operator
        );
    }
}

/// The files of a release in memory.
struct Memory(BTreeMap<String, String>);

impl Disk for Memory {
    fn place(&self, path: &Path, _: &str) -> Option<Place> {
        let name = path.strip_prefix("/r").ok()?.to_str()?;
        let files = self.0.keys();
        Some(Place {
            name: name.to_owned(),
            files: files
                .map(|name| (name.clone(), PathBuf::from(format!("/r/{name}"))))
                .collect(),
            vendor: None,
            release: None,
        })
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let name = path.strip_prefix("/r").ok()?.to_str()?;
        self.0.get(name).map(|text| text.clone().into_bytes())
    }

    fn before(&self, _: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
        None
    }
}

/// What an editor shows at the name of an operator. An editor's server assumes the newest release.
fn hovers(sample: &Sample) {
    let native = opatlas_source::NATIVE_FUNCTIONS;
    let bundle = opatlas_conformance::release(&sample.title).unwrap();
    let files = [native, "derivatives.yaml", "tags.yaml"];
    let text = |name: &str| String::from_utf8(bundle.file(name).unwrap().to_vec()).unwrap();
    let files = files.map(|name| (name.to_owned(), text(name)));
    let text = files[0].1.clone();
    let client = json!({"capabilities": {"general": {"positionEncodings": ["utf-8"]}}});
    let mut server = Server::new(
        Memory(BTreeMap::from(files)),
        &serde_json::from_value(client).unwrap(),
    );
    let uri = format!("file:///r/{native}");
    let document = json!({"uri": uri, "languageId": "yaml", "version": 0, "text": text});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));
    let lines: BTreeMap<&str, usize> = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((line.strip_prefix("- func: ")?.split('(').next()?, at)))
        .collect();
    let mut seen = 0;
    for &id in &sample.chosen {
        let name = sample.name(id);
        let Some(line) = lines.get(name) else {
            continue;
        };
        let position = json!({"line": line, "character": "- func: ".len() + 1});
        let at = json!({"textDocument": {"uri": uri}, "position": position});
        let hover: Value = server.request("textDocument/hover", at).unwrap();
        let hover = hover["contents"]["value"].as_str().unwrap();
        for said in hover.lines() {
            seen += usize::from(hover_line(sample, name, said));
        }
    }
    assert!(seen > 100, "only {seen} lines");
}

/// Checks a line such as "Runs on: `CPU`, `CUDA`"; whether it is one.
fn hover_line(sample: &Sample, name: &str, said: &str) -> bool {
    let titles = [
        ("Runs on: ", "runs"),
        ("Decomposes on: ", "decomposes"),
        ("Works partly on: ", "partly"),
        ("Falls back on: ", "falls-back"),
        ("Fails on: ", "fails"),
        ("Unknown on: ", "unknown"),
    ];
    let found = titles
        .iter()
        .find_map(|(title, verdict)| Some((said.strip_prefix(title)?, verdict)));
    let Some((keys, verdict)) = found else {
        return false;
    };
    for key in keys.split('`').skip(1).step_by(2) {
        let known = sample.keys.iter().find(|known| **known == key).unwrap();
        assert_eq!(sample.verdict(name, known), *verdict, "{name}: {said}");
    }
    true
}

#[test]
fn every_backend_key_of_a_release_is_in_the_matrix() {
    let Some(bundle) = opatlas_conformance::release("2.15.0") else {
        return;
    };
    let snapshot = Snapshot::read(bundle, Release::LATEST, None);
    let view = snapshot.view();
    let matrix = matrix_view(view, opatlas_service::search::Generated::Include);
    let backends = view.keys().slots();
    let backends = backends.filter(|&slot| autograd_key(view.keys(), slot).is_some());
    assert_eq!(matrix.verdicts.keys.len(), backends.count());
}
