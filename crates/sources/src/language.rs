//! Which files are sources, and in which language: by the end of their names, and for names that say
//! nothing by their contents.

use memchr::memmem;

use opatlas_source::Span;

use crate::{Fault, FaultKind, File, LARGEST_FILE};

/// The language of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C++, CUDA, HIP, MUSA and Objective-C++.
    Cpp,
    /// Python.
    Python,
}

/// What the name of a file says about its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// A source file, or a template of one.
    Source(Language),
    /// Changes to other files.
    Patch,
    /// Nothing; the contents decide.
    Unknown,
    /// A document, data, a program in another language, or a binary file.
    Other,
}

const CPP: [&str; 34] = [
    "c", "cc", "cpp", "cxx", "c++", "cp", "cppm", "ixx", "h", "hh", "hpp", "hxx", "h++", "inc",
    "inl", "ipp", "tpp", "tcc", "txx", "icc", "m", "mm", "cu", "cuh", "hip", "mu", "muh", "maca",
    "mlu", "mluh", "sycl", "dp", "ii", "cui",
];

const PYTHON: [&str; 4] = ["py", "pyi", "pyw", "pyx"];

/// Endings of templates, which follow the ending of what they make: `ops.cpp.in`.
const TEMPLATES: [&str; 11] = [
    "in", "tmpl", "tmplt", "template", "tpl", "jinja", "jinja2", "j2", "mustache", "mako", "pump",
];

/// Documents may show registrations, and programs in other languages may print them.
const OTHERS: [&str; 110] = [
    "7z",
    "a",
    "adoc",
    "asciidoc",
    "avi",
    "bash",
    "bat",
    "bazel",
    "bin",
    "bmp",
    "bz2",
    "bzl",
    "cfg",
    "class",
    "cmake",
    "conf",
    "css",
    "csv",
    "db",
    "dll",
    "dockerfile",
    "dot",
    "dylib",
    "egg",
    "eps",
    "exe",
    "expect",
    "gif",
    "go",
    "gradle",
    "groovy",
    "gz",
    "hcl",
    "htm",
    "html",
    "ico",
    "ipynb",
    "jar",
    "java",
    "jl",
    "jpeg",
    "jpg",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "less",
    "lib",
    "lock",
    "log",
    "lua",
    "md",
    "mdx",
    "metal",
    "mk",
    "mkd",
    "mov",
    "mp3",
    "mp4",
    "ninja",
    "npy",
    "npz",
    "o",
    "obj",
    "onnx",
    "org",
    "out",
    "pb",
    "pdf",
    "php",
    "pickle",
    "pkl",
    "pl",
    "png",
    "ppm",
    "ps1",
    "psd",
    "pt",
    "pth",
    "pyc",
    "r",
    "rb",
    "rs",
    "rst",
    "safetensors",
    "scala",
    "scss",
    "sh",
    "so",
    "sql",
    "sqlite",
    "svg",
    "swift",
    "tar",
    "tex",
    "tgz",
    "tiff",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "ttf",
    "txt",
    "wav",
    "webp",
    "whl",
    "woff",
    "xml",
    "xz",
];

const MORE_OTHERS: [&str; 6] = ["yaml", "yml", "zip", "zsh", "zst", "woff2"];

/// Documents whose names need no ending.
const DOCUMENTS: [&str; 12] = [
    "authors",
    "changelog",
    "changes",
    "contributing",
    "copying",
    "dockerfile",
    "history",
    "install",
    "license",
    "makefile",
    "news",
    "readme",
];

impl PathKind {
    /// What a path says.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut name = name.to_ascii_lowercase();
        while let Some((rest, ending)) = name.rsplit_once('.') {
            if !TEMPLATES.contains(&ending) {
                break;
            }
            name = rest.to_owned();
        }
        let stem = name.split('.').next().unwrap_or_default();
        let Some((_, ending)) = name.rsplit_once('.') else {
            let is_document = DOCUMENTS.contains(&stem);
            return if is_document {
                Self::Other
            } else {
                Self::Unknown
            };
        };
        match ending {
            "patch" | "diff" => Self::Patch,
            _ if CPP.contains(&ending) => Self::Source(Language::Cpp),
            _ if PYTHON.contains(&ending) => Self::Source(Language::Python),
            _ if OTHERS.contains(&ending) || MORE_OTHERS.contains(&ending) => Self::Other,
            _ if DOCUMENTS.contains(&stem) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

impl Language {
    /// The language that the name of a file gives; `None` for other files.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        match PathKind::of(path) {
            PathKind::Source(language) => Some(language),
            _ => None,
        }
    }

