//! The columns of figures of `ducktrack top`, one for each order of rows: title and figure, for the screen and for `--once`.

use clap::ValueEnum;
use ducktrack_reports::LiveRowDoc;

use super::grouping::By;

/// `--sort`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowOrder {
    /// Bytes per second
    #[default]
    BytesRate,
    /// Objects per second
    ObjectsRate,
    /// Bytes in all
    Bytes,
    /// Objects in all
    Objects,
}

impl RowOrder {
    pub(super) const ALL: [Self; 4] = [
        Self::BytesRate,
        Self::ObjectsRate,
        Self::Bytes,
        Self::Objects,
    ];

    pub(super) fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    pub(super) fn title(self, by: By) -> &'static str {
        match (self, by) {
            (Self::BytesRate, _) => "bytes/s",
            (Self::ObjectsRate, _) => "objects/s",
            (Self::Bytes, By::Heap | By::OffHeap) => "live bytes",
            (Self::Bytes, _) => "bytes",
            (Self::Objects, By::Heap) => "live",
            (Self::Objects, By::OffHeap) => "live blocks",
            (Self::Objects, _) => "objects",
        }
    }

    /// The figure of a row, without the unit of time.
    pub(super) fn figure(self, row: &LiveRowDoc) -> String {
        match self {
            Self::BytesRate => short_bytes(row.bytes_per_second),
            Self::ObjectsRate => short_number(row.objects_per_second),
            Self::Bytes => short_bytes(row.bytes as f64),
            Self::Objects => short_number(row.objects as f64),
        }
    }
}

/// `12.3 MB`
pub(super) fn short_bytes(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    short(bytes, &units, " ")
}

/// `12.3 M`
pub(super) fn short_number(number: f64) -> String {
    short(number, &["", "k", "M", "G", "T", "P"], "")
}

fn short(value: f64, units: &[&str], space: &str) -> String {
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= 9_999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value.abs() < 999.5);
    format!(
        "{value:.digits$}{space}{}",
        units.get(unit).copied().unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_keep_their_unit() {
        assert_eq!(short_bytes(9_999.0), "9999 B");
        assert_eq!(short_bytes(12_345.0), "12.3 kB");
        assert_eq!(short_bytes(4e12), "4000 GB");
        assert_eq!(short_number(1_234_567.0), "1235k");
        assert_eq!(short_number(0.0), "0");
    }
}
