//! Implements [`IdempotencyStore`].

use super::rows;
use crate::Answer;
use crate::database::{Backend, Connection, query, query_scalar};
use crate::error::StoreError;
use crate::idempotency::{IdempotencyStore, KeptReply, KeyBounds, KeyClaim, KeyName};
use crate::sql;
use opatlas_source::Digest;

record! {
    struct KeyRow {
        request: Vec<u8>,
        status: Option<i64>,
        location: Option<String>,
        body: Option<Vec<u8>>,
    }
}

impl KeyRow {
    fn claim(self, request: Digest) -> Result<KeyClaim, StoreError> {
        if rows::digest(&self.request)? != request {
            return Ok(KeyClaim::Other);
        }
        let Some(status) = self.status else {
            return Ok(KeyClaim::InProgress);
        };
        let status = u16::try_from(status).map_err(|_| {
            StoreError::corrupt(format!("an idempotency key has the status {status}"))
        })?;
        Ok(KeyClaim::Answered(KeptReply {
            status,
            location: self.location,
            body: self.body.unwrap_or_default(),
        }))
    }
}

impl<B: Backend> IdempotencyStore for B {
    fn claim_key<'a>(
        &'a self,
        key: &'a KeyName,
        request: Digest,
        bounds: KeyBounds,
        now: i64,
    ) -> Answer<'a, KeyClaim> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let claim = claim(&mut *work, key, request, bounds, now).await?;
            self.commit(work).await?;
            Ok(claim)
        })
    }

    fn answer_key<'a>(
        &'a self,
        key: &'a KeyName,
        claimed_at: i64,
        reply: &'a KeptReply,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            query(sql::KEY_ANSWER)
                .bind(&key.owner)
                .bind(&key.project)
                .bind(&key.name)
                .bind(claimed_at)
                .bind(i64::from(reply.status))
                .bind(reply.location.as_deref())
                .bind(&reply.body[..])
                .execute(&mut *work)
                .await?;
            self.commit(work).await
        })
    }

    fn free_key<'a>(&'a self, key: &'a KeyName, claimed_at: i64) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            query(sql::KEY_DELETE)
                .bind(&key.owner)
                .bind(&key.project)
                .bind(&key.name)
                .bind(claimed_at)
                .execute(&mut *work)
                .await?;
            self.commit(work).await
        })
    }
}

async fn claim(
    connection: &mut impl Connection,
    key: &KeyName,
    request: Digest,
    bounds: KeyBounds,
    now: i64,
) -> Result<KeyClaim, StoreError> {
    query(sql::KEYS_EXPIRED_DELETE)
        .bind(bounds.expired_before)
        .bind(bounds.abandoned_before)
        .execute(&mut *connection)
        .await?;
    let row = query(sql::KEY).bind(&key.owner).bind(&key.project);
    let row: Option<KeyRow> = row.bind(&key.name).fetch_optional(&mut *connection).await?;
    if let Some(row) = row {
        return row.claim(request);
    }
    let count = query_scalar(sql::KEYS_COUNT).bind(&key.owner);
    let count: i64 = count.bind(&key.project).fetch_one(&mut *connection).await?;
    if count >= bounds.most {
        query(sql::KEY_OLDEST_DELETE)
            .bind(&key.owner)
            .bind(&key.project)
            .execute(&mut *connection)
            .await?;
    }
    query(sql::KEY_INSERT)
        .bind(&key.owner)
        .bind(&key.project)
        .bind(&key.name)
        .bind(&request.as_bytes()[..])
        .bind(now)
        .execute(connection)
        .await?;
    Ok(KeyClaim::Free)
}
