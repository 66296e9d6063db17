//! How a store behaves, whatever database is below: [`suite`] is run on each. What only SQLite has
//! (files, addresses, its log) is in `tests/store_sqlite.rs`.

mod commit_labels;
mod concurrency;
mod content;
mod given;
mod history;
mod keys;
mod labels;
mod leases;
mod marks;
mod migrations;
use crate::common::postgres;
mod probe;
mod projects;
mod replicas;
mod revisions;
mod timelines;
mod tokens;
mod upkeep;

use std::sync::Arc;

use opatlas_store::{PostgresStore, SqliteStore, Store};

/// Every behaviour, on a store that holds nothing beforehand, and at last a copy into another. Each has a project of its own.
async fn suite(store: impl Store, empty: &dyn Store) {
    let store: Arc<dyn Store> = Arc::new(store);
    store.ping().await.unwrap();
    projects::projects_are_made_changed_and_deleted(&*store).await;
    projects::projects_are_listed_in_parts(&*store).await;
    revisions::ingest_is_idempotent(&*store).await;
    revisions::revisions_are_found_by_digest_prefix_and_label(&*store).await;
    revisions::revisions_are_listed_newest_first(&*store).await;
    labels::labels_move_and_keep_their_release(&*store).await;
    labels::labels_are_changed_under_conditions(&*store).await;
    labels::a_refused_label_stores_nothing(&*store).await;
    labels::a_labelled_revision_is_not_deleted(&*store).await;
    projects::projects_share_bytes_and_nothing_else(&*store).await;
    revisions::what_is_absent_is_named(&*store).await;
    labels::a_label_keeps_its_creator(&*store).await;
    tokens::tokens_are_kept_and_revoked_for_good(&*store).await;
    keys::a_key_is_claimed_answered_and_freed(&*store).await;
    keys::keys_end_and_are_few(&*store).await;
    history::commits_stand_in_their_order(&*store).await;
    history::known_parts_hold_as_long_as_their_revision(&*store).await;
    history::steps_are_kept_and_replaced(&*store).await;
    timelines::a_known_timeline_grows_into_the_one_read_anew(&store).await;
    content::odd_bytes_come_back(&*store).await;
    content::any_bytes_come_back(&*store).await;
    concurrency::the_same_revision_from_many_is_made_once(&store).await;
    concurrency::many_revisions_at_once_are_all_stored(&store).await;
    concurrency::readers_go_on_while_others_write(&store).await;
    probe::leases_end_and_the_first_result_is_kept(&*store).await;
    probe::a_shard_has_one_worker(&store).await;
    probe::equal_dumps_are_stored_once(&*store).await;
    probe::a_project_keeps_its_last_runs(&*store).await;
    probe::runs_are_listed_with_their_shards(&*store).await;
    probe::progress_knows_expired_leases(&*store).await;
    leases::a_lease_is_of_its_secret_and_its_token(&*store).await;
    leases::a_token_evicts_its_own_runs_alone(&*store).await;
    commit_labels::stored_labels_that_look_like_commits_are_reported(&*store).await;
    upkeep::what_no_label_names_is_collected_by_age(&*store).await;
    upkeep::all_of_it_can_be_copied(&*store, empty).await;
    store.close().await;
    assert!(store.ping().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let empty = SqliteStore::open("sqlite::memory:").await.unwrap();
    suite(SqliteStore::open(&url).await.unwrap(), &empty).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_in_memory() {
    let store = SqliteStore::open("sqlite::memory:").await.unwrap();
    match postgres::shared() {
        Some(cluster) => {
            let empty = PostgresStore::open(&cluster.database().await)
                .await
                .unwrap();
            suite(store, &empty).await;
        }
        None => {
            let empty = SqliteStore::open("sqlite::memory:").await.unwrap();
            suite(store, &empty).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let empty = SqliteStore::open("sqlite::memory:").await.unwrap();
    suite(PostgresStore::open(&url).await.unwrap(), &empty).await;
}
