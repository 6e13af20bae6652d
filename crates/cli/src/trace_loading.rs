//! Trace directory of `mode=trace` to model: definitions first, then all
//! events in one pass, read on a thread of its own and decoded on all cores.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Result, bail};
use ducktrack_analyses::{Question, TraceModel};
use ducktrack_count_model::{CountModel, Damage, FileDamage, TraceNames};
use ducktrack_heap_replay::{
    Analysis, Cycle, EpochPart, EpochView, Heap, HeapReplay, RecoveredRow, TraceInfo,
};
use ducktrack_trace_reader::{BufferDecoding, EventFiles, EventSizes, EventStep};

use crate::progress::Progress;
use crate::records::load_records;

/// Reads a whole trace and answers the question. Damage is no error: it is in the model.
pub(crate) fn load_trace<Q: Question>(path: &Path, question: Q) -> Result<(TraceModel, Q::Answer)> {
    // In this order: while a program runs, all that is in the files by now has its definitions on disk.
    let files = EventFiles::open(path);
    let (count, names) = load_records(path)?.finish_trace();
    let (model, answer) = replay_trace(files?, count, names, question);
    match of_another_run(&model.info) {
        Some(file) => bail!(
            "{}: {}; its sites are those of the definitions in its own folder",
            file.file,
            file.damage
        ),
        None => Ok((model, answer)),
    }
}

/// A file of another run, where no file is of this one.
fn of_another_run(info: &TraceInfo) -> Option<&FileDamage> {
    let is_other = |file: &&FileDamage| matches!(file.damage, Damage::OfAnotherRun { .. });
    let other = info.damage.iter().find(is_other);
    other.filter(|_| info.files.is_empty())
}

/// Answers the question from events whose definitions have been read.
pub(crate) fn replay_trace<Q: Question>(
    mut files: EventFiles,
    count: CountModel,
    names: TraceNames,
    mut question: Q,
) -> (TraceModel, Q::Answer) {
    know(&mut files, &count, &names);
    let mut heap = replay(&mut files, names, question.analyses(&count));
    let damage = files.damage().into_iter().map(|(file, damage)| FileDamage {
        file: file.display().to_string(),
        damage,
    });
    heap.info.damage = damage.collect();
    add_sizes(&mut heap.info, &files);
    let answer = question.finish(&heap, &count);
    let info = heap.info;
    (TraceModel { count, info }, answer)
}

/// Leads the steps of the files to the replay.
fn replay(files: &mut EventFiles, names: TraceNames, analyses: Vec<&mut dyn Analysis>) -> Heap {
    let workers = available_parallelism().map_or(1, usize::from);
    let mut replay = HeapReplay::new(names, analyses, workers);
    let progress = Progress::of_bytes(files.total_bytes());
    let mut decoding = BufferDecoding::default();
    files.read_ahead(|step, bytes_read| {
        progress.at(bytes_read);
        take_step(&mut replay, &mut decoding, step);
    });
    files.note(&mut decoding);
    progress.done();
    replay.finish()
}

/// Tells the reader of events what the definitions say.
pub(crate) fn know(files: &mut EventFiles, count: &CountModel, names: &TraceNames) {
    let run = &count.run;
    if run.start_unix_millis > 0 {
        files.are_of_run(run.pid, run.start_unix_millis);
    }
    files.know(Arc::new(names.clone()), names.heap_classes.clone());
}

/// Leads one step to the replay.
pub(crate) fn take_step(
    replay: &mut HeapReplay<'_>,
    decoding: &mut BufferDecoding,
    step: EventStep,
) {
    match step {
        EventStep::File {
            name,
            bytes,
            header,
        } => replay.start_file(&name, bytes, header.as_ref()),
        EventStep::Sync(sync) if replay.sync_part(&sync.content).is_err() => {
            decoding.note_malformed(&sync);
        }
        EventStep::Epoch(epoch) => {
            let cycle = match &epoch.kept {
                Some(kept) => Cycle::kept(kept),
                None => Cycle::recorded(&epoch.collection, epoch.runs, epoch.complete),
            };
            let buffers = decoding.with_put_back(epoch.buffers);
            let decode = |view: &EpochView<'_>, parts: &mut [EpochPart]| {
                let take =
                    |part: &mut EpochPart, content: &[u8], again| part.take(view, content, again);
                match view.is_first_pass() {
                    true => decoding.measure(&buffers, parts, take),
                    false => decoding.decode(&buffers, parts, take),
                }
            };
            if replay.end_epoch(cycle, buffers.bytes(), decode) {
                decoding.put_back(buffers);
            }
        }
        EventStep::Explained(found) if replay.explained(&found.content).is_err() => {
            decoding.note_malformed(&found);
        }
        EventStep::Extension(kind, more) if replay.extension(kind, &more.content).is_err() => {
            decoding.note_malformed(&more);
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
    }
}

fn add_sizes(info: &mut TraceInfo, files: &EventFiles) {
    let EventSizes {
        blocks,
        plain_bytes,
        stored_bytes,
        event_bytes,
        move_bytes,
        sync_bytes,
    } = files.sizes();
    info.blocks = blocks;
    info.plain_bytes = plain_bytes;
    info.stored_bytes = stored_bytes;
    info.event_bytes = event_bytes;
    info.move_bytes = move_bytes;
    info.sync_bytes = sync_bytes;
    let recovered = files.recovered();
    info.recovered = RecoveredRow {
        buffers: recovered.pieces,
        bytes: recovered.bytes,
        lost_collections: recovered.collections,
        kept_collections: recovered.kept_collections,
        private_threads: recovered.private_threads,
        is_running: recovered.is_running,
    };
    for (path, blocks) in files.blocks() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut rows = info.files.iter_mut();
        if let Some(row) = rows.find(|row| row.name == name) {
            row.blocks = blocks;
        }
    }
}
