//! Installations and libraries around PyTorch.

use super::{devices, names};
use crate::kind::Kind;

/// PyTorch is installed and has no such module.
pub(super) static MISSING_IN_TORCH: Kind = Kind {
    id: "missing-module",
    titles: &["The installed PyTorch has no module {module}"],
    causes: &[
        "The code was written for another release of PyTorch. Or it is the module of a device that a \
         backend outside PyTorch registers, and the package of that backend is not imported.",
    ],
    advice: &[
        "Install the release that the code was written for.",
        "If it is named after a device: import the package of the backend first. Who writes the backend \
         registers the module with `torch._register_device_module`.",
        "If a file `torch.py` or a folder `torch` is next to the program: rename it, since it hides PyTorch.",
    ],
    misleads: &[
        "No package to install has this name: the module is part of PyTorch or of a backend.",
    ],
    ..Kind::OTHER
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "missing-module",
        titles: &["Python finds no module {module}"],
        patterns: &["no module named '{module}'", "no module named {module}"],
        refine: |reading| {
            let module = reading.part("module").unwrap_or_default().to_owned();
            let Some(name) = module.strip_prefix("torch.") else {
                return;
            };
            match names::is_outside(name) {
                true => devices::without_backend(reading, name),
                false => reading.choose(&MISSING_IN_TORCH),
            }
        },
        causes: &[
            "The package is not installed in this environment. While pip builds a package, it uses an isolated environment, without your torch.",
        ],
        advice: &[
            "Install it with `python -m pip install`, in the environment that runs the program.",
            "If a package that needs torch is being built: install torch first, then add \
             `--no-build-isolation`, or take a prebuilt wheel.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "shared-library",
        titles: &["A shared library is missing"],
        patterns: &[
            "{library}: cannot open shared object file",
            "dll load failed while importing {module}",
            "error loading \"{library}\" or one of its dependencies",
            "library not loaded: {library}",
            "version 'glibcxx_{version}' not found",
            "version 'glibc_{version}' not found",
        ],
        causes: &[
            "The dynamic linker does not find `{library}`",
            "The dynamic linker does not find a library that this one needs.",
        ],
        advice: &[
            "Install builds for the same CUDA version, and import torch before the extension.",
            "On Windows: install the Visual C++ redistributable.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "numpy-version",
        titles: &["A package was built for another version of NumPy"],
        patterns: &[
            "a module that was compiled using numpy 1.x cannot be run in numpy 2",
            "numpy is not available",
            "numpy.dtype size changed, may indicate binary incompatibility",
            "numpy.core.multiarray failed to import",
        ],
        causes: &["NumPy 2 changed its binary interface."],
        advice: &["Install `numpy<2`, or a newer release of the package."],
        ..Kind::OTHER
    },
    Kind {
        id: "no-package",
        titles: &["pip finds no fitting package"],
        patterns: &[
            "no matching distribution found for {module}",
            "could not find a version that satisfies the requirement {module}",
        ],
        causes: &["There is no build for this version of Python, this system or this index."],
        advice: &[
            "Use a Python version that the release supports, and the index of the selector on pytorch.org.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "import-name",
        titles: &["A package expects another version of the package that it imports from"],
        patterns: &["cannot import name '{name}' from"],
        causes: &["The name does not exist in the installed version."],
        advice: &["Install versions of the two packages that belong together."],
        ..Kind::OTHER
    },
    Kind {
        id: "data-loader",
        titles: &["A worker of the data loader failed"],
        patterns: &[
            "dataloader worker (pid {text}) is killed",
            "dataloader worker (pid(s) {text}) exited unexpectedly",
            "unable to open shared memory object",
        ],
        causes: &["Most often shared memory or memory is exhausted, or the dataset raises."],
        advice: &[
            "Run with `num_workers=0` to see the error; in a container, enlarge `/dev/shm` (`--shm-size`).",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "data-loader",
        titles: &["The process has too many open files"],
        patterns: &["too many open files"],
        causes: &[
            "Workers of a data loader pass each tensor as an open file, and the limit of the system is \
             reached. Or the program leaves files open.",
        ],
        advice: &[
            "Raise the limit (`ulimit -n`), or call \
             `torch.multiprocessing.set_sharing_strategy('file_system')`.",
            "Do not keep tensors of workers in lists: copy them, or keep numbers.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "internal-assert",
        titles: &["PyTorch found a fault in itself"],
        patterns: &["internal assert failed at"],
        causes: &["A check inside PyTorch failed. The message asks to report it."],
        advice: &["Search PyTorch's issues for the file and the line, and try the newest release."],
        ..Kind::OTHER
    },
];
