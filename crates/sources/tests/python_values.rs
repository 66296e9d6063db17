//! Registrations in Python whose names come from loops, parameters, constants and other files.

mod common;

use common::check_paths;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    common::check("a.py", text, expected);
}

#[test]
fn loops_over_tables() {
    check(
        r#"
import torch
lib = torch.library.Library("aten", "IMPL")
PAIRS = (("sin", sin_), ("cos.out", cos_))
for name, fn in PAIRS:
    lib.impl(name, fn, "PrivateUse1")
TABLE = {"exp": exp_, "log": log_}
for name, fn in TABLE.items():
    lib.impl(name, fn, "PrivateUse1")
for name in TABLE:
    lib.impl(name, TABLE[name], "CPU")
for index, name in enumerate(["a", "b"]):
    lib.impl(name, f, "CPU")
for name, key in zip(["c", "d"], ["CPU", "XPU"]):
    lib.impl(name, f, key)
for key in ("CPU", "XPU"):
    for name, _ in sorted(PAIRS):
        lib.impl(name, f, key)
[lib.impl(name, f, "Meta") for name in ("e", "f")]
for group in [["g"], ["h", "i"]]:
    for name in group:
        lib.impl(f"{name}.out", f, "XPU")
for name in "j k".split():
    lib.impl("aten::" + name, f, "XPU")
"#,
        &[
            "6:5 impl aten::sin key=PrivateUse1 kernel=sin_",
            "6:5 impl aten::cos.out key=PrivateUse1 kernel=cos_",
            "9:5 impl aten::exp key=PrivateUse1 kernel=exp_",
            "9:5 impl aten::log key=PrivateUse1 kernel=log_",
            "11:5 impl aten::exp key=CPU kernel=TABLE[name]",
            "11:5 impl aten::log key=CPU kernel=TABLE[name]",
            "13:5 impl aten::a key=CPU kernel=f",
            "13:5 impl aten::b key=CPU kernel=f",
            "15:5 impl aten::c key=CPU kernel=f",
            "15:5 impl aten::d key=XPU kernel=f",
            "18:9 impl aten::sin key=CPU kernel=f",
            "18:9 impl aten::cos.out key=CPU kernel=f",
            "18:9 impl aten::sin key=XPU kernel=f",
            "18:9 impl aten::cos.out key=XPU kernel=f",
            "19:2 impl aten::e key=Meta kernel=f",
            "19:2 impl aten::f key=Meta kernel=f",
            "22:9 impl aten::g.out key=XPU kernel=f",
            "22:9 impl aten::h.out key=XPU kernel=f",
            "22:9 impl aten::i.out key=XPU kernel=f",
            "24:5 impl aten::j key=XPU kernel=f",
            "24:5 impl aten::k key=XPU kernel=f",
        ],
    );
}

#[test]
fn lists_that_change() {
    check(
        r#"
import torch
lib = torch.library.Library("aten", "IMPL", "XPU")
NAMES = ["a"]
NAMES += ["b"]
NAMES.append("c")
for name in NAMES:
    lib.impl(name, f)
OTHERS = ["d"]
if torch.xpu.is_available():
    OTHERS.append("e")
def more():
    NAMES.append("z")
for name in OTHERS:
    lib.impl(name, f)
TABLE = {}
TABLE["g"] = g
for name, fn in TABLE.items():
    lib.impl(name, fn)
"#,
        &[
            "8:5 impl aten::a key=XPU kernel=f",
            "8:5 impl aten::b key=XPU kernel=f",
            "8:5 impl aten::c key=XPU kernel=f",
            "15:5 impl aten::d key=XPU kernel=f",
            "15:5 impl aten::? key=XPU kernel=f why=the operator's name is the variable `name`: other \
             parts of the program change `OTHERS`",
            "19:5 impl aten::g key=XPU kernel=g",
        ],
    );
}

