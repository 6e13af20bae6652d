//! `ducktrack cost`: what each site, caller and type costs the collector.

mod build;
mod candidate_groups;
mod document;
mod micros;
mod page;
mod table;
mod text;
mod what_if;

pub use build::{CostCandidate, CostRequest, cost_report};
pub use candidate_groups::{candidate_groups, candidates_of, group_of_sites, longest_used};
pub use document::GcReport;
pub use what_if::Change;

use crate::report::{Declared, Forms};

impl Declared for GcReport {
    const FORMS: Forms<Self> = Forms::new("cost", text::write)
        .next(text::next)
        .csv(table::csv)
        .html(page::html);
}
