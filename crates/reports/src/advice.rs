//! `ducktrack advise`: the changes that save allocations, most first.

mod document;
mod in_dump;
mod page;
mod review;
mod sentence;
mod text;

use ducktrack_advise::Advice;
use ducktrack_count_model::CountModel;

pub use document::AdviceReport;

use crate::report::{Declared, Forms};

/// Makes the report of a run. `trace` says where it was read from; `top` is the number of rows.
pub fn advice_report(
    model: &CountModel,
    trace: &str,
    advice: &[Advice],
    top: Option<usize>,
) -> AdviceReport {
    AdviceReport::of(model, trace, advice, top)
}

impl Declared for AdviceReport {
    const FORMS: Forms<Self> = Forms::new("advise", text::write).html(page::html);
}
