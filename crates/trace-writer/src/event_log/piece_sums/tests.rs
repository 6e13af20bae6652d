//! Sums of generated words, compared with sums made one event at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_trace_format::ThreadId;
use proptest::prelude::*;

use super::*;

/// The number of a piece, and that of a class in it.
const PIECE: u32 = 7;
const NUMBER: u32 = 3;
/// The class in full.
const TYPED: [Word; 3] = [(6_u32 << 12).to_le_bytes(), [64, 0, 0, 0], [0; 4]];

struct Facts;

impl SiteFacts for Facts {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        [(16, 24), (17, 40_000)]
            .into_iter()
            .find_map(|(known, bytes)| (site.0 == known).then_some(bytes))
    }

    fn is_measured(&self, site: SiteId) -> bool {
        site.0 == 18
    }
}

fn word(site: u32, units: u32) -> Word {
    (site << 12 | units).to_le_bytes()
}

/// Sums that have learned the sites with sizes.
fn sums(facts: &SiteCache) -> PieceSums {
    let mut sums = PieceSums::default();
    assert!(sums.learn(SiteId(16), 3, facts));
    assert!(
        !sums.learn(SiteId(17), 4_000, facts),
        "more than a word says"
    );
    assert!(sums.learn(SiteId(18), 1, facts));
    assert!(!sums.learn(SiteId(19), 2, facts), "the size is not known");
    assert!(!sums.learn(SiteId(ducktrack_trace_format::END_OF_SITES), 0, facts));
    sums
}

fn drained(sums: &mut PieceSums, words: &mut ThreadSums) -> Vec<(u32, EventSum)> {
    let mut given = Vec::new();
    sums.sum_words(&mut words.words);
    words.events = 0;
    sums.drain(|site, sum| given.push((site.0, *sum)));
    given
}

/// What is taken of the words, and the words written for them.
fn add(
    sums: &mut PieceSums,
    thread: &mut ThreadSums,
    words: &[Word],
    kept: Option<&mut [Word]>,
) -> (TakenWords, Vec<Word>) {
    let mut room = vec![[0; 4]; words.len()];
    let mut short = ShortWords::new(&mut room);
    let taken = sums.add_words(words, kept, thread, (PIECE, &mut short));
    let written = short.len();
    room.truncate(written);
    (taken, room)
}

fn sum(executed: u64, executed_bytes: u64, on_heap: u64, on_heap_bytes: u64) -> EventSum {
    EventSum {
        executed,
        executed_bytes,
        on_heap,
        on_heap_bytes,
    }
}

#[test]
fn what_fits_is_added_up_kept_and_written() {
    let facts = SiteCache::new(Arc::new(Facts));
    let mut sums = sums(&facts);
    let caller = word(CALLER, 0);
    let pair = [caller, 9_u32.to_le_bytes(), word(18, 6)];
    let kept_pair = word(900, 6);
    let mut thread = ThreadSums::new(ThreadId(1));
    let of_pair = u32::from_le_bytes(pair[2]);
    thread.pairs.add_first(9, of_pair, kept_pair);
    let words = [
        &[word(16, 3), word(16, 0)],
        &pair[..],
        &[word(18, 5), word(18, 0), word(19, 0)],
        &pair,
        // The middle event includes a gap.
        &[word(16, 3), word(16, 4), word(16, 3)],
    ]
    .concat();
    let mut kept = [[0; 4]; 14];
    let (taken, written) = add(&mut sums, &mut thread, &words, Some(&mut kept));
    assert_eq!((taken.words, taken.kept, taken.units), (12, 5, 23));
    let on_heap = [word(16, 3), kept_pair, word(18, 5), kept_pair, word(16, 3)];
    assert_eq!(kept[..5], on_heap);
    assert_eq!(written, words[..12]);
    for unknown in [word(17, 4_000), word(15, 2), word(4, 2), caller] {
        let (taken, _) = add(&mut sums, &mut thread, &[unknown], Some(&mut kept));
        assert_eq!(taken, TakenWords::default());
    }
    let mut pairs = Vec::new();
    thread.pairs.drain(|caller, word, executed| {
        pairs.push((caller, word >> 12, sums.sum_of(word, executed)));
    });
    assert_eq!(pairs, [(9, 18, sum(3, 144, 3, 144))]);
    let expected = [
        (16, sum(3, 72, 2, 48)),
        (18, sum(2, 40, 1, 40)),
        (19, sum(1, 0, 0, 0)),
    ];
    assert_eq!(drained(&mut sums, &mut thread), expected);
    assert_eq!(drained(&mut sums, &mut thread), []);
    // Its sum was handed out: the pair is new again.
    let (taken, _) = add(&mut sums, &mut thread, &pair, Some(&mut kept));
    assert_eq!(taken, TakenWords::default());
}

