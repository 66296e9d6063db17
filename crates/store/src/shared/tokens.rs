//! Tokens: create, find, revoke.

use super::rows;
use crate::database::{Connection, query};
use crate::error::{Missing, StoreError};
use crate::sql;
use crate::tokens::{TokenKey, TokenRecord};

record! {
    struct TokenRow {
        id: String,
        name: String,
        hash: Vec<u8>,
        signing_key: Option<Vec<u8>>,
        projects: String,
        actions: String,
        created_at: i64,
        expires_at: Option<i64>,
        revoked_at: Option<i64>,
        last_used_at: Option<i64>,
    }
}

impl TokenRow {
    fn record(self) -> Result<TokenRecord, StoreError> {
        Ok(TokenRecord {
            hash: rows::digest(&self.hash)?,
            id: self.id,
            name: self.name,
            signing_key: self.signing_key,
            projects: self.projects,
            actions: self.actions,
            created_at: self.created_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
            last_used_at: self.last_used_at,
        })
    }
}

pub(super) async fn insert(
    connection: &mut impl Connection,
    token: &TokenRecord,
) -> Result<(), StoreError> {
    query(sql::TOKEN_INSERT)
        .bind(&token.id)
        .bind(&token.name)
        .bind(&token.hash.as_bytes()[..])
        .bind(token.signing_key.as_deref())
        .bind(&token.projects)
        .bind(&token.actions)
        .bind(token.created_at)
        .bind(token.expires_at)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn list(connection: &mut impl Connection) -> Result<Vec<TokenRecord>, StoreError> {
    let rows: Vec<TokenRow> = query(sql::TOKENS).fetch_all(connection).await?;
    rows.into_iter().map(TokenRow::record).collect()
}

pub(super) async fn find(
    connection: &mut impl Connection,
    key: TokenKey<'_>,
) -> Result<Option<TokenRecord>, StoreError> {
    let row: Option<TokenRow> = match key {
        TokenKey::Hash(hash) => {
            let token = query(sql::TOKEN_BY_HASH).bind(&hash.as_bytes()[..]);
            token.fetch_optional(connection).await?
        }
        TokenKey::Id(id) => {
            let token = query(sql::TOKEN_BY_ID).bind(id);
            token.fetch_optional(connection).await?
        }
    };
    row.map(TokenRow::record).transpose()
}

pub(super) async fn revoke(
    connection: &mut impl Connection,
    id: &str,
    now: i64,
) -> Result<TokenRecord, StoreError> {
    query(sql::TOKEN_REVOKE)
        .bind(id)
        .bind(now)
        .execute(&mut *connection)
        .await?;
    let token = find(connection, TokenKey::Id(id)).await?;
    token.ok_or_else(|| Missing::Token(id.to_owned()).into())
}

pub(super) async fn touch(
    connection: &mut impl Connection,
    id: &str,
    now: i64,
) -> Result<(), StoreError> {
    query(sql::TOKEN_TOUCH)
        .bind(id)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}
