//! Columns to the bytes of a Parquet file: one row group for each million rows, Zstandard, the order of the rows noted in the file.
//!
//! The same columns are the same bytes: nothing in a file depends on when or where it is written.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::{FleetError, SiteId};

/// Rows of a row group.
const GROUP: usize = 1 << 20;
const LEVEL: i32 = 6;

/// A column of a table.
#[derive(Debug)]
pub struct Column {
    /// As SQL calls it.
    pub name: &'static str,
    /// One for each row.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug)]
pub enum Values {
    /// Names of sites: 16 bytes.
    Sites(Vec<Option<SiteId>>),
    /// Whole numbers whose neighbours are of one size: counts and bytes.
    Amounts(Vec<Option<i64>>),
    /// Whole numbers of which few differ.
    Numbers(Vec<Option<i64>>),
    /// Milliseconds since 1970.
    Times(Vec<Option<i64>>),
    /// Texts of which few differ.
    Texts(Vec<Option<Arc<str>>>),
}

impl Values {
    /// A number for each row.
    pub fn numbers(values: impl Iterator<Item = i64>) -> Self {
        Self::Numbers(values.map(Some).collect())
    }

    /// An amount for each row.
    pub fn amounts(values: impl Iterator<Item = i64>) -> Self {
        Self::Amounts(values.map(Some).collect())
    }

    /// A text for each row.
    pub fn texts<T: Into<Arc<str>>>(values: impl Iterator<Item = T>) -> Self {
        Self::Texts(values.map(|text| Some(text.into())).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Sites(values) => values.len(),
            Self::Amounts(values) | Self::Numbers(values) | Self::Times(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    fn ty(&self) -> (&'static str, &'static str) {
        match self {
            Self::Sites(_) => ("fixed_len_byte_array(16)", ""),
            Self::Amounts(_) | Self::Numbers(_) => ("int64", ""),
            Self::Times(_) => ("int64", " (TIMESTAMP(MILLIS,true))"),
            Self::Texts(_) => ("binary", " (STRING)"),
        }
    }
}

/// The file of a table. `sorted_by`: columns by position.
///
/// # Errors
/// None that a table of equally long columns could have.
pub fn parquet_file(columns: &[Column], sorted_by: &[usize]) -> Result<Bytes, FleetError> {
    let fields = columns.iter().map(|column| {
        let (ty, logical) = column.values.ty();
        format!("optional {ty} {}{logical};", column.name)
    });
    let schema = format!("message rows {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema)?);
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, properties(columns, sorted_by)?)?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    for start in (0..rows).step_by(GROUP) {
        let range = start..rows.min(start + GROUP);
        let mut group = writer.next_row_group()?;
        for column in columns {
            if let Some(mut into) = group.next_column()? {
                write(&mut into, &column.values, range.clone())?;
                into.close()?;
            }
        }
        group.close()?;
    }
    Ok(Bytes::from(writer.into_inner()?))
}

fn properties(columns: &[Column], sorted_by: &[usize]) -> Result<WriterPropertiesPtr, FleetError> {
    let order = sorted_by.iter().map(|at| SortingColumn {
        column_idx: i32::try_from(*at).unwrap_or(i32::MAX),
        descending: false,
        nulls_first: true,
    });
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("ducktrack ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_sorting_columns(Some(order.collect()))
        .set_max_row_group_row_count(Some(GROUP));
    for column in columns {
        if matches!(column.values, Values::Amounts(_)) {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
    }
    Ok(Arc::new(properties.build()))
}

fn write(
    into: &mut SerializedColumnWriter<'_>,
    values: &Values,
    rows: std::ops::Range<usize>,
) -> Result<(), FleetError> {
    match values {
        Values::Sites(sites) => batch::<FixedLenByteArrayType, _>(into, &sites[rows], |site| {
            FixedLenByteArray::from(site.0.to_vec())
        }),
        Values::Amounts(numbers) | Values::Numbers(numbers) | Values::Times(numbers) => {
            batch::<Int64Type, _>(into, &numbers[rows], |number| *number)
        }
        Values::Texts(texts) => {
            batch::<ByteArrayType, _>(into, &texts[rows], |text| ByteArray::from(text.as_ref()))
        }
    }
}

fn batch<T: DataType, V>(
    into: &mut SerializedColumnWriter<'_>,
    values: &[Option<V>],
    physical: impl Fn(&V) -> T::T,
) -> Result<(), FleetError> {
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let there: Vec<T::T> = values.iter().flatten().map(physical).collect();
    into.typed::<T>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}
