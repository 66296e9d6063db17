//! Macros and constants that the scanned files define (`docs/spec/sources.md`, section 4).

mod common;

use common::check as check_file;
use opatlas_pytorch::Release;
use opatlas_sources::{File, Macros, Registration, Sources, scan};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_file("a.cpp", text, expected);
}

/// Asserts the registrations of several files: file, operator, key, kernel, macro, and why it is
/// unresolved.
#[track_caller]
fn check_files(files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<File<'_>> = files
        .iter()
        .map(|(path, text)| File {
            path,
            bytes: text.as_bytes(),
        })
        .collect();
    let found = scan(&files, &Macros::built_in()).registrations;
    let shown: Vec<String> = found.iter().map(|row| shown(row, &files)).collect();
    assert_eq!(shown, expected);
}

fn shown(row: &Registration, files: &[File<'_>]) -> String {
    let or = |text: &Option<Box<str>>| text.as_deref().unwrap_or("?").to_owned();
    let path = files[row.file as usize].path;
    let (operator, key, kernel) = (or(&row.operator), or(&row.key), or(&row.kernel));
    let why = row.unresolved.as_deref().map(|why| format!(" why={why}"));
    format!(
        "{path}: {operator} {key} {kernel} {}{}",
        row.through,
        why.unwrap_or_default()
    )
}

#[test]
fn a_macro_stands_for_one_registration_or_several() {
    check(
        r#"
#define ENTRY(name, fn) m.impl(name, TORCH_FN(fn))
#define BOTH(op, fn)            \
  m.impl(#op, fn);              \
  m.impl(#op ".out", fn##_out)
#define NESTED(op) BOTH(op, acme_##op)
#define VARIADIC(name, ...) m.impl(name, TORCH_FN((__VA_ARGS__)))
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  ENTRY("mm", acme_mm);
  BOTH(add, f);
  NESTED(mul);
  VARIADIC("sub", ns::g<1, 2>);
}
"#,
        &[
            "9:3 impl aten::mm key=XPU kernel=acme_mm",
            "10:3 impl aten::add key=XPU kernel=f",
            "10:3 impl aten::add.out key=XPU kernel=f_out",
            "11:3 impl aten::mul key=XPU kernel=acme_mul",
            "11:3 impl aten::mul.out key=XPU kernel=acme_mul_out",
            "12:3 impl aten::sub key=XPU kernel=ns::g<1,2>",
        ],
    );
}

#[test]
fn lists_take_a_macro() {
    check(
        r#"
#define FOR_ALL(_) _(sin) \
  _(cos, out)
#define PICK(_1, _2, NAME, ...) NAME
#define ONE(op) m.impl(#op, op);
#define TWO(op, overload) m.impl(#op "." #overload, op##_##overload);
#define REGISTER(...) PICK(__VA_ARGS__, TWO, ONE)(__VA_ARGS__)
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  FOR_ALL(REGISTER)
}
"#,
        &[
            "9:3 impl aten::sin key=XPU kernel=sin",
            "9:3 impl aten::cos.out key=XPU kernel=cos_out",
        ],
    );
}

#[test]
fn a_macro_holds_a_block_or_opens_one() {
    check(
        r#"
#define BLOCK(op, key) TORCH_LIBRARY_IMPL(aten, key, m) { m.impl(#op, op); }
#define OPEN(key) TORCH_LIBRARY_IMPL(aten, key, lib)
namespace acme { BLOCK(tanh, XPU) }
OPEN(CPU) {
  lib.impl("exp", exp);
}
"#,
        &[
            "4:18 impl aten::tanh key=XPU kernel=tanh",
            "6:3 impl aten::exp key=CPU kernel=exp",
        ],
    );
}

#[test]
fn the_definition_above_the_use_counts() {
    check(
        r#"
#define REG(op) m.impl(#op, first)
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  REG(a);
#undef REG
  REG(b);
#define REG(op) m.impl(#op ".out", second)
  REG(c);
}
// #define GHOST(op) m.impl(#op, ghost)
TORCH_LIBRARY_IMPL(aten, XPU, m) { GHOST(d); }
#if 0
#define OFF(op) m.impl(#op, off)
#endif
TORCH_LIBRARY_IMPL(aten, XPU, m) { OFF(e); }
"#,
        &[
            "4:3 impl aten::a key=XPU kernel=first",
            "6:3 impl aten::? key=XPU why=macro `REG` is unknown",
            "8:3 impl aten::c.out key=XPU kernel=second",
            "11:36 impl aten::? key=XPU why=macro `GHOST` is unknown",
            "15:36 impl aten::? key=XPU why=macro `OFF` is unknown",
        ],
    );
}

