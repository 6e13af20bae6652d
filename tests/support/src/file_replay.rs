//! Leads event files to a replay, as the command does.

use std::path::Path;
use std::sync::Arc;

use ducktrack_analyses::{Question, TraceModel};
use ducktrack_count_model::{CountModel, FileDamage, TraceNames};
use ducktrack_heap_replay::{Cycle, HeapReplay};
use ducktrack_trace_reader::{BufferDecoding, EventFiles, EventStep};

/// Reads the event files of a directory; this many bytes of an epoch's events are kept in memory.
pub fn replay_files<Q: Question>(
    directory: &Path,
    (count, names): (CountModel, TraceNames),
    mut question: Q,
    workers: usize,
    kept: usize,
) -> (TraceModel, Q::Answer) {
    let mut files = EventFiles::open(directory).unwrap().keep_at_most(kept);
    files.know(Arc::new(names.clone()), names.heap_classes.clone());
    let mut replay = HeapReplay::new(names, question.analyses(&count), workers);
    let mut decoding = BufferDecoding::default();
    files.read_ahead(|step, _| match step {
        EventStep::File {
            name,
            bytes,
            header,
        } => replay.start_file(&name, bytes, header.as_ref()),
        EventStep::Sync(sync) if replay.sync_part(&sync.content).is_err() => {
            decoding.note_malformed(&sync)
        }
        EventStep::Epoch(epoch) => {
            let cycle = Cycle::recorded(&epoch.collection, epoch.runs, epoch.complete);
            let buffers = decoding.with_put_back(epoch.buffers);
            let deferred = replay.end_epoch(cycle, 0, |view, parts| {
                decoding.decode(&buffers, parts, |part, content, again| {
                    part.take(view, content, again)
                });
            });
            if deferred {
                decoding.put_back(buffers);
            }
        }
        EventStep::Explained(found) if replay.explained(&found.content).is_err() => {
            decoding.note_malformed(&found)
        }
        EventStep::Damaged => replay.damaged(),
        EventStep::End(buffers) => {
            let buffers = decoding.with_put_back(buffers);
            replay.end(|view, parts| {
                decoding.decode(&buffers, parts, |part, content, again| {
                    part.take(view, content, again)
                });
            });
        }
        _ => {}
    });
    files.note(&mut decoding);
    let mut heap = replay.finish();
    let damage = files.damage().into_iter().map(|(file, damage)| FileDamage {
        file: file.display().to_string(),
        damage,
    });
    heap.info.damage = damage.collect();
    let answer = question.finish(&heap, &count);
    let info = heap.info;
    (TraceModel { count, info }, answer)
}
