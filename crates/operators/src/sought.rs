//! Ranks operators for a search query.
//!
//! C++ and Python have many names for an operator: `aten::add.Tensor`, `torch.ops.aten.add.Tensor`,
//! `torch.add`, `F.relu`, `at::_ops::add_Tensor::call`. The web interface has the same search
//! (`web/src/lib/sought.ts`); `tests/search/queries.txt` tests both.

use memchr::memmem::Finder;
use opatlas_source::suggest::Budget;

/// Lowercase prefixes; none is the base name of an operator with overloads.
const PREFIXES: &[&str] = &[
    "torch",
    "aten",
    "at",
    "native",
    "_ops",
    "redispatch",
    "nn",
    "functional",
    "f",
    "tensor",
    "_c",
    "_nn",
    "_variablefunctions",
    "_tensorbase",
];
/// Suffixes of operator names in `at::_ops` and `torch.ops`.
const SUFFIXES: &[&str] = &["::call", "::redispatch", ".default"];
/// The maximum number of words for which other spellings are tried.
const MOST_LOOSE_WORDS: usize = 8;
/// The maximum number of known names for an unknown word.
const MOST_NEAR: usize = 4;
/// The minimum length of a word that is compared without underscores.
const LEAST_LETTERS: usize = 4;

/// The words of a query, each with the name that it may stand for.
#[derive(Debug, Clone, Default)]
pub struct Sought {
    words: Vec<Word>,
    /// Whether other spellings match, too.
    is_loose: bool,
}

#[derive(Debug, Clone)]
struct Word {
    /// The lowercase word without prefixes.
    text: String,
    /// The text before a parenthesis.
    name: String,
    /// The name without underscores, dots and colons.
    letters: String,
    /// The text after the last dot: the name, if a variable or module precedes it.
    last: Option<String>,
    /// Similar known names in lower case, nearest first.
    near: Vec<String>,
    /// For the name and for the letters. Preparing a finder takes longer than searching a name.
    finders: [Finder<'static>; 2],
}

/// An operator to compare with the query.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The name with the overload name.
    pub name: &'a str,
    /// The canonical schema.
    pub schema: &'a str,
}

/// Reusable buffers for a candidate in lower case.
#[derive(Debug, Default)]
pub struct Texts {
    name: String,
    letters: String,
    base_letters: usize,
    schema: String,
    namespace: usize,
}

#[derive(Debug, Clone, Copy)]
struct Lower<'a> {
    /// Qualified unless the namespace is `aten`.
    name: &'a str,
    letters: &'a str,
    /// The length of the base name in the letters.
    base_letters: usize,
    schema: &'a str,
    /// The start of the name after its namespace.
    namespace: usize,
}

impl Sought {
    /// Parses a query in linear time.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let words = text.split_whitespace().map(Word::parse);
        Self {
            words: words.filter(|word| !word.text.is_empty()).collect(),
            is_loose: false,
        }
    }

    /// Whether the query is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The lowercase words without prefixes: `add.tensor` for `torch.ops.aten.add.Tensor`.
    #[must_use]
    pub fn plain(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| &*word.text).collect();
        words.join(" ")
    }

    /// The rank of a candidate, best first; `None` if a word does not match.
    #[must_use]
    pub fn rank(&self, texts: &mut Texts, candidate: Candidate<'_>) -> Option<u32> {
        texts.read(candidate);
        self.fit(texts.lower()).map(|(rank, _)| rank)
    }

    /// Also returns whether the name contains all words, whatever the schema.
    fn fit(&self, texts: Lower<'_>) -> Option<(u32, bool)> {
        let (mut all, mut is_named) = (0, true);
        for word in &self.words {
            let own = texts.rank(word);
            is_named &= own.is_some_and(|rank| rank != IN_SCHEMA);
            let loose = || self.is_loose.then(|| texts.loose_rank(word)).flatten();
            all += own.or_else(loose)?;
        }
        Some((all, is_named))
    }

    /// A query that also matches similar names and names with the same letters in order, for when
    /// nothing else matches. `names` are the names of all candidates. `None` for many words.
    #[must_use]
    pub fn loosened(&self, names: &[&str]) -> Option<Self> {
        if self.words.is_empty() || self.words.len() > MOST_LOOSE_WORDS {
            return None;
        }
        let budget = Budget::default();
        let mut loose = self.clone();
        loose.is_loose = true;
        for word in &mut loose.words {
            let both = names.iter().flat_map(|name| [base_of(name), name]);
            let near = budget.nearest_few(&word.name, both, MOST_NEAR);
            word.near = near.into_iter().map(str::to_lowercase).collect();
            word.near.extend(word.last.clone());
        }
        Some(loose)
    }
}

