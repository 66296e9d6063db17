//! Every input of the corpus, sent to the program: none costs more than the bounds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::corpus;
use crate::program::Program;
use crate::shape::Shape;

const SMALL: usize = 64 << 10;
const MIDDLE: usize = 1 << 20;
const LARGE: usize = 8 << 20;

/// Which part of the corpus is sent in a size: one of so many, the whole by `OPATLAS_HOSTILE=all`.
fn part(shapes: Vec<Shape>, one_of: usize) -> Vec<Shape> {
    let only = std::env::var("OPATLAS_HOSTILE_ONLY").unwrap_or_default();
    let all = !only.is_empty() || std::env::var("OPATLAS_HOSTILE").is_ok_and(|word| word == "all");
    let numbered = shapes.into_iter().enumerate();
    numbered
        .filter(|(at, _)| all || at.is_multiple_of(one_of))
        .map(|(_, shape)| shape)
        .filter(|shape| shape.name.contains(&only))
        .collect()
}

/// Tests of one binary run at once, and these would take the processors from each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Sends inputs to two programs, and tells every bound that one broke.
fn hold(shapes: &[Shape], size: usize) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut program = Program::start();
                while let Some(shape) = shapes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let broken = broken(&mut program, shape, size);
                    told.lock().unwrap().extend(broken);
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    assert!(
        told.is_empty(),
        "{} of {} inputs broke a bound at {size} bytes:\n{}",
        told.len(),
        shapes.len(),
        told.join("\n")
    );
}

/// Sends one input, after what it needs. Tells what it broke, and what each request cost.
fn broken(program: &mut Program, shape: &Shape, size: usize) -> Option<String> {
    let attack = shape.of(size);
    let before = attack.before.iter().map(|asked| (asked, " (before)"));
    for (asked, when) in before.chain([(&attack.asked, "")]) {
        let cost = program.ask(asked);
        println!("{}{when}, {size} bytes: {cost}", shape.name);
        let faults = cost.broken();
        if !faults.is_empty() || !program.is_up() {
            // The next one meets a program that this one has not hurt.
            *program = Program::start();
            return Some(format!("{}{when}: {}", shape.name, faults.join("; ")));
        }
    }
    None
}

#[test]
fn the_corpus_is_large_and_every_name_is_there_once() {
    let shapes = corpus::shapes();
    let names: std::collections::BTreeSet<_> = shapes.iter().map(|shape| &shape.name).collect();
    assert_eq!(names.len(), shapes.len());
    assert!(names.len() >= 200, "{} shapes", names.len());
    for shape in shapes {
        let asked = shape.of(SMALL).asked;
        let bytes = asked.body.len() + asked.path.len();
        assert!(bytes < 8 * SMALL, "{}: {bytes} bytes", shape.name);
    }
}

#[test]
fn no_small_input_costs_more_than_the_bounds() {
    hold(&part(corpus::shapes(), 1), SMALL);
}

#[test]
fn no_middling_input_costs_more_than_the_bounds() {
    hold(&part(corpus::shapes(), 4), MIDDLE);
}

#[test]
#[ignore = "takes minutes: make test-long"]
fn no_large_input_costs_more_than_the_bounds() {
    hold(&part(corpus::shapes(), 24), LARGE);
}