#[test]
fn definitions_under_conditions_all_count() {
    check(
        r#"
#ifdef USE_FAST
#define REG(op) m.impl(#op, fast_##op)
#else
#define REG(op) m.impl(#op, slow_##op)
#endif
#ifndef KEY
#define KEY XPU
#endif
TORCH_LIBRARY_IMPL(aten, KEY, m) {
  REG(abs);
}
#ifdef USE_FAST
#define ONE_OF CPU
#else
#define ONE_OF CUDA
#endif
TORCH_LIBRARY_IMPL(aten, ONE_OF, m) { m.impl("ceil", ceil); }
"#,
        &[
            "11:3 impl aten::abs key=XPU kernel=fast_abs if=#ifdef USE_FAST",
            "11:3 impl aten::abs key=XPU kernel=slow_abs if=#else of USE_FAST",
            "18:39 impl aten::ceil kernel=ceil why=`ONE_OF` has several definitions in the sources",
        ],
    );
}

#[test]
fn other_macros_register_nothing() {
    check(
        r#"
#define ACME_LOG(x) std::cout << x
#define ACME_CHECK(x) TORCH_CHECK(x, "no")
#define NOTHING(op)
#define UNUSED(op) m.impl(#op, unused)
#define ELSEWHERE(op) OTHER_REGISTER(op)
struct Node { void impl(const char* name, int value); };
#define STEP(name) node.impl(name, 1)
void run(Node& node) { STEP("add"); }
TORCH_LIBRARY_IMPL(aten, XPU, m) {
  ACME_LOG("begin");
  ACME_CHECK(true)
  NOTHING(add) NOTHING(sub);
  ELSEWHERE(mul);
  m.impl("neg", neg);
}
"#,
        &[
            "14:3 impl aten::? key=XPU why=macro `OTHER_REGISTER` is unknown",
            "15:3 impl aten::neg key=XPU kernel=neg",
        ],
    );
}

#[test]
fn what_the_preprocessor_would_read_is_unresolved() {
    check(
        r#"
#define REG(op) m.impl(#op, op);
#define BLOCK(op) TORCH_LIBRARY_IMPL(aten, XPU, m) { m.impl(#op, op); }
TORCH_LIBRARY_IMPL(aten, XPU, m) {
#include "ops.def"
  m.impl("last", last);
}
BLOCK(
#ifdef A
  add
#endif
)
"#,
        &[
            "5:1 impl ?::? why=\"ops.def\" is included in the block",
            "6:3 impl aten::last key=XPU kernel=last",
            "8:1 impl ?::? why=a directive is among the arguments of macro `BLOCK`",
        ],
    );
}

#[test]
fn constants_name_keys_and_operators() {
    check(
        r#"
#define KEY OTHER_KEY
#define OTHER_KEY XPU
namespace acme {
constexpr auto kKey = c10::DispatchKey::AutogradXPU;
static const char* const kName = "tan";
const char kTwice[] = "one";
void other() { const char* kTwice = "two"; }
#define REG(fn) m.impl(kName, kKey, fn)
TORCH_LIBRARY_IMPL(aten, KEY, m) {
  m.impl(kName, f);
  m.impl("cosh", acme::kKey, f);
  m.impl(acme::kName, torch::dispatch(kKey, g));
  REG(h);
  m.impl(kTwice, f);
  for (auto kName : {"a", "b"}) m.impl(kName, f);
}
}
"#,
        &[
            "11:3 impl aten::tan key=XPU kernel=f",
            "12:3 impl aten::cosh key=AutogradXPU kernel=f",
            "13:3 impl aten::tan key=AutogradXPU kernel=g",
            "14:3 impl aten::tan key=AutogradXPU kernel=h",
            "15:3 impl aten::? key=XPU kernel=f why=`kTwice` has several definitions in the sources",
            "16:33 impl aten::a key=XPU kernel=f",
            "16:33 impl aten::b key=XPU kernel=f",
        ],
    );
}

#[test]
fn headers_define_macros() {
    let key = "#pragma once\n#define ACME_KEY PrivateUse1\nconst char* const kOp = \"exp\";\n";
    let table = "#include \"../base/key.h\"\n\
        #define ACME_REGISTER(op) TORCH_LIBRARY_IMPL(aten, ACME_KEY, m) { m.impl(#op, op); }\n";
    check_files(
        &[
            ("src/base/key.h", key),
            ("src/other/key.h", "#define ACME_KEY CPU\n"),
            ("src/ops/table.h", table),
            (
                "src/ops/a.cpp",
                "#include \"table.h\"\nACME_REGISTER(abs)\n",
            ),
            (
                "src/ops/b.cpp",
                "#include <base/key.h>\nTORCH_LIBRARY_IMPL(aten, ACME_KEY, m) { m.impl(kOp, f); }\n",
            ),
            (
                "src/ops/c.cpp",
                "TORCH_LIBRARY_IMPL(aten, ACME_KEY, m) { m.impl(\"log\", f); }\n",
            ),
        ],
        &[
            "src/ops/a.cpp: abs PrivateUse1 abs ACME_REGISTER",
            "src/ops/b.cpp: exp PrivateUse1 f TORCH_LIBRARY_IMPL",
            "src/ops/c.cpp: log ? f TORCH_LIBRARY_IMPL \
             why=`ACME_KEY` has several definitions in the sources",
        ],
    );
}

