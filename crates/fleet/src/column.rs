//! Tables as columns, before they have a format.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::SiteId;

/// A file of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Below the root.
    pub path: String,
    /// Equally long.
    pub columns: Vec<Column>,
    /// Columns by position.
    pub sorted_by: Vec<usize>,
}

impl Table {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns
            .first()
            .map_or(0, |column| column.values.count())
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// As SQL calls it.
    pub name: Cow<'static, str>,
    /// One for each row.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Values {
    /// Names of sites: 16 bytes.
    Sites(Vec<Option<SiteId>>),
    /// Whole numbers whose neighbours are of one size: counts and bytes.
    Amounts(Vec<Option<i64>>),
    /// Whole numbers with few distinct values.
    Numbers(Vec<Option<i64>>),
    /// Milliseconds since 1970.
    Times(Vec<Option<i64>>),
    /// Texts with few distinct values.
    Texts(Vec<Option<Arc<str>>>),
}

impl Values {
    /// How many rows.
    pub fn count(&self) -> usize {
        match self {
            Self::Sites(values) => values.len(),
            Self::Amounts(values) | Self::Numbers(values) | Self::Times(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }
}
