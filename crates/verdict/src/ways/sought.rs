//! Ways in what people search for: `vmap grid_sampler`, `core without lowering`.

use super::Way;

/// A way in a text that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoughtWay {
    /// The way.
    pub way: Way,
    /// Asks only for operators that nothing serves on it.
    pub is_missing: bool,
    /// Asks only for operators of the core set.
    pub is_core: bool,
    /// The words that are left, which name operators.
    pub rest: String,
}

/// Words that ask for what is missing.
const WITHOUT: [&str; 6] = ["without", "no", "lacks", "lacking", "missing", "lack"];

/// Words that belong to the name of a way or say nothing next to one.
const FILLERS: [&str; 22] = [
    "a",
    "an",
    "and",
    "batching",
    "device",
    "for",
    "formula",
    "function",
    "in",
    "kernel",
    "kernels",
    "of",
    "on",
    "operator",
    "operators",
    "op",
    "ops",
    "rule",
    "rules",
    "strategy",
    "under",
    "with",
];

/// Other names of ways.
const NAMES: [(&str, Way); 20] = [
    ("gradient", Way::Training),
    ("gradients", Way::Training),
    ("batching", Way::Vmap),
    ("torch.vmap", Way::Vmap),
    ("functionalization", Way::Functionalize),
    ("decompositions", Way::Decomposition),
    ("decomp", Way::Decomposition),
    ("export", Way::Decomposition),
    ("torch.export", Way::Decomposition),
    ("compile", Way::Inductor),
    ("torch.compile", Way::Inductor),
    ("lowering", Way::Inductor),
    ("lowerings", Way::Inductor),
    ("aotinductor", Way::Aoti),
    ("shim", Way::Aoti),
    ("sharding", Way::Dtensor),
    ("autocast", Way::AutocastCuda),
    ("amp", Way::AutocastCuda),
    ("torch.amp", Way::AutocastCuda),
    ("torch.autocast", Way::AutocastCuda),
];

/// The way that a text names, with what else it says. `None` if no word names a way.
#[must_use]
pub fn sought(text: &str) -> Option<SoughtWay> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let named = words.iter().position(|word| way(word).is_some())?;
    let mut found = SoughtWay {
        way: way(&words[named])?,
        is_missing: false,
        is_core: false,
        rest: String::new(),
    };
    let mut rest = Vec::new();
    for (word, original) in words.iter().zip(text.split_whitespace()) {
        if way(word) == Some(found.way) || FILLERS.contains(&&**word) {
            continue;
        }
        let of_device = way(&format!("autocast-{word}"));
        match of_device.filter(|_| found.way == Way::AutocastCuda) {
            Some(way) => found.way = way,
            None if WITHOUT.contains(&&**word) => found.is_missing = true,
            None if word == "core" => found.is_core = true,
            None => rest.push(original),
        }
    }
    found.rest = rest.join(" ");
    Some(found)
}

fn way(word: &str) -> Option<Way> {
    let named = NAMES.iter().find(|(name, _)| *name == word);
    Way::parse(word).or(named.map(|(_, way)| *way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_found_next_to_operators() {
        for (text, way, flags, rest) in [
            ("vmap grid_sampler", Way::Vmap, "", "grid_sampler"),
            ("core without lowering", Way::Inductor, "missing core", ""),
            ("operators without a Meta kernel", Way::Meta, "missing", ""),
            ("at::nonzero DTensor", Way::Dtensor, "", "at::nonzero"),
            ("autocast mps conv2d", Way::AutocastMps, "", "conv2d"),
            ("torch.compile add.Tensor", Way::Inductor, "", "add.Tensor"),
            ("no batching rule", Way::Vmap, "missing", ""),
            ("meta", Way::Meta, "", ""),
        ] {
            let found = sought(text).unwrap();
            assert_eq!((found.way, &*found.rest), (way, rest), "{text}");
            assert_eq!(found.is_missing, flags.contains("missing"), "{text}");
            assert_eq!(found.is_core, flags.contains("core"), "{text}");
        }
        for text in ["", "add.Tensor", "vmapped", "without", "core mps"] {
            assert_eq!(sought(text), None, "{text}");
        }
    }
}
