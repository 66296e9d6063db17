//! No surface contradicts another about ways: the ways of an operator, a way's operators, the matrix,
//! gaps, trends and histories have the same fates.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_operators::operator::OperatorId;
use opatlas_service::history::Timeline;
use opatlas_service::search::Generated;
use opatlas_service::{Service, Snapshot};
use opatlas_verdict::ways::{Basis, Fate, Way};
use opatlas_verdict::{Answer, View};
use opatlas_wire::comparison::SideView;
use opatlas_wire::matrix::matrix_view;
use opatlas_wire::trends::WayPoint;
use opatlas_wire::way_gaps::{self, WayGapRequest};
use opatlas_wire::ways::{list, of_operator, operators};

use crate::surfaces::service;

/// How many operators of each release are looked at one by one.
const OPERATORS: usize = 50;

/// The fates of a release, as its matrix has them.
struct Matrix(BTreeMap<(String, String), (&'static str, Option<&'static str>)>);

impl Matrix {
    fn new(snapshot: &Snapshot) -> Self {
        let matrix = matrix_view(snapshot.view(), Generated::Include);
        let fates = matrix.ways.legend.iter();
        let fates = fates.map(|fate| (fate.letter, (fate.fate, fate.works)));
        let fates: BTreeMap<char, _> = fates.collect();
        let mut found = BTreeMap::new();
        for operator in &matrix.operators {
            let row = &matrix.ways.rows[operator.ways];
            assert_eq!(row.chars().count(), matrix.ways.ways.len());
            for (way, letter) in matrix.ways.ways.iter().zip(row.chars()) {
                if let Some(fate) = fates.get(&letter) {
                    found.insert((operator.name.clone(), way.way.to_string()), *fate);
                }
            }
        }
        Self(found)
    }

    fn of(&self, operator: &str, way: Way) -> Option<Fate> {
        let (fate, _) = self
            .0
            .get(&(operator.to_owned(), way.as_str().to_owned()))?;
        Fate::parse(fate)
    }

