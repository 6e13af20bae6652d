//! `ducktrack leaks`: what leaks, how sure, how fast, who made it, who holds it, when the heap is full.

mod build;
mod candidates;
mod document;
mod interval;
mod kept;
mod names;
mod off_heap;
mod page;
mod sentence;
mod sites;
mod table;
mod text;
mod to_do;
mod words;

pub use build::{LeakRequest, leaks_report};
pub use document::LeaksReport;

use crate::report::{Declared, Forms};

impl Declared for LeaksReport {
    const FORMS: Forms<Self> = Forms::new("leaks", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