#[test]
fn a_macro_of_another_source_file_is_not_defined() {
    check_files(
        &[
            (
                "a.cpp",
                "#define REG(op) m.impl(#op, op)\nTORCH_LIBRARY_IMPL(aten, XPU, m) { REG(abs); }\n",
            ),
            ("b.cpp", "TORCH_LIBRARY_IMPL(aten, XPU, m) { REG(neg); }\n"),
        ],
        &[
            "a.cpp: abs XPU abs REG",
            "b.cpp: ? XPU ? REG why=macro `REG` is unknown",
        ],
    );
}

#[test]
fn a_definition_wins_over_a_description_that_differs() {
    check(
        r#"
#define KERNEL_CPU(OP, POLICY) m.impl(TORCH_SELECTIVE_NAME("aten::" #OP), &Wrap<POLICY>::call)
#define KERNEL_CUDA(OP, FN) m.impl("aten::" #OP ".out", FN)
#define DISPATCH_TO_CPU(name, fn) m.impl(name, torch::dispatch(c10::DispatchKey::XPU, fn))
TORCH_LIBRARY_IMPL(aten, AutocastCPU, m) {
  KERNEL_CPU(mm, fp32)
  KERNEL_CUDA(bmm, bmm_out);
  DISPATCH_TO_CPU("dot", dot);
}
"#,
        &[
            "6:3 impl aten::mm key=AutocastCPU kernel=fp32",
            "7:3 impl aten::bmm.out key=AutocastCPU kernel=bmm_out",
            "8:3 impl aten::dot key=XPU kernel=dot",
        ],
    );
}

#[test]
fn the_lists_of_autocast_follow_the_release() {
    let text = "TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {\n\
        #define ACME_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)\n\
        AT_FORALL_FP32(ACME_FP32)\n\
        AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)\n}\n";
    let file = File {
        path: "sources/a.cpp",
        bytes: text.as_bytes(),
    };
    let of = |release: &str, operator: &str| {
        let release = Release::parse(release).unwrap().release;
        let found = Sources::read(&[file], release);
        let row = found.of(operator).next();
        row.and_then(|(_, row)| row.kernel.as_deref().map(str::to_owned))
    };
    let fp32 = Some("fp32".to_owned());
    assert_eq!(of("2.15", "rms_norm"), fp32);
    assert_eq!(of("2.11", "rms_norm"), None);
    assert_eq!(of("2.11", "pow.Tensor_Scalar"), fp32);
    let appended = Some("fp32_append_dtype".to_owned());
    assert_eq!(of("2.12", "norm.names_ScalarOpt_dim"), appended);
    assert_eq!(of("2.13", "norm.names_ScalarOpt_dim"), None);
    assert_eq!(of("2.13", "norm.ScalarOpt_dim"), appended);
    // 2.3 has no such lists.
    let old = Sources::read(&[file], Release::parse("2.3").unwrap().release);
    let why = old.rows().iter().map(|row| row.unresolved.as_deref());
    assert_eq!(
        why.collect::<Vec<_>>(),
        [
            Some("macro `AT_FORALL_FP32` is unknown"),
            Some("macro `AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE` is unknown"),
        ]
    );
}

#[test]
fn expansion_ends() {
    let mut doubling = String::from("#define A0(x) m.impl(x, f);\n");
    for level in 1..64 {
        let below = level - 1;
        doubling += &format!("#define A{level}(x) A{below}(x) A{below}(x)\n");
    }
    let nested = format!("{}\"x\"{}", "E(".repeat(5_000), ")".repeat(5_000));
    let text = format!(
        "{doubling}#define SELF(x) SELF(x)\n#define E(x) x\n\
         #define B(x) TORCH_LIBRARY_IMPL(aten, XPU, m) {{ A63(x) }}\n\
         TORCH_LIBRARY_IMPL(aten, XPU, m) {{\nA63(\"a\")\nSELF(1);\nm.impl({nested}, f);\n}}\nB(\"b\")\n"
    );
    let file = File {
        path: "a.cpp",
        bytes: text.as_bytes(),
    };
    let found = scan(&[file], &Macros::built_in()).registrations;
    let why: Vec<_> = found.iter().map(|row| row.unresolved.as_deref()).collect();
    let is_long = |why: &Option<&str>| why.is_some_and(|why| why.contains("too much text"));
    // Nothing is left for what follows the first one.
    assert_eq!(why.iter().map(is_long).collect::<Vec<_>>(), [true; 3]);
}
