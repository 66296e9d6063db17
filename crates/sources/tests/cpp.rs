//! Every C++ registration idiom (`docs/spec/sources.md`, section 1).

mod common;

use common::{check as check_file, scanned};
use opatlas_sources::{File, Macro, Macros, scan};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_file("a.cpp", text, expected);
}

#[test]
fn kernels_in_a_block_of_a_key() {
    check(
        r#"
namespace acme {
TORCH_LIBRARY_IMPL(aten, XLA, m) {
  m.impl("add.Tensor", add);
  m.impl("aten::mul", &ns::mul);
  m.impl(TORCH_SELECTIVE_NAME("aten::sub.out"), TORCH_FN(sub<false>));
  m.impl("other::div", [](Tensor a) { return a; });
  m.impl("neg", torch::CppFunction::makeFromBoxedFunction<&boxed>());
  m.impl("abs", torch::CppFunction::makeFallthrough());
  m.impl("exp", c10::DispatchKey::AutogradXLA, TORCH_FN((&exp)));
  m.impl("log", torch::dispatch(torch::kMeta, TORCH_FN(log)));
}
}
"#,
        &[
            "4:3 impl aten::add.Tensor key=XLA kernel=add",
            "5:3 impl aten::mul key=XLA kernel=ns::mul",
            "6:3 impl aten::sub.out key=XLA kernel=sub<false>",
            "7:3 impl other::div key=XLA kernel=lambda",
            "8:3 impl aten::neg key=XLA kernel=boxed",
            "9:3 impl aten::abs key=XLA fallthrough",
            "10:3 impl aten::exp key=AutogradXLA kernel=exp",
            "11:3 impl aten::log key=Meta kernel=log",
        ],
    );
}

#[test]
fn fallbacks_of_every_operator() {
    check(
        "TORCH_LIBRARY_IMPL(_, XLA, m) {\n  \
           m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu>());\n}\n\
         TORCH_LIBRARY_IMPL(_, AutocastXLA, m) {\n  \
           m.fallback(torch::CppFunction::makeFallthrough());\n}\n",
        &[
            "2:3 fallback _::? key=XLA kernel=cpu",
            "5:3 fallback _::? key=AutocastXLA fallthrough",
        ],
    );
}

#[test]
fn definitions_with_and_without_kernels() {
    check(
        r#"
TORCH_LIBRARY(acme, m) {
  m.set_python_module("acme.ops");
  m.def("a(Tensor x, "
        "int y) -> Tensor");
  m.def("b.out() -> ()", &b);
  m.def(R"(c(Tensor x)
 -> Tensor)", {at::Tag::pt2_compliant_tag});
  m.def("d() -> ()", torch::dispatch(c10::DispatchKey::CUDA, TORCH_FN(d)));
  m.def("e", &e);
  m.def(TORCH_SELECTIVE_SCHEMA("acme::f() -> ()"), tags, f);
}
TORCH_LIBRARY_FRAGMENT(acme, m) {
  m.impl("a", at::kCPU, a);
  m.impl("b.out", b);
  m.class_<Config>("Config").def("get", &Config::get);
}
"#,
        &[
            "4:3 def acme::a schema=a(Tensor x, int y) -> Tensor",
            "6:3 def acme::b.out key=CompositeImplicitAutograd kernel=b schema=b.out() -> ()",
            "7:3 def acme::c schema=c(Tensor x)\n -> Tensor",
            "9:3 def acme::d key=CUDA kernel=d schema=d() -> ()",
            "10:3 def acme::e key=CompositeImplicitAutograd kernel=e",
            "11:3 def acme::f key=CompositeImplicitAutograd kernel=f schema=acme::f() -> ()",
            "14:3 impl acme::a key=CPU kernel=a",
            "15:3 impl acme::b.out key=CompositeImplicitAutograd kernel=b",
        ],
    );
}

#[test]
fn old_names_of_keys() {
    check(
        "TORCH_LIBRARY_IMPL(aten, CatchAll, m) { m.impl(\"x\", f); }",
        &["1:41 impl aten::x key=CompositeImplicitAutograd kernel=f"],
    );
}

