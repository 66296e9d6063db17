//! Lines of Python against a real process: the operators that each line runs first.

use opatlas_operators::calls::{Reach, Reached, reach, reaches};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;

fn with_catalogue(version: &str, then: impl FnOnce(&Catalogue)) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    then(&Catalogue::read(&bundle, release, None));
}

fn reached(catalogue: &Catalogue, line: &str) -> Reached {
    match reach(catalogue, line) {
        Reach::Reached(reached) => reached,
        other => panic!("{line}: {other:?}"),
    }
}

/// Every operator that a line runs is reached, and every operator that is always reached is run.
fn agrees(version: &str) {
    with_catalogue(version, |catalogue| {
        let mut wrong = Vec::new();
        for row in opatlas_conformance::golden(&format!("python_lines_{version}.jsonl.gz")) {
            let line = row["line"].as_str().unwrap();
            let run = row["operators"].as_array().unwrap().iter();
            let run: Vec<&str> = run.map(|name| name.as_str().unwrap()).collect();
            let Reach::Reached(reached) = reach(catalogue, line) else {
                wrong.push(format!("{line}: {:?}", reach(catalogue, line)));
                continue;
            };
            let named = |name: &&str| reached.operators.iter().any(|one| one.name == *name);
            let missing: Vec<_> = run.iter().filter(|name| !named(name)).collect();
            let always = reached.operators.iter().filter(|one| one.is_always());
            let extra: Vec<_> = always.filter(|one| !run.contains(&&*one.name)).collect();
            if !missing.is_empty() || !extra.is_empty() {
                wrong.push(format!("{line}: missing {missing:?}, too many {extra:?}"));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} lines\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    });
}

#[test]
fn lines_reach_what_a_process_runs() {
    agrees("2.9.0");
    agrees("2.15.0");
}

#[test]
fn conditions_say_when_an_operator_is_reached() {
    with_catalogue("2.15.0", |catalogue| {
        let of = |line: &str| {
            let operators = reached(catalogue, line).operators.into_iter();
            let shown = operators.map(|one| match one.when {
                None => one.name,
                Some(when) => format!("{} when {when}", one.name),
            });
            shown.collect::<Vec<_>>()
        };
        assert_eq!(
            of("torch.nn.functional.relu"),
            ["relu when inplace=False", "relu_ when inplace=True"]
        );
        assert_eq!(of("F.relu(x, inplace=True)"), ["relu_"]);
        assert_eq!(of("F.relu(x, True)"), ["relu_"]);
        assert_eq!(
            of("F.relu(x, inplace=flag)"),
            ["relu when inplace=False", "relu_ when inplace=True"]
        );
        assert_eq!(
            of("F.interpolate(x, mode='trilinear')"),
            ["upsample_trilinear3d.vec"]
        );
        assert_eq!(of("torch.nn.functional.grid_sample"), ["grid_sampler"]);
        assert_eq!(of("x[0, 1:]"), ["select.int", "slice.Tensor"]);
        assert_eq!(
            of("x[1:3, None, i]"),
            ["slice.Tensor", "unsqueeze", "index.Tensor"]
        );
        assert_eq!(
            of("x[:, :n]"),
            [
                "slice.Tensor when the slice leaves elements out",
                "alias when no slice leaves elements out"
            ]
        );
        assert_eq!(of("float(x[0, 0])"), ["item"]);
        assert_eq!(of("len(x)"), [""; 0]);
    });
}

#[test]
fn what_lies_below_is_told_apart() {
    with_catalogue("2.15.0", |catalogue| {
        let sample = reached(catalogue, "F.grid_sample(x, grid)");
        let names = |operators: &[opatlas_operators::calls::ReachedOperator]| {
            operators
                .iter()
                .map(|one| one.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&sample.operators), ["grid_sampler"]);
        assert_eq!(names(&sample.below), ["grid_sampler_2d", "grid_sampler_3d"]);
        assert_eq!(
            names(&sample.backward),
            ["grid_sampler_2d_backward", "grid_sampler_3d_backward"]
        );
        assert_eq!(sample.recorded_with, Some(Release::V2_15));
    });
}

#[test]
fn nothing_is_invented() {
    with_catalogue("2.15.0", |catalogue| {
        for line in [
            "model(x)",
            "self.encoder(x)",
            "np.add(x, y)",
            "torch.no_such_function(x)",
            "nn.NoSuchModule(3)(x)",
            "x.no_such_method()",
            "1 + 2",
            "x.shape[0]",
            "float(2.5)",
            "max(1, 2)",
            "0 < x < 1",
            "round(x)",
            "print(x)",
            "np.zeros(3)[0]",
            "x[",
            "",
            "def f(x): return x",
            "[i for i in x]",
        ] {
            assert!(
                matches!(reach(catalogue, line), Reach::Unknown(_)),
                "{line}"
            );
        }
        let long = format!("{}x{}", "(".repeat(3000), ")".repeat(3000));
        let chain = format!("x{}", ".a".repeat(1900));
        let sum = vec!["x"; 1900].join("+");
        let list = "a=".repeat(1900);
        for line in [&long, &chain, &sum, &list] {
            assert!(matches!(reach(catalogue, line), Reach::Unknown(_)));
        }
        let refused = reach(catalogue, "torch.add(x, y, gamma=3)");
        assert!(matches!(refused, Reach::Raises { .. }), "{refused:?}");
    });
}

#[test]
fn python_functions_that_end_in_an_operator_are_found() {
    with_catalogue("2.15.0", |catalogue| {
        let of = |operator: &str| {
            let found = reaches(catalogue, operator).into_iter();
            found.map(|reacher| reacher.function).collect::<Vec<_>>()
        };
        let eigh = of("_linalg_eigh.eigenvalues");
        for name in ["torch.linalg.eigh", "torch.linalg.eigvalsh"] {
            assert!(eigh.contains(&name.to_owned()), "{eigh:?}");
        }
        let sampler = of("grid_sampler_2d");
        assert!(
            sampler.contains(&"torch.nn.functional.grid_sample".to_owned()),
            "{sampler:?}"
        );
        let relu = of("aten::relu_");
        assert!(relu.contains(&"torch.nn.ReLU".to_owned()), "{relu:?}");
        assert!(relu.contains(&"torch.Tensor.relu_".to_owned()), "{relu:?}");
        assert!(of("no_such_operator").is_empty());
    });
}
