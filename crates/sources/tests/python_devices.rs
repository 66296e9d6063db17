//! Keys, devices, described decorators and bounds of registrations in Python.

mod common;

use common::{check_paths, check_paths_with};
use opatlas_sources::Macros;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    common::check("a.py", text, expected);
}

#[test]
fn keys_that_the_text_does_not_decide() {
    check(
        r#"
import torch
lib = torch.library.Library("aten", "IMPL")
KEY = "PrivateUse1" if torch.npu.is_available() else "CUDA"
lib.impl("a", f, KEY)
if torch.cuda.is_available():
    OTHER = "CUDA"
else:
    OTHER = "XPU"
lib.impl("b", f, OTHER)
def load(device, enabled=True):
    lib.impl("c", f, device.upper())
    lib.impl("d", f, "CPU" if enabled else "XPU")
load(device)
own = torch.library.Library("aten", "IMPL", KEY)
own.impl("e", f)
FLAG = None
LAST = FLAG or "Meta"
lib.impl("g", f, LAST)
"#,
        &[
            "5:1 impl aten::a kernel=f why=the dispatch key is `PrivateUse1` or `CUDA`",
            "10:1 impl aten::b kernel=f why=the dispatch key is `CUDA` or `XPU`",
            "12:5 impl aten::c kernel=f if=in function load why=the dispatch key is `device.upper()`",
            "13:5 impl aten::d key=CPU kernel=f if=in function load",
            "16:1 impl aten::e kernel=f why=the dispatch key is `PrivateUse1` or `CUDA`",
            "19:1 impl aten::g key=Meta kernel=f",
        ],
    );
}

#[test]
fn devices_with_the_name_of_privateuse1() {
    let kernel = "import torch\ntorch.library.register_kernel(\"acme::f\", \"spyre\", f)\n";
    check_paths(
        &[
            ("a.py", kernel),
            (
                "b.py",
                "torch.utils.rename_privateuse1_backend(\"spyre\")\n",
            ),
        ],
        &["a.py acme::f at PrivateUse1"],
    );
    check_paths(
        &[
            ("a.py", kernel),
            (
                "b.cpp",
                "void f() { c10::register_privateuse1_backend(\"spyre\"); }\n",
            ),
        ],
        &["a.py acme::f at PrivateUse1"],
    );
    check_paths(
        &[("a.py", kernel)],
        &[
            "a.py acme::f: a process decides the dispatch key of device `spyre`: no scanned file \
           gives PrivateUse1 this name",
        ],
    );
}

#[test]
fn decorators_that_are_described() {
    let mut macros = Macros::built_in();
    let described = "[[decorator]]\nname = \"register\"\nimpl = \"{op}\"\nkey = \"PrivateUse1\"\n\
                     [[decorator]]\nname = \"ops.kernel\"\nparameters = [\"op\", \"key\"]\n\
                     impl = \"acme::{op}\"\nkey = \"{key}\"\n";
    macros.add_text(described).unwrap();
    let text = "def register(op):\n    \
                def wrap(fn):\n        \
                lib.impl(op, fn, \"PrivateUse1\")\n        \
                return fn\n    \
                return wrap\n\
                @register(\"abs\")\n\
                def abs(x): ...\n\
                @register([\"add.Tensor\", torch.ops.aten.mul.Tensor])\n\
                def both(x): ...\n\
                @ops.kernel(\"f\", key=\"XPU\")\n\
                def f(x): ...\n\
                @register(name)\n\
                def g(x): ...\n\
                atexit.register(\"abs\")\n";
    check_paths_with(
        &[("a.py", text)],
        &macros,
        &[
            "a.py aten::abs at PrivateUse1",
            "a.py aten::add.Tensor at PrivateUse1",
            "a.py aten::mul.Tensor at PrivateUse1",
            "a.py acme::f at XPU",
            "a.py ?::?: an argument of `register(name)` is not a text",
        ],
    );
}

#[test]
fn operators_of_the_first_custom_op_functions() {
    check(
        r#"
import torch
@torch._custom_op.impl.custom_op("acme::f")
def f(x): ...
@f.impl_abstract()
def f_meta(x): ...
@f.impl(["cpu", "cuda"])
def f_device(x): ...
@torch._library.triton.triton_op("acme::g", mutates_args=())
def g(x): ...
"#,
        &[
            "3:2 def acme::f",
            "5:2 impl acme::f key=Meta kernel=f_meta",
            "7:2 impl acme::f key=CPU kernel=f_device",
            "7:2 impl acme::f key=CUDA kernel=f_device",
            "9:2 def acme::g key=CompositeExplicitAutograd kernel=g",
        ],
    );
}

#[test]
fn evaluation_is_bounded() {
    let mut text =
        "import torch\nlib = torch.library.Library(\"aten\", \"IMPL\")\nx0 = \"a\"\n".to_owned();
    for index in 1..200 {
        let before = index - 1;
        text += &format!("x{index} = x{before} + x{before}\n");
    }
    text += "lib.impl(x199, f, \"CPU\")\n";
    for level in 0..12 {
        let indent = "    ".repeat(level);
        text += &format!(
            "{indent}for n{level} in [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\"]:\n"
        );
    }
    let indent = "    ".repeat(12);
    let names: String = (0..12).map(|level| format!("{{n{level}}}")).collect();
    text += &format!("{indent}lib.impl(f\"{names}\", f, \"CPU\")\n");
    text += "def f(x):\n    return f(f(x))\nlib.impl(f(\"a\"), f, \"CPU\")\n";
    let found = common::scanned("a.py", &text).registrations;
    assert!(found.len() < 30_000, "{}", found.len());
    let unresolved = found.iter().filter(|row| row.unresolved.is_some()).count();
    assert!(unresolved >= 3, "{unresolved}");
}

#[test]
fn classes_and_modules_may_depend_on_themselves() {
    check_paths(
        &[
            (
                "a.py",
                "from b import *\nfrom b import lib\nclass A(B): pass\nlib.impl(\"x\", f, A.key)\n",
            ),
            (
                "b.py",
                "from a import *\nfrom a import lib\nclass B(A): pass\nx = x\ny = [y for y in y]\n",
            ),
        ],
        &["a.py ?::x: `lib` is not a library that this file makes"],
    );
}
