//! A hint to use `--release`: many errors may only mean that the files are from another release.

use opatlas_pytorch::release::Release;

use opatlas_service::Snapshot;

/// The minimum number of errors for a hint.
const MANY: usize = 20;
/// Another release must leave at most one in this many of the errors.
const LEFT: usize = 10;

/// Runs the rules of every release if the files have many errors by the default one. Gives a hint
/// if another release leaves nearly none.
pub(super) fn hint(snapshot: &Snapshot) -> Option<String> {
    let errors = snapshot.summary().errors;
    if errors < MANY {
        return None;
    }
    let own = snapshot.release();
    let others = Release::all().filter(|release| *release != own);
    let judged: Vec<(usize, Release)> = others
        .map(|release| {
            let bundle = snapshot.bundle.clone();
            let other = Snapshot::read(bundle, release, Some(snapshot));
            (other.summary().errors, release)
        })
        .collect();
    let least = judged.iter().map(|(errors, _)| *errors).min()?;
    if least * LEFT > errors {
        return None;
    }
    let mut best = judged.iter().filter(|(errors, _)| *errors == least);
    let (_, first) = best.next()?;
    let last = best.next_back().map_or(first, |(_, last)| last);
    let releases = if first == last {
        last.to_string()
    } else {
        format!("{first} to {last}")
    };
    let least = match least {
        0 => "none".to_owned(),
        few => few.to_string(),
    };
    Some(format!(
        "note: {errors} errors under the rules of PyTorch {own}, but {least} under those of \
         {releases}; if the file is of another release, name it: --release {last}\n"
    ))
}
