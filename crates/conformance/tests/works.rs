//! `data/works.txt` against the verdicts on all releases: it says what they say.

use std::collections::BTreeSet;

use opatlas_dispatch::Observed;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_pytorch::works;
use opatlas_verdict::releases::{Place, known, spans};
use opatlas_verdict::ways::Way;
use opatlas_verdict::{Answer, View};

use super::release_view::with_view;

const REFRESH: &str =
    "data/works.txt is out of date; `cargo build`, then `python3 -m recorders works`";

/// What the data says of an operator in a release: `None` if it lacks the operator or the way.
fn recorded(operator: &str, place: Place<'_>, release: usize) -> Option<(&'static str, Answer)> {
    let at = |version| known().iter().position(|known| *known == version);
    let spans = spans(operator, place).into_iter();
    let mut spans =
        spans.filter(|span| at(span.first) <= Some(release) && Some(release) <= at(span.last));
    spans.next().map(|span| (span.word, span.works))
}

/// What the verdicts say that the data does not.
fn differences(version: &str, place: usize, view: View<'_>) -> Vec<String> {
    let keys = view.keys();
    let columns: Vec<_> = view
        .claimed_keys()
        .map(|slot: Slot| (keys.name(Key::Runtime(slot)), view.verdicts(slot)))
        .collect();
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for (id, operator) in view.inputs.catalogue.iter() {
        let name = operator.qualified_name();
        names.insert(name);
        let mut compare = |at: Place<'_>, said: Option<(&str, Answer)>| {
            let recorded = recorded(name, at, place);
            if recorded != said {
                found.push(format!(
                    "{version}: {name} at {at:?}: {said:?}, not {recorded:?}"
                ));
            }
        };
        for (key, verdicts) in &columns {
            let verdict = verdicts.of(id);
            compare(Place::Key(key), Some((verdict.as_str(), verdict.into())));
        }
        let fates = view.fates(id);
        for way in Way::ALL {
            let fate = fates.iter().find(|(of, _)| *of == way);
            let said = fate.map(|(_, fate)| {
                let works = view.works(id, way, *fate);
                (fate.as_str(), works.unwrap_or(Answer::Unknown))
            });
            compare(Place::Way(way), said);
        }
    }
    let extra = works::operators().filter(|name| {
        works::operator(name).is_some_and(|it| it.exists(place)) && !names.contains(name)
    });
    found.extend(extra.map(|name| format!("{version} has no {name}")));
    found
}

#[test]
fn the_data_says_what_the_verdicts_say() {
    assert_eq!(known(), opatlas_conformance::versions(), "{REFRESH}");
    for (place, version) in known().iter().enumerate() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let has = |release: &Release| release.data().patches.contains(version);
        let release = Release::all().find(has).unwrap();
        let found = with_view(&bundle, release, &Observed::default(), |view| {
            differences(version, place, view)
        });
        let first = found.first();
        assert!(
            found.is_empty(),
            "{} differences, such as {first:?}; {REFRESH}",
            found.len()
        );
    }
}

#[test]
fn keys_without_data_are_unknown() {
    let of = |operator| spans(operator, Place::Key("HPU"));
    assert!(
        works::operators().all(|name| of(name).iter().all(|span| span.works == Answer::Unknown))
    );
}
