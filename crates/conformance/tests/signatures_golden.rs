//! The faces of operators against those that each release's own torchgen makes.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::{FaceMaker, OperatorFaces};
use opatlas_pytorch::release::Release;
use opatlas_schema::faces::Stub;
use opatlas_source::Bundle;
use serde_json::{Map, Value, json};

/// A row as it is recorded: `null` where torchgen refuses a face, absent where the operator has no
/// such variant.
fn row(name: &str, faces: &OperatorFaces) -> Value {
    let mut row = Map::new();
    row.insert("name".into(), json!(name));
    row.insert("dispatcher".into(), json!(faces.dispatcher));
    if let Some(concrete) = &faces.dispatcher_int {
        row.insert("dispatcher_int".into(), json!(concrete));
    }
    let stub = |stub: &Option<Stub>| match stub {
        Some(stub) => json!([stub.plain, stub.variadic]),
        None => Value::Null,
    };
    let variants = [
        (
            "function",
            &faces.functions,
            &faces.python_function,
            &faces.pyi_function,
        ),
        (
            "method",
            &faces.methods,
            &faces.python_method,
            &faces.pyi_method,
        ),
    ];
    for (word, declared, parser, pyi) in variants {
        if let Some(declared) = declared {
            row.insert(format!("{word}s"), json!(declared));
            row.insert(format!("python_{word}"), json!(parser));
            row.insert(format!("pyi_{word}"), stub(pyi));
        }
    }
    if !faces.kernels.is_empty() {
        let kernels = faces.kernels.iter();
        let kernels = kernels.map(|k| (k.key.to_string(), json!(k.declarations)));
        row.insert("kernels".into(), Value::Object(kernels.collect()));
    }
    Value::Object(row)
}

fn check(version: &str) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let maker = FaceMaker::new(&catalogue);
    let recorded = opatlas_conformance::golden(&format!("signatures_{version}.jsonl.gz"));
    let (head, rows) = recorded.split_first().unwrap();
    assert_eq!(rows.len(), catalogue.operators.len(), "{version}");
    let mut bound: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (recorded, (id, operator)) in rows.iter().zip(catalogue.iter()) {
        let faces = maker.faces(id);
        let ours = row(operator.name().as_str(), &faces);
        for (field, want) in recorded.as_object().unwrap() {
            assert_eq!(&ours[field], want, "{version} {} {field}", operator.name());
        }
        assert_eq!(&ours, recorded, "{version} {}", operator.name());
        // Keys are in torchgen's order.
        let keys = |row: &Value| {
            row["kernels"]
                .as_object()
                .map(|k| k.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(keys(&ours), keys(recorded), "{version} {}", operator.name());
        let name = operator.name().base();
        assert_eq!(maker.bound(id), faces.bound, "{version} {name}");
        let places = [
            ("torch", faces.bound.torch),
            ("Tensor", faces.bound.tensor),
            ("_nn", faces.bound.module.as_deref() == Some("_nn")),
        ];
        for (place, _) in places.iter().filter(|(_, is_bound)| *is_bound) {
            bound.entry(place).or_default().insert(name);
        }
    }
    for (place, of_place) in &bound {
        agrees_with_stubs(version, &catalogue, place, of_place, &head["stubs"][place]);
    }
}

/// Every operator that the stubs have is bound. What is bound without being in them are names that
/// the stub generator leaves out: functions that `torch.functional` declares again, attributes of
/// `Tensor`, and most of `_nn`.
fn agrees_with_stubs(
    version: &str,
    catalogue: &Catalogue,
    place: &str,
    bound: &BTreeSet<&str>,
    stubs: &Value,
) {
    let stubs: BTreeSet<&str> = stubs
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_str().unwrap())
        .collect();
    let candidates = catalogue.operators.iter().filter(|operator| match place {
        "torch" => operator.python_module().is_none() && operator.variants().function,
        "Tensor" => operator.python_module().is_none() && operator.variants().method,
        _ => operator.python_module() == Some("nn"),
    });
    let candidates: BTreeSet<&str> = candidates.map(|operator| operator.name().base()).collect();
    let missing: Vec<_> = stubs
        .intersection(&candidates)
        .filter(|n| !bound.contains(*n))
        .collect();
    assert!(missing.is_empty(), "{version} {place}: {missing:?}");
    let left_out: &[&str] = match place {
        "torch" => &[
            "align_tensors",
            "atleast_1d",
            "atleast_2d",
            "atleast_3d",
            "block_diag",
            "broadcast_tensors",
            "cartesian_prod",
            "cdist",
            "chain_matmul",
            "einsum",
            "meshgrid",
            "norm",
            "split",
            "stft",
            "tensordot",
            "unique_consecutive",
        ],
        "Tensor" => &[
            "_version",
            "data",
            "is_leaf",
            "mH",
            "mT",
            "norm",
            "output_nr",
            "retains_grad",
            "stft",
        ],
        _ => return,
    };
    let further: Vec<_> = bound
        .difference(&stubs)
        .filter(|n| !left_out.contains(n))
        .collect();
    assert!(further.is_empty(), "{version} {place}: {further:?}");
}

#[test]
fn faces_are_those_of_torchgen() {
    let recorded = opatlas_conformance::recorded("signatures");
    assert!(recorded.len() >= 4, "{recorded:?}");
    recorded.iter().for_each(|version| check(version));
}

/// torchgen 2.9 declares the kernels of all variants in the namespace of the out variant's kernel.
#[test]
fn kernels_are_declared_beside_those_of_the_out_variant() {
    let text = "\
- func: blend(Tensor self) -> Tensor
  dispatch:
    CPU: acme::blend_cpu
  autogen: blend.out
- func: tilt(Tensor self) -> Tensor
  dispatch:
    CPU: acme::tilt_cpu
- func: turn(Tensor self) -> Tensor
  dispatch:
    CPU: acme::turn_cpu
- func: turn.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: acme::turn_out_cpu
";
    let bundle = Bundle::of_native_functions(text.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let declared = |name: &str| {
        let kernels = FaceMaker::new(&catalogue).kernels(catalogue.find(name).unwrap());
        kernels[0].declarations[0].clone()
    };
    let plain = "TORCH_API at::Tensor blend_cpu(const at::Tensor & self);";
    assert_eq!(declared("blend"), plain);
    let blend = catalogue.find("blend").unwrap();
    let advice = FaceMaker::new(&catalogue).implementation(blend, "CPU");
    assert_eq!(advice.in_tree.unwrap().declaration, plain);
    for name in ["tilt", "turn"] {
        let text = declared(name);
        assert!(text.starts_with("namespace acme::native {"), "{text}");
    }
}
