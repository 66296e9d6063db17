//! How many operators each backend lost and gained.

use opatlas_diff::rules::ChangeRuleId;
use opatlas_operators::entry::KeyName;
use rustc_hash::FxHashMap;

use super::piece::{Group, Piece, Row, Stage};
use crate::changes::outline::Class;
use crate::changes::{Report, lists};
use crate::escape::prose;
use opatlas_diff::Subject;

/// The counts of each backend, folded; backends with equal counts share a row.
pub(super) fn overview(report: &Report<'_>) -> Option<Piece> {
    const RULES: [ChangeRuleId; 4] = [
        ChangeRuleId::BackendSupportLost,
        ChangeRuleId::BackendSupportGained,
        ChangeRuleId::BackendSupportKindChanged,
        ChangeRuleId::AutogradSupportLost,
    ];
    let mut of_key: FxHashMap<&str, [usize; 4]> = FxHashMap::default();
    let mut order: Vec<&str> = Vec::new();
    for judged in report.listed_changes() {
        let change = &judged.change;
        let Some(column) = RULES.iter().position(|rule| *rule == change.rule.id) else {
            continue;
        };
        if let Subject::Keys(keys) = &change.subject {
            for key in keys.iter().map(KeyName::as_str) {
                let numbers = of_key.entry(key).or_insert_with(|| {
                    order.push(key);
                    [0; 4]
                });
                numbers[column] += 1;
            }
        }
    }
    if of_key.is_empty() {
        return None;
    }
    let mut alike: Vec<([usize; 4], Vec<&str>)> = Vec::new();
    for key in order {
        match alike
            .iter_mut()
            .find(|(numbers, _)| *numbers == of_key[key])
        {
            Some((_, keys)) => keys.push(key),
            None => alike.push((of_key[key], vec![key])),
        }
    }
    alike.sort_by_key(|(numbers, _)| std::cmp::Reverse((numbers[0] + numbers[3], numbers[1])));
    let row = |(numbers, keys): &([usize; 4], Vec<&str>)| {
        let [lost, gained, kind, autograd] = numbers;
        let keys = prose(&lists::keys(keys));
        let text = format!("| {keys} | {lost} | {gained} | {kind} | {autograd} |\n");
        Row::counted(text, "row")
    };
    Some(Piece {
        class: Class::Backends,
        head: String::new(),
        short: String::new(),
        groups: vec![Group {
            open: "\n<details><summary>Operators by backend</summary>\n\n\
                   | backends | lost | gained | other kind of kernel | training lost |\n\
                   |---|---:|---:|---:|---:|\n"
                .to_owned(),
            before: "\n",
            close: "\n</details>\n",
            ..Group::of(Stage::Overview, alike.iter().map(row).collect())
        }],
    })
}
