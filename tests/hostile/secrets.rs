//! Wrong tokens and signatures take the same time wherever they differ from the right one: counted in
//! instructions by callgrind, to the last one.

use std::hint::black_box;

use opatlas_service::secrets;
use opatlas_source::Digest;
use opatlas_store::is_same_secret;

use crate::callgrind::{callgrind, has_valgrind};

/// The digest that is right, and others that differ from it in one byte: the first, one in the middle,
/// the last; and one that differs everywhere.
fn digests(right: Digest) -> Vec<Digest> {
    let text = right.to_string();
    let with = |at: usize| {
        let mut hex = text.clone().into_bytes();
        hex[at] = if hex[at] == b'0' { b'1' } else { b'0' };
        Digest::parse(std::str::from_utf8(&hex).unwrap()).unwrap()
    };
    let inverse = |digit: u8| format!("{:x}", 15 - (digit as char).to_digit(16).unwrap());
    let all: String = text.bytes().map(inverse).collect();
    let all = Digest::parse(&all).unwrap();
    vec![with(0), with(1), with(31), with(62), with(63), all]
}

#[inline(never)]
fn same_measured(stored: Digest, given: Digest) {
    black_box(is_same_secret(black_box(stored), black_box(given)));
}

#[inline(never)]
fn signed_measured(signature: Digest) {
    let (key, body) = (black_box(&b"key"[..]), black_box(&b"body"[..]));
    black_box(secrets::is_signed(key, body, black_box(signature)));
}

/// Not a test of its own: what callgrind runs.
#[test]
fn compared() {
    if std::env::var_os("OPATLAS_HOSTILE_SECRETS").is_none() {
        return;
    }
    let right = Digest::of(b"token");
    let hmac = "a4e04b7b0fd74bf9e8d0e0e3ca3a0f4f1b5a1e0a8ce1b6a1d5dd0cc9ce3f7ab1";
    let hmac = Digest::parse(hmac).unwrap();
    // Once before, so that what is looked up at the first call is known.
    same_measured(right, right);
    signed_measured(hmac);
    for wrong in digests(right) {
        same_measured(right, wrong);
    }
    for wrong in digests(hmac) {
        signed_measured(wrong);
    }
}

#[test]
fn wrong_secrets_take_the_same_time() {
    if !has_valgrind() {
        return;
    }
    for name in ["same_measured", "signed_measured"] {
        let function = format!("hostile::secrets::{name}");
        let environment = [("OPATLAS_HOSTILE_SECRETS", "1")];
        let counts = callgrind(&function, "secrets::compared", &environment, 7);
        let wrong = &counts[1..];
        assert!(wrong[0] > 0.0, "{name}: {counts:?}");
        assert!(
            wrong.iter().all(|count| *count == wrong[0]),
            "{name}: {counts:?}"
        );
    }
}

#[test]
fn only_the_right_secret_is_right() {
    let right = Digest::of(b"token");
    assert!(is_same_secret(right, right));
    assert!(
        digests(right)
            .into_iter()
            .all(|wrong| !is_same_secret(right, wrong))
    );
    // The example of RFC 4231, section 4.3.
    let hmac = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let hmac = Digest::parse(hmac).unwrap();
    let body = b"what do ya want for nothing?";
    assert!(secrets::is_signed(b"Jefe", body, hmac));
    assert!(
        digests(hmac)
            .into_iter()
            .all(|wrong| !secrets::is_signed(b"Jefe", body, wrong))
    );
}
