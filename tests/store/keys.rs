//! Idempotency keys: claimed once, answered again, and gone after a while.

use opatlas_source::Digest;
use opatlas_store::{KeptReply, KeyBounds, KeyClaim, KeyName, Store};

use crate::store::given::new_project;

const ALL: KeyBounds = KeyBounds {
    expired_before: 0,
    abandoned_before: 0,
    most: 1000,
};

fn key(owner: &str, project: &str, name: &str) -> KeyName {
    KeyName {
        owner: owner.to_owned(),
        project: project.to_owned(),
        name: name.to_owned(),
    }
}

fn reply(text: &str) -> KeptReply {
    KeptReply {
        status: 201,
        location: Some(format!("/v1/{text}")),
        body: text.as_bytes().to_vec(),
    }
}

pub async fn a_key_is_claimed_answered_and_freed(store: &dyn Store) {
    let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
    let mine = key("t1", "keys", "k");
    let claim =
        async |key: &KeyName, request| store.claim_key(key, request, ALL, 10).await.unwrap();
    assert_eq!(claim(&mine, one).await, KeyClaim::Free);
    assert_eq!(claim(&mine, one).await, KeyClaim::InProgress);
    assert_eq!(claim(&mine, two).await, KeyClaim::Other);
    for other in [
        key("t2", "keys", "k"),
        key("t1", "", "k"),
        key("t1", "keys", "K"),
    ] {
        assert_eq!(claim(&other, two).await, KeyClaim::Free, "{other:?}");
    }
    // Only the request that claimed the key answers or frees it.
    store.answer_key(&mine, 11, &reply("late")).await.unwrap();
    store.free_key(&mine, 11).await.unwrap();
    assert_eq!(claim(&mine, one).await, KeyClaim::InProgress);
    store.free_key(&mine, 10).await.unwrap();
    assert_eq!(claim(&mine, two).await, KeyClaim::Free);
    store.answer_key(&mine, 10, &reply("two")).await.unwrap();
    assert_eq!(claim(&mine, two).await, KeyClaim::Answered(reply("two")));
    assert_eq!(claim(&mine, one).await, KeyClaim::Other);
    // An answer is not freed.
    store.free_key(&mine, 10).await.unwrap();
    assert_eq!(claim(&mine, two).await, KeyClaim::Answered(reply("two")));
}

pub async fn keys_end_and_are_few(store: &dyn Store) {
    let project = new_project(store, "few").await;
    let request = Digest::of(b"request");
    let bounds = KeyBounds { most: 2, ..ALL };
    let of = |name| key("", "few", name);
    let claim = async |name, bounds, now| {
        let claimed = store.claim_key(&of(name), request, bounds, now).await;
        claimed.unwrap()
    };
    for (name, now) in [("a", 1), ("b", 2), ("c", 3)] {
        assert_eq!(claim(name, bounds, now).await, KeyClaim::Free);
        store
            .answer_key(&of(name), now, &reply(name))
            .await
            .unwrap();
    }
    // The oldest made room.
    assert_eq!(claim("c", bounds, 4).await, KeyClaim::Answered(reply("c")));
    assert_eq!(claim("b", bounds, 4).await, KeyClaim::Answered(reply("b")));
    assert_eq!(claim("a", bounds, 4).await, KeyClaim::Free);
    // Without an answer, a key ends earlier.
    let abandoned = KeyBounds {
        abandoned_before: 5,
        ..ALL
    };
    assert_eq!(claim("a", abandoned, 6).await, KeyClaim::Free);
    assert_eq!(
        claim("c", abandoned, 6).await,
        KeyClaim::Answered(reply("c"))
    );
    let expired = KeyBounds {
        expired_before: 5,
        ..ALL
    };
    assert_eq!(claim("c", expired, 7).await, KeyClaim::Free);
    store.delete_project(&project).await.unwrap();
    assert_eq!(claim("c", ALL, 8).await, KeyClaim::Free);
}
