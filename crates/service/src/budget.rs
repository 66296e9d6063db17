//! A budget that clients share: bytes, requests or connections. A part is reserved before use, and
//! returned when its [`Reserved`] is dropped.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A limited amount with a limit for each client.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    share: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    total: usize,
    clients: HashMap<IpAddr, usize>,
}

/// The limit that a reservation would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The total.
    Total,
    /// The share of this client.
    Share,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Total => "the limit of the server is reached",
            Self::Share => "the limit for one client is reached",
        })
    }
}

impl std::error::Error for Exhausted {}

impl Budget {
    /// A budget without a limit per client.
    #[must_use]
    pub fn new(total: usize) -> Self {
        Self::with_share(total, total)
    }

    /// A budget with a limit per client.
    #[must_use]
    pub fn with_share(total: usize, share: usize) -> Self {
        Self(Arc::new(Inner {
            total,
            share,
            used: Mutex::default(),
        }))
    }

    /// Reserves an amount. Without a client, it counts only against the total. Fails with the limit
    /// that it would exceed.
    pub fn reserve(&self, client: Option<IpAddr>, amount: usize) -> Result<Reserved, Exhausted> {
        let mut reserved = self.empty(client);
        reserved.grow(amount)?;
        Ok(reserved)
    }

    /// An empty reservation, which can grow.
    #[must_use]
    pub fn empty(&self, client: Option<IpAddr>) -> Reserved {
        Reserved {
            budget: self.clone(),
            client,
            amount: 0,
        }
    }

    /// The amount that is not reserved.
    #[must_use]
    pub fn free(&self) -> usize {
        self.0.total - self.used().total
    }

    /// The limit for a client: its share, or the total without one.
    #[must_use]
    pub fn limit(&self, client: Option<IpAddr>) -> usize {
        client.map_or(self.0.total, |_| self.0.share)
    }

    /// The amount that a client can still reserve.
    #[must_use]
    pub fn left(&self, client: Option<IpAddr>) -> usize {
        let used = self.used();
        let free = self.0.total - used.total;
        let held = client.and_then(|client| used.clients.get(&client).copied());
        let own = self.limit(client).saturating_sub(held.unwrap_or_default());
        free.min(own)
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reserved part of a budget.
#[derive(Debug)]
pub struct Reserved {
    budget: Budget,
    client: Option<IpAddr>,
    amount: usize,
}

impl Reserved {
    /// Reserves more. Fails with the limit that it would exceed. The reservation is unchanged then.
    pub fn grow(&mut self, amount: usize) -> Result<(), Exhausted> {
        if amount == 0 {
            return Ok(());
        }
        let limits = &self.budget.0;
        let mut used = self.budget.used();
        if amount > limits.total - used.total {
            return Err(Exhausted::Total);
        }
        if let Some(client) = self.client {
            let held = used.clients.get(&client).copied().unwrap_or_default();
            if amount > limits.share.saturating_sub(held) {
                return Err(Exhausted::Share);
            }
            used.clients.insert(client, held + amount);
        }
        used.total += amount;
        self.amount += amount;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut used = self.budget.used();
        used.total -= self.amount;
        if let Some(client) = self.client
            && let Some(held) = used.clients.get_mut(&client)
        {
            *held -= self.amount;
            if *held == 0 {
                used.clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));
    const OTHER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));

    #[test]
    fn a_client_has_no_more_than_its_share() {
        let budget = Budget::with_share(10, 6);
        let first = budget.reserve(ONE, 6).unwrap();
        assert_eq!(budget.reserve(ONE, 1).unwrap_err(), Exhausted::Share);
        let other = budget.reserve(OTHER, 4).unwrap();
        assert_eq!(budget.reserve(OTHER, 1).unwrap_err(), Exhausted::Total);
        drop(first);
        assert_eq!(budget.reserve(None, 7).unwrap_err(), Exhausted::Total);
        assert!(budget.reserve(None, 6).is_ok(), "it has no share to exceed");
        drop(other);
        assert_eq!(budget.free(), 10);
        assert!(budget.used().clients.is_empty());
    }

    #[test]
    fn a_part_grows() {
        let budget = Budget::with_share(10, 8);
        let mut part = budget.empty(ONE);
        part.grow(8).unwrap();
        assert_eq!(part.grow(1), Err(Exhausted::Share));
        assert_eq!(budget.free(), 2);
        drop(part);
        assert_eq!(budget.free(), 10);
    }
}
