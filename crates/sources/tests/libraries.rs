//! Libraries outside blocks: parameters, objects, members, pointers, and those of other files.

mod common;

use common::{check as check_file, check_files};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_file("a.cpp", text, expected);
}

#[test]
fn lambdas_and_methods_take_the_library() {
    check(
        r#"
static const auto fill = [](torch::Library& lib) {
  lib.impl("abs.out", abs_out);
};
struct Reg {
  void more(torch::Library& m) const { m.impl("neg", f); }
  static void most(torch::Library* m) { m->impl("exp", f); }
};
auto any = [](auto& lib, int n) { lib.impl("sin", f); };
template <typename L> void all(L& lib) { lib.impl("cos", f); }
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  acme::fill(m);
  Reg().more(m);
  Reg::most(&m);
  any(m, 3);
  all(m);
}
"#,
        &[
            "3:3 impl aten::abs.out key=PrivateUse1 kernel=abs_out",
            "6:40 impl aten::neg key=PrivateUse1 kernel=f",
            "7:41 impl aten::exp key=PrivateUse1 kernel=f",
            "9:35 impl aten::sin key=PrivateUse1 kernel=f",
            "10:42 impl aten::cos key=PrivateUse1 kernel=f",
        ],
    );
}

#[test]
fn a_lambda_for_unknown_callers_is_unresolved() {
    check(
        "static auto on_load = acme::OnLoad([](torch::Library& m) {\n  m.impl(\"abs\", f);\n});\n",
        &["2:3 impl ?::abs kernel=f why=the library is a parameter of a lambda without a name"],
    );
}

#[test]
fn aliases_of_the_type() {
    check(
        r#"
using Lib = torch::Library;
typedef torch::Library Other;
namespace t = torch;
void a(Lib& m) { m.impl("abs", f); }
void b(Other& m) { m.impl("neg", f); }
void c(t::Library& m) { m.impl("exp", f); }
TORCH_LIBRARY_IMPL(aten, XPU, m) { a(m); b(m); c(m); }
"#,
        &[
            "5:18 impl aten::abs key=XPU kernel=f",
            "6:20 impl aten::neg key=XPU kernel=f",
            "7:25 impl aten::exp key=XPU kernel=f",
        ],
    );
}

#[test]
fn objects_and_pointers() {
    check(
        r#"
constexpr const char* kNamespace = "aten";
static torch::Library held(torch::Library::IMPL, kNamespace, c10::DispatchKey::XPU, __FILE__, 3);
void load() {
  held.impl("abs", f);
  auto made = std::make_unique<torch::Library>(
      torch::Library::IMPL, "aten", std::make_optional(c10::DispatchKey::CPU), __FILE__, 7);
  made->impl("neg", f);
  auto* raw = new torch::Library(torch::Library::DEF, "acme", c10::nullopt, __FILE__, 9);
  raw->def("f(Tensor x) -> Tensor");
  std::shared_ptr<torch::Library> later;
  later.reset(new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, "", 0));
  (*later).impl("exp", f);
  torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, "", 0).impl("sin", f);
  for (auto name : {"cos", "tan"}) held.impl(name, f);
}
"#,
        &[
            "5:3 impl aten::abs key=XPU kernel=f",
            "8:3 impl aten::neg key=CPU kernel=f",
            "10:3 def acme::f schema=f(Tensor x) -> Tensor",
            "13:3 impl aten::exp key=Meta kernel=f",
            "14:79 impl aten::sin key=CUDA kernel=f",
            "15:36 impl aten::cos key=XPU kernel=f",
            "15:36 impl aten::tan key=XPU kernel=f",
        ],
    );
}

#[test]
fn what_a_constructor_does_not_say_is_unresolved() {
    check(
        "torch::Library held(torch::Library::IMPL, \"aten\", key(), __FILE__, 1);\n\
         void load(std::vector<torch::Library*> all) {\n  held.impl(\"abs\", f);\n  \
         for (torch::Library* one : all) { one->impl(\"neg\", f); }\n}\n",
        &[
            "3:3 impl aten::abs kernel=f why=`key()` decides the dispatch key",
            "4:37 impl ?::neg kernel=f why=the file does not show how `one` is made",
        ],
    );
}

#[test]
fn members_are_made_in_constructors() {
    check(
        r#"
class Registrar {
  Registrar() : lib_(torch::Library::IMPL, "aten", c10::DispatchKey::XPU, __FILE__, 1) {
    this->lib_.impl("abs", f);
    more_ = std::make_unique<torch::Library>(
        torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, 1);
  }
  void load() { lib_.impl("neg", f); more_->impl("exp", f); all_[0]->impl("sin", f); }
  torch::Library lib_;
  std::unique_ptr<torch::Library> more_;
  std::vector<std::unique_ptr<torch::Library>> all_;
};
"#,
        &[
            "4:5 impl aten::abs key=XPU kernel=f",
            "8:17 impl aten::neg key=XPU kernel=f",
            "8:38 impl aten::exp key=CPU kernel=f",
            "8:61 impl ?::sin kernel=f why=the file does not show how `all_` is made",
        ],
    );
}

#[test]
fn macros_that_make_libraries() {
    check(
        r#"
void load() {
  auto m = MAKE_TORCH_LIBRARY(acme);
  m.def("f(Tensor x) -> Tensor");
  torch::Library k(MAKE_TORCH_LIBRARY_IMPL(acme, CUDA));
  k.impl("f", f);
  ACME_ASSERT(k);
  MAKE_TORCH_LIBRARY_IMPL(acme, XPU).impl("f", f);
}
"#,
        &[
            "4:3 def acme::f schema=f(Tensor x) -> Tensor",
            "6:3 impl acme::f key=CUDA kernel=f",
            "8:38 impl acme::f key=XPU kernel=f",
        ],
    );
}

