//! Synthetic fields. Those of the VM are compared with `Unsafe.objectFieldOffset` in `tests/vm/field_layouts.rs`.

use super::{InstanceField, Slots, Stream, at, is_sound};

const STREAM: Stream = Stream {
    fields: 0,
    data: 4,
    injected: 2,
    with_number: 1 | 4 | 16,
};

const SLOTS: Slots = Slots {
    fields: 0,
    data: 4,
    each: 6,
    flags: 0,
    name: 1,
    descriptor: 2,
    low: 4,
    high: 5,
    tag_bits: 2,
    is_offset: 1,
    internal: 0x400,
    generic: 0x800,
};

fn encoded(numbers: &[u8]) -> Vec<u8> {
    numbers.iter().map(|number| number + 1).collect()
}

#[test]
fn a_stream_says_names_and_offsets() {
    let bytes = encoded(&[
        3, 1, // three of the program, one of the VM
        6, 7, 12, 2, 4, 9, // generic
        8, 7, 96, 10, 1, 5, // static, with a constant
        9, 7, 16, 2, 0, // plain
        11, 3, 24, 0, 2, // added by the VM
    ]);
    let fields = STREAM.fields_of(&bytes).expect("whole");
    let known: Vec<_> = fields
        .iter()
        .map(|field| (field.name, field.offset, field.is_static, field.injected))
        .collect();
    assert_eq!(
        known,
        [
            (6, 12, false, false),
            (8, 96, true, false),
            (9, 16, false, false),
            (11, 24, false, true)
        ]
    );
    assert!(STREAM.fields_of(&bytes[..bytes.len() - 1]).is_none());
    assert!(STREAM.fields_of(&[]).is_none());
}

#[test]
fn slots_end_before_the_generic_signatures() {
    let mut numbers = vec![2, 6, 7, 0, 12 << 2 | 1, 0];
    numbers.extend([0x800 | 2, 8, 7, 0, 1, 1]);
    numbers.extend([0x400, 3, 4, 0, 24 << 2 | 1, 0]);
    numbers.push(0xC00);
    assert_eq!(SLOTS.number_of_fields(&numbers), 3);
    let fields: Vec<_> = numbers
        .chunks_exact(6)
        .map(|slots| SLOTS.field(slots))
        .collect();
    let offsets: Vec<_> = fields.iter().flatten().map(|field| field.offset).collect();
    assert_eq!(offsets, [12, 1 << 14, 24]);
    assert!(fields[2].as_ref().is_some_and(|field| field.injected));
    // Not laid out yet: no offset.
    assert!(SLOTS.field(&[2, 6, 7, 0, 0, 0]).is_none());
    assert_eq!(at(&numbers, 99), 0);
}

#[test]
fn six_generic_fields_leave_room_for_no_seventh() {
    let field = [0x800, 1, 1, 0, 49, 0];
    let mut numbers = field.repeat(6);
    numbers.extend([7; 6]);
    assert_eq!(SLOTS.number_of_fields(&numbers), 6);
}

#[test]
fn contradictions_are_seen() {
    let field = |offset, descriptor: &str| InstanceField {
        name: b"f".to_vec(),
        descriptor: descriptor.into(),
        offset,
    };
    let sound = [
        field(12, "I"),
        field(16, "J"),
        field(24, "Z"),
        field(28, "[I"),
    ];
    assert!(is_sound(&sound, 32));
    assert!(!is_sound(&sound, 24), "outside");
    assert!(!is_sound(&[field(12, "I"), field(14, "S")], 32), "overlap");
    assert!(!is_sound(&[field(12, "J")], 32), "not aligned");
    assert!(!is_sound(&[field(4, "I")], 32), "in the header");
    assert!(!is_sound(&[field(12, "V")], 32), "no type");
}
