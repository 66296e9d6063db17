//! Extensions, compiled packages and saved models that do not load.

use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

const LOAD: Kind = Kind {
    way: Way::Load,
    ..Kind::ERROR
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "aoti-missing-shim",
        titles: &["The C interface for compiled models has no function for {op} in this release"],
        patterns: &[
            "'aoti_torch_{shim}' was not declared in this scope",
            "use of undeclared identifier 'aoti_torch_{shim}'",
            "'aoti_torch_{shim}': identifier not found",
            "undefined symbol: aoti_torch_{shim}",
            "undefined reference to 'aoti_torch_{shim}'",
            "symbol not found in flat namespace '_aoti_torch_{shim}'",
        ],
        way: Way::Aoti,
        asks: Asks::Shim,
        refine: shim,
        causes: &[
            "Models that AOTInductor compiles call PyTorch through a C shim with one function for each \
             operator. The header or the library of this release lacks this function.",
        ],
        advice: &[
            "Compile and run the model with the same release of PyTorch.",
            "Avoid the operator in the model, or run it outside the compiled part.",
        ],
        misleads: &["A function that the C++ compiler suggests is another operator."],
        ..LOAD
    },
    Kind {
        id: "aoti-shim-changed",
        titles: &["A change breaks the C interface for compiled models"],
        patterns: &[
            "the generated aotinductor c shim header files have unexpectedly changed",
            "bc-breaking {text} c shim",
            "fallback operator abi backward compatibility breakage",
        ],
        way: Way::Aoti,
        causes: &[
            "The headers of the C shim differ from those in the repository. Compiled models depend on each \
             function and its parameters.",
        ],
        advice: &[
            "If you added an operator to `inductor_fallback_ops`: run \
             `python torchgen/gen.py --update-aoti-c-shim`.",
            "If you added an argument with a default: declare a new version in \
             `torchgen/aoti/fallback_ops.py`, then run the same command.",
            "To see which functions change: `opatlas compare BASE HEAD`.",
        ],
        ..LOAD
    },
    Kind {
        id: "aoti-proxy-warning",
        titles: &[
            "The compiled model calls {op} by its name, because the C shim has no function for it; nothing failed",
        ],
        patterns: &["{op} is missing a c-shim implementation"],
        severity: crate::Severity::Warning,
        way: Way::Aoti,
        causes: &["Such calls go through a slower executor, which takes any operator."],
        advice: &["This is a warning: the results are right, only slower."],
        ..LOAD
    },
    Kind {
        id: "aoti-run-failed",
        titles: &["A compiled model failed; the message does not say why"],
        patterns: &[
            "api call failed at {text}model_container_runner",
            "error in dlopen: {text}",
        ],
        severity: crate::Severity::Wrapper,
        way: Way::Aoti,
        causes: &["The first error is printed before this one."],
        advice: &["Look at the lines before. Load the model with the release that compiled it."],
        ..LOAD
    },
    Kind {
        id: "build-mismatch",
        titles: &["Two packages were built for different versions of torch or CUDA"],
        patterns: &[
            "couldn't load custom c++ ops",
            "were compiled with different cuda major versions",
            "failed to load image python extension",
        ],
        causes: &[
            "torchvision, torchaudio or another extension does not belong to the installed torch.",
        ],
        advice: &["Install all of them from the same index, in versions that belong together."],
        ..LOAD
    },
    Kind {
        id: "undefined-symbol",
        titles: &[
            "An extension was built for another release of PyTorch: {op} has another C++ type there",
            "An extension was built for another release of PyTorch or CUDA",
        ],
        patterns: &[
            "undefined symbol: {symbol}",
            "symbol not found in flat namespace '{symbol}'",
            "symbol not found: {symbol}",
            "undefined reference to '{symbol}(",
            "undefined reference to '{symbol}'",
            "unresolved external symbol {symbol}",
            "undefined symbols for architecture {word}: \"{symbol}(",
        ],
        refine: symbol,
        causes: &[
            "The name contains the C++ types. The extension passes {types}, and the PyTorch that loads it has \
             this operator with another type.",
            "The name of a C++ function contains its types. The extension expects a function that the PyTorch \
             which loads it does not have.",
        ],
        advice: &[
            "Rebuild the extension with the PyTorch that you run: \
             `pip install --no-build-isolation --no-cache-dir --force-reinstall PACKAGE`.",
            "Or install the release of PyTorch that the extension was built for.",
        ],
        misleads: &[
            "In a C++ name, `_` stands for the dot before the overload {overload}. The operator itself \
             exists.",
            "The operator {op} itself exists.",
        ],
        ..LOAD
    },
    Kind {
        id: "unknown-builtin-op",
        titles: &["The model uses {op}, which the PyTorch that loads it does not have"],
        patterns: &[
            "unknown builtin op: {op}",
            "could not find any similar ops to {op}. this op may not exist",
            "couldn't find an operator for {schema}(",
            "couldn't find operator: {op}",
            "following ops cannot be found{schema}",
            "tried to find operator {op}",
        ],
        asks: Asks::Exists,
        refine: |reading| {
            super::dispatcher::first_named(reading);
            if reading
                .operator
                .as_deref()
                .is_some_and(|name| name.contains("::"))
            {
                reading.asks = Asks::Nothing;
                reading.know("library", "library");
            }
        },
        causes: &[
            "The operator belongs to a {library} of its own, which is not loaded.",
            "The model was saved by a newer release than the one that loads it, or the operator was removed.",
        ],
        advice: &[
            "Import the {library} (`import torchvision`, for example) before loading the model; in C++, link it.",
            "Load the model with the release that saved it, or a newer one. This includes libtorch.",
            "Or save it again with the release that loads it.",
        ],
        misleads: &["A private operator that the message suggests does something else."],
        ..LOAD
    },
    Kind {
        id: "jit-arguments",
        titles: &["TorchScript finds no overload of {op} for these arguments"],
        patterns: &[
            "arguments for call are not valid. the following variants are available: {schema}:",
            "arguments for call are not valid. the following variants are available: {schema}(",
        ],
        refine: super::dispatcher::schema,
        causes: &["The saved call or the script passes other arguments than any overload takes."],
        advice: &[
            "If it happens at `torch.jit.load`: load the model with the release that saved it, or save it again.",
            "If it happens at `torch.jit.script`: annotate the types (`Optional[Tensor]`, `List[int]`).",
        ],
        ..LOAD
    },
    Kind {
        id: "executorch-missing-kernel",
        titles: &["The ExecuTorch program uses {op}, and the app does not contain its kernel"],
        patterns: &[
            "missing operator: [{number}] {op}",
            "missing operator: {op}",
            "kernel '{op}' not found",
        ],
        causes: &[
            "The library with the kernel is not linked, or the linker dropped it because nothing refers to it.",
        ],
        advice: &[
            "Link the portable or the optimized kernel library with `--whole-archive` (`-force_load` on Apple \
             platforms).",
            "If you build with a selection of operators: add {op} to it.",
        ],
        misleads: &["The kernel exists; it is a matter of the linker."],
        ..LOAD
    },
    Kind {
        id: "weights-only",
        titles: &["`torch.load` cannot read the file: its bytes are not what `torch.save` writes"],
        patterns: &["weightsunpickler error: unsupported operand {number}"],
        causes: &[
            "The file has another format (safetensors, a web page, an old or a cut download), or it was \
             pickled with another protocol than `torch.save` uses by default.",
        ],
        advice: &[
            "Look at the first bytes and the size of the file, and fetch it again.",
            "If you wrote it with `pickle_protocol=4` or with `pickle`: write it with `torch.save(x, path)`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "weights-only",
        titles: &["`torch.load` refuses the file, because it contains more than tensors"],
        patterns: &["weights only load failed", "weightsunpickler error"],
        causes: &["From 2.6 on, `torch.load` reads only tensors and plain containers by default."],
        advice: &[
            "Allow the classes that it names: `torch.serialization.add_safe_globals([...])`.",
            "Only if you trust the file: `torch.load(path, weights_only=False)`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "state-dict",
        titles: &["The weights do not fit the model"],
        patterns: &[
            "error(s) in loading state_dict for {text}",
            "size mismatch for {text}",
        ],
        causes: &["Names or shapes in the file differ from those of the model."],
        advice: &[
            "Make the model with the configuration that the weights were saved with; strip `module.` from the names after `DataParallel`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "broken-file",
        titles: &["The file is not a whole PyTorch archive"],
        patterns: &[
            "pytorchstreamreader failed",
            "invalid magic number; corrupt file",
            "failed finding central directory",
            "unexpected pos",
        ],
        causes: &["The download was cut, or the file has another format."],
        advice: &["Fetch the file again and compare its size. With Git LFS: `git lfs pull`."],
        ..Kind::OTHER
    },
];

/// Reads the operator and the device of a shim function: `cpu_normal_functional`.
fn shim(reading: &mut Reading<'_>) {
    let Some(function) = reading.part("shim") else {
        return;
    };
    let devices = ["cpu_", "cuda_", "mps_", "xpu_", "aten_"];
    let name = devices
        .iter()
        .find_map(|device| function.strip_prefix(device));
    reading.operator = name::written(name.unwrap_or(function).trim_end_matches("_v2"));
}

/// Reads the operator and the types of a C++ symbol.
fn symbol(reading: &mut Reading<'_>) {
    let Some(symbol) = reading.part("symbol") else {
        return;
    };
    if symbol.starts_with("at::") {
        reading.operator = name::operator(symbol);
        return;
    }
    reading.operator = name::mangled(symbol);
    let arguments = symbol
        .split_once("call")
        .or_else(|| symbol.split_once("redispatch"));
    let arguments = arguments.map_or("", |(_, arguments)| arguments);
    let types = [
        ("St8optional", "`std::optional`, which newer releases have"),
        (
            "N3c108optional",
            "`c10::optional`, which older releases have",
        ),
        ("SymInt", "`c10::SymInt`"),
    ];
    let of_types = types.iter().find(|(part, _)| arguments.contains(part));
    let plain = arguments.trim_start_matches(|char: char| char != 'l');
    if let Some((_, words)) = of_types {
        reading.know("types", words);
    } else if !plain.is_empty() && !arguments.contains("ArrayRef") {
        reading.know("types", "`int64_t`");
    }
}
