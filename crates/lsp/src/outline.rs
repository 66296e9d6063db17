//! Symbols and folding ranges.

use lsp_types::{DocumentSymbol, FoldingRange, Range, SymbolKind};

use super::operators::{derivative_name, of_derivative};
use super::workspace::{OpenFile, Role};
use opatlas_operators::entry::Placed;
use opatlas_source::Span;

struct Symbol {
    name: String,
    detail: Option<String>,
    kind: SymbolKind,
    whole: Span,
    named: Span,
}

/// The operators, formulas or tags that a file declares, in order.
pub(super) fn symbols(opened: OpenFile<'_>) -> Vec<DocumentSymbol> {
    all(opened)
        .into_iter()
        .filter(|symbol| !symbol.name.trim().is_empty())
        .map(|symbol| of_symbol(opened, symbol))
        .collect()
}

fn of_symbol(opened: OpenFile<'_>, symbol: Symbol) -> DocumentSymbol {
    let range = opened.document.text.range(symbol.whole.to(symbol.named));
    #[expect(deprecated, reason = "the protocol's type still has the field")]
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        range,
        selection_range: opened.document.text.range(symbol.named),
        children: None,
    }
}

pub(super) fn folding(opened: OpenFile<'_>) -> Vec<FoldingRange> {
    let ranges = all(opened).into_iter();
    let ranges = ranges.map(|symbol| opened.document.text.range(symbol.whole));
    let ranges = ranges.filter(|range| range.start.line < range.end.line);
    ranges.map(of_lines).collect()
}

fn of_lines(range: Range) -> FoldingRange {
    // An entry may end at the beginning of the next line.
    let after = u32::from(range.end.character == 0 && range.end.line > range.start.line + 1);
    FoldingRange {
        start_line: range.start.line,
        end_line: range.end.line - after,
        ..FoldingRange::default()
    }
}

fn all(opened: OpenFile<'_>) -> Vec<Symbol> {
    let catalogue = &opened.snapshot.catalogue;
    match opened.document.role {
        Role::Native => native(opened),
        Role::Tags => {
            let tags = catalogue.tags.all().iter();
            tags.map(|tag| Symbol {
                name: tag.name.to_string(),
                detail: Some(tag.description.trim().to_owned()),
                kind: SymbolKind::ENUM_MEMBER,
                whole: tag.at,
                named: tag.at,
            })
            .collect()
        }
        Role::Derivatives => {
            let Some(derivatives) = &catalogue.derivatives else {
                return Vec::new();
            };
            let entries = derivatives.entries.iter();
            entries
                .map(|entry| Symbol {
                    name: derivative_name(derivatives, entry).to_owned(),
                    detail: of_derivative(catalogue, derivatives, entry)
                        .map(|id| catalogue.operator(id).canonical().to_owned()),
                    kind: SymbolKind::FUNCTION,
                    whole: entry.span,
                    named: derivatives.span(entry.name),
                })
                .collect()
        }
        Role::Backend => backend(opened),
        Role::Deprecated => Vec::new(),
    }
}

fn native(opened: OpenFile<'_>) -> Vec<Symbol> {
    let entries = opened.snapshot.catalogue.native_functions.entries.iter();
    entries
        .filter_map(|placed| {
            let entry = &placed.entry;
            Some(Symbol {
                name: entry.name.as_ref()?.as_str().to_owned(),
                detail: (!entry.canonical.is_empty()).then(|| entry.canonical.to_string()),
                kind: SymbolKind::FUNCTION,
                whole: placed.place(entry.span),
                named: placed.place(entry.func_at),
            })
        })
        .collect()
}

fn backend(opened: OpenFile<'_>) -> Vec<Symbol> {
    let Some(file) = opened.backend() else {
        return Vec::new();
    };
    let lists: [(&str, &[Placed<Box<str>>]); 5] = [
        ("supported", &file.supported),
        ("full_codegen", &file.full_codegen),
        ("autograd", &file.autograd),
        ("ir_gen", &file.ir_gen),
        ("non_native", &file.non_native),
    ];
    let mut symbols: Vec<Symbol> = lists
        .into_iter()
        .flat_map(|(list, names)| names.iter().map(move |name| (list, name)))
        .map(|(list, name)| Symbol {
            name: name.value.to_string(),
            detail: Some(list.to_owned()),
            kind: SymbolKind::METHOD,
            whole: name.at,
            named: name.at,
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.named);
    symbols
}
