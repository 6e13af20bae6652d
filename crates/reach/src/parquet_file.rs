//! Columns to the bytes of a Parquet file: one row group for each million rows, Zstandard, the order of the rows noted in the file.
//!
//! The same columns are the same bytes: nothing in a file depends on when or where it is written.

use std::sync::Arc;

use bytes::Bytes;
use ducktrack_fleet::{Table, Values};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::Result;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

/// Rows of a row group.
const GROUP: usize = 1 << 20;
const LEVEL: i32 = 6;

/// The physical type of values, and what it stands for.
fn ty(values: &Values) -> (&'static str, &'static str) {
    match values {
        Values::Sites(_) => ("fixed_len_byte_array(16)", ""),
        Values::Amounts(_) | Values::Numbers(_) => ("int64", ""),
        Values::Times(_) => ("int64", " (TIMESTAMP(MILLIS,true))"),
        Values::Texts(_) => ("binary", " (STRING)"),
    }
}

/// The file of a table.
///
/// # Errors
/// None that a table of equally long columns could have.
pub(crate) fn parquet_file(table: &Table) -> Result<Bytes> {
    let columns = &table.columns;
    let fields = columns.iter().map(|column| {
        let (ty, logical) = ty(&column.values);
        format!("optional {ty} {}{logical};", column.name)
    });
    let schema = format!("message rows {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties(table)?)?;
    let rows = table.rows();
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

fn properties(table: &Table) -> Result<WriterPropertiesPtr> {
    let order = table.sorted_by.iter().map(|at| SortingColumn {
        column_idx: i32::try_from(*at).unwrap_or(i32::MAX),
        descending: false,
        nulls_first: true,
    });
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("ducktrack ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_sorting_columns(Some(order.collect()))
        .set_max_row_group_row_count(Some(GROUP));
    for column in &table.columns {
        if matches!(column.values, Values::Amounts(_)) {
            let path = ColumnPath::from(column.name.as_ref());
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
) -> Result<()> {
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
) -> Result<()> {
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let there: Vec<T::T> = values.iter().flatten().map(physical).collect();
    into.typed::<T>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}
