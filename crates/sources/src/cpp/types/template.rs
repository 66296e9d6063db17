//! Instances of function templates, such as `plus<at::Tensor>`.

use super::Unknown;
use crate::cpp::source::Source;
use crate::cpp::tokens::Kind;

/// A declaration with template arguments substituted for the template parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The return type.
    pub returns: Box<str>,
    /// The parameters.
    pub parameters: Vec<Box<str>>,
}

/// Instantiates a function template. `returns` begins with `template <...>`, and `arguments` is the
/// text between `<` and `>` where the template is used.
///
/// # Errors
/// [`Unknown`] if the compiler deduces arguments, or if a parameter is a template or a pack.
pub fn instance(
    returns: &str,
    parameters: &[Box<str>],
    arguments: &[&str],
) -> Result<Instance, Unknown> {
    let source = Source::new(returns, 0);
    let end = source
        .template_end(1, returns.len())
        .filter(|_| source.word(0) == Some("template"))
        .ok_or_else(|| Unknown("the function is not a template".into()))?;
    let declared = source.expression(2..end).arguments();
    if declared.len() != arguments.len() || source.word(end + 1) == Some("template") {
        return Err(Unknown("the compiler deduces template arguments".into()));
    }
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (parameter, argument) in declared.iter().zip(arguments) {
        let words = parameter
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Word);
        let words: Vec<&str> = words.map(|token| token.text(returns)).collect();
        let is_plain = parameter.tokens.len() == words.len() && words.len() == 2;
        let Some(name) = words.last().filter(|_| is_plain) else {
            return Err(Unknown(
                "a template parameter is not a plain type or value".into(),
            ));
        };
        names.push((name, argument));
    }
    let filled = |text: &str| -> Box<str> {
        let source = Source::new(text, 0);
        let words = source.tokens.iter().map(|token| {
            let word = token.text(text);
            let named = names.iter().find(|(name, _)| *name == word);
            named.map_or(word, |(_, argument)| argument)
        });
        words.collect::<Vec<_>>().join(" ").into()
    };
    let rest = source.expression(end + 1..source.tokens.len()).spaced();
    Ok(Instance {
        returns: filled(&rest),
        parameters: parameters.iter().map(|text| filled(text)).collect(),
    })
}
