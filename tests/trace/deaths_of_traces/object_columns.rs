//! The file of columns that `ducktrack lifetimes --columns` writes, read by its page (`crates/merlin/COLUMNS.md`).

use std::collections::BTreeMap;

use serde_json::Value;

/// Stands for "not known".
const UNKNOWN: u64 = u64::MAX;

/// All objects, column by column.
pub(crate) struct ObjectColumns {
    columns: BTreeMap<String, Vec<u64>>,
}

impl ObjectColumns {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a line");
        let head: Value = serde_json::from_slice(&bytes[..end]).expect("JSON");
        let names = head["columns"].as_array().expect("names").iter();
        let names: Vec<String> = names
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect();
        let mut columns: BTreeMap<String, Vec<u64>> = names
            .iter()
            .map(|name| (name.clone(), Vec::new()))
            .collect();
        let mut numbers = bytes[end + 1..]
            .chunks_exact(8)
            .map(|number| u64::from_le_bytes(number.try_into().expect("8 bytes")));
        loop {
            let rows = numbers.next().expect("a group") as usize;
            if rows == 0 {
                return Self { columns };
            }
            for name in &names {
                columns
                    .get_mut(name)
                    .expect("a column")
                    .extend(numbers.by_ref().take(rows));
            }
        }
    }

    /// The column; `None` where a number is not known.
    pub(crate) fn known(&self, name: &str) -> Vec<Option<u64>> {
        let column = self.columns[name].iter();
        column
            .map(|number| Some(*number).filter(|number| *number != UNKNOWN))
            .collect()
    }
}