    fn works(&self, operator: &str, way: Way) -> Option<&'static str> {
        self.0
            .get(&(operator.to_owned(), way.as_str().to_owned()))?
            .1
    }

    /// Operators by fate on a way.
    fn counts<'a>(&self, names: impl Iterator<Item = &'a str>, way: Way) -> BTreeMap<Fate, u32> {
        let mut counts = BTreeMap::new();
        for fate in names.filter_map(|name| self.of(name, way)) {
            *counts.entry(fate).or_default() += 1;
        }
        counts
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn surfaces_have_the_same_fates() {
    let Some((service, timeline)) = service().await else {
        return;
    };
    for place in 0..timeline.items.len() {
        let snapshot = service.snapshot(&timeline.resolved(place)).await.unwrap();
        let matrix = Matrix::new(&snapshot);
        let ids: Vec<OperatorId> = snapshot.catalogue.iter().map(|(id, _)| id).collect();
        let chosen: Vec<OperatorId> = ids.iter().copied().step_by(ids.len() / OPERATORS).collect();
        of_operators(&snapshot, &matrix, &chosen);
        of_ways(&snapshot, &matrix);
        gaps(&snapshot, &timeline, place, &matrix);
        trends(&service, &timeline, place, &snapshot, &matrix).await;
        histories(&service, &timeline, place, &snapshot, &chosen).await;
    }
}

fn of_operators(snapshot: &Snapshot, matrix: &Matrix, chosen: &[OperatorId]) {
    for &id in chosen {
        let view = snapshot.view();
        let ways = of_operator(view, id);
        for way in Way::ALL {
            let told = ways.items.iter().find(|item| item.way == way.as_str());
            let fate = told.map(|told| told.fate);
            let expected = matrix.of(&ways.operator, way).map(Fate::as_str);
            assert_eq!(fate, expected, "{} {way}", ways.operator);
            let answer = view.way(id, way);
            assert_eq!(
                view.fate(id, way),
                answer.as_ref().map(|answer| answer.fate)
            );
            let is_unknown = fate == Some("unknown");
            let works = told.and_then(|told| told.works);
            assert_eq!(
                works,
                matrix.works(&ways.operator, way),
                "{} {way}",
                ways.operator
            );
            on_meta(view, id, (way, fate, works));
            let has_basis = answer.is_some_and(|answer| answer.known_from != Basis::Unknown);
            assert_eq!(
                has_basis,
                told.is_some() && !is_unknown,
                "{} {way}",
                ways.operator
            );
        }
    }
}

/// The meta device has the verdict of its table, where its table serves it.
fn on_meta(view: View<'_>, id: OperatorId, told: (Way, Option<&str>, Option<&str>)) {
    let (Way::Meta, Some("kernel" | "decomposes"), works) = told else {
        return;
    };
    let meta = view.keys().slot("Meta").unwrap();
    let verdict = Answer::from(view.verdict(id, meta));
    assert_eq!(works, Some(verdict.as_str()));
}

fn of_ways(snapshot: &Snapshot, matrix: &Matrix) {
    let summaries = list(snapshot.view());
    for (way, summary) in Way::ALL.into_iter().zip(&summaries.items) {
        let mut counts = BTreeMap::<&str, u32>::new();
        for item in operators(snapshot.view(), way, None, 0..usize::MAX) {
            let expected = matrix.of(&item.operator, way).map(Fate::as_str);
            assert_eq!(Some(item.fate.fate), expected, "{} {way}", item.operator);
            *counts.entry(item.fate.fate).or_default() += 1;
        }
        assert_eq!(counts, summary.fates, "{way}");
    }
}

fn declared(snapshot: &Snapshot) -> impl Iterator<Item = &str> {
    let declared = snapshot.catalogue.iter();
    let declared = declared.filter(|(_, operator)| !operator.is_generated());
    declared.map(|(_, operator)| operator.qualified_name())
}

fn gaps(snapshot: &Snapshot, timeline: &Timeline, place: usize, matrix: &Matrix) {
    for way in Way::ALL {
        let gaps = way_gaps::view(WayGapRequest {
            revision: &SideView::of_revision(&timeline.resolved(place)),
            snapshot,
            way,
            tag: None,
        });
        let counts = matrix.counts(declared(snapshot), way);
        let missing = counts.iter().filter(|(fate, _)| fate.is_missing());
        let missing: u32 = missing.map(|(_, count)| count).sum();
        let unknown = counts.get(&Fate::Unknown).copied().unwrap_or(0);
        assert_eq!(gaps.counts.missing, missing, "{way}");
        assert_eq!(gaps.counts.unknown, unknown, "{way}");
        assert_eq!(gaps.counts.operators, counts.values().sum::<u32>(), "{way}");
        assert_eq!(gaps.items.len(), (missing + unknown) as usize, "{way}");
        let is_unknown = |works: Option<&str>| works == Some("unknown");
        assert!(
            gaps.items
                .is_sorted_by_key(|item| is_unknown(item.fate.works))
        );
        for item in &gaps.items {
            let expected = matrix.of(&item.operator, way).map(Fate::as_str);
            assert_eq!(Some(item.fate.fate), expected, "{} {way}", item.operator);
            assert_eq!(item.fate.missing, !is_unknown(item.fate.works));
        }
    }
}

async fn trends(
    service: &Service,
    timeline: &Timeline,
    place: usize,
    snapshot: &Snapshot,
    matrix: &Matrix,
) {
    for way in Way::ALL {
        let counts = service.fate_counts(timeline, &[place], way).await.unwrap();
        assert_eq!(counts, [matrix.counts(declared(snapshot), way)], "{way}");
        let point = WayPoint::of(way, &counts[0]);
        assert_eq!(point.operators, point.fates.values().sum::<u32>());
        assert_eq!(
            point.fates.get("unknown").copied().unwrap_or(0),
            point.unknown
        );
    }
}

/// The last change of a fate leads to the recorded one, and it dates from that release.
async fn histories(
    service: &Service,
    timeline: &Arc<Timeline>,
    place: usize,
    snapshot: &Snapshot,
    chosen: &[OperatorId],
) {
    let mut changes = 0;
    for &id in chosen {
        let name = snapshot.catalogue.operator(id).qualified_name();
        let history = service
            .history(timeline, name, 0..=place, None)
            .await
            .unwrap();
        assert!(history.ways.is_sorted_by_key(|change| change.release));
        for way in Way::ALL {
            let last = history.ways.iter().rfind(|change| change.way == way);
            let Some(last) = last else { continue };
            changes += 1;
            let answer = snapshot.view().way(id, way).unwrap();
            if answer.known_from != Basis::Recorded {
                continue;
            }
            assert_eq!(answer.fate, last.after, "{name} {way}");
            assert_eq!(answer.since, Some(last.release), "{name} {way}");
        }
    }
    assert!(place == 0 || changes > 10, "{changes} changes");
}
