//! `ducktrack impact`: what removing the objects of leak candidates saves, measured in trials.

mod build;
mod document;
mod estimate;
mod text;

pub use build::{ImpactCandidate, ImpactRequest, TrialChange, TrialRun, impact_report};
pub use document::{ImpactReport, RemovalMoment};

use crate::report::{Declared, Forms};

impl Declared for ImpactReport {
    const FORMS: Forms<Self> = Forms::new("impact", text::write).next(text::next);
}
