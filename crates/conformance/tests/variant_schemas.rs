//! Schemas of variants: those of real groups agree, and the advice for variants whose signatures differ
//! leaves files that torchgen groups.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::variants::{differences, expected};
use opatlas_pytorch::release::Release;
use opatlas_rules::Stage;
use opatlas_rules::fix::{Reading, works};
use opatlas_schema::function::{Argument, Arguments, FunctionSchema};
use opatlas_schema::parse::parse_schema;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::sentence::Piece;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

fn declared(catalogue: &Catalogue, group: &Group) -> Vec<OperatorId> {
    let is_declared = |id: &OperatorId| catalogue.operator(*id).declared().is_some();
    group.members().filter(is_declared).collect()
}

#[test]
fn variants_of_releases_have_the_expected_schemas() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for version in opatlas_conformance::versions() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            continue;
        };
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        for group in catalogue.groups.all() {
            let members = declared(&catalogue, group);
            for &a in &members {
                for &b in members.iter().filter(|b| **b != a) {
                    let (a, b) = (catalogue.operator(a), catalogue.operator(b));
                    assert_eq!(differences(a.schema(), b.schema()), []);
                    let made = expected(a.schema(), b.schema()).map(|schema| schema.to_string());
                    if made.as_deref() != Some(b.canonical()) {
                        wrong.push(format!(
                            "{version}: {}\n{made:?}\n{}",
                            a.name(),
                            b.canonical()
                        ));
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 1_000 || opatlas_conformance::versions().is_empty());
}

/// Changes of a signature that a person might make in one variant only.
const CHANGES: [fn(&FunctionSchema) -> Option<FunctionSchema>; 6] = [
    |schema| {
        changed(schema, |list, _, last| {
            list[last].name = "renamed".into();
            Some(())
        })
    },
    |schema| {
        changed(schema, |list, _, last| {
            let is_plain = list[last].default.is_none() && !list[last].is_write();
            let ty = Box::new(list[last].ty.clone());
            list[last].ty = is_plain.then_some(Type::Optional(ty))?;
            Some(())
        })
    },
    |schema| {
        changed(schema, |list, _, last| {
            let one = list[last].ty == Type::Base(BaseType::Int);
            list[last].default = one.then(|| "7".into());
            one.then_some(())
        })
    },
    |schema| {
        changed(schema, |list, positional, last| {
            list.remove(last);
            *positional -= usize::from(last < *positional);
            (last > 0).then_some(())
        })
    },
    |schema| {
        changed(schema, |_, positional, last| {
            let is_last = last + 1 == *positional && last > 0;
            *positional -= 1;
            is_last.then_some(())
        })
    },
    |schema| {
        changed(schema, |list, _, last| {
            let extra = "extra(Tensor self, *, bool extra=False) -> Tensor";
            let extra = parse_schema(extra, 0).schema?.arguments.all()[1].clone();
            list.insert(last + 1, extra);
            Some(())
        })
    },
];

/// Changes the arguments before the out arguments; the change gets the number of positional ones and
/// the index of the last argument.
fn changed(
    schema: &FunctionSchema,
    change: impl FnOnce(&mut Vec<Argument>, &mut usize, usize) -> Option<()>,
) -> Option<FunctionSchema> {
    let mut list = schema.arguments.non_out().to_vec();
    let mut positional = schema.arguments.positional().len();
    let last = list.len().checked_sub(1)?;
    if schema.arguments.tensor_options().is_some() || &*list[last].name == "self" {
        return None;
    }
    change(&mut list, &mut positional, last)?;
    let out = list.len();
    list.extend_from_slice(schema.arguments.out());
    Some(FunctionSchema {
        arguments: Arguments::new(list, positional, out),
        ..schema.clone()
    })
}

struct File {
    bundle: Bundle,
    catalogue: Catalogue,
}

impl File {
    fn new(bundle: Bundle, known: Option<&Catalogue>) -> Self {
        let catalogue = Catalogue::read(&bundle, Release::LATEST, known);
        Self { bundle, catalogue }
    }

    fn text(&self) -> &str {
        &self.catalogue.native_functions.text
    }

    fn with(&self, text: &str) -> Self {
        let mut bundle = self.bundle.clone();
        bundle.insert(NATIVE_FUNCTIONS, text.as_bytes());
        Self::new(bundle, Some(&self.catalogue))
    }

    fn errors(&self) -> Vec<Finding> {
        let found = opatlas_rules::check(&self.catalogue).into_kept();
        let errors = found.into_iter().filter(|f| f.severity == Severity::Error);
        let is_of_torchgen =
            |found: &Finding| opatlas_rules::registry::of(found.rule).stage <= Stage::Codegen;
        errors.filter(is_of_torchgen).collect()
    }
}

/// The first release's file without formulas, which a change of a schema would break too.
fn latest() -> Option<File> {
    let bundle = opatlas_conformance::release("2.15.0")?;
    let mut kept = Bundle::default();
    for name in [NATIVE_FUNCTIONS, "tags.yaml"] {
        kept.insert(name, bundle.content(name)?.clone());
    }
    Some(File::new(kept, None))
}

/// The schemas of the help before and after "or change".
fn advised(finding: &Finding) -> [Vec<String>; 2] {
    let mut schemas = [Vec::new(), Vec::new()];
    let mut side = 0;
    for piece in finding.help.iter().flat_map(|help| help.pieces()) {
        match piece {
            Piece::Text(text) if text.contains("or change") => side = 1,
            Piece::Code(code) if code.contains(") -> ") => schemas[side].push(code.to_owned()),
            Piece::Text(_) | Piece::Code(_) => {}
        }
    }
    schemas
}

fn with_schema(text: &str, schema: &str) -> String {
    let name = schema.split('(').next().unwrap();
    let start = format!("- func: {name}(");
    let at = text.find(&start).unwrap() + "- func: ".len();
    let end = at + text[at..].find('\n').unwrap();
    format!("{}{schema}{}", &text[..at], &text[end..])
}

fn subjects(catalogue: &Catalogue) -> Vec<&Operator> {
    let groups = catalogue.groups.all().iter();
    let several = groups.filter(|group| declared(catalogue, group).len() > 1);
    let members = several.flat_map(|group| declared(catalogue, group));
    let operators = members.map(|id| catalogue.operator(id));
    let is_plain = |operator: &&Operator| !operator.is_view && !operator.is_named_after_view();
    operators.filter(is_plain).step_by(23).collect()
}

#[test]
fn advice_for_variants_that_differ_is_accepted() {
    let Some(file) = latest() else { return };
    assert_eq!(file.errors(), []);
    let (mut advice, mut edits) = (0, 0);
    for (index, operator) in subjects(&file.catalogue).into_iter().enumerate() {
        let change = CHANGES[index % CHANGES.len()];
        let Some(schema) = change(operator.schema()) else {
            continue;
        };
        let changed = file.with(&with_schema(file.text(), &schema.to_string()));
        for finding in changed.errors() {
            let sides = advised(&finding);
            for schemas in sides.iter().filter(|schemas| !schemas.is_empty()) {
                let text = schemas
                    .iter()
                    .fold(changed.text().to_owned(), |text, schema| {
                        with_schema(&text, schema)
                    });
                let left = changed.with(&text).errors();
                assert_eq!(left, [], "{schema}: {schemas:#?}");
                advice += 1;
            }
            if finding.fix.is_some() {
                let before = Reading::of(&changed.catalogue);
                let read = |text: &str| Reading::of(&changed.with(text).catalogue);
                assert!(
                    works(changed.text(), &finding, &before, read),
                    "{finding:#?}"
                );
                edits += 1;
            }
        }
    }
    assert!(advice > 20 && edits > 5, "{advice} advices, {edits} edits");
}
