//! Tokens: create, list, revoke, authenticate.
//!
//! A token has 256 random bits, so storing its plain SHA-256 is safe. Tokens are cached for a few
//! seconds, so another replica may accept a revoked token that long.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moka::future::Cache;

use opatlas_source::Digest;
use opatlas_store::{StoreError, TokenKey, TokenRecord, is_same_secret};

use super::Service;
use super::access::{Action, Grant, Projects};
use super::error::{Denial, ServiceError};
use super::secrets::{self, random};

/// The prefix of tokens, which makes leaked ones easy to find.
pub const TOKEN_PREFIX: &str = "opatlas_";
/// The prefix of signing keys.
pub const SIGNING_PREFIX: &str = "opatlas_sign_";

const FRESH: i64 = 5_000_000;
/// How long a cached token is valid while the database is down, in microseconds.
const STALE: i64 = 600_000_000;
const TOUCHED: i64 = 60_000_000;
const REMEMBERED: u64 = 10_000;

/// A token to create.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// A name for people.
    pub name: String,
    /// The projects that it applies to.
    pub projects: Projects,
    /// What it permits.
    pub actions: Vec<Action>,
    /// When it expires, in microseconds since 1970-01-01 UTC.
    pub expires_at: Option<i64>,
    /// Whether it can sign request bodies.
    pub signing: bool,
}

/// A new token. Its secrets are shown once and not stored.
pub struct MadeToken {
    /// The token.
    pub secret: String,
    /// The key for signatures, if requested.
    pub signing_key: Option<String>,
    /// The stored record.
    pub record: TokenRecord,
}

/// The token that a request claims as its signer, and a signature to verify.
pub struct Signer {
    token: TokenRecord,
    signature: Digest,
}

pub(super) struct TokenCache(Cache<Digest, CachedToken>);

#[derive(Clone)]
struct CachedToken {
    token: Arc<TokenRecord>,
    at: i64,
}

impl Default for TokenCache {
    fn default() -> Self {
        let stale = Duration::from_micros(STALE.unsigned_abs());
        let cache = Cache::builder().max_capacity(REMEMBERED);
        Self(cache.time_to_live(stale).build())
    }
}

impl Service {
    /// Creates a token. Fails with [`ServiceError::Failed`] if the system has no random numbers.
    pub async fn create_token(&self, new: NewToken) -> Result<MadeToken, ServiceError> {
        super::projects::expect_storable("name", Some(&new.name))?;
        let secret = format!("{TOKEN_PREFIX}{}", random::<32>()?);
        let signing_key = if new.signing {
            Some(format!("{SIGNING_PREFIX}{}", random::<32>()?))
        } else {
            None
        };
        let actions: Vec<_> = new.actions.iter().map(|action| action.as_str()).collect();
        let record = TokenRecord {
            id: random::<6>()?,
            name: new.name,
            hash: Digest::of(secret.as_bytes()),
            signing_key: signing_key.clone().map(String::into_bytes),
            projects: new.projects.stored(),
            actions: actions.join(" "),
            created_at: self.now(),
            expires_at: new.expires_at,
            revoked_at: None,
            last_used_at: None,
        };
        self.store.add_token(&record).await?;
        Ok(MadeToken {
            secret,
            signing_key,
            record,
        })
    }

    /// All tokens, oldest first, including revoked ones.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, ServiceError> {
        Ok(self.store.tokens().await?)
    }

    /// Revokes a token permanently. Fails with [`opatlas_store::Missing::Token`].
    pub async fn revoke_token(&self, id: &str) -> Result<TokenRecord, ServiceError> {
        let token = self.store.revoke_token(id, self.now()).await?;
        self.tokens.0.invalidate(&token.hash).await;
        Ok(token)
    }

    /// What a token permits. Fails with [`ServiceError::Denied`].
    pub async fn authenticate(&self, secret: &str) -> Result<Grant, ServiceError> {
        let hash = Digest::of(secret.as_bytes());
        let now = self.now();
        let remembered = self.tokens.0.get(&hash).await;
        if let Some(found) = &remembered
            && now.abs_diff(found.at) < FRESH.unsigned_abs()
        {
            return self.granted(&found.token, now);
        }
        let token = match (self.store.token(TokenKey::Hash(hash)).await, remembered) {
            (Ok(Some(token)), _) => Arc::new(token),
            (Ok(None), _) => {
                self.tokens.0.invalidate(&hash).await;
                return Err(Denial::Unknown.into());
            }
            (Err(StoreError::Unavailable { .. }), Some(found)) => {
                return self.granted(&found.token, now);
            }
            (Err(error), _) => return Err(error.into()),
        };
        if !is_same_secret(token.hash, hash) {
            return Err(Denial::Unknown.into());
        }
        let found = CachedToken {
            token: Arc::clone(&token),
            at: now,
        };
        self.tokens.0.insert(hash, found).await;
        let grant = self.granted(&token, now)?;
        self.note_use(&token, now);
        Ok(grant)
    }

    /// The claimed signer of a request, before its body is read. `signature` is the hexadecimal
    /// HMAC-SHA-256 of the body with the token's signing key. Fails as [`Service::authenticate`]
    /// does.
    pub async fn signer(&self, id: &str, signature: &str) -> Result<Signer, ServiceError> {
        let signature = Digest::parse(signature).ok_or(Denial::Signature)?;
        if id.len() > 64 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Denial::Signature.into());
        }
        let token = self.store.token(TokenKey::Id(id)).await?;
        let token = token.ok_or(Denial::Signature)?;
        // Only a caller with a valid signature learns that a token has expired.
        match token.signing_key {
            Some(_) => Ok(Signer { token, signature }),
            None => Err(Denial::Signature.into()),
        }
    }

    /// What a signed body permits. Fails as [`Service::authenticate`] does.
    pub async fn verify_signature(
        &self,
        signer: Signer,
        body: Bytes,
    ) -> Result<Grant, ServiceError> {
        let Signer { token, signature } = signer;
        let key = token.signing_key.clone().ok_or(Denial::Signature)?;
        let fits = move || secrets::is_signed(&key, &body, signature);
        if !self.workers.run(move |_| Ok(fits())).await? {
            return Err(Denial::Signature.into());
        }
        let now = self.now();
        let grant = self.granted(&token, now)?;
        self.note_use(&token, now);
        Ok(grant)
    }

    fn granted(&self, token: &TokenRecord, now: i64) -> Result<Grant, ServiceError> {
        if token.revoked_at.is_some() {
            return Err(Denial::Revoked.into());
        }
        if token.expires_at.is_some_and(|at| at <= now) {
            return Err(Denial::Expired.into());
        }
        let unread = || StoreError::Corrupt {
            what: format!("token {} is invalid in the database", token.id),
        };
        Ok(Grant::of(token).ok_or_else(unread)?)
    }

    fn note_use(&self, token: &TokenRecord, now: i64) {
        let last = token.last_used_at.unwrap_or(i64::MIN);
        if now.saturating_sub(last) < TOUCHED {
            return;
        }
        let (store, id) = (Arc::clone(&self.store), token.id.clone());
        tokio::spawn(async move {
            if let Err(error) = store.touch_token(&id, now).await {
                tracing::warn!(%error, token = id, "recording the use of a token failed");
            }
        });
    }
}
