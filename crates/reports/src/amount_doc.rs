//! Objects and bytes, as JSON has them.

use ducktrack_count_model::Tally;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Objects and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AmountDoc {
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

pub(crate) fn amount(tally: Tally) -> AmountDoc {
    AmountDoc {
        count: tally.count,
        bytes: tally.bytes,
    }
}
