//! `ducktrack holders`: the holders of the objects in a heap dump, and the sites that allocated them.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::{HolderSelection, holders_report};
pub use document::HoldersReport;

use crate::report::{Declared, Forms};

impl Declared for HoldersReport {
    const FORMS: Forms<Self> = Forms::new("holders", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