    /// The language of a file. If its name says nothing, a text that mentions PyTorch's libraries
    /// has one.
    #[must_use]
    pub fn of_file(file: File<'_>) -> Option<Self> {
        match PathKind::of(file.path) {
            PathKind::Source(language) => Some(language),
            PathKind::Unknown => of_contents(file.bytes),
            PathKind::Patch | PathKind::Other => None,
        }
    }
}

fn of_contents(bytes: &[u8]) -> Option<Language> {
    let has = |word: &&str| memmem::find(bytes, word.as_bytes()).is_some();
    if bytes.len() > LARGEST_FILE || memchr::memchr(0, bytes).is_some() {
        return None;
    }
    if [
        "TORCH_LIBRARY",
        "LIBRARY_IMPL(",
        "torch::Library",
        ".impl(\"",
    ]
    .iter()
    .any(has)
        && !is_python(bytes)
    {
        return Some(Language::Cpp);
    }
    let registers = ["torch.library", "Library(", "import library"];
    (registers.iter().any(has) && is_python(bytes)).then_some(Language::Python)
}

/// Whether a text imports `torch`, as a statement of Python does.
fn is_python(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.any(|line| {
        let line = line.trim_ascii();
        ["import torch", "from torch"]
            .iter()
            .any(|start| line.starts_with(start.as_bytes()))
    })
}

/// A patch that adds registrations is a fault: its lines alone are not a source.
pub(crate) fn patch(file: File<'_>, index: u32) -> Option<Fault> {
    if PathKind::of(file.path) != PathKind::Patch || file.bytes.len() > LARGEST_FILE {
        return None;
    }
    let at = u32::try_from(patched(file.bytes)?).ok()?;
    Some(Fault {
        kind: FaultKind::Patch,
        file: index,
        at: Span::at(at),
    })
}

/// The first line that a patch adds and that registers something.
fn patched(bytes: &[u8]) -> Option<usize> {
    let words = [
        ".impl(\"",
        ".def(\"",
        "TORCH_LIBRARY",
        "TORCH_SELECTIVE_",
        "torch.library",
    ];
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let is_added = line.starts_with(b"+") && !line.starts_with(b"+++");
        let mut words = words.iter();
        if is_added && words.any(|word| memmem::find(line, word.as_bytes()).is_some()) {
            return Some(start);
        }
        start += line.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_languages() {
        let cpp = "a.cpp a.CC b/x.cu a.cpp.inc a.tpp a.mu a.muh a.cpp.in a.h.jinja2 a.c++ a.mm";
        for path in cpp.split(' ') {
            assert_eq!(Language::of(path), Some(Language::Cpp), "{path}");
        }
        for path in ["a.py", "a.pyi", "a.py.in", "a.py.tmpl"] {
            assert_eq!(Language::of(path), Some(Language::Python), "{path}");
        }
        for path in [
            "a.md",
            "CMakeLists.txt",
            "README",
            "a.rst",
            "x.json.in",
            "readme.old",
        ] {
            assert_eq!(PathKind::of(path), PathKind::Other, "{path}");
        }
        for path in [
            "ops.def",
            "ops",
            "RegisterDispatchDefinitions.ini",
            "x.template",
        ] {
            assert_eq!(PathKind::of(path), PathKind::Unknown, "{path}");
        }
    }

    #[test]
    fn contents_decide_where_names_do_not() {
        let of = |text: &str| {
            Language::of_file(File {
                path: "ops.def",
                bytes: text.as_bytes(),
            })
        };
        assert_eq!(of("TORCH_LIBRARY(a, m) {}"), Some(Language::Cpp));
        assert_eq!(of("m.impl(\"abs\", f);"), Some(Language::Cpp));
        let python = "import torch\nlib = torch.library.Library('aten', 'IMPL')\n";
        assert_eq!(of(python), Some(Language::Python));
        assert_eq!(of("EXPORTS\n"), None);
        assert_eq!(of("TORCH_LIBRARY\0"), None);
    }

    #[test]
    fn patches_register_in_the_lines_that_they_add() {
        let patch = b"--- a\n+++ b\n   m.def(\"a() -> ()\");\n+  m.impl(\"a\", f);\n";
        assert_eq!(patched(patch), Some(35));
        assert_eq!(patched(b"-  m.impl(\"a\", f);\n"), None);
    }
}