#[test]
fn receivers_that_may_be_libraries() {
    check(
        r#"
import torch
class Registrar:
    shared = torch.library.Library("aten", "IMPL", "XPU")
    def __init__(self, lib, key):
        self.lib = lib
        self.key = key
        self._own = torch.library.Library("aten", "IMPL", "CPU")
    def load(self):
        self.lib.impl("abs", abs_, self.key)
        self._own.impl("neg", neg_)
        self.shared.impl("exp", exp_)
    @classmethod
    def all(cls):
        cls.shared.impl("log", log_)
def load(handle: torch.library.Library):
    handle.impl("sin", sin_, "CPU")
def fill(m):
    m.impl("cos", cos_, "CPU")
    m.impl(name_of(m), cos_, dispatch_key="CPU")
torch.library.Library("aten", "IMPL", "PrivateUse1").impl("ceil", ceil_)
libs = {"aten": torch.library.Library("aten", "IMPL"), "acme": torch.library.Library("acme", "DEF")}
libs["acme"].impl("f", f, "CPU")
for lib in libs.values():
    lib.impl("g", g, "CPU")
with torch.library._scoped_library("aten", "IMPL") as scoped:
    scoped.impl("h", h, "CPU")
(made := torch.library.Library("aten", "IMPL")).impl("i", f, "CPU")
getattr(made, "impl")("j", f, "CPU")
register = made.impl
register("k", f, "CPU")
registry.lib.impl("l", f, "CPU")
"#,
        &[
            "10:9 impl ?::abs kernel=abs_ if=in function load why=`self.lib` may be any \
             library: it depends on the arguments of `Registrar`, whose calls are not in the \
             scanned files",
            "11:9 impl aten::neg key=CPU kernel=neg_ if=in function load",
            "12:9 impl aten::exp key=XPU kernel=exp_ if=in function load",
            "15:9 impl aten::log key=XPU kernel=log_ if=in function all",
            "17:5 impl ?::sin key=CPU kernel=sin_ if=in function load why=`handle` may be any \
             library: it depends on the arguments of `load`, whose calls are not in the scanned \
             files",
            "19:5 impl ?::cos key=CPU kernel=cos_ if=in function fill why=`m` may be any library: \
             it depends on the arguments of `fill`, whose calls are not in the scanned files",
            "20:5 impl ?::? key=CPU kernel=cos_ if=in function fill why=`m` may be any library: \
             it depends on the arguments of `fill`, whose calls are not in the scanned files",
            "21:1 impl aten::ceil key=PrivateUse1 kernel=ceil_",
            "23:1 impl acme::f key=CPU kernel=f",
            "25:5 impl aten::g key=CPU kernel=g",
            "25:5 impl acme::g key=CPU kernel=g",
            "27:5 impl aten::h key=CPU kernel=h",
            "28:1 impl aten::i key=CPU kernel=f",
            "29:1 impl aten::j key=CPU kernel=f",
            "31:1 impl aten::k key=CPU kernel=f",
            "32:1 impl ?::l key=CPU kernel=f why=`registry.lib` is not a library that this file \
             makes",
        ],
    );
}

#[test]
fn methods_that_are_passed_on() {
    check(
        r#"
from functools import partial
import torch
lib = torch.library.Library("aten", "IMPL", "XPU")
register = partial(lib.impl, dispatch_key="CPU")
list(map(lib.impl, names, kernels))
list(map(plan.impl, names, kernels))
def decorated(op, key):
    return torch.library.impl(lib, op, key)
@decorated("abs", "CPU")
def abs_(x): ...
lib.impl(*row)
"#,
        &[
            "5:20 impl aten::? why=`lib.impl` is passed on; calls of it are not followed",
            "6:10 impl aten::? why=`lib.impl` is passed on; calls of it are not followed",
            "9:12 impl aten::abs key=CPU if=in function decorated",
            "12:1 impl aten::? why=the arguments are passed with `*` or `**`",
        ],
    );
}

#[test]
fn objects_that_are_not_libraries() {
    check(
        r#"
import torch.library
class Plan:
    def impl(self, name, fn, key):
        return name
    def define(self, schema):
        self.impl("x", None, "CPU")
    def fallback(self, fn):
        return fn
plan = Plan()
plan.impl("abs", f, "CPU")
plan.define("f() -> ()")
plan.fallback(f)
unit.define("def f(x: Tensor) -> Tensor: return x")
parser.define("x")
thing.impl("a", 1)
class Model(Base):
    def run(self, x):
        return self.fallback(x) + self.impl(x)
model.fallback(x)
registry.register_kernel("matmul", f)
stdlib.impl(1)
"#,
        &[],
    );
}

