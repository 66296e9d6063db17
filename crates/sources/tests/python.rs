//! Every Python registration idiom (`docs/spec/sources.md`, section 1).

mod common;

use opatlas_sources::{File, Macros, scan};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    common::check("a.py", text, expected);
}

#[test]
fn methods_of_a_library() {
    check(
        r#"
import torch
LIB = torch.library.Library("acme", "DEF")
IMPL = torch.library.Library("aten", "IMPL", "XPU")
LIB.define("f(Tensor x) -> Tensor")
LIB.define("g("
           "Tensor x) -> Tensor", tags=())
LIB.impl("f", f_cuda, "CUDA")
LIB.impl("f", f_any)
IMPL.impl("aten::add.Tensor", lambda x: x)
IMPL.impl(torch.ops.aten.mul.Tensor, mul)
IMPL.impl("sub", torch.library.fallthrough_kernel, "AutogradXPU")
torch.library.Library("_", "IMPL", "XPU").fallback(run_on_cpu)
with torch.library._scoped_library("aten", "IMPL") as lib:
    lib.impl("neg", neg, dispatch_key="Meta")
"#,
        &[
            "5:1 def acme::f schema=f(Tensor x) -> Tensor",
            "6:1 def acme::g schema=g(Tensor x) -> Tensor",
            "8:1 impl acme::f key=CUDA kernel=f_cuda",
            "9:1 impl acme::f key=CompositeImplicitAutograd kernel=f_any",
            "10:1 impl aten::add.Tensor key=XPU kernel=lambda",
            "11:1 impl aten::mul.Tensor key=XPU kernel=mul",
            "12:1 impl aten::sub key=AutogradXPU fallthrough",
            "13:1 fallback _::? key=XPU kernel=run_on_cpu",
            "15:5 impl aten::neg key=Meta kernel=neg",
        ],
    );
}

#[test]
fn decorators_of_torch_library() {
    check(
        r#"
import torch
from torch.library import Library, impl, custom_op as op
lib = Library("acme", "FRAGMENT")

@impl(lib, "f", "XLA")
def f_xla(x): ...

@torch.library.impl("acme::f", ("cpu", "cuda"))
def f_both(x): ...

@torch.library.impl("acme::f", "default")
def f_default(x): ...

@torch.library.impl("acme::f", "npu")
def f_npu(x): ...

@torch.library.register_fake("acme::f")
def f_fake(x): ...

torch.library.register_kernel("aten::upsample", "xla", decomposed)
torch.library.define("acme::h", "(Tensor x) -> Tensor")
torch.library.impl(lib, "h", "CPU")(h_cpu)
torch.library.register_autocast("acme::h", "cuda", torch.float16)
"#,
        &[
            "6:2 impl acme::f key=XLA kernel=f_xla",
            "9:2 impl acme::f key=CPU kernel=f_both",
            "9:2 impl acme::f key=CUDA kernel=f_both",
            "12:2 impl acme::f key=CompositeExplicitAutograd kernel=f_default",
            "15:2 impl acme::f kernel=f_npu why=a process decides the dispatch key of device `npu`: no scanned file gives \
             PrivateUse1 this name",
            "18:2 impl acme::f key=Meta kernel=f_fake",
            "21:1 impl aten::upsample key=XLA kernel=decomposed",
            "22:1 def acme::h schema=h(Tensor x) -> Tensor",
            "23:1 impl acme::h key=CPU kernel=h_cpu",
            "24:1 impl acme::h key=AutocastCUDA",
        ],
    );
}

