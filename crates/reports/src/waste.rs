//! `ducktrack waste`: what the live bytes of a heap dump are wasted on, the fields that hold it, and the lines that made it.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::{WasteRequest, waste_report};
pub(crate) use document::WasteMakerDoc;
pub use document::WasteReport;

use crate::report::{Declared, Forms};

impl Declared for WasteReport {
    const FORMS: Forms<Self> = Forms::new("waste", text::write)
        .next(text::next)
        .csv(|report| table::table(report).csv(&report.waste))
        .html(page::html);
}
