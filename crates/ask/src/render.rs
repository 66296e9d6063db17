//! Sentences of kinds, filled with what was read.

use opatlas_rules::registry;
use opatlas_source::Message;

use crate::reading::Reading;

/// The longest part of a message that a sentence repeats, in bytes.
const MOST_OF_PART: usize = 160;

/// The first sentence whose parts are all known.
pub(crate) fn first(reading: &Reading<'_>, sentences: &[&'static str]) -> Option<Message> {
    let mut sentences = sentences.iter();
    sentences.find_map(|sentence| fill(reading, sentence))
}

/// The first title whose parts are all known; without one, the first title about `the operator`.
pub(crate) fn title(reading: &Reading<'_>, titles: &[&'static str]) -> Option<Message> {
    first(reading, titles).or_else(|| {
        let general = titles.first()?;
        let general = general.replace("{op}", "the operator");
        fill(reading, &general.replace("{backend}", "this backend"))
    })
}

/// All sentences whose parts are all known.
pub(crate) fn every(reading: &Reading<'_>, sentences: &[&'static str]) -> Vec<Message> {
    let sentences = sentences.iter();
    sentences
        .filter_map(|sentence| fill(reading, sentence))
        .collect()
}

/// A sentence with its parts; `None` if one is unknown. Text between backticks is code, and so are the
/// parts, except words for backends.
fn fill(reading: &Reading<'_>, sentence: &str) -> Option<Message> {
    let mut message = Message::default();
    for (at, stretch) in sentence.split('`').enumerate() {
        let is_code = at % 2 == 1;
        let mut code = String::new();
        for (index, piece) in stretch.split('{').enumerate() {
            let (hole, literal) = match index {
                0 => (None, piece),
                _ => piece
                    .split_once('}')
                    .map(|(name, rest)| (Some(name), rest))?,
            };
            let value = hole
                .map(|name| value(reading, name))
                .map_or(Some(None), |it| it.map(Some))?;
            match (value, is_code) {
                (Some(Value::Code(value) | Value::Prose(value)), true) => code.push_str(&value),
                (Some(Value::Code(value)), false) => message.push_code(&value),
                (Some(Value::Prose(value)), false) => message.push(&Message::prose(value)),
                (Some(Value::Sentence(value)), _) => message.push(&value),
                (None, _) => {}
            }
            match is_code {
                true => code.push_str(literal),
                false => message.push_str(literal),
            }
        }
        if is_code {
            message.push_code(&code);
        }
    }
    Some(message)
}

enum Value {
    /// A name.
    Code(String),
    /// Words.
    Prose(String),
    /// A sentence of its own.
    Sentence(Message),
}

fn value(reading: &Reading<'_>, name: &str) -> Option<Value> {
    match name {
        "op" => reading.operator.clone().map(Value::Code),
        "overload" => {
            let (_, overload) = reading.operator.as_deref()?.split_once('.')?;
            Some(Value::Code(overload.to_owned()))
        }
        "key" => reading.key.clone().map(Value::Code),
        "backend" => reading.key.as_deref().map(|key| Value::Prose(backend(key))),
        "rule" => reading
            .rule
            .map(|rule| Value::Sentence(registry::of(rule).what.into())),
        _ => known(reading, name).or_else(|| part(reading, name)),
    }
}

fn known(reading: &Reading<'_>, name: &str) -> Option<Value> {
    let mut known = reading.known.iter();
    let (_, value) = known.find(|(of, _)| *of == name)?;
    Some(match value.contains('`') {
        true => Value::Sentence(sentence(value)),
        false => Value::Prose(value.clone()),
    })
}

/// A text of this crate with code between backticks.
fn sentence(text: &str) -> Message {
    let mut message = Message::default();
    for (at, stretch) in text.split('`').enumerate() {
        match at % 2 {
            0 => message.push_str(stretch),
            _ => message.push_code(stretch),
        }
    }
    message
}

fn part(reading: &Reading<'_>, name: &str) -> Option<Value> {
    let text = reading.part(name)?.trim();
    let shown = &text[..text.floor_char_boundary(MOST_OF_PART)];
    (!shown.is_empty()).then(|| Value::Code(shown.to_owned()))
}

/// A dispatch key in words: `Apple GPUs (MPS)`.
pub(crate) fn backend(key: &str) -> String {
    const DEVICES: [(&str, &str); 13] = [
        ("CPU", "the CPU"),
        ("CUDA", "CUDA GPUs"),
        ("HIP", "AMD GPUs (ROCm)"),
        ("MPS", "Apple GPUs (MPS)"),
        ("XPU", "Intel GPUs (XPU)"),
        ("HPU", "Intel Gaudi (HPU)"),
        ("XLA", "XLA devices such as TPUs"),
        ("MTIA", "MTIA devices"),
        ("IPU", "Graphcore IPUs"),
        ("Meta", "the meta device"),
        ("PrivateUse1", "a backend outside PyTorch (PrivateUse1)"),
        ("Lazy", "lazy tensors"),
        ("Functionalize", "functionalization"),
    ];
    const LAYOUTS: [(&str, &str); 6] = [
        ("SparseCsr", "sparse CSR tensors"),
        ("Sparse", "sparse tensors"),
        ("Quantized", "quantized tensors"),
        ("NestedTensor", "nested tensors"),
        ("Mkldnn", "oneDNN tensors"),
        ("Autograd", "gradients"),
    ];
    let device = |name: &str| {
        DEVICES
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, words)| *words)
    };
    if let Some(words) = device(key) {
        return words.to_owned();
    }
    let layout = LAYOUTS
        .iter()
        .find_map(|(prefix, words)| Some((*words, key.strip_prefix(prefix)?)));
    match layout.and_then(|(words, rest)| Some((words, device(rest)?))) {
        Some((words, device)) => format!("{words} on {device}"),
        None => format!("the dispatch key {key}"),
    }
}
