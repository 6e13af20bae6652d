//! Writing numbers and attributes into fields of fixed size.

use crate::error::{Error, Part, Rule};
use crate::pool_appender::PoolAppender;

/// Name and bytes of an attribute.
pub(super) type BuiltAttribute = (Vec<u8>, Vec<u8>);

/// `value` in a smaller field.
pub(super) fn fits<T: TryFrom<i64>>(value: impl TryInto<i64>) -> Result<T, Error> {
    let value = value.try_into().unwrap_or(i64::MAX);
    let shown = usize::try_from(value.unsigned_abs()).unwrap_or(usize::MAX);
    T::try_from(value).map_err(|_| Error::new(Rule::TooLarge(shown), 0, Part::Builder))
}

/// A four-byte length and the bytes.
pub(super) fn write_block(out: &mut Vec<u8>, data: &[u8]) -> Result<(), Error> {
    out.extend(fits::<u32>(data.len())?.to_be_bytes());
    out.extend_from_slice(data);
    Ok(())
}

/// The count of attributes, and each with name and length.
pub(super) fn write_attributes(
    out: &mut Vec<u8>,
    attributes: &[BuiltAttribute],
    pool: &mut PoolAppender,
) -> Result<(), Error> {
    out.extend(fits::<u16>(attributes.len())?.to_be_bytes());
    for (name, data) in attributes {
        out.extend(pool.utf8(name)?.0.to_be_bytes());
        write_block(out, data)?;
    }
    Ok(())
}