impl Word {
    fn parse(word: &str) -> Self {
        let quotes = ['"', '\'', '`', ',', ';'];
        let lower = word.trim_matches(quotes).to_ascii_lowercase();
        let text = bare(&lower);
        let name = match text.find('(') {
            Some(at) if at > 0 => &text[..at],
            _ => &text,
        };
        let last = name.rsplit('.').next().filter(|last| *last != name);
        let mut letters = String::with_capacity(name.len());
        push_letters(name, &mut letters);
        Self {
            finders: [name, &letters].map(|text| Finder::new(text).into_owned()),
            letters,
            last: last.filter(|last| !last.is_empty()).map(str::to_owned),
            near: Vec::new(),
            name: name.to_owned(),
            text,
        }
    }

    /// Whether only whole names match: `Tensor(a!)` is not part of the name `add.Tensor`.
    fn is_call(&self) -> bool {
        self.name.len() < self.text.len()
    }
}

/// Removes prefixes and suffixes.
fn bare(word: &str) -> String {
    let mut rest = word;
    let mut is_namespace = false;
    while let Some((first, after)) = split_path(rest) {
        if is_namespace && first != "aten" {
            return format!("{first}::{}", without_suffix(after));
        }
        is_namespace = first == "ops";
        if !is_namespace && !PREFIXES.contains(&first) {
            break;
        }
        rest = after;
    }
    if rest.len() < word.len() {
        without_suffix(rest).to_owned()
    } else {
        rest.to_owned()
    }
}

fn without_suffix(path: &str) -> &str {
    let end = SUFFIXES.iter().find_map(|suffix| path.strip_suffix(suffix));
    end.unwrap_or(path)
}

/// Splits a path after its first part.
fn split_path(path: &str) -> Option<(&str, &str)> {
    let at = path.find(['.', ':', '('])?;
    let (first, rest) = path.split_at(at);
    let rest = rest.strip_prefix("::").or_else(|| rest.strip_prefix('.'))?;
    Some((first, rest))
}

fn base_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Drops separators of words, but keeps the underscore at the end of an in-place name.
fn push_letters(name: &str, letters: &mut String) {
    // Separators have one byte, so the pieces between are whole characters.
    let bytes = name.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let is_end = || matches!(bytes.get(at + 1), None | Some(b'.'));
        if matches!(byte, b'.' | b':') || (*byte == b'_' && !is_end()) {
            letters.push_str(&name[from..at]);
            from = at + 1;
        }
    }
    letters.push_str(&name[from..]);
}

/// The best rank of another spelling.
const LOOSE: u32 = 8;
/// The rank of letters in order, after all other spellings.
const IN_ORDER: u32 = 16;

impl Texts {
    fn read(&mut self, candidate: Candidate<'_>) {
        self.name.clear();
        self.namespace = 0;
        if candidate.namespace != "aten" {
            self.name.push_str(candidate.namespace);
            self.name.push_str("::");
            self.namespace = self.name.len();
        }
        self.name.push_str(candidate.name);
        self.name.make_ascii_lowercase();
        self.letters.clear();
        let bare = &self.name[self.namespace..];
        let (base, overload) = bare.split_at(base_of(bare).len());
        push_letters(base, &mut self.letters);
        self.base_letters = self.letters.len();
        push_letters(overload, &mut self.letters);
        self.schema.clear();
        self.schema.push_str(candidate.schema);
        self.schema.make_ascii_lowercase();
    }

    fn lower(&self) -> Lower<'_> {
        Lower {
            name: &self.name,
            letters: &self.letters,
            base_letters: self.base_letters,
            schema: &self.schema,
            namespace: self.namespace,
        }
    }
}

/// The rank of a word that only the schema contains.
const IN_SCHEMA: u32 = 7;

