//! Days of the calendar, in UTC: what tables are partitioned by.

/// Milliseconds of a day.
const DAY_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// A day since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(u64);

impl Day {
    pub(crate) fn of_millis(unix_millis: u64) -> Self {
        Self(unix_millis / DAY_MILLIS)
    }

    /// `2026-11-27`: Hinnant's civil_from_days, for days since 1970 only.
    pub(crate) fn date(self) -> String {
        let days = self.0 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        format!("{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_are_known() {
        for (day, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_784, "2026-11-27"),
        ] {
            assert_eq!(Day(day).date(), date);
        }
        assert_eq!(Day::of_millis(DAY_MILLIS - 1), Day(0));
        assert_eq!(Day::of_millis(DAY_MILLIS), Day(1));
    }
}
