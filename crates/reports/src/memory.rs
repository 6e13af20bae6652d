//! `ducktrack memory`: what fills the memory of a process and its container, and when its limit is reached.

mod advice;
mod document;
mod makers;
mod page;
mod table;
mod text;

pub use document::{MemoryReport, MemoryRequest, memory_report};

use crate::report::{Declared, Forms};

impl Declared for MemoryReport {
    const FORMS: Forms<Self> = Forms::new("memory", text::write)
        .next(text::next)
        .csv(|report| table::table(report).csv(table::parts(report)))
        .html(page::html);
}
