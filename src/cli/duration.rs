//! Durations on the command line.

use jiff::{Span, SpanRelativeTo, Unit};

/// The longest duration, in hours: a hundred years.
const LONGEST: f64 = 24.0 * 36_500.0;

/// Parses `90d` or `12h`, from one hour to a hundred years, into microseconds.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    let days = SpanRelativeTo::days_are_24_hours();
    let span = text.parse::<Span>().ok();
    let hours = span.and_then(|span| span.total((Unit::Hour, days)).ok());
    match hours.filter(|hours| (1.0..=LONGEST).contains(hours)) {
        Some(hours) => Ok((hours * 3.6e9) as i64),
        None => Err("write a number of days or hours, such as 90d or 12h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn durations_are_days_and_hours_within_bounds() {
        const HOUR: i64 = 3_600_000_000;
        assert_eq!(parse("12h"), Ok(12 * HOUR));
        assert_eq!(parse("90d"), Ok(90 * 24 * HOUR));
        assert_eq!(parse("1d 6h"), Ok(30 * HOUR));
        for bad in ["", "d", "90", "0d", "-1d", "40000d", "1 fortnight", "59m"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