#[test]
fn functions_return_libraries() {
    check(
        r#"
torch::Library& registry() {
  static torch::Library lib(torch::Library::FRAGMENT, "acme", c10::nullopt, __FILE__, 1);
  return lib;
}
void load() {
  registry().def("f(Tensor x) -> Tensor");
  auto& lib = registry();
  lib.impl("f", torch::kCPU, f);
}
"#,
        &[
            "7:14 def acme::f schema=f(Tensor x) -> Tensor",
            "9:3 impl acme::f key=CPU kernel=f",
        ],
    );
}

#[test]
fn initializers_pass_libraries_to_functions() {
    check(
        r#"
static void fill(torch::Library& m) { m.impl("abs", f); }
const torch::detail::TorchLibraryInit a(
    torch::Library::IMPL, &fill, "aten", c10::make_optional(c10::DispatchKey::XPU), "", 0);
static torch::detail::TorchLibraryInit b(
    torch::Library::IMPL, [](torch::Library& m) { m.impl("neg", f); }, "aten",
    c10::DispatchKey::CPU, "", 0);
"#,
        &[
            "2:39 impl aten::abs key=XPU kernel=f",
            "6:51 impl aten::neg key=CPU kernel=f",
        ],
    );
}

#[test]
fn other_objects_with_such_methods_register_nothing() {
    check(
        r#"
#include <torch/library.h>
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("abs", &abs, "abs(Tensor x) -> Tensor");
  py::class_<A>(m, "A").def("f", &A::f).def(py::init<>());
}
void init(py::module& m) { m.def("neg", &neg); }
struct Plan { Plan& impl(const char* name, int n); };
void load(acme::Library& own) {
  Plan plan;
  plan.impl("abs", 1);
  auto other = make_plan();
  other.impl("abs", 2);
  own.impl("abs", 3);
}
"#,
        &[],
    );
}

#[test]
fn what_may_be_a_library_is_unresolved() {
    check(
        "void load() {\n  auto& lib = acme::libraries().first;\n  lib.impl(\"abs\", f);\n}\n",
        &["3:3 impl ?::abs kernel=f why=no scanned file shows which library `lib` is"],
    );
}

#[test]
fn macros_named_like_those_of_pytorch_open_blocks() {
    check(
        r#"
ACME_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("abs", f); }
ACME_OPS_LIBRARY_FRAGMENT(acme, lib) { lib.def("f(Tensor x) -> Tensor"); }
ACME_LIBRARY_IMPL(aten, PrivateUse1) { m.impl("neg", f); }
ACME_LIBRARY(acme, flags, m) { m.def("g(Tensor x) -> Tensor"); }
"#,
        &[
            "2:43 impl aten::abs key=PrivateUse1 kernel=f",
            "3:40 def acme::f schema=f(Tensor x) -> Tensor",
            "4:40 impl aten::neg key=PrivateUse1 kernel=f \
             why=no scanned file shows what the arguments of `ACME_LIBRARY_IMPL` mean",
            "5:32 def acme::g schema=g(Tensor x) -> Tensor \
             why=no scanned file shows what the arguments of `ACME_LIBRARY` mean",
        ],
    );
}

#[test]
fn other_files_pass_and_make_libraries() {
    check_files(
        &[
            (
                "a.h",
                "inline void fill(torch::Library& m) { m.impl(\"abs\", f); }\n",
            ),
            (
                "b.cpp",
                "TORCH_LIBRARY_IMPL(aten, XPU, m) {\n  fill(m);\n#include \"ops/c.inc\"\n}\n",
            ),
            (
                "d/registrar.h",
                "struct R { R(); void load(); torch::Library lib_; };\n",
            ),
            (
                "d/registrar.cpp",
                "R::R() : lib_(torch::Library::IMPL, \"aten\", c10::DispatchKey::CPU, \"\", 0) {}\n",
            ),
            ("d/load.cpp", "void R::load() { lib_.impl(\"sin\", f); }\n"),
            ("ops/c.inc", "m.impl(\"neg\", f);\n"),
            ("ops/e.inc", "m.impl(\"exp\", f);\n"),
        ],
        &[
            "a.h:1:39 impl aten::abs key=XPU kernel=f",
            "d/load.cpp:1:18 impl aten::sin key=CPU kernel=f",
            "ops/c.inc:1:1 impl aten::neg key=XPU kernel=f",
            "ops/e.inc:1:1 impl ?::exp kernel=f why=no scanned file shows which library `m` is",
        ],
    );
}

#[test]
fn a_function_of_several_files_is_ambiguous() {
    let fill = "void fill(torch::Library& m) { m.impl(\"abs\", f); }\n";
    let why = "why=the library is a parameter of `fill`, which several scanned files define";
    check_files(
        &[
            ("a.cpp", "TORCH_LIBRARY_IMPL(aten, XPU, m) { fill(m); }\n"),
            ("b.cpp", fill),
            ("c.cpp", fill),
        ],
        &[
            &format!("b.cpp:1:32 impl ?::abs kernel=f {why}"),
            &format!("c.cpp:1:32 impl ?::abs kernel=f {why}"),
        ],
    );
}

/// The macros of PyTorch's headers register in the block around them alone.
#[test]
fn macros_belong_to_the_innermost_library() {
    check(
        "struct S { torch::Library& m; void go() { m.impl(\"abs\", f); } };\n\
         TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {\n  KERNEL_PRIVATEUSEONE(acos, fp32)\n}\n",
        &[
            "1:43 impl ?::abs kernel=f why=the file does not show how `m` is made",
            "3:3 impl aten::acos key=AutocastPrivateUse1 kernel=fp32",
        ],
    );
}
