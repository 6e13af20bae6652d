//! `ducktrack info` on an event trace: what is in it, how large, how much is known.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::info_report;
pub use document::InfoReport;

use crate::report::{Declared, Forms};

impl Declared for InfoReport {
    const FORMS: Forms<Self> = Forms::new("info", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