impl Lower<'_> {
    fn rank(self, word: &Word) -> Option<u32> {
        let name = &*word.name;
        let bare = &self.name[self.namespace..];
        let base = base_of(bare);
        let of_namespace = || self.namespace > 0 && base_of(self.name) == name;
        if self.name == name || bare == name {
            return Some(0);
        }
        if base == name || of_namespace() {
            return Some(1);
        }
        let has_letters =
            self.letters == word.letters || self.letters[..self.base_letters] == *word.letters;
        if has_letters && !word.letters.is_empty() {
            return Some(2);
        }
        if !word.is_call() {
            if bare.starts_with(name) || self.name.starts_with(name) {
                return Some(3);
            }
            let [of_name, of_letters] = &word.finders;
            if let Some(at) = of_name.find(self.name.as_bytes()) {
                let begins_word = self.name[..at].ends_with(['_', '.', ':']);
                return Some(if begins_word { 4 } else { 5 });
            }
            let has_letters = || of_letters.find(self.letters.as_bytes()).is_some();
            if word.letters.len() >= LEAST_LETTERS && has_letters() {
                return Some(6);
            }
        }
        self.schema.contains(&*word.text).then_some(IN_SCHEMA)
    }

    fn loose_rank(self, word: &Word) -> Option<u32> {
        let bare = &self.name[self.namespace..];
        let is = |near: &String| self.name == *near || bare == near || base_of(bare) == near;
        if let Some(at) = word.near.iter().position(is) {
            return u32::try_from(at).ok().map(|at| LOOSE + at);
        }
        let may_miss = !word.is_call() && word.name.len() >= LEAST_LETTERS;
        (may_miss && is_subsequence(&word.name, self.name)).then_some(IN_ORDER)
    }
}

fn is_subsequence(letters: &str, text: &str) -> bool {
    let mut text = text.chars();
    letters.chars().all(|letter| text.any(|c| c == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operators and queries, with the expected results in order.
    const TABLE: &str = include_str!("../../../tests/search/queries.txt");

    fn candidates() -> Vec<(String, String, String)> {
        let lines = TABLE
            .lines()
            .filter_map(|line| line.strip_prefix("operator "));
        let candidate = |line: &str| {
            let (namespace, schema) = line.split_once("::").unwrap();
            let name = schema.split('(').next().unwrap();
            (namespace.to_owned(), name.to_owned(), schema.to_owned())
        };
        lines.map(candidate).collect()
    }

    fn found(text: &str, candidates: &[(String, String, String)]) -> Vec<String> {
        let mut sought = Sought::parse(text);
        let mut texts = Texts::default();
        let mut run = |sought: &Sought| {
            let places = candidates.iter().enumerate();
            let ranked = places.filter_map(|(at, (namespace, name, schema))| {
                let candidate = Candidate {
                    namespace,
                    name,
                    schema,
                };
                let rank = sought.rank(&mut texts, candidate)?;
                let shown = match &**namespace {
                    "aten" => name.clone(),
                    _ => format!("{namespace}::{name}"),
                };
                Some((rank, name.len(), at, shown))
            });
            let mut ranked: Vec<_> = ranked.collect();
            ranked.sort();
            ranked
        };
        let mut ranked = run(&sought);
        if ranked.is_empty() {
            let names: Vec<&str> = candidates.iter().map(|(_, name, _)| &**name).collect();
            sought = sought.loosened(&names).unwrap();
            ranked = run(&sought);
        }
        ranked.into_iter().map(|(.., name)| name).collect()
    }

    #[test]
    fn every_query_of_the_table_finds_what_it_says() {
        let candidates = candidates();
        let mut wrong = Vec::new();
        let mut queries = 0;
        for line in TABLE.lines().filter_map(|line| line.strip_prefix("query ")) {
            let (query, expected) = line.split_once(" =>").unwrap();
            let expected: Vec<&str> = expected.split_whitespace().collect();
            let found = found(query, &candidates);
            if found != expected {
                wrong.push(format!("{query} => {}", found.join(" ")));
            }
            queries += 1;
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(queries > 30, "{queries}");
    }

    #[test]
    fn what_surrounds_a_name_is_left_out() {
        let plain = |text: &str| Sought::parse(text).plain();
        for (text, expected) in [
            ("torch.ops.aten.add.Tensor", "add.tensor"),
            ("torch.ops.aten.add.default", "add"),
            ("torch.ops.acme.add.default", "acme::add"),
            ("at::_ops::add_Tensor::call", "add_tensor"),
            ("torch::nn::functional::relu", "relu"),
            ("torch.linalg.norm", "linalg.norm"),
            ("Tensor(a!) \"self\",", "tensor(a!) self"),
            ("torch", "torch"),
            ("torch.", ""),
            ("acme::add", "acme::add"),
            ("add.Tensor", "add.tensor"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_of_many_words_is_not_taken_for_misspelt_names() {
        let many = "wrod ".repeat(MOST_LOOSE_WORDS + 1);
        assert!(Sought::parse(&many).loosened(&["word"]).is_none());
    }
}
