//! Kernels and findings of small files, by profile.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, VENDOR};

use super::Profile;
use crate::backend::BackendFile;
use crate::catalogue::Catalogue;

const OPERATORS: &str = "\
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  structured_delegate: add.out
- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: add_out
- func: abs(Tensor self) -> Tensor
- func: lstm.input(Tensor self) -> Tensor
- func: dropout(Tensor input) -> Tensor
";

const ACME: &str = "name: Acme\nkey: PrivateUse1\nspellings: [ACME]\nnamespace: acme\n";

/// The kernels of a file as `KEY operator kernel`, and what the reader reports in it as
/// `rule: text`.
fn read(profile: &str, file: &str) -> (Vec<String>, Vec<String>) {
    let mut bundle = Bundle::default();
    bundle.insert(NATIVE_FUNCTIONS, OPERATORS.as_bytes());
    if !profile.is_empty() {
        bundle.insert(VENDOR, profile.as_bytes());
    }
    bundle.insert("backends/acme.yaml", file.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
    let profile: Vec<_> = catalogue.vendor_diagnostics.iter().collect();
    assert!(profile.is_empty(), "{profile:#?}");
    let (_, backend) = &catalogue.backends[0];
    let mut kernels = Vec::new();
    for on_key in backend.kernels(&catalogue) {
        for kernel in on_key.kernels {
            let name = catalogue.operator(kernel.operator).qualified_name();
            kernels.push(format!("{} {name} {}", on_key.key, kernel.kernel));
        }
    }
    kernels.sort();
    let faults = backend.diagnostics.iter();
    let faults = faults.map(|d| format!("{}: {}", d.rule.as_str(), d.span.slice(file)));
    (kernels, faults.collect())
}

#[track_caller]
fn check(profile: &str, file: &str, kernels: &[&str]) {
    let (found, faults) = read(profile, file);
    assert_eq!(found, kernels, "{file}");
    assert!(faults.is_empty(), "{file}: {faults:#?}");
}

#[track_caller]
fn reports(profile: &str, file: &str, expected: &[&str]) {
    let (_, faults) = read(profile, file);
    assert_eq!(faults, expected, "{file}");
}

fn supported(entries: &str) -> String {
    format!("backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n{entries}")
}

#[test]
fn dispatch_of_an_entry_says_where_its_kernels_are() {
    let check = |entries: &str, kernels: &[&str]| check(ACME, &supported(entries), kernels);
    check("- func: abs\n", &["PrivateUse1 abs abs"]);
    check("- func: abs\n  dispatch: {}\n", &["PrivateUse1 abs abs"]);
    check(
        "- func: abs\n  dispatch: {SparsePrivateUse1: abs_sparse}\n- add.out\n",
        &[
            "PrivateUse1 add.out add_out",
            "SparsePrivateUse1 abs abs_sparse",
        ],
    );
    check(
        "- func: abs\n  dispatch:\n    PrivateUse1: abs_acme\n",
        &["PrivateUse1 abs abs_acme"],
    );
    check(
        "- func: abs\n  dispatch:\n    ACME, SparseACME: f\n    AutogradACME: g\n",
        &[
            "AutogradPrivateUse1 abs g",
            "PrivateUse1 abs f",
            "SparsePrivateUse1 abs f",
        ],
    );
    check(
        "- func: add.Tensor\n  dispatch: {SparsePrivateUse1: f}\n- func: add.out\n",
        &[
            "PrivateUse1 add.out add_out",
            "SparsePrivateUse1 add.Tensor f",
        ],
    );
}

#[test]
fn an_unreadable_dispatch_is_reported_and_is_no_kernel() {
    let file = supported("- func: abs\n  dispatch: [a]\n");
    let (kernels, faults) = read(ACME, &file);
    assert!(kernels.is_empty(), "{kernels:?}");
    assert_eq!(faults, ["vendor-field: [a]"]);
}

#[test]
fn a_field_adds_a_kernel_at_the_autograd_key() {
    let both = [
        "AutogradPrivateUse1 lstm.input lstm",
        "PrivateUse1 lstm.input lstm",
    ];
    let one = &both[1..];
    for (field, kernels) in [
        ("custom_autograd: True", &both[..]),
        ("autograd: True", &both),
        ("custom_autograd: 'True'", &both),
        ("custom_autograd: False", one),
        ("device_guard: False", one),
    ] {
        let file = supported(&format!("- func: lstm.input\n  {field}\n"));
        check(ACME, &file, kernels);
    }
    let file = supported("- func: lstm.input\n  custom_autograd: yes please\n");
    reports(ACME, &file, &["vendor-field: yes please"]);
}

#[test]
fn an_entry_that_is_registered_elsewhere_is_not_listed() {
    let file = supported("- func: abs\n  manual_kernel_registration: True\n- func: lstm.input\n");
    check(ACME, &file, &["PrivateUse1 lstm.input lstm"]);
    let profile = format!("{ACME}skip_if: {{wired: false}}\n");
    let file = supported("- func: abs\n  wired: False\n- func: lstm.input\n  wired: True\n");
    check(&profile, &file, &["PrivateUse1 lstm.input lstm"]);
}

#[test]
fn a_field_that_no_profile_knows_is_reported() {
    let file = supported("- func: abs\n  only_when_tracing: True\n- func: add.out\n");
    reports(ACME, &file, &["vendor-field: only_when_tracing"]);
    let profile = format!("{ACME}fields: [only_when_tracing]\n");
    reports(&profile, &file, &[]);
}

#[test]
fn lists_are_where_the_profile_says() {
    let list = "- func: abs\n- func: add.out\n  dispatch: {ACME: fast_add}\n";
    let kernels = ["PrivateUse1 abs abs", "PrivateUse1 add.out fast_add"];
    check(ACME, list, &kernels);
    let indented = list.replace('\n', "\n  ");
    let file = format!("ops:\n  {}", indented.trim_end());
    check(&format!("{ACME}lists: {{ops: aten}}\n"), &file, &kernels);

    let file = "ops:\n  abs:\n  add.out:\n    call: fast_add\n";
    let profile = format!("{ACME}lists: {{ops: aten}}\nkernel: call\n");
    check(&profile, file, &kernels);
    let file = "backend: ACME\nabs:\nadd.out:\n  call: fast_add\n";
    let profile = format!("{ACME}lists: {{'.': aten}}\nkernel: call\n");
    check(&profile, file, &kernels);
    reports(
        &profile,
        "abs:\nlicense: MIT\n",
        &["backend-known-keys: license"],
    );
    let profile = format!("{profile}keys: [license]\n");
    check(&profile, "abs:\nlicense: MIT\n", &kernels[..1]);

    let file = "own:\n- op: mine(Tensor self) -> Tensor\n";
    let profile = format!("{ACME}lists: {{own: acme}}\noperator: [op]\n");
    check(&profile, file, &["PrivateUse1 acme::mine mine"]);
}

#[test]
fn vendors_are_recognized_by_what_only_they_write() {
    let name = |file: &str| {
        let file = BackendFile::read(file.as_bytes());
        file.vendor.map(|vendor| vendor.profile.name.to_string())
    };
    let is = |file: &str, vendor: &str| assert_eq!(name(file).as_deref(), Some(vendor), "{file}");
    is("backend: NPU\nsupported:\n- abs\n", "Ascend");
    is("all_version: [v2.1]\nofficial:\n- func: abs\n", "Ascend");
    is("aten:\n- func: abs\n  derived_type: bang\n", "torch_mlu");
    is(
        "aten:\n- func: abs\nvision:\n- func: nms(Tensor a) -> Tensor\n",
        "torch_mlu",
    );
    is(
        "- func: abs\n- func: relu\n  dispatch:\n    PrivateUse1: Relu\n",
        "torch_musa",
    );
    is("abs:\n  guid: abs_fwd\n  out_ids: [0]\n", "Habana");
    is(
        "- schema: abs(Tensor self) -> Tensor\n  interface: diopiAbs(ctx)\n",
        "DIPU",
    );
    is(
        "- op: abs.out\n  kernels:\n  - arg_meta: null\n    kernel_name: f\n",
        "ExecuTorch",
    );
    for file in [
        "backend: XLA\ncpp_namespace: x\nsupported:\n- abs\n",
        "backend: ACME\ncustom:\n- func: f() -> ()\n",
        "aten:\n- func: abs\n",
        "- func: abs\n",
        "- op: abs\n",
        "abs:\n  fast: True\n",
        "backend: XLA\nnon_native:\n- func: f() -> ()\n",
    ] {
        assert_eq!(name(file), None, "{file}");
    }
}

#[test]
fn musa() {
    let file = "\
- func: abs
- func: add.Tensor
  dispatch:
    QuantizedPrivateUse1: AddQuantized
- func: add.out
  device_guard: True
  dispatch:
    PrivateUse1: AddOut
    SparsePrivateUse1: AddSparseOut
";
    let kernels = [
        "PrivateUse1 abs abs",
        "PrivateUse1 add.Tensor AddOut",
        "PrivateUse1 add.out AddOut",
        "QuantizedPrivateUse1 add.Tensor AddQuantized",
        "SparsePrivateUse1 add.out AddSparseOut",
    ];
    check("", file, &kernels);
    let plain = file.replace("device_guard: True", "structured: false");
    let without: Vec<&str> = kernels
        .into_iter()
        .filter(|k| !k.contains("Tensor AddOut"))
        .collect();
    check("", &plain, &without);
}

#[test]
fn mlu() {
    let file = "\
aten:
  - func: add.Tensor
    structured_delegate: add.out
  - func: add.out
    structured: True
    override_meta: True
  - func: lstm.input
    custom_autograd: True
vision:
  - func: nms(Tensor dets, Tensor scores) -> Tensor
custom:
  - func: dump(Tensor input) -> bool
    derived_type: bang
";
    let kernels = [
        "AutogradPrivateUse1 lstm.input lstm",
        "PrivateUse1 add.Tensor add",
        "PrivateUse1 add.out add_out",
        "PrivateUse1 lstm.input lstm",
        "PrivateUse1 torch_mlu::dump dump",
        "PrivateUse1 torchvision::nms nms",
    ];
    check("", file, &kernels);
    let file = file.replace("override_meta", "overide_meta");
    reports("", &file, &["vendor-field: overide_meta"]);
}

#[test]
fn habana() {
    let file = "\
abs:
  guid: abs_fwd
  out_ids: [0]
lstm.input:
  only_shared_layer: true
add.out:
  hpu_wrap_all_versions: true
dropout:
  hpu_wrap_all_versions: true
scale8:
  custom_op_schema: \"hpu::scale8(Tensor input, float by=1.0) -> Tensor\"
  guid: scale8
";
    let kernels = [
        "AutogradHPU dropout dropout",
        "HPU abs abs",
        "HPU add.out add_out",
        "HPU hpu::scale8 scale8",
    ];
    check("", file, &kernels);
}

#[test]
fn dipu() {
    let file = "\
- schema: \"exampleop.overload(Tensor self) -> Tensor\"
  torch_ver: [\"20000\",]
  register_operator: false
- schema: \"aten::abs(Tensor self) -> Tensor\"
  device: [cuda, muxi]
  interface: diopiAbs(ctx, out, self)
- schema: \"abs(Tensor self) -> Tensor\"
  device: [all, -cuda]
  dummy_call_diopi: True
- schema: \"lstm.input(Tensor self) -> Tensor\"
  autograd: True
- schema: \"add.Tensor(Tensor self, Tensor other) -> Tensor\"
  torch_ver: [\"20000\"]
- schema: \"add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\"
  torch_ver: [all, \"-20000\"]
";
    let kernels = [
        "AutogradXPU lstm.input lstm",
        "XPU abs abs",
        "XPU add.out add_out",
        "XPU lstm.input lstm",
    ];
    check("", file, &kernels);
}

#[test]
fn a_schema_of_cpp_types_names_its_operator() {
    let file = "\
- schema: \"aten::abs(const at::TensorList & self) -> Tensor\"
  dummy_call_diopi: True
";
    let (kernels, faults) = read("", file);
    assert_eq!(kernels, ["XPU abs abs"]);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].starts_with("vendor-schema: "), "{faults:?}");
}

#[test]
fn executorch() {
    let file = "\
- op: add.out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::add_out
- op: abs
  dispatch:
    CPU: torch::executor::abs
- func: acme::mine.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  variants: function
  kernels:
    - arg_meta: null
      kernel_name: acme::mine_out
";
    let kernels = [
        "CPU abs torch::executor::abs",
        "CPU acme::mine.out acme::mine_out",
        "CPU add.out torch::executor::add_out",
    ];
    check("", file, &kernels);
}

/// The profile in a finding makes the file readable.
#[test]
fn the_suggested_profile_reads_the_file() {
    for (file, kernels) in [
        (
            "backend: ACME\ncpp_namespace: acme\nsupported:\n- func: abs\n",
            &["PrivateUse1 abs abs"][..],
        ),
        (
            "ops:\n- op: abs\n  kernel: fast_abs\ncustom_ops:\n- op: mine(Tensor self) -> Tensor\n",
            &["PrivateUse1 abs fast_abs", "PrivateUse1 acme::mine mine"],
        ),
        ("backend: ACME\nabs:\n  kernel: f\n", &["PrivateUse1 abs f"]),
        ("- name: abs\n", &["PrivateUse1 abs abs"]),
        (
            "abs:\n  dispatch: {SparseACME: f}\nadd.out:\n  dispatch: {ACME: g}\n",
            &["PrivateUse1 add.out g", "SparsePrivateUse1 abs f"],
        ),
        (
            "kernels:\n  add.out: {tags: core}\n",
            &["PrivateUse1 add.out add_out"],
        ),
    ] {
        let read_alone = BackendFile::read(file.as_bytes());
        let told: Vec<_> = read_alone.diagnostics.iter().collect();
        let [fault] = &told[..] else {
            panic!("{file}: {told:#?}")
        };
        assert_eq!(fault.rule, RuleId::BackendSuperset, "{file}");
        let help = fault.help.as_deref().unwrap();
        let line = &help[help.find("vendor = ").unwrap()..help.rfind('`').unwrap()];
        // The line is also a flow mapping of YAML once `=` is `:`.
        let profile = line["vendor = ".len()..].replace(" = ", ": ");
        assert!(Profile::read(profile.as_bytes()).is_ok(), "{line}");
        check(&profile, file, kernels);
    }
}
