//! Revisions that differ in a few entries from a release.

use opatlas_source::{Bundle, DERIVATIVES, NATIVE_FUNCTIONS};

/// A reproducible pseudo-random generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// A file cut before every item.
fn items(text: &str, begin: &str) -> Vec<String> {
    let mut starts: Vec<usize> = text.match_indices(begin).map(|(at, _)| at).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    let cut = starts
        .windows(2)
        .map(|part| text[part[0]..part[1]].to_owned());
    cut.collect()
}

/// Changes one entry, the order of entries, or which there are.
fn edit(entries: &mut Vec<String>, chance: &mut Chance, count: usize) {
    let at = 1 + chance.below(entries.len() - 1);
    let other = 1 + chance.below(entries.len() - 1);
    let replace = |entry: &str, from: &str, to: &str| entry.replacen(from, to, 1);
    let entry = &entries[at];
    match chance.below(11) {
        0 => drop(entries.remove(at)),
        1 => entries.swap(at, other),
        2 => entries.push(format!(
            "- func: new_{count}(Tensor self) -> Tensor\n  dispatch:\n    CPU: new\n  autogen: new_{count}.out\n"
        )),
        3 => entries[at] = replace(entry, "    CPU", "    XPU: other\n    CPU"),
        4 => entries[at] = replace(entry, "CompositeExplicitAutograd", "CompositeImplicitAutograd"),
        5 => entries[at] = replace(entry, "structured: True", "structured: False"),
        6 => entries[at] = replace(entry, "Tensor(a)", "Tensor"),
        7 => entries[at] = replace(entry, ") ->", ", int added=0) ->"),
        8 => entries[at] = replace(entry, "  autogen:", "  tags: core\n  autogen:"),
        9 => entries.insert(other, entry.clone()),
        _ => entries[at] = replace(entry, "  dispatch:", "  manual_kernel_registration: True\n  dispatch:"),
    }
}

/// A release that is edited again and again.
pub struct Edited {
    bundle: Bundle,
    entries: Vec<String>,
    formulas: Vec<String>,
    chance: Chance,
    count: usize,
}

impl Edited {
    pub fn new(bundle: Bundle, seed: u64) -> Self {
        let text = |name| {
            let bytes = bundle.file(name);
            bytes.map_or("", |bytes| str::from_utf8(bytes).unwrap())
        };
        Self {
            entries: items(text(NATIVE_FUNCTIONS), "\n- func: "),
            formulas: items(text(DERIVATIVES), "\n- name: "),
            chance: Chance(seed),
            bundle,
            count: 0,
        }
    }

    /// Edits up to eight entries, and each third time a formula.
    pub fn next(&mut self) -> Bundle {
        for _ in 0..=self.chance.below(8) {
            edit(&mut self.entries, &mut self.chance, self.count);
        }
        let formulas = &mut self.formulas;
        if self.count.is_multiple_of(3) && formulas.len() > 2 {
            formulas.remove(1 + self.chance.below(formulas.len() - 1));
        }
        self.count += 1;
        let mut bundle = self.bundle.clone();
        bundle.insert(NATIVE_FUNCTIONS, self.entries.concat().into_bytes());
        if bundle.file(DERIVATIVES).is_some() {
            bundle.insert(DERIVATIVES, self.formulas.concat().into_bytes());
        }
        bundle
    }
}
