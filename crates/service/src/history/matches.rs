//! Finds matching operators of the last revision, and ranks them together with removed ones.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{OperatorId, split_qualified};
use opatlas_operators::sought::{Candidate, Sought, Texts};
use opatlas_source::{Stop, Stopped};

use crate::search::{Filter, search};
use crate::snapshot::Snapshot;

use super::search::{Question, Which};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CurrentMatch {
    id: OperatorId,
    /// Whether its name matches, and not only its schema or a kernel.
    is_named: bool,
}

/// Operators whose names match best first, then those with a matching kernel.
pub(super) fn current(
    snapshot: &Snapshot,
    question: &Question,
    stop: &Stop,
) -> Result<Vec<CurrentMatch>, Stopped> {
    let catalogue = &snapshot.catalogue;
    let sought = Sought::parse(&question.words);
    let filter = Filter {
        words: Some(question.words.clone()),
        ..Filter::default()
    };
    let mut texts = Texts::default();
    let ids = search(catalogue, &filter, stop)?.into_iter();
    let mut found: Vec<CurrentMatch> = ids
        .map(|id| {
            let name = catalogue.operator(id).qualified_name();
            let is_named = name_rank(&sought, &mut texts, name).is_some();
            CurrentMatch { id, is_named }
        })
        .collect();
    let known = marked(catalogue, &found);
    let by_kernel = with_kernel(catalogue, &question.plain, stop)?.into_iter();
    let others = by_kernel.filter(|id| !known[id.index()]);
    found.extend(others.map(|id| CurrentMatch {
        id,
        is_named: false,
    }));
    Ok(found)
}

fn with_kernel(
    catalogue: &Catalogue,
    words: &str,
    stop: &Stop,
) -> Result<Vec<OperatorId>, Stopped> {
    let words = words.to_lowercase();
    let mut found = Vec::new();
    for (id, _) in catalogue.iter() {
        stop.check()?;
        let mut kernels = catalogue.kernels(id).iter();
        if kernels.any(|kernel| {
            kernel
                .kernel
                .qualified()
                .to_ascii_lowercase()
                .contains(&words)
        }) {
            found.push(id);
        }
    }
    Ok(found)
}

fn marked(catalogue: &Catalogue, found: &[CurrentMatch]) -> Vec<bool> {
    let mut known = vec![false; catalogue.operators.len()];
    found.iter().for_each(|it| known[it.id.index()] = true);
    known
}

/// Ranks matching operators, with whether the last revision has them and matches. `all` are those
/// of the last revision, and `before` the distinct operators with a matching step.
pub(super) fn merged<'b>(
    snapshot: &Snapshot,
    question: &Question,
    all: &[CurrentMatch],
    before: impl Iterator<Item = &'b str>,
) -> Vec<(String, bool)> {
    let catalogue = &snapshot.catalogue;
    let now = match question.which {
        Which::All => all,
        Which::Removed => &[],
    };
    let current = |is_named: bool| {
        let found = now.iter().filter(move |it| it.is_named == is_named);
        found.map(|it| (catalogue.operator(it.id).qualified_name().to_owned(), true))
    };
    let named: Vec<_> = current(true).take(question.limit).collect();
    if named.len() == question.limit {
        // The usual case for a single letter. Do not rank thousands of removed operators.
        return named;
    }
    let known = marked(catalogue, all);
    let is_known = |name: &str| {
        let (namespace, bare) = split_qualified(name);
        let of_name = catalogue.all_named(bare);
        let native = of_name.filter(|id| catalogue.operator(*id).namespace() == namespace);
        let native = native.map(|id| known[id.index()]);
        // A vendor's operator counts only if no entry has this name.
        let other = || catalogue.find_qualified(name).map(|id| known[id.index()]);
        native.reduce(|one, other| one || other).or_else(other) == Some(true)
    };
    let (sought, mut texts) = (Sought::parse(&question.words), Texts::default());
    let is_removed = |name: &str| match question.which {
        Which::All => true,
        Which::Removed => catalogue.find_qualified(name).is_none(),
    };
    let mut gone: Vec<(u32, usize, &str)> = before
        .filter(|name| !is_known(name) && is_removed(name))
        .map(|name| {
            let rank = name_rank(&sought, &mut texts, name);
            (rank.unwrap_or(u32::MAX), name.len(), name)
        })
        .collect();
    gone.sort_unstable();
    let (gone_named, others) = gone.split_at(gone.partition_point(|(rank, ..)| *rank < u32::MAX));
    let former = |gone: &[(u32, usize, &str)]| -> Vec<(String, bool)> {
        let names = gone.iter().take(question.limit);
        names
            .map(|(.., name)| ((*name).to_owned(), false))
            .collect()
    };
    let found = named.into_iter().chain(former(gone_named));
    let found = found.chain(current(false)).chain(former(others));
    found.take(question.limit).collect()
}

fn name_rank(sought: &Sought, texts: &mut Texts, operator: &str) -> Option<u32> {
    let (namespace, name) = operator.split_once("::").unwrap_or(("aten", operator));
    let candidate = Candidate {
        namespace,
        name,
        schema: "",
    };
    sought.rank(texts, candidate)
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    const FILE: &[u8] = b"
- func: addmm(Tensor self, Tensor mat1) -> Tensor
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: Sum_CPU
- func: badd(Tensor self) -> Tensor
- func: acme::add(Tensor self) -> Tensor
- func: other(SymInt additional) -> Tensor
- func: sum(Tensor self) -> Tensor
";

    #[test]
    fn names_rank_before_schemas_and_current_before_removed_operators() {
        let bundle = Bundle::of_native_functions(FILE);
        let snapshot = Snapshot::read(bundle, Release::LATEST, None);
        let before = ["zzz", "add.Tensor", "old_add", "add_", "other"];
        let listed = |words, which, limit| -> Vec<String> {
            let question = Question::new(words, which, limit);
            let now = current(&snapshot, &question, &Stop::never()).unwrap();
            let found = merged(&snapshot, &question, &now, before.into_iter());
            let word = |(name, is_current)| if is_current { name } else { format!("-{name}") };
            found.into_iter().map(word).collect()
        };
        let all = [
            "acme::add",
            "add.Tensor",
            "addmm",
            "badd",
            "-add_",
            "-old_add",
            "other",
            "-zzz",
        ];
        assert_eq!(listed("add", Which::All, 100), all);
        for limit in [1, 3, 4, 5, 6] {
            assert_eq!(listed("add", Which::All, limit), all[..limit]);
        }
        assert_eq!(
            listed("add", Which::Removed, 100),
            ["-add_", "-old_add", "-zzz"]
        );
    }
}