#[test]
fn custom_operators() {
    check(
        r#"
from torch.library import custom_op

@custom_op("acme::f", mutates_args=())
def f(x): ...

@f.register_fake
def _(x): ...

@f.register_kernel("cuda")
def f_cuda(x): ...

f.register_autograd(backward, setup_context=setup)

@custom_op("acme::g", mutates_args=(), device_types=["cpu", "cuda"], schema="(Tensor x) -> Tensor")
def g(x): ...
"#,
        &[
            "4:2 def acme::f key=CompositeExplicitAutograd kernel=f",
            "7:2 impl acme::f key=Meta kernel=_",
            "10:2 impl acme::f key=CUDA kernel=f_cuda",
            "13:1 impl acme::f key=Autograd kernel=backward",
            "15:2 def acme::g key=CPU kernel=g schema=g(Tensor x) -> Tensor",
            "15:2 impl acme::g key=CUDA kernel=g",
        ],
    );
}

#[test]
fn tables_of_python() {
    check(
        r#"
aten = torch.ops.aten

@register_meta(aten.add.Tensor)
def meta_add(x): ...

@register_decomposition([aten.mul.Tensor, aten.sub])
def decomposed(x): ...

@aten.neg.default.py_impl(DispatchKey.XLA)
def neg(x): ...

@while_loop_op.py_impl(DispatchKey.XLA)
def while_loop(x): ...
"#,
        &[
            "4:2 impl aten::add.Tensor key=Meta kernel=meta_add",
            "7:2 impl aten::mul.Tensor kernel=decomposed",
            "7:2 impl aten::sub kernel=decomposed why=`aten::sub` stands for all of its overloads",
            "10:2 impl aten::neg key=XLA kernel=neg",
            "13:2 impl ?::? key=XLA kernel=while_loop why=the operator's name is the variable `while_loop_op`",
        ],
    );
}

#[test]
fn loops_constants_and_what_is_computed() {
    check(
        r#"
lib = torch.library.Library("aten", "IMPL")
NAMES = ["a", "b.out"]
KEY = "XPU"
for name in NAMES:
    lib.impl(name, f, KEY)
for name in ("c", "d"):
    if enabled:
        lib.impl(name, f, "CPU")
for name in read_names():
    lib.impl(name, f, "CPU")
lib.impl(f"e{bits}", f, "CPU")
lib.impl("g", f, key_of(device))
"#,
        &[
            "6:5 impl aten::a key=XPU kernel=f",
            "6:5 impl aten::b.out key=XPU kernel=f",
            "9:9 impl aten::c key=CPU kernel=f if=if enabled",
            "9:9 impl aten::d key=CPU kernel=f if=if enabled",
            "11:5 impl aten::? key=CPU kernel=f why=the operator's name is the variable `name`: a loop \
             goes through `read_names()`",
            "12:1 impl aten::? key=CPU kernel=f why=the operator is computed: `f\"e{bits}\"`",
            "13:1 impl aten::g kernel=f why=the dispatch key is `key_of(device)`",
        ],
    );
}

#[test]
fn libraries_of_other_files() {
    let files = [
        ("a.py", "XLA_LIB = Library(\"xla\", \"DEF\")\n"),
        (
            "b.py",
            "from a import XLA_LIB\nXLA_LIB.define(\"f() -> ()\")\n",
        ),
        ("c.py", "lib.define(\"g() -> ()\")\n"),
        ("d.py", "lib = Library(\"one\", \"DEF\")\n"),
        ("e.py", "lib = Library(\"two\", \"DEF\")\n"),
    ];
    let files = files.map(|(path, text)| File {
        path,
        bytes: text.as_bytes(),
    });
    let found = scan(&files, &Macros::built_in()).registrations;
    let shown: Vec<_> = found
        .iter()
        .map(|row| {
            (
                row.file,
                row.namespace.as_deref(),
                row.unresolved.as_deref(),
            )
        })
        .collect();
    let unknown = "`lib` is not a library that this file makes";
    assert_eq!(shown, [(1, Some("xla"), None), (2, None, Some(unknown))]);
}

#[test]
fn other_methods_of_the_same_name_register_nothing() {
    check(
        "import torch.library\nparser.define(\"x\")\nthing.impl(\"a\", 1)\nimpl(a, b)\n",
        &[],
    );
}
