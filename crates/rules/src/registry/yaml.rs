//! YAML and the shape of the file. The parsers report these rules.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const LOADER: &str = "torchgen/gen.py: LineLoader over yaml.CSafeLoader";
const MAPPINGS: &str = "torchgen/yaml_utils.py: YamlLoader.construct_mapping";
const ENTRIES: &str = "torchgen/gen.py: parse_native_yaml_struct";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n",
);

const fn yaml(id: RuleId, stage: Stage) -> Rule {
    Rule::new(id, Family::Yaml, Severity::Error, stage, GOOD, LOADER)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "The text is not well-formed YAML 1.1 for libyaml: a tab in the indentation, a plain \
               value that starts with an indicator such as `%` or `@` or contains `: `, a quote or \
               bracket that is never closed, an inconsistent indentation.",
        why: "The generator loads the whole file first, so a single error stops everything. \
              Opatlas still checks the entries before and after it.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n\tvariants: function, method\n",
        ),
        ..yaml(RuleId::YamlSyntax, Stage::Yaml)
    },
    Rule {
        what: "The bytes are not UTF-8, or contain a character that YAML does not allow: NUL and \
               other control characters, or a byte order mark that is not at the very beginning.",
        why: "PyTorch opens the file as UTF-8 text, and its YAML reader rejects such characters \
              everywhere, including in comments.",
        bad: Example::native("- func: scale(Tensor self, float factor) -> Tensor # bell: \u{7}\n"),
        source: "torchgen/gen.py: parse_native_yaml (open), libyaml's reader",
        ..yaml(RuleId::YamlEncoding, Stage::Yaml)
    },
    Rule {
        what: "A file contains markers of a merge conflict: a line that starts with `<<<<<<<`, \
               `|||||||`, `=======` or `>>>>>>>`.",
        why: "The generator loads the whole file first and stops at the marker. Opatlas reads the \
              first of the two sides, and still checks the rest of the file.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n<<<<<<< HEAD\n  variants: function\n=======\n  variants: method\n>>>>>>> topic\n",
        ),
        ..yaml(RuleId::MergeConflict, Stage::Yaml)
    },
    Rule {
        what: "A commit deletes a file that PyTorch's code generator needs: \
               `native_functions.yaml`, `tags.yaml` or `derivatives.yaml`. Only comparisons of two \
               commits report it.",
        why: "The build of PyTorch fails. Without the file, Opatlas cannot say what changed in it.",
        bad: Example::tags("# The base has this file, and the head does not.\n"),
        good: Example::tags("- tag: core\n  desc: Models may use it.\n"),
        source: "torchgen/gen.py: main; tools/autograd/load_derivatives.py: load_derivatives",
        ..yaml(RuleId::DeletedFile, Stage::Yaml)
    },
    Rule {
        what: "The file contains a second YAML document, which starts with another `---`.",
        why: "The loader accepts a single document and rejects a second one.",
        bad: Example::native(
            "---\n- func: scale(Tensor self, float factor) -> Tensor\n---\n- func: shift(Tensor self, float by) -> Tensor\n",
        ),
        good: Example::native(
            "---\n- func: scale(Tensor self, float factor) -> Tensor\n- func: shift(Tensor self, float by) -> Tensor\n",
        ),
        ..yaml(RuleId::YamlSingleDocument, Stage::Yaml)
    },
    Rule {
        what: "A mapping contains the same key twice: a field of an entry, a key of `dispatch`, a \
               loop of `ufunc_inner_loop`. Quotes do not make keys different.",
        why: "PyTorch's loader rejects this, because YAML would silently keep only the last value.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function\n  \"variants\": method\n",
        ),
        source: MAPPINGS,
        ..yaml(RuleId::YamlDuplicateKey, Stage::Yaml)
    },
    Rule {
        what: "The file uses a merge key (`<<`) or a plain `=`.",
        why: "YAML 1.1 gives both a special type, which the safe loader cannot construct in \
              PyTorch's check for duplicate keys. Write the merged fields out.",
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
        what: "A value has a YAML tag that the safe loader does not know, that does not match the \
               value, or that creates a Python object that no field accepts (`!!set`, `!!omap`, \
               `!!binary`).",
        why: "The loader supports only the standard tags of plain data, and no field needs one.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: !variants function\n",
        ),
        ..yaml(RuleId::YamlTag, Stage::Yaml)
    },
    Rule {
        what: "A key is a list or a mapping.",
        why: "Keys become keys of a Python dictionary, which must be hashable.",
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
        what: "An alias (`*name`) has no anchor (`&name`) before it, or an anchor is defined \
               twice. Valid aliases are allowed: two entries may share one `dispatch` mapping.",
        why: "The loader rejects unknown aliases. Quote text that starts with `*` or `&`.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: *everything\n",
        ),
        ..yaml(RuleId::YamlAlias, Stage::Yaml)
    },
    Rule {
        what: "The file is not a list: it is empty, a mapping or a single value.",
        why: "The generator iterates over a list of entries. A file without operators is `[]`.",
        bad: Example::native("func: scale(Tensor self, float factor) -> Tensor\n"),
        source: ENTRIES,
        ..yaml(RuleId::YamlRootList, Stage::Yaml)
    },
    Rule {
        what: "An item of the list is not a mapping of fields.",
        why: "Each item declares one operator by its fields, starting with `func`.",
        bad: Example::native("- scale(Tensor self, float factor) -> Tensor\n"),
        source: ENTRIES,
        ..yaml(RuleId::YamlEntryMapping, Stage::Yaml)
    },
    Rule {
        severity: Severity::Warning,
        what: "A mapping sets the key `__line__`.",
        why: "The loader stores the line number of each mapping under this key and silently \
              overwrites the value.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n  __line__: 7\n",
        ),
        ..yaml(RuleId::YamlLineKey, Stage::Convention)
    },
    Rule {
        what: "A plain value looks like a YAML 1.1 date or number but is invalid, such as the \
               thirteenth month of a year.",
        why: "YAML derives the type of a plain value from its form, before PyTorch reads any \
              field, and the loader then fails to construct it. Quote text.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  category_override: 2001-13-01\n",
        ),
        ..yaml(RuleId::YamlPlainScalarTypes, Stage::Yaml)
    },
    Rule {
        what: "The file exceeds a limit of Opatlas: collections nested more than 100 levels deep, \
               more than 4 million YAML events, or more than 1 GB of text.",
        why: "PyTorch has no such limits, but its files are far below them. They bound the time \
              and memory for any input.",
        bad: Example::native(
            "- func: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
        ),
        source: "none: a limit of Opatlas",
        ..yaml(RuleId::YamlLimit, Stage::Yaml)
    },
    Rule {
        what: "An entry has no `func`, or an empty one. Field names are case-sensitive.",
        why: "`func` contains the schema; without it the entry declares nothing.",
        bad: Example::native("- variants: function, method\n"),
        source: ENTRIES,
        ..yaml(RuleId::MissingFunc, Stage::Entry)
    },
    Rule {
        what: "The value of `func` is not a string.",
        why: "`func` contains the schema as text. A list, a mapping, or a plain value that YAML \
              parses as a number or date is an error.",
        bad: Example::native("- func: [scale, Tensor, float]\n"),
        source: "torchgen/model.py: NativeFunction.from_yaml",
        ..yaml(RuleId::FuncNotString, Stage::Entry)
    },
    Rule {
        what: "An entry has an unknown field.",
        why: "torchgen rejects unknown fields, which catches misspelt names.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variant: function, method\n",
        ),
        source: "torchgen/model.py: NativeFunction.from_yaml",
        ..yaml(RuleId::UnknownKey, Stage::Entry)
    },
];
