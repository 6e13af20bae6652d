//! `ducktrack lifetimes --deaths`: how long the objects of each site live, by exact death times.

mod build;
mod document;
mod facts;
mod figures;
mod places;
mod table;
mod text;

pub use build::deaths_report;
pub use document::{
    CallerDeathsDoc, ContradictionDoc, DeathClocksDoc, DeathSpansDoc, DeathsReport, DeathsRequest,
    DemographicsDoc, DistancesDoc, EventCountsDoc, GroupsDoc, LivesDoc, OnClocksDoc, PlaceNameDoc,
    QuantilesDoc, ShapeDoc, SiteDeathsDoc, SurvivalDoc, TypeDeathsDoc,
};
pub use places::{ObjectPlace, place_of};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::page;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for DeathsReport {
    fn name(&self) -> &'static str {
        "deaths"
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

    fn csv(&self) -> Result<String, ReportError> {
        Ok(table::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(
            self,
            Some(table::page(self)),
            &facts::facts(self),
            page::DEATHS,
        )
    }
}
