//! `ducktrack lifetimes --deaths`: how long the objects of each site live, by exact death times.

mod build;
mod document;
mod figures;
mod page;
mod places;
mod table;
mod text;

pub use build::deaths_report;
pub use document::{DeathsReport, DeathsRequest};
pub use places::{ObjectPlace, place_of};

use crate::report::{Declared, Forms};

impl Declared for DeathsReport {
    const FORMS: Forms<Self> = Forms::new("deaths", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
