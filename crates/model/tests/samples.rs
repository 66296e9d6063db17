//! Models that PyTorch itself saved or printed, and changed copies of them.

use std::io::Cursor;

use opatlas_model::{Limits, Model, Overload, Refusal, is_archive, read, read_archive};

const NET: [(&str, &[u8]); 4] = [
    ("2.15.0", include_bytes!("data/net_2.15.0.pt2")),
    ("2.9.0", include_bytes!("data/net_2.9.0.pt2")),
    ("2.7 and earlier", include_bytes!("data/net_older.pt2")),
    ("printed", include_bytes!("data/net.txt")),
];

/// `print(torch.jit.script(...).inlined_graph)`, and the archive.
const PLAIN: [(&str, &[u8]); 2] = [
    ("TorchScript graph", include_bytes!("data/plain.txt")),
    ("TorchScript archive", include_bytes!("data/plain.pt")),
];

fn model(bytes: &[u8]) -> Model {
    read(bytes, &Limits::default()).unwrap()
}

#[test]
fn every_form_of_a_program_has_the_same_calls() {
    for (form, bytes) in NET {
        let model = model(bytes);
        let calls = model.operators.iter();
        let calls: Vec<_> = calls
            .map(|call| (&*call.operator.text, call.count, call.is_conditional))
            .collect();
        let expected = [
            ("addmm", 1, false),
            ("sum", 1, false),
            ("gt.Scalar", 1, false),
            ("item", 1, false),
            ("sin", 1, true),
            ("cos", 1, true),
        ];
        assert_eq!(calls, expected, "{form}");
        let is_given = |call: &opatlas_model::Call| call.operator.overload == Overload::Given;
        assert!(model.operators.iter().all(is_given), "{form}");
        let place = model.operators[0].place.as_deref().unwrap();
        let line = "net.py:6 in forward: z = torch.addmm(x, x, y)";
        assert!(place.ends_with(line), "{form}: {place}");
        assert!(model.unread.is_empty(), "{form}: {:?}", model.unread);
    }
}

#[test]
fn torchscript_has_the_calls_of_its_code() {
    for (kind, bytes) in PLAIN {
        let model = model(bytes);
        let names = model.operators.iter().map(|call| &*call.operator.text);
        assert_eq!(names.collect::<Vec<_>>(), ["add", "relu", "view"], "{kind}");
        assert_eq!(model.kind, kind);
    }
}

#[test]
fn a_file_is_read_in_place() {
    let bytes = NET[0].1;
    assert!(is_archive(bytes));
    let read = read_archive(Cursor::new(bytes), &Limits::default());
    assert_eq!(read.unwrap(), model(bytes));
}

#[test]
fn limits_hold_for_what_is_read_only() {
    let limits = Limits {
        text_bytes: 16 << 10,
        ..Limits::default()
    };
    let refused = |limits: &Limits| read(NET[0].1, limits).unwrap_err();
    assert!(read(NET[0].1, &limits).is_ok(), "the weights do not count");
    let short = Limits {
        text_bytes: 1000,
        ..limits
    };
    assert!(matches!(
        refused(&short),
        Refusal::TooLarge { limit: 1000, .. }
    ));
    let few = Limits {
        operators: 2,
        ..limits
    };
    assert_eq!(refused(&few), Refusal::Operators { limit: 2 });
    let narrow = Limits {
        directory_bytes: 100,
        ..limits
    };
    assert!(matches!(refused(&narrow), Refusal::Archive { .. }));
}

/// Damage anywhere in an archive or a text is a refusal or another model, never a panic.
#[test]
fn damaged_models_do_not_panic() {
    let all = NET.iter().chain(&PLAIN).map(|(_, bytes)| *bytes);
    for bytes in all {
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x55;
            let _ = read(&damaged, &Limits::default());
            let _ = read(&bytes[..at], &Limits::default());
        }
    }
}
