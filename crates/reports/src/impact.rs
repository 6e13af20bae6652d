//! `ducktrack impact`: what removing the objects of leak candidates saves, measured in trials.

mod build;
mod document;
mod estimate;
mod text;

pub use build::{ImpactCandidate, ImpactRequest, TrialRun, impact_report};
pub use document::{EstimateDoc, ImpactCandidateDoc, ImpactReport, PlaceCountDoc, TrialSetDoc};

use crate::error::ReportError;

impl ImpactReport {
    /// For a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// Documented keys.
    ///
    /// # Errors
    /// If a value has no form in JSON.
    pub fn json(&self) -> Result<String, ReportError> {
        crate::event_trace::lines(self)
    }
}
