//! `ducktrack deaths`: how long the objects of each site live, by exact death times.

mod build;
mod csv;
mod document;
mod facts;
mod figures;
mod places;
mod text;

pub use build::deaths_report;
pub use document::{
    CallerDeathsDoc, ContradictionDoc, DeathClocksDoc, DeathSpansDoc, DeathsReport, DeathsRequest,
    DemographicsDoc, DistancesDoc, EventCountsDoc, GroupsDoc, LivesDoc, OnClocksDoc, PlaceNameDoc,
    QuantilesDoc, ShapeDoc, SiteDeathsDoc, SurvivalDoc, TypeDeathsDoc,
};
pub use places::{ObjectPlace, place_of};

use crate::error::ReportError;
use crate::event_trace::{EventReport, document_lines, page};

impl EventReport for DeathsReport {
    fn text_within(&self, width: Option<usize>) -> String {
        text::text(self, width)
    }

    fn json(&self) -> Result<String, ReportError> {
        document_lines::lines(self)
    }

    fn csv(&self) -> String {
        csv::csv(self)
    }

    fn html(&self) -> Result<String, ReportError> {
        page::page(self, &facts::facts(self), page::DEATHS)
    }
}
