//! A page that shows the rows of one table, and the figures above it.

use serde::Serialize;

use super::page::{Facts, Kind, page};
use crate::error::ReportError;

/// What the script of the page reads: the document, and the order that all pages of tables have.
#[derive(Serialize)]
struct PageData<'a, D: Serialize> {
    filter: Order,
    #[serde(flatten)]
    document: &'a D,
}

#[derive(Serialize)]
struct Order {
    sort: &'static str,
}

/// The page of a document, most bytes first.
pub(crate) fn table_page(
    document: &impl Serialize,
    facts: &Facts,
    kind: Kind,
) -> Result<String, ReportError> {
    let filter = Order { sort: "bytes" };
    page(&PageData { filter, document }, facts, kind)
}
