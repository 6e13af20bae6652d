//! What a new file holds: the new contents, and those of the file on disk, as far as there is room.

use std::fs::File;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::class_key::ClassKey;
use crate::file_layout::{Row, read_content, read_rows, whole_file};

/// Bytes of the contents of one file. Those used longest ago leave.
const MOST_BYTES: usize = 64 << 20;

/// The bytes of the new file. `used` were used today. A damaged file, and a damaged content, are left out.
pub(crate) fn merged(
    old: Option<&File>,
    new: &FxHashMap<ClassKey, Vec<u8>>,
    used: &FxHashSet<ClassKey>,
    today: u32,
) -> Option<Vec<u8>> {
    let rows = old.and_then(read_rows).unwrap_or_default();
    let kept = rows.iter().filter(|row| !new.contains_key(&row.key));
    let kept = kept.filter_map(|row| {
        let content = read_content(old?, row)?;
        Some((row.key, day(row, used, today), content))
    });
    let mut contents: Vec<(ClassKey, u32, Vec<u8>)> = kept.collect();
    contents.extend(
        new.iter()
            .map(|(key, content)| (*key, today, content.clone())),
    );
    keep_latest(&mut contents, MOST_BYTES);
    let contents = contents.iter();
    whole_file(contents.map(|(key, day, content)| (*key, *day, content.as_slice())))
}

fn day(row: &Row, used: &FxHashSet<ClassKey>, today: u32) -> u32 {
    match used.contains(&row.key) {
        true => today,
        false => row.day,
    }
}

fn keep_latest(contents: &mut Vec<(ClassKey, u32, Vec<u8>)>, most_bytes: usize) {
    contents.sort_by_key(|(key, day, _)| (u32::MAX - day, key.0));
    let mut bytes = 0;
    contents.retain(|(_, _, content)| {
        bytes += content.len();
        bytes <= most_bytes
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contents_used_longest_ago_leave() {
        let content = |key, day| (ClassKey(key), day, vec![0; 10]);
        let mut contents = vec![content(1, 5), content(2, 9), content(3, 7)];
        keep_latest(&mut contents, 25);
        assert_eq!(contents, [content(2, 9), content(3, 7)]);
    }
}
