//! Leads the pieces of a trace to a replay, as the command does with files.

use ducktrack_analyses::{
    CostBuilder, CostQuestion, GcCost, HeapAt, HeapMoments, JudgedSpan, LifetimeTallies, Lifetimes,
    Question, Survivors, SurvivorsBuilder, Timeline, TimelineCourse, TraceModel,
};
use ducktrack_heap_replay::{
    CollectionNumber, Cycle, EpochPart, EpochView, HeapReplay, Moment, TraceInfo,
};
use ducktrack_test_support::naive_vm::{NaiveSurvivor, Piece, THREADS, names};
use ducktrack_trace_format::{
    BlockKind, Collection, CollectionCounts, HeapClassId, KeptCollection, MoveDecoder, MoveRun,
    Survivor,
};

/// The answers that are compared with the naive machine's.
pub(crate) type AllQuestions = (
    HeapMoments,
    LifetimeTallies,
    TimelineCourse,
    SurvivorsBuilder,
    CostBuilder,
);

/// A trace and its answers.
pub(crate) struct Replayed {
    pub(crate) info: TraceInfo,
    pub(crate) heaps: Vec<Option<HeapAt>>,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) timeline: Timeline,
    pub(crate) survivors: Survivors,
    pub(crate) costs: GcCost,
}

impl From<(TraceModel, <AllQuestions as Question>::Answer)> for Replayed {
    fn from((model, answers): (TraceModel, <AllQuestions as Question>::Answer)) -> Self {
        let (heaps, lifetimes, timeline, survivors, costs) = answers;
        Self {
            info: model.info,
            heaps,
            lifetimes,
            timeline,
            survivors,
            costs,
        }
    }
}

/// All questions, for traces with this many collections.
pub(crate) fn all_questions(collections: u32) -> AllQuestions {
    let after = (1..=collections).map(|number| Moment::After(CollectionNumber(number)));
    (
        HeapMoments::new(after.chain([Moment::End]).collect()),
        LifetimeTallies::default(),
        TimelineCourse::with_parts(),
        SurvivorsBuilder::new(JudgedSpan::default()),
        CostBuilder::new(&CostQuestion::default()),
    )
}

/// All of it.
pub(crate) fn replay_all(pieces: &[Piece], collections: u32, workers: usize) -> Replayed {
    replay(pieces, all_questions(collections), workers).into()
}

/// Replays pieces; events are spread over this many workers.
pub(crate) fn replay<Q: Question>(
    pieces: &[Piece],
    question: Q,
    workers: usize,
) -> (TraceModel, Q::Answer) {
    replay_kept(pieces, &[], u32::MAX, question, workers)
}

/// The same; of the collections from this number on the trace has what the agent keeps in a pause.
pub(crate) fn replay_kept<Q: Question>(
    pieces: &[Piece],
    survivors: &[Vec<NaiveSurvivor>],
    kept_from: u32,
    mut question: Q,
    workers: usize,
) -> (TraceModel, Q::Answer) {
    let (count, names) = names(THREADS);
    let mut replay = HeapReplay::new(names, question.analyses(&count), workers);
    let mut buffers: Vec<(&[u8], bool)> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::File(header) => replay.start_file("events", 0, Some(header)),
            Piece::Sync(content) => {
                let _ = replay.sync_part(content);
            }
            Piece::Events(content) => buffers.push((content, false)),
            Piece::Collection(collection, moves) => {
                let (runs, complete) = runs(moves);
                let decode =
                    |view: &EpochView<'_>, parts: &mut [EpochPart]| take_all(&buffers, view, parts);
                let is_kept = collection.number >= kept_from && collection.fault.is_none();
                let cycle = match is_kept {
                    true => Cycle::kept(&kept(collection, survivors)),
                    false => Cycle::recorded(collection, runs, complete),
                };
                let bytes: usize = buffers.iter().map(|(content, _)| content.len()).sum();
                match replay.end_epoch(cycle, bytes as u64, decode) {
                    true => buffers.iter_mut().for_each(|buffer| buffer.1 = true),
                    false => buffers.clear(),
                }
            }
            Piece::Explained(content) => {
                let _ = replay.explained(content);
            }
            Piece::Uses(content) => {
                let _ = replay.extension(BlockKind::USES, content);
            }
        }
    }
    replay.end(|view, parts| take_all(&buffers, view, parts));
    let heap = replay.finish();
    let answer = question.finish(&heap, &count);
    let info = heap.info;
    (TraceModel { count, info }, answer)
}

fn kept(collection: &Collection, survivors: &[Vec<NaiveSurvivor>]) -> KeptCollection {
    let survivors = &survivors[collection.number as usize - 1];
    let kept = survivors.iter().map(|survivor| Survivor {
        from: survivor.from,
        to: survivor.to,
        units: u32::try_from(survivor.bytes / 8).expect("small"),
        class: HeapClassId(survivor.class),
    });
    KeptCollection {
        collection: Collection {
            counts: CollectionCounts::default(),
            ..collection.clone()
        },
        survivors: kept.collect(),
        ..KeptCollection::default()
    }
}

fn runs(moves: &[Vec<u8>]) -> (Vec<MoveRun>, bool) {
    let mut complete = true;
    let mut runs = Vec::new();
    for content in moves {
        match MoveDecoder::new(content) {
            Ok(decoder) => {
                for run in decoder {
                    complete &= run.is_ok();
                    runs.extend(run);
                }
            }
            Err(_) => complete = false,
        }
    }
    (runs, complete)
}

/// In another order than that of the trace, and each to the next worker.
fn take_all(buffers: &[(&[u8], bool)], view: &EpochView<'_>, parts: &mut [EpochPart]) {
    let workers = parts.len();
    for (at, (content, again)) in buffers.iter().rev().enumerate() {
        let _ = parts[at % workers].take(view, content, *again);
    }
}
