//! Bytes: whatever goes in comes back.

use opatlas_source::{Bundle, Digest, NATIVE_FUNCTIONS};
use opatlas_store::Store;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use crate::store::given::{bundle, missing, new_project};

pub async fn odd_bytes_come_back(store: &dyn Store) {
    let project = new_project(store, "odd").await;
    let long = [b"- ".as_slice(), &vec![b'x'; 3_000_000], b"\n- y"].concat();
    let dashes = "- \n".repeat(20_000);
    let small: String = (0..20_000).map(|at| format!("- {at}\n")).collect();
    let odd: [&[u8]; 12] = [
        b"",
        b"\n",
        b"-",
        b"- ",
        b"- \n- \n- ",
        b"\xFF\xFE\x00- \n- \x80",
        b"a\r\n- b\r\n- c\r",
        b"no line feed",
        b"\0",
        &long,
        dashes.as_bytes(),
        small.as_bytes(),
    ];
    for bytes in odd {
        let files = bundle(bytes);
        let digest = store
            .ingest(&project, &files, None, 1)
            .await
            .unwrap()
            .digest;
        assert_eq!(store.bundle(&project, digest).await.unwrap(), files);
        let file = store
            .file(&project, digest, NATIVE_FUNCTIONS)
            .await
            .unwrap();
        assert_eq!(&*file, bytes);
    }
    let none = Bundle::default();
    store.ingest(&project, &none, None, 1).await.unwrap();
    assert_eq!(store.bundle(&project, none.digest()).await.unwrap(), none);
}

/// Bundles of random entries and random bytes; many share parts.
pub async fn any_bytes_come_back(store: &dyn Store) {
    use proptest::collection::{btree_map, vec};
    let project = new_project(store, "any").await;
    let entry = "- func: [a-d](\\n  dispatch: [a-z]{0,90}){0,3}\\n".prop_map(String::into_bytes);
    let bytes = vec(proptest::arbitrary::any::<u8>(), 0..300);
    let part = proptest::prop_oneof![8 => entry, 1 => bytes];
    let file = vec(part, 0..80).prop_map(|parts| parts.concat());
    let files = btree_map("(native_functions|tags|backends/[ab])\\.yaml", file, 0..4);
    let mut runner = TestRunner::default();
    let mut all = Vec::new();
    for _ in 0..200 {
        let mut given = Bundle::default();
        for (name, bytes) in files.new_tree(&mut runner).unwrap().current() {
            given.insert(&name, bytes);
        }
        store.ingest(&project, &given, None, 1).await.unwrap();
        assert_eq!(store.bundle(&project, given.digest()).await.unwrap(), given);
        all.push(given);
    }
    // Several at once, one of them twice.
    all.push(all[0].clone());
    let mut digests: Vec<Digest> = all.iter().map(Bundle::digest).collect();
    assert_eq!(store.bundles(&project, &digests).await.unwrap(), all);
    assert_eq!(store.bundles(&project, &[]).await.unwrap(), []);
    digests.push(bundle(b"not stored").digest());
    missing(store.bundles(&project, &digests).await);
}
