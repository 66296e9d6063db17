//! C++ overload resolution against a compiler with the headers of torch.

use opatlas_diff::cpp::{Argument, Declared, Outcome, ParameterType, resolve};

fn argument(code: &str) -> Argument {
    match code {
        "2" => Argument::Int,
        "n" => Argument::Long,
        "0.5" => Argument::Double,
        "true" => Argument::Bool,
        "x" => Argument::Tensor,
        "s" => Argument::Scalar,
        "{1, 2}" => Argument::Braces,
        "\"mean\"" => Argument::Text,
        "tensors" => Argument::Variable(ParameterType::TensorList),
        "dtype" => Argument::Variable(ParameterType::Other("at::ScalarType".to_owned())),
        other => panic!("{other}"),
    }
}

#[test]
fn calls_take_the_overload_that_a_compiler_takes() {
    let (mut known, mut unknown) = (0, 0);
    let mut wrong = Vec::new();
    for row in opatlas_conformance::golden("cpp_overloads_2.9.0.jsonl.gz") {
        let parameter = |index: usize| row["overloads"][index].as_str().unwrap();
        let declared = [0, 1].map(|i| Declared::parse(&format!("void f({} a)", parameter(i))));
        let [Some(one), Some(other)] = declared else {
            panic!("{row}");
        };
        let call = [argument(row["argument"].as_str().unwrap())];
        let expected = match row["outcome"].as_str() {
            Some("ambiguous") => Outcome::Ambiguous,
            Some(_) => Outcome::Refused,
            None => Outcome::Takes(usize::try_from(row["outcome"].as_u64().unwrap()).unwrap()),
        };
        match resolve(&[&one, &other], &call) {
            Outcome::Unknown => unknown += 1,
            found if found == expected => known += 1,
            found => wrong.push(format!("{found:?}: {row}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(30)]
    );
    assert_eq!((known, unknown), (1_810, 0));
}
