//! Times as they are given on the command line.

/// A number of days or hours, such as `90d` or `12h`, in microseconds: an hour to a hundred years.
///
/// # Errors
/// When it is none; says how to write one.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    let hours = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((count, "d")) => count.parse::<u32>().ok().map(|days| i64::from(days) * 24),
        Some((count, "h")) => count.parse::<u32>().ok().map(i64::from),
        _ => None,
    };
    match hours.filter(|hours| (1..=24 * 36_500).contains(hours)) {
        Some(hours) => Ok(hours * 3_600_000_000),
        None => Err("write a number of days or hours, such as 90d or 12h".to_owned()),
    }
}
