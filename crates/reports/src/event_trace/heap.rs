//! `ducktrack heap`: the live heap at a moment, by type, site, thread, age and space.

mod build;
mod document;
mod loaders;
mod page;
mod table;
mod text;

pub use build::heap_report;
pub(crate) use build::since_start;
pub(super) use build::{largest_first, quality};
pub use document::HeapReport;
pub(crate) use document::QualityDoc;

use crate::report::{Declared, Forms};

impl Declared for HeapReport {
    const FORMS: Forms<Self> = Forms::new("heap", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
