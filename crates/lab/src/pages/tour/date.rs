//! The date of a tour.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, to the minute: `2026-11-16 13:05 UTC`.
pub(crate) fn now() -> String {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or_else(|_| String::new(), |since| shown(since.as_secs()))
}

/// A time in seconds since the first of January 1970.
fn shown(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    // Years begin in March here, so that the day that not every year has is the last one.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    format!("{year}-{month:02}-{of_month:02} {:02}:{:02} UTC", rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(shown(0), "1970-01-01 00:00 UTC");
        assert_eq!(shown(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(shown(1_709_251_199), "2024-02-29 23:59 UTC");
        assert_eq!(shown(1_794_834_300), "2026-11-16 13:05 UTC");
        assert!(now().ends_with(" UTC"));
    }
}