/// Takes events of the sites of [`sums`] one by one: what is taken, written and kept, and the events of each site.
fn one_by_one(
    words: &[Word],
    thread: &mut ThreadSums,
    keeps: bool,
) -> (TakenWords, Vec<Word>, Vec<Word>, BTreeMap<u32, [u64; 3]>) {
    let (mut taken, mut written, mut kept) = (TakenWords::default(), vec![], vec![]);
    let mut sites: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
    while let [first, after @ ..] = &words[taken.words..] {
        let number = u32::from_le_bytes(*first);
        let (site, mut units) = (number >> 12, number & MAX_UNITS);
        let fits = matches!((site, units), (16, 3) | (18, _) | (16..32, 0));
        let (length, keep) = match (site, after) {
            _ if fits => (1, *first),
            (CALLER, [caller, word, ..]) => {
                let (caller, word) = (u32::from_le_bytes(*caller), u32::from_le_bytes(*word));
                units = word & MAX_UNITS;
                match thread.pairs.known(caller, word) {
                    Some(pair) => (3, pair.kept),
                    None => break,
                }
            }
            (_, [low, high, of_site, ..]) if !keeps && [*first, *low, *high] == TYPED => {
                if *of_site != word(18, 2) {
                    break;
                }
                units = 2;
                (4, [0; 4])
            }
            _ => break,
        };
        if fits {
            let [on_heap, total, eliminated] = sites.entry(site).or_default();
            *on_heap += u64::from(units > 0);
            *total += u64::from(units) * UNIT;
            *eliminated += u64::from(units == 0);
        }
        match length {
            4 => written.extend([word(6, NUMBER), word(18, 2)]),
            _ => written.extend_from_slice(&words[taken.words..][..length]),
        }
        kept.extend((units > 0).then_some(keep));
        taken.words += length;
        taken.events += 1;
        taken.units += u64::from(units);
    }
    taken.kept = kept.len();
    (taken, written, kept, sites)
}

fn events() -> impl Strategy<Value = Vec<Word>> {
    let one = |word: Word| vec![word];
    let plain = prop_oneof![
        8 => Just(word(16, 3)),
        2 => (16_u32..24).prop_map(|site| word(site, 0)),
        4 => (0_u32..200).prop_map(|units| word(18, units)),
    ];
    let pair = (7_u32..9, 3_u32..5);
    let event = prop_oneof![
        600 => plain.prop_map(one),
        60 => pair.prop_map(|(caller, units)| vec![word(CALLER, 0), caller.to_le_bytes(), word(18, units)]),
        1 => (0_u32..40, 0_u32..6).prop_map(move |(site, units)| one(word(site, units))),
        60 => Just([&TYPED[..], &[word(18, 2)]].concat()),
        1 => Just([&TYPED[..], &[word(18, 1)]].concat()),
    ];
    prop::collection::vec(event, 0..900).prop_map(|events| events.concat())
}

proptest! {
    /// Holds for any words inside blocks of plain words or at their ends.
    #[test]
    fn words_are_added_as_they_would_be_one_by_one(words in events(), keeps: bool) {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = sums(&facts);
        let mut threads = [1, 2].map(|number| ThreadSums::new(ThreadId(number)));
        for thread in &mut threads {
            thread.pairs.add_first(7, u32::from_le_bytes(word(18, 3)), word(900, 3));
            thread.typed.enter(64, u32::from_le_bytes(word(18, 2)), PIECE, NUMBER);
        }
        let [fast, careful] = &mut threads;
        let (mut rest, mut expected) = (words.as_slice(), BTreeMap::<u32, [u64; 3]>::new());
        while !rest.is_empty() {
            let mut kept = vec![[0; 4]; rest.len()];
            let (taken, written) = add(&mut sums, fast, rest, keeps.then_some(&mut kept));
            let (mut all, short, mut keep, sites) = one_by_one(rest, careful, keeps);
            if !keeps {
                all.kept = 0;
                keep.clear();
            }
            kept.truncate(taken.kept);
            prop_assert_eq!((taken, written, kept), (all, short, keep));
            for (site, events) in sites {
                let sum = expected.entry(site).or_default();
                (0..3).for_each(|index| sum[index] += events[index]);
            }
            rest = &rest[(taken.words + 1).min(rest.len())..];
        }
        let given = drained(&mut sums, fast).into_iter().map(|(site, sum)| {
            (site, [sum.on_heap, sum.on_heap_bytes, sum.executed - sum.on_heap])
        });
        prop_assert_eq!(given.collect::<BTreeMap<_, _>>(), expected);
    }
}

#[test]
fn a_row_that_may_be_full_takes_no_more() {
    let facts = SiteCache::new(Arc::new(Facts));
    let mut sums = sums(&facts);
    let mut thread = ThreadSums::new(ThreadId(1));
    let words = vec![word(18, MAX_UNITS); MOST_EVENTS + 1];
    let mut kept = vec![[0; 4]; words.len()];
    let (taken, _) = add(&mut sums, &mut thread, &words, Some(&mut kept));
    assert_eq!(taken.words, MOST_EVENTS);
    assert!(is_full(&thread));
    let (count, bytes) = (
        MOST_EVENTS as u64,
        MOST_EVENTS as u64 * 8 * u64::from(MAX_UNITS),
    );
    assert_eq!(
        drained(&mut sums, &mut thread),
        [(18, sum(count, bytes, count, bytes))]
    );
    assert!(!is_full(&thread));
}
