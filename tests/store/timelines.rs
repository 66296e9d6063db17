//! A timeline that is known from before grows with its project into the one that is read anew.

use std::sync::Arc;

use opatlas_service::history::Line;
use opatlas_service::{Limits, Service};
use opatlas_store::{CommitRecord, Expected, KnownParts, NewCommit, Prepared, ProjectName, Store};

use crate::store::given::{bundle, label, new_project, request};

fn service(store: &Arc<dyn Store>) -> Service {
    Service::new(Arc::clone(store), Arc::new(|| 5), Limits::default())
}

/// Small numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// One of a few files, with operators that come and go.
fn file(number: u64) -> String {
    let names = ["one", "two", "three", "four"].iter().enumerate();
    let there = names.filter(|(bit, _)| (number + 1) >> bit & 1 == 1);
    let entry = |(_, name): (usize, &&str)| format!("- func: {name}(Tensor self) -> Tensor\n");
    there.map(entry).collect()
}

/// Changes something.
async fn change(store: &dyn Store, project: &ProjectName, numbers: &mut Numbers) {
    let text = file(numbers.below(15));
    let names = ["main", "pr-1", "2.8.0", "2.9.0", "v2.10.0"];
    let name = names[numbers.below(5) as usize];
    let position = numbers.below(40) as i64;
    match numbers.below(9) {
        0 | 1 => {
            store
                .ingest(project, &bundle(&text), None, 5)
                .await
                .unwrap();
        }
        2 => {
            let label = request(name, None);
            store
                .ingest(project, &bundle(&text), Some(&label), 5)
                .await
                .unwrap();
        }
        3 => {
            let _ = store
                .delete_label(project, &label(name), Expected::Anything)
                .await;
        }
        4 => {
            // A revision that is labelled stays.
            let _ = store.delete_revision(project, bundle(&text).digest()).await;
        }
        5 => {
            let id = format!("{:040x}", numbers.below(12));
            store
                .place_commits(project, &[(id, position)])
                .await
                .unwrap();
        }
        chosen => {
            let last = store.last_commit(project).await.unwrap();
            let end = last.map_or(0, |last| last.position) + 1;
            let commit = NewCommit {
                commit: CommitRecord {
                    id: format!("{:040x}", numbers.below(12)),
                    release: (chosen == 6).then(|| "2.7".to_owned()),
                    author_date: 5,
                    subject: "A change".to_owned(),
                },
                position: if chosen == 8 { position } else { end },
                files: Prepared::of(&bundle(&text)),
            };
            store
                .ingest_commits(project, &[commit], &mut KnownParts::default(), 5)
                .await
                .unwrap();
        }
    }
}

/// What a service says of all lines of a project.
async fn told(service: &Service, project: &ProjectName) -> Vec<String> {
    let mut told = Vec::new();
    let lines = [
        None,
        Some(Line::Releases),
        Some(Line::Commits),
        Some(Line::Ingests),
    ];
    for line in lines {
        let timeline = match service.timeline(project.as_str(), line).await {
            Ok(timeline) => timeline,
            Err(error) => {
                told.push(format!("{line:?}: {error}"));
                continue;
            }
        };
        told.push(format!("{:?}: {:?}", timeline.line, timeline.items));
        for operator in ["one", "two", "four"] {
            let all = 0..=timeline.last();
            let history = service.history(&timeline, operator, all, Some("CPU")).await;
            told.push(match history {
                Ok(history) => format!("{:?} {:?}", history.events, history.ranges),
                Err(error) => error.to_string(),
            });
        }
    }
    told
}

pub async fn a_known_timeline_grows_into_the_one_read_anew(store: &Arc<dyn Store>) {
    let project = new_project(&**store, "timelines").await;
    let known = service(store);
    let mut numbers = Numbers(7);
    for round in 0..30 {
        for _ in 0..=numbers.below(3) {
            change(&**store, &project, &mut numbers).await;
        }
        let (grown, anew) = (
            told(&known, &project).await,
            told(&service(store), &project).await,
        );
        assert_eq!(grown, anew, "after round {round}");
    }
}
