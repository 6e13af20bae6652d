use ducktrack_probe_vocabulary::event_word::extended::{
    FIRST_SHORT_ENTER, FIRST_SHORT_EXIT, FIRST_SHORT_UPDATE, UPDATE,
};
use proptest::prelude::*;

use super::*;
use crate::varint::put_varint;
use crate::{EventBlockHeader, EventFlags, EventWords, SiteId, ThreadId};

fn piece(thread: u32, words: EventWords) -> Vec<u8> {
    let header = EventBlockHeader {
        thread: ThreadId(thread),
        epoch: 3,
        begun: 1_000_000,
        handed_over: 1_000_300,
        flags: EventFlags::CUT,
        last_top: 0x8000_1000,
    };
    let mut content = Vec::new();
    header.encode(&mut content);
    content.extend_from_slice(words.as_bytes());
    content
}

/// The block of these pieces; `None` if one of them cannot be in columns.
fn encoded(encoder: &mut EventColumnsEncoder, pieces: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let fit = pieces.iter().all(|piece| encoder.add(piece));
    encoder.finish(&mut content);
    fit.then_some(content)
}

fn round_trip(pieces: &[Vec<u8>]) -> Vec<u8> {
    let mut encoder = EventColumnsEncoder::default();
    // What it had before has no effect, and neither has a piece that was not ended.
    assert!(encoder.add(&piece(9, calls(77))));
    let (mut short, references) = encoder.begin_piece(8);
    let words = calls(5);
    let _ = references.take(&words.as_bytes().as_chunks().0[..8], &mut short);
    encoder.finish(&mut Vec::new());
    let content = encoded(&mut encoder, pieces).expect("whole events");
    let columns = EventColumns::decode(&content).expect("columns");
    assert_eq!(columns.pieces().collect::<Vec<_>>(), pieces);
    content
}

/// A thread that calls a method and changes a field, over and over.
fn calls(first: u32) -> EventWords {
    (0..500).fold(EventWords::new(), |words, n| {
        let object = first + n * 3;
        words
            .extended(FIRST_SHORT_ENTER + 7, &[object])
            .extended(FIRST_SHORT_UPDATE + 3, &[object, object + 2])
            .site(SiteId(20), 3)
            .extended(FIRST_SHORT_EXIT + 7, &[])
    })
}

#[test]
fn references_near_each_other_take_a_byte_and_a_quarter() {
    let pieces = [piece(1, calls(0x1000_0000)), piece(1, calls(0x1000_0600))];
    let content = round_trip(&pieces);
    let words = 1000 * (4 * 4 + 3) + 1000 * 3 / 4;
    assert!(
        (words..words + 120).contains(&content.len()),
        "{}",
        content.len()
    );
}

#[test]
fn references_of_every_length_come_back() {
    let near = |bits: i64| [-1, 0, 1].map(|near| ((1_i64 << bits) + near) as u32);
    let words = (0..33).flat_map(near).fold(EventWords::new(), |words, n| {
        words.extended(FIRST_SHORT_ENTER + 7, &[n])
    });
    round_trip(&[piece(1, words)]);
}

#[test]
fn the_bytes_are_those_of_the_description() {
    let words = EventWords::new()
        .extended(FIRST_SHORT_ENTER + 7, &[0x1000_0203])
        .site(SiteId(16), 3)
        .extended(FIRST_SHORT_ENTER + 7, &[0x1000_0205]);
    let piece = piece(1, words);
    let head = piece.len() - 20;
    let mut expected = vec![1, piece.len() as u8, head as u8];
    expected.extend_from_slice(&piece[..head]);
    expected.extend_from_slice(&[3, 1, 0x70, 0, 0xF8, 3, 0, 1, 0, 1, 0x70, 0, 0xF8]);
    // Two references, of four bytes and of one.
    expected.extend_from_slice(&[2, 3]);
    // 0x20000406 is twice the first reference; the second is 2 more.
    expected.extend_from_slice(&[0x06, 0x04, 0x00, 0x20, 0x04]);
    assert_eq!(round_trip(&[piece]), expected);
}

#[test]
fn what_is_no_whole_event_is_refused() {
    let update = EventWords::new().extended(UPDATE, &[3, 0x20, 0, 0x40]);
    let mut cut = piece(2, update);
    cut.truncate(cut.len() - 6);
    for content in [cut, vec![0xFF; 7], Vec::new()] {
        let mut encoder = EventColumnsEncoder::default();
        assert!(encoder.add(&piece(3, calls(9))));
        assert!(!encoder.add(&content));
        let mut block = Vec::new();
        encoder.finish(&mut block);
        let columns = EventColumns::decode(&block).expect("columns");
        assert_eq!(columns.pieces().count(), 1);
    }
    round_trip(&[piece(3, EventWords::new())]);
    round_trip(&[]);
}

#[test]
fn what_is_missing_or_too_much_is_an_error() {
    let content = round_trip(&[piece(1, calls(0x1000_0000))]);
    for length in 0..content.len() {
        assert!(
            EventColumns::decode(&content[..length]).is_err(),
            "{length}"
        );
    }
    let longer = [content.as_slice(), &[0]].concat();
    assert!(EventColumns::decode(&longer).is_err());
}

#[test]
fn a_length_beyond_the_limit_is_refused() {
    let mut content = vec![1];
    put_varint(MAX_CONTENT as u64 + 1, &mut content);
    content.push(0);
    assert!(EventColumns::decode(&content).is_err());
}

fn word() -> impl Strategy<Value = u32> {
    let record = (0x200_u32..0x205, 0_u32..5);
    let short = (0x0E00_u32..0x1_0000, 0_u32..5);
    prop_oneof![
        3 => record.prop_map(|(op, n)| (0xF_0000 + op) << 12 | n),
        3 => short.prop_map(|(op, n)| (0xF_0000 + op) << 12 | n),
        2 => any::<u32>(),
        2 => 0x1000_0000_u32..0x1000_0100,
    ]
}

proptest! {
    #[test]
    fn any_events_come_back(pieces in prop::collection::vec((prop::collection::vec(word(), 0..200), 0_usize..4), 0..5)) {
        let pieces: Vec<Vec<u8>> = pieces.into_iter().map(|(words, tail)| {
            let words = words.into_iter().fold(EventWords::new(), EventWords::word);
            let mut content = piece(1, words);
            content.extend_from_slice(&[0xF2, 0, 0][..tail.min(3)]);
            content
        }).collect();
        // Pieces that end inside an event are refused, and the others come back.
        let mut encoder = EventColumnsEncoder::default();
        let (mut taken, mut content) = (Vec::new(), Vec::new());
        for piece in pieces {
            if encoder.add(&piece) {
                taken.push(piece);
            }
        }
        encoder.finish(&mut content);
        let columns = EventColumns::decode(&content).expect("columns");
        prop_assert_eq!(columns.pieces().collect::<Vec<_>>(), taken);
    }

    #[test]
    fn any_bytes_are_refused_or_come_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut encoder = EventColumnsEncoder::default();
        if let Some(content) = encoded(&mut encoder, std::slice::from_ref(&bytes)) {
            let columns = EventColumns::decode(&content).expect("columns");
            prop_assert_eq!(columns.pieces().collect::<Vec<_>>(), [bytes]);
        }
    }

    #[test]
    fn damage_never_panics(content in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = EventColumns::decode(&content);
    }
}
