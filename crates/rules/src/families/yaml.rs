//! YAML and the shape of the file. All of it is reported while reading (`syntax::yaml`,
//! `model::file`, `model::lower`).

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const LOADER: &str = "torchgen/gen.py: LineLoader over yaml.CSafeLoader";
const MAPPINGS: &str = "torchgen/yaml_utils.py: YamlLoader.construct_mapping";
const ENTRIES: &str = "torchgen/gen.py: parse_native_yaml_struct";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n",
);

const fn yaml(id: RuleId, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Yaml,
        severity: Severity::Error,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: LOADER,
    }
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "The text is not well-formed YAML 1.1 as libyaml reads it: a tab used to indent, a \
               plain value that begins with an indicator such as `%` or `@` or holds `: `, a quote \
               or bracket that is never closed, an indentation that fits no level.",
        why: "The generator loads the whole file before it looks at any entry, so one such place \
              stops everything. Entries before and after it are still checked here.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n\tvariants: function, method\n",
        ),
        ..yaml(RuleId::YamlSyntax, Stage::Yaml)
    },
    Rule {
        what: "The bytes are not UTF-8, or hold a character that YAML does not allow: NUL and \
               other control characters, a byte order mark that is not at the very beginning.",
        why: "The file is opened as UTF-8 text and the YAML reader refuses such characters \
              anywhere, comments included.",
        bad: Example::native("- func: scale(Tensor self, float factor) -> Tensor # bell: \u{7}\n"),
        source: "torchgen/gen.py: parse_native_yaml (open), libyaml's reader",
        ..yaml(RuleId::YamlEncoding, Stage::Yaml)
    },
    Rule {
        what: "The file holds a second YAML document, begun by another `---`.",
        why: "Only one document is loaded; a second one is refused rather than ignored.",
        bad: Example::native(
            "---\n- func: scale(Tensor self, float factor) -> Tensor\n---\n- func: shift(Tensor self, float by) -> Tensor\n",
        ),
        good: Example::native(
            "---\n- func: scale(Tensor self, float factor) -> Tensor\n- func: shift(Tensor self, float by) -> Tensor\n",
        ),
        ..yaml(RuleId::YamlSingleDocument, Stage::Yaml)
    },
    Rule {
        what: "A mapping gives the same key twice: a field of an entry, a key of `dispatch`, a \
               loop of `ufunc_inner_loop`. Quoting does not make keys differ.",
        why: "PyTorch's loader refuses this, since YAML would silently keep only the last value.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function\n  \"variants\": method\n",
        ),
        source: MAPPINGS,
        ..yaml(RuleId::YamlDuplicateKey, Stage::Yaml)
    },
    Rule {
        what: "A merge key (`<<`) or a plain `=` is used.",
        why: "YAML 1.1 gives both a type of their own, which the safe loader cannot construct once \
              the check for repeated keys asks for it. Write the merged fields out.",
        bad: Example::native(
            "- &base\n  func: scale(Tensor self, float factor) -> Tensor\n- <<: *base\n  func: shift(Tensor self, float by) -> Tensor\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: shift(Tensor self, float by) -> Tensor\n",
        ),
        source: MAPPINGS,
        ..yaml(RuleId::YamlMergeKey, Stage::Yaml)
    },
    Rule {
        what: "A value carries a YAML tag that the safe loader does not know, that does not fit \
               the value, or that makes a Python object which no field takes (`!!set`, `!!omap`, \
               `!!binary`).",
        why: "Only the standard tags of plain data can be loaded; no field needs one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: !variants function\n",
        ),
        ..yaml(RuleId::YamlTag, Stage::Yaml)
    },
    Rule {
        what: "A list or a mapping is used as a key.",
        why: "Keys become keys of a Python dictionary, which must be plain values.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    ? [CPU, CUDA]\n    : scale_kernel\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  dispatch:\n    CPU, CUDA: scale_kernel\n  autogen: scale.out\n",
        ),
        source: MAPPINGS,
        ..yaml(RuleId::YamlUnhashableKey, Stage::Yaml)
    },
    Rule {
        what: "An alias (`*name`) has no anchor (`&name`) before it, or an anchor is set twice. \
               Aliases as such are fine: two entries may share one `dispatch` mapping.",
        why: "An unknown alias cannot be loaded. Text that begins with `*` or `&` must be quoted.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: *everything\n",
        ),
        ..yaml(RuleId::YamlAlias, Stage::Yaml)
    },
    Rule {
        what: "The file is not a list: it is empty, a mapping or a single value.",
        why: "The generator walks over a list of entries. A file without operators is `[]`.",
        bad: Example::native("func: scale(Tensor self, float factor) -> Tensor\n"),
        source: ENTRIES,
        ..yaml(RuleId::YamlRootList, Stage::Yaml)
    },
    Rule {
        what: "An item of the list is not a mapping of fields.",
        why: "Every item declares one operator by its fields, of which `func` is the first.",
        bad: Example::native("- scale(Tensor self, float factor) -> Tensor\n"),
        source: ENTRIES,
        ..yaml(RuleId::YamlEntryMapping, Stage::Yaml)
    },
    Rule {
        severity: Severity::Warning,
        what: "A mapping gives a value for `__line__`.",
        why: "The loader notes the line number of every mapping under this key, so the value given \
              is lost without a word.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n  __line__: 7\n",
        ),
        ..yaml(RuleId::YamlLineKey, Stage::Convention)
    },
    Rule {
        what: "A plain value looks like a date or number of YAML 1.1 but is none, such as the \
               thirteenth month of a year.",
        why: "YAML decides the type of a plain value by its look, before any field is read, and \
              the loader then fails to construct it. Quote what is meant as text.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  category_override: 2001-13-01\n",
        ),
        ..yaml(RuleId::YamlPlainScalarTypes, Stage::Yaml)
    },
    Rule {
        what: "The file goes beyond a bound of this program: collections nested more than a hundred \
               deep, more than four million YAML events, more than a gigabyte of text.",
        why: "PyTorch has no such bounds but comes nowhere near them. They keep the time and \
              memory for reading any input within limits.",
        bad: Example::native(
            "- func: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
        ),
        source: "none: a bound of this program",
        ..yaml(RuleId::YamlLimit, Stage::Yaml)
    },
    Rule {
        what: "An entry has no `func`, or an empty one. Field names are case-sensitive.",
        why: "`func` holds the schema; without it the entry declares nothing.",
        bad: Example::native("- variants: function, method\n"),
        source: ENTRIES,
        ..yaml(RuleId::MissingFunc, Stage::Entry)
    },
    Rule {
        what: "The value of `func` is not a string.",
        why: "`func` holds the schema as text. A list, a mapping, or a plain value that YAML takes \
              for a number or date is refused.",
        bad: Example::native("- func: [scale, Tensor, float]\n"),
        source: "torchgen/model.py: NativeFunction.from_yaml",
        ..yaml(RuleId::FuncNotString, Stage::Entry)
    },
    Rule {
        what: "An entry has a field that does not exist.",
        why: "Whatever remains of an entry after all known fields are taken out is refused, which \
              catches misspelt fields.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variant: function, method\n",
        ),
        source: "torchgen/model.py: NativeFunction.from_yaml",
        ..yaml(RuleId::UnknownKey, Stage::Entry)
    },
];
