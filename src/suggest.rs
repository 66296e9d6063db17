//! The names nearest to one that is not known, for "did you mean".

/// Longer texts are not names; comparing them would only cost time.
const LONGEST: usize = 120;

/// Those of `names` that differ from `text` by few keystrokes, nearest first, at most `limit`.
///
/// Letter case counts less than any other difference. A name is near when no more than a third of
/// the text's characters (at least one) would have to be changed.
#[must_use]
pub fn nearest<'n>(
    text: &str,
    names: impl IntoIterator<Item = &'n str>,
    limit: usize,
) -> Vec<&'n str> {
    let wanted = fold(text);
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let allowed = (wanted.len() / 3).max(1);
    let mut found: Vec<(usize, bool, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let distance = distance(&wanted, &fold(name), allowed)?;
            Some((distance, !name.starts_with(text), name))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .take(limit)
        .map(|(_, _, name)| name)
        .collect()
}

fn fold(text: &str) -> Vec<char> {
    text.chars().map(|c| c.to_ascii_lowercase()).collect()
}

/// How many characters must be inserted, deleted, replaced or swapped with their neighbour to turn
/// one text into the other (optimal string alignment); `None` when more than `allowed`.
fn distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &to) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(from != to))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above
        .last()
        .copied()
        .filter(|&distance| distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn check(text: &str, names: &[&str], expected: &[&str]) {
        assert_eq!(nearest(text, names.iter().copied(), 3), expected, "{text}");
    }

    #[test]
    fn slips_of_the_keyboard_are_found() {
        let names = [
            "add.Tensor",
            "add_.Tensor",
            "add.Scalar",
            "sub.Tensor",
            "matmul",
        ];
        check("add.Tensr", &names, &["add.Tensor", "add_.Tensor"]);
        check("ad.dTensor", &names, &["add.Tensor", "add_.Tensor"]);
        check("matmlu", &names, &["matmul"]);
    }

    #[test]
    fn case_is_the_least_difference() {
        check("cpu", &["GPU", "CPU", "XPU"], &["CPU", "GPU", "XPU"]);
        check(
            "compositeimplicitautograd",
            &["CompositeExplicitAutograd", "CompositeImplicitAutograd"],
            &["CompositeImplicitAutograd", "CompositeExplicitAutograd"],
        );
    }

    #[test]
    fn nothing_near_gives_nothing() {
        check("quantum", &["CPU", "Tracer"], &[]);
        check("", &["CPU"], &[]);
        check(&"x".repeat(5000), &["x"], &[]);
        check("ünïcode", &["unicode"], &["unicode"]);
    }
}
