//! `ducktrack impact`: what removing the objects of leak candidates saves, measured in trials.

mod build;
mod document;
mod estimate;
mod text;

pub use build::{ImpactCandidate, ImpactRequest, TrialChange, TrialRun, impact_report};
pub use document::{
    EstimateDoc, ImpactCandidateDoc, ImpactReport, PlaceCountDoc, RemovalMoment, TrialSetDoc,
    TrialVerdict,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for ImpactReport {
    fn name(&self) -> &'static str {
        "impact"
    }

    fn write(&self, out: &mut TextLines) {
        text::write(self, out);
    }

    fn next(&self) -> Vec<NextCommand> {
        text::next(self)
    }

    fn json(&self) -> Result<String, ReportError> {
        lines(self)
    }
}
