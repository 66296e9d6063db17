//! Tokens are kept as they were given.

use opatlas_source::Digest;
use opatlas_store::{Missing, Store, TokenKey, TokenRecord};

use crate::store::given::missing;

pub async fn tokens_are_kept_and_revoked_for_good(store: &dyn Store) {
    let token = |id: &str, created_at| TokenRecord {
        id: id.to_owned(),
        name: "für CI".to_owned(),
        hash: Digest::of(id.as_bytes()),
        signing_key: (id == "a1").then(|| b"key".to_vec()),
        projects: "acme beta".to_owned(),
        actions: "ingest".to_owned(),
        created_at,
        expires_at: Some(9),
        revoked_at: None,
        last_used_at: None,
    };
    let (one, two) = (token("a1", 1), token("b2", 2));
    for token in [&two, &one] {
        store.add_token(token).await.unwrap();
    }
    assert!(store.add_token(&one).await.is_err());
    assert_eq!(store.tokens().await.unwrap(), [one.clone(), two]);
    for key in [TokenKey::Id("a1"), TokenKey::Hash(one.hash)] {
        assert_eq!(store.token(key).await.unwrap().as_ref(), Some(&one));
    }
    assert_eq!(store.token(TokenKey::Id("c3")).await.unwrap(), None);
    assert_eq!(
        store.token(TokenKey::Hash(Digest::of(b""))).await.unwrap(),
        None
    );
    store.touch_token("a1", 5).await.unwrap();
    let revoked = store.revoke_token("a1", 6).await.unwrap();
    assert_eq!(
        (revoked.last_used_at, revoked.revoked_at),
        (Some(5), Some(6))
    );
    // The first time counts.
    assert_eq!(store.revoke_token("a1", 7).await.unwrap(), revoked);
    let gone = missing(store.revoke_token("c3", 7).await);
    assert_eq!(gone, Missing::Token("c3".to_owned()));
}
