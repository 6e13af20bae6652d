//! `ducktrack timeline`: collections, allocation rate, and what the heap was made of over time.

mod build;
mod composition;
mod document;
mod page;
mod table;
mod text;

pub(super) use build::start_micros;
pub use build::timeline_report;
pub use document::TimelineReport;

use crate::report::{Declared, Forms};

impl Declared for TimelineReport {
    const FORMS: Forms<Self> = Forms::new("timeline", text::write)
        .next(text::next)
        .csv(|report| table::table(report).csv(&report.collections))
        .html(page::html);
}
