//! The plug is pulled: processes killed, databases that go away, full disks, damaged pages. What
//! was acknowledged is there and whole, and every fault is told plainly.
#![cfg(unix)]

#[cfg(target_os = "linux")]
mod connections;
mod damage;
mod disk;
mod kills;
mod outage;
#[path = "../common/postgres.rs"]
mod postgres;
#[path = "../common/served.rs"]
mod served;
mod stop;
mod unread;

use opatlas_source::{Bundle, Digest};
use opatlas_store::{ProjectName, Store};

/// A file of its own for every seed, most entries of which all have.
fn text(seed: usize) -> String {
    let entry = |at: usize| {
        let own = if at.is_multiple_of(20) { seed } else { 0 };
        format!("- func: op{at}.v{own}(Tensor self) -> Tensor\n  variants: function, method\n")
    };
    (0..120).map(entry).collect()
}

/// The digest of [`text`] as a revision.
fn digest(seed: usize) -> Digest {
    Bundle::of_native_functions(text(seed).into_bytes()).digest()
}

/// All that was acknowledged is there and whole, and nothing else is half there.
async fn assert_whole(store: &dyn Store, project: &str, acknowledged: &[Digest]) {
    let report = store.check().await.unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!(report.unneeded, 0, "something was left behind");
    let project = ProjectName::parse(project).unwrap();
    for digest in acknowledged {
        let bundle = store.bundle(&project, *digest).await.unwrap();
        assert_eq!(bundle.digest(), *digest);
    }
}
