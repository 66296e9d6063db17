//! Rate limits of the hosting site.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use ureq::http::HeaderMap;

/// The pause if the site does not state one. Its documentation asks for a minute.
const UNSAID: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Limits {
    /// `Retry-After`, in seconds.
    pub(super) retry_after: Option<u64>,
    /// `X-RateLimit-Remaining`: the number of requests left.
    remaining: Option<u64>,
    /// `X-RateLimit-Reset`: when more are allowed, in seconds since 1970-01-01 UTC.
    reset: Option<i64>,
    /// `Date`: the site's clock, which `reset` refers to.
    date: Option<Timestamp>,
}

impl Limits {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let date = text("date").and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
        Self {
            retry_after: text("retry-after").and_then(|seconds| seconds.trim().parse().ok()),
            remaining: text("x-ratelimit-remaining").and_then(|number| number.trim().parse().ok()),
            reset: text("x-ratelimit-reset").and_then(|time| time.trim().parse().ok()),
            date,
        }
    }

    /// `None` if the answer is not about a rate limit. The site uses 429 and 403, and 403 can also
    /// mean that a permission is missing.
    pub(super) fn pause(&self, status: u16, message: &str, now: Timestamp) -> Option<Duration> {
        let is_spent = self.remaining == Some(0);
        let message = message.to_ascii_lowercase();
        let is_named = message.contains("rate limit") || message.contains("abuse detection");
        let is_limit = match status {
            429 => true,
            403 => self.retry_after.is_some() || is_spent || is_named,
            _ => false,
        };
        if !is_limit {
            return None;
        }
        if let Some(seconds) = self.retry_after {
            return Some(Duration::from_secs(seconds));
        }
        let Some(reset) = self.reset.filter(|_| is_spent) else {
            return Some(UNSAID);
        };
        let now = self.date.unwrap_or(now).as_second();
        // The reset is in whole seconds, so add one.
        let left = reset.saturating_sub(now).saturating_add(1);
        Some(Duration::from_secs(left.max(1).unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn limits(headers: &[(&'static str, &'static str)]) -> Limits {
        let pairs = headers.iter().map(|(name, value)| {
            let name = ureq::http::HeaderName::from_static(name);
            (name, ureq::http::HeaderValue::from_static(value))
        });
        Limits::of(&pairs.collect())
    }

    fn seconds(
        status: u16,
        headers: &[(&'static str, &'static str)],
        message: &str,
    ) -> Option<u64> {
        let pause = limits(headers).pause(status, message, NOW);
        pause.map(|pause| pause.as_secs())
    }

    #[test]
    fn the_site_says_how_long() {
        assert_eq!(seconds(429, &[("retry-after", "7")], ""), Some(7));
        assert_eq!(seconds(403, &[("retry-after", "7")], ""), Some(7));
        let spent = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "30")];
        assert_eq!(seconds(403, &spent, ""), Some(31));
        // The site's clock counts, not this machine's.
        let date = ("date", "Thu, 01 Jan 1970 00:00:20 GMT");
        assert_eq!(seconds(403, &[spent[0], spent[1], date], ""), Some(11));
    }

    #[test]
    fn a_limit_without_a_time_is_a_minute() {
        let secondary = "You have exceeded a secondary rate limit.";
        assert_eq!(seconds(403, &[], secondary), Some(60));
        assert_eq!(seconds(429, &[("x-ratelimit-reset", "soon")], ""), Some(60));
        assert_eq!(seconds(429, &[("retry-after", "never")], ""), Some(60));
    }

    #[test]
    fn a_missing_permission_is_not_a_limit() {
        let left = [
            ("x-ratelimit-remaining", "4999"),
            ("x-ratelimit-reset", "30"),
        ];
        let message = "Resource not accessible by integration";
        assert_eq!(seconds(403, &left, message), None);
        assert_eq!(seconds(404, &[("retry-after", "7")], ""), None);
        assert_eq!(seconds(502, &[("retry-after", "7")], ""), None);
    }
}
