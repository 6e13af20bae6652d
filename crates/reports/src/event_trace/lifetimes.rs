//! `ducktrack lifetimes`: how long the objects of each site live.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::lifetimes_report;
pub use document::LifetimesReport;

use crate::report::{Declared, Forms};

impl Declared for LifetimesReport {
    const FORMS: Forms<Self> = Forms::new("lifetimes", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