#[test]
fn macros_of_projects_need_no_semicolon() {
    check(
        r#"
#define KERNEL_XLA(OP, POLICY) m.impl(#OP, POLICY)
TORCH_LIBRARY_IMPL(aten, AutocastXLA, m) {
  KERNEL_XLA(conv1d, fp32)
  KERNEL_XLA2(conv1d, padding, lower_precision_fp)
  // KERNEL_XLA(stft, fp32)
  KERNEL_PRIVATEUSEONE(mm, fp32) KERNEL_PRIVATEUSEONE(norm, Scalar, fp32);
  KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_XLA(
      ADD_NS(norm), "norm.ScalarOpt_dim",
      Tensor(const Tensor&, const std::optional<Scalar>&), Tensor(const Tensor&), fp32)
}
TORCH_LIBRARY_IMPL(aten, FuncTorchBatched, m) {
  VMAP_SUPPORT2(sum, dim_IntList, SINGLE_ARG(sum_rule<1, 2>));
  OP_DECOMPOSE(matmul);
}
"#,
        &[
            "4:3 impl aten::conv1d key=AutocastXLA kernel=fp32",
            "5:3 impl aten::conv1d.padding key=AutocastXLA kernel=lower_precision_fp",
            "7:3 impl aten::mm key=AutocastXLA kernel=fp32",
            "7:34 impl aten::norm.Scalar key=AutocastXLA kernel=fp32",
            "8:3 impl aten::norm.ScalarOpt_dim key=AutocastXLA kernel=fp32",
            "13:3 impl aten::sum.dim_IntList key=FuncTorchBatched kernel=SINGLE_ARG(sum_rule<1,2>)",
            "14:3 impl aten::matmul key=FuncTorchBatched kernel=native::matmul",
        ],
    );
}

#[test]
fn macros_with_keys_and_blocks_of_their_own() {
    check(
        r#"
TORCH_LIBRARY_FRAGMENT(fbgemm, m) {
  DISPATCH_TO_CUDA("jagged", fbgemm_gpu::jagged);
}
FBGEMM_OP_DISPATCH(CPU, "dense", fbgemm_gpu::dense);
namespace {
IPEX_LIBRARY_FRAGMENT() {
  IPEX_OP_REGISTER_DISPATCH("rope", at::rope, c10::DispatchKey::XPU);
}
}
"#,
        &[
            "3:3 impl fbgemm::jagged key=CUDA kernel=fbgemm_gpu::jagged",
            "5:1 impl fbgemm::dense key=CPU kernel=fbgemm_gpu::dense",
            "8:3 def torch_ipex::rope",
            "8:3 impl torch_ipex::rope key=XPU kernel=at::rope",
        ],
    );
}

#[test]
fn a_projects_own_macros() {
    let text = "TORCH_LIBRARY_IMPL(aten, XPU, m) {\n  ACME(add, Tensor, f)\n  OTHER(1);\n}\n";
    let file = File {
        path: "a.cu",
        bytes: text.as_bytes(),
    };
    let mut macros = Macros::built_in();
    macros.add(Macro {
        name: "ACME".into(),
        parameters: ["op", "overload", "fn"].map(Into::into).into(),
        imp: Some("{op}.{overload}".into()),
        kernel: Some("acme::{fn}".into()),
        ..Macro::default()
    });
    macros.add_nothing("OTHER");
    let found = scan(&[file], &macros).registrations;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].operator.as_deref(), Some("add.Tensor"));
    assert_eq!(found[0].kernel.as_deref(), Some("acme::f"));
    let found = scan(&[file], &Macros::built_in()).registrations;
    let why: Vec<_> = found.iter().map(|row| row.unresolved.as_deref()).collect();
    let unknown = ["macro `ACME` is unknown", "macro `OTHER` is unknown"];
    assert_eq!(why, unknown.map(Some));
}

#[test]
fn loops_over_literal_lists() {
    check(
        r#"
static const std::vector<std::string> shared = {"c.out"};
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  std::vector<std::string> list = {
      "a", // first
      "b.out",
  };
  for (auto& name : list) {
    if (known(name)) { continue; }
    m.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&cpu>());
  }
  for (const char* name : {"d", "e"})
    m.impl(name, f);
  for (const auto& name : shared) m.impl(name.c_str(), g);
  static const char* env = getenv("OPS");
  for (auto& name : split(env)) m.impl(name.c_str(), h);
}
"#,
        &[
            "10:5 impl aten::a key=XPU kernel=cpu",
            "10:5 impl aten::b.out key=XPU kernel=cpu",
            "13:5 impl aten::d key=XPU kernel=f",
            "13:5 impl aten::e key=XPU kernel=f",
            "14:35 impl aten::c.out key=XPU kernel=g",
            "16:33 impl aten::? key=XPU kernel=h why=the operator's name is `name.c_str()`, not a literal",
        ],
    );
}

#[test]
fn conditions_are_taken_as_on_and_marked() {
    check(
        r#"
#ifndef ACME_H
#define ACME_H
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  m.impl("a", f);
#if defined(USE_ONEDNN) && \
    VERSION > 2
  m.impl("b", f);
#else
  m.impl("c", f);
#endif
#if 0
  m.impl("never", f);
#else
  m.impl("d", f);
#endif
  if (enabled()) {
    m.impl("e", f);
  } else {
    m.impl("g", f);
  }
}
#endif
"#,
        &[
            "5:3 impl aten::a key=XPU kernel=f",
            "8:3 impl aten::b key=XPU kernel=f if=#if defined(USE_ONEDNN) && VERSION > 2",
            "10:3 impl aten::c key=XPU kernel=f if=#else of defined(USE_ONEDNN) && VERSION > 2",
            "15:3 impl aten::d key=XPU kernel=f",
            "18:5 impl aten::e key=XPU kernel=f if=if (enabled())",
            "20:5 impl aten::g key=XPU kernel=f if=else of if (enabled())",
        ],
    );
}

