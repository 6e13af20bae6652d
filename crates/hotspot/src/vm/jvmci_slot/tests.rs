//! Synthetic data segments with and without the entry.

use std::ffi::CStr;

use super::{JvmciSlotRefusal, check_offset};
use crate::address::Address;
use crate::vm::libjvm::Segment;

/// The searches with and without the known type name must agree, even if that name is another copy of the text.
fn find_entry(segments: &[Segment]) -> Result<u64, JvmciSlotRefusal> {
    let found = super::find_entry(segments, None);
    assert_eq!(
        super::find_entry(segments, Some(Address(word(OWNER)))),
        found
    );
    assert_eq!(super::find_entry(segments, Some(Address(0x1234))), found);
    found
}

/// One data segment of these words, and one segment for each text.
fn segments(words: &[usize], texts: &[&'static CStr]) -> Vec<Segment> {
    let of = |start, length, writable| Segment {
        start,
        length,
        file_length: length,
        writable,
    };
    let mut all = vec![of(Address::of(words.as_ptr()), size_of_val(words), true)];
    for text in texts {
        let start = Address(text.as_ptr().expose_provenance());
        all.push(of(start, text.to_bytes_with_nul().len(), false));
    }
    all
}

fn word(text: &'static CStr) -> usize {
    text.as_ptr().expose_provenance()
}

const OWNER: &CStr = c"JavaThread";
const FIELD: &CStr = c"_jvmci_reserved0";
const OTHER: &CStr = c"_jvmci_reserved1";
const KIND: &CStr = c"intptr_t";
const TEXTS: [&CStr; 4] = [OWNER, FIELD, OTHER, KIND];

fn entry(field: &'static CStr, offset: usize) -> [usize; 6] {
    [word(OWNER), word(field), word(KIND), 0, offset, 0]
}

#[test]
fn entry_is_found_among_others() {
    let words = [
        &[1, 2, 3][..],
        &entry(OTHER, 1000),
        &entry(FIELD, 1232),
        &[0; 6],
    ]
    .concat();
    assert_eq!(find_entry(&segments(&words, &TEXTS)), Ok(1232));
}

#[test]
fn equal_entries_agree_and_different_ones_are_refused() {
    let words = [entry(FIELD, 1232), entry(FIELD, 1232)].concat();
    assert_eq!(find_entry(&segments(&words, &TEXTS)), Ok(1232));
    let words = [entry(FIELD, 1232), entry(FIELD, 1240)].concat();
    assert_eq!(
        find_entry(&segments(&words, &TEXTS)),
        Err(JvmciSlotRefusal::Ambiguous {
            first: 1232,
            second: 1240
        })
    );
}

#[test]
fn near_misses_are_not_entries() {
    let mut is_static = entry(FIELD, 1232);
    is_static[3] = 1;
    let mut has_address = entry(FIELD, 1232);
    has_address[5] = 0x1000;
    for words in [is_static, has_address, entry(OTHER, 1232)] {
        assert_eq!(
            find_entry(&segments(&words, &TEXTS)),
            Err(JvmciSlotRefusal::NotFound)
        );
    }
    // The texts are not part of the library, so no pointer is followed.
    assert_eq!(
        find_entry(&segments(&entry(FIELD, 1232), &[])),
        Err(JvmciSlotRefusal::NotFound)
    );
}

#[test]
fn offsets_must_fit_a_thread() {
    assert_eq!(check_offset(1232, 1384), Ok(1232));
    for offset in [0, 7, 1233, 1384, 1380, u64::MAX] {
        assert_eq!(
            check_offset(offset, 1384),
            Err(JvmciSlotRefusal::Implausible {
                offset,
                thread_size: 1384
            })
        );
    }
}