#[test]
fn registrars_of_a_project() {
    let files = [
        (
            "acme/register.py",
            "class Register:\n    \
             def __init__(self, config, unused=None, lib=None):\n        \
             self.lib = lib\n        \
             self.key = detect_key()\n        \
             self.config = config\n        \
             self.config_filter(unused)\n        \
             self.for_each()\n    \
             def config_filter(self, unused):\n        \
             self.config = [item for item in self.config if item[0] not in unused]\n    \
             def register_impl(self, key, fn):\n        \
             device_key = self.key\n        \
             self.lib.impl(key, fn, device_key)\n    \
             def for_each(self):\n        \
             for key, func in self.config:\n            \
             self.register_impl(key, func)\n",
        ),
        (
            "acme/__init__.py",
            "import torch\nfrom acme.register import Register\n\
             aten_lib = torch.library.Library(\"aten\", \"IMPL\")\n\
             registrar = Register\n\
             def enable(lib=aten_lib, unused=None, registrar=registrar):\n    \
             registrar(((\"abs\", abs), (\"add.Tensor\", add)), unused=unused, lib=lib)\n\
             class use:\n    \
             def __init__(self):\n        \
             self.lib = torch.library.Library(\"aten\", \"IMPL\")\n    \
             def __enter__(self):\n        \
             enable(lib=self.lib)\n",
        ),
        (
            "test/test_a.py",
            "import acme\nacme.enable()\nacme.enable(unused=[])\n",
        ),
    ];
    check_paths(
        &files,
        &[
            "acme/register.py aten::abs: the dispatch key is `device_key`",
            "acme/register.py aten::add.Tensor: the dispatch key is `device_key`",
        ],
    );
}

#[test]
fn helpers_and_decorators_of_a_project() {
    let helpers = "import torch\n\
                   KEY = \"XPU\"\n\
                   lib = torch.library.Library(\"acme\", \"FRAGMENT\")\n\
                   def patch(name, fn, key=KEY):\n    \
                   lib.impl(name, fn, key)\n\
                   def register(name):\n    \
                   def wrap(fn):\n        \
                   lib.impl(name, fn, \"PrivateUse1\")\n        \
                   return fn\n    \
                   return wrap\n\
                   def named(fn):\n    \
                   lib.impl(fn.__name__, fn, \"CPU\")\n    \
                   return fn\n";
    let uses = "from .helpers import patch, register, named\n\
                patch(\"a\", f)\n\
                patch(\"b\", f, \"CPU\")\n\
                for name in [\"c\", \"d\"]:\n    \
                patch(name, f)\n\
                @register(\"e\")\n\
                def e(x): ...\n\
                register(\"f\")(g)\n\
                @named\n\
                def h(x): ...\n";
    check_paths(
        &[("acme/helpers.py", helpers), ("acme/uses.py", uses)],
        &[
            "acme/helpers.py acme::a at XPU",
            "acme/helpers.py acme::c at XPU",
            "acme/helpers.py acme::d at XPU",
            "acme/helpers.py acme::b at CPU",
            "acme/helpers.py acme::e at PrivateUse1",
            "acme/helpers.py acme::f at PrivateUse1",
            "acme/helpers.py acme::h at CPU",
        ],
    );
}

#[test]
fn constants_of_other_files() {
    let files = [
        (
            "pkg/keys.py",
            "BACKEND = \"PrivateUse1\"\nAUTOGRAD = \"Autograd\" + BACKEND\n",
        ),
        (
            "pkg/names.py",
            "from .keys import *\nNAMES = [\"a\", \"b\"]\n",
        ),
        (
            "pkg/registry.py",
            "import torch\nlib = torch.library.Library(\"aten\", \"IMPL\")\n",
        ),
        (
            "pkg/sub/use.py",
            "from pkg import keys, registry\nfrom ..names import NAMES, BACKEND as KEY\n\
             for name in NAMES:\n    registry.lib.impl(name, f, keys.AUTOGRAD)\n\
             registry.lib.impl(\"c\", f, KEY)\nregistry.lib.impl(\"d\", f, keys.MISSING)\n",
        ),
    ];
    check_paths(
        &files,
        &[
            "pkg/sub/use.py aten::a at AutogradPrivateUse1",
            "pkg/sub/use.py aten::b at AutogradPrivateUse1",
            "pkg/sub/use.py aten::c at PrivateUse1",
            "pkg/sub/use.py aten::d: the dispatch key is `keys.MISSING`",
        ],
    );
}