#[test]
fn branches_that_unbalance_brackets_count_once() {
    check(
        "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n\
         TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl(\"x\", f); }\n",
        &["7:36 impl aten::x key=CPU kernel=f"],
    );
}

#[test]
fn names_that_only_a_build_knows() {
    check(
        r#"
TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {
  ops.def("a() -> ()");
  ops.impl("vllm::b", torch::kCUDA, &b);
}
TORCH_LIBRARY_FRAGMENT(acme, m) {
  m.def("c(int n=" STRING(SIZE) ") -> ()");
}
"#,
        &[
            "3:3 def ?::a schema=a() -> () why=`TORCH_EXTENSION_NAME` decides the namespace",
            "4:3 impl vllm::b key=CUDA kernel=b",
            "7:3 def acme::c why=the operator's name is `\"c(int n=\"STRING(SIZE)\") -> ()\"`, not a literal",
        ],
    );
}

#[test]
fn functions_that_take_the_library() {
    check(
        r#"
void more(torch::Library& lib) {
  lib.impl("a", f);
}
void nobody(torch::Library& lib) {
  lib.impl("b", f);
}
TORCH_LIBRARY_IMPL(aten, CPU, m) {
  ns::more(m);
}
"#,
        &[
            "3:3 impl aten::a key=CPU kernel=f",
            "6:3 impl ?::b kernel=f why=the library is a parameter of `nobody`, \
             which no scanned file calls with one",
        ],
    );
}

#[test]
fn other_ways_to_a_library() {
    check(
        r#"
STABLE_TORCH_LIBRARY_IMPL(xformers, CUDA, m) {
  m.impl("gemm", TORCH_BOX(gemm<true>));
}
IPEX_TORCH_LIBRARY_IMPL(aten, CPU, lib) { lib.impl("x", f); }
void test() {
  auto m = MAKE_TORCH_LIBRARY_IMPL(_, CPU);
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&f>());
}
"#,
        &[
            "3:3 impl xformers::gemm key=CUDA kernel=gemm<true>",
            "5:43 impl aten::x key=CPU kernel=f",
            "8:3 fallback _::? key=CPU kernel=f",
        ],
    );
}

#[test]
fn the_old_register_operators() {
    check(
        r#"
static auto registry = torch::RegisterOperators()
    .op("torch_scatter::sum", &sum)
    .op("torch_scatter::mean(Tensor x) -> Tensor", &mean);
static auto more = c10::RegisterOperators().op("acme::f(Tensor x) -> Tensor",
    c10::RegisterOperators::options().kernel<decltype(f), &f>(c10::DispatchKey::CUDA));
torch::jit::RegisterOperators script({torch::jit::Operator("acme::s(int a) -> int", run)});
"#,
        &[
            "3:6 def torch_scatter::sum key=CompositeImplicitAutograd kernel=sum",
            "4:6 def torch_scatter::mean key=CompositeImplicitAutograd kernel=mean schema=torch_scatter::mean(Tensor x) -> Tensor",
            "5:45 def acme::f key=CUDA kernel=f schema=acme::f(Tensor x) -> Tensor",
            "7:51 def acme::s schema=acme::s(int a) -> int",
        ],
    );
}

#[test]
fn comments_strings_and_other_text_register_nothing() {
    check(
        r##"
// TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("a", f); }
/* TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("b", f); } */
const char* text = "TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl(\"c\", f); }";
auto raw = R"x(TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("d", f); })x";
void f(Other& other) { other.impl("e", f); Other m; m.impl("g", f); }
"##,
        &[],
    );
}

#[test]
fn faults_elsewhere_in_the_file_do_no_harm() {
    check(
        "int broken( { ] <<< \n template <class T struct {\n}}}\n\
         TORCH_LIBRARY_IMPL(aten, CPU, m) {\n  m.impl(\"x\", f);\n  $$$ garbage (\n  m.impl(\"y\", g);\n}\n",
        &[
            "5:3 impl aten::x key=CPU kernel=f",
            "7:3 impl aten::y key=CPU kernel=g",
        ],
    );
}

#[test]
fn a_file_without_registrations_keeps_no_text() {
    let scan = scanned("a.cpp", "int x; // TORCH_LIBRARY\n");
    assert!(scan.registrations.is_empty() && scan.texts == [None]);
}
