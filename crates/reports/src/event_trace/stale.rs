//! `ducktrack heap --stale`: live objects by how long they have not been used.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::stale_report;
pub use document::StaleReport;

use crate::report::{Declared, Forms};

impl Declared for StaleReport {
    const FORMS: Forms<Self> = Forms::new("stale", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
