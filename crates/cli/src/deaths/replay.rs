//! Records to fates, on all cores: blocks are read in order, decoded by any worker, applied in order, and the fates summed
//! by a thread of their own.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, available_parallelism};

use anyhow::{Result, anyhow};
use crossbeam_channel::Sender;
use ducktrack_merlin::{BlockRecords, Definition, Fate, Merlin, Record, RunTotals, StreamError};

use crate::deaths::fate_output::FateOutput;
use crate::deaths::record_source::{Piece, RecordSource};

/// Blocks that are read ahead, and batches of fates that wait.
const AHEAD: usize = 16;
/// Fates of a batch.
const BATCH: usize = 1024;

/// The result of a whole source.
pub(crate) struct ReplayOutcome {
    pub(crate) totals: RunTotals,
    /// Its damage.
    pub(crate) damage: Vec<String>,
    /// Records that it does not have, though it is whole.
    pub(crate) left_out: Option<String>,
}

type Decoded = Result<BlockRecords, StreamError>;

/// A message of the applying thread.
enum Output {
    Definition(Box<Definition>),
    Dead(Vec<Fate>),
}

struct Job {
    piece: Piece,
    answer: SyncSender<Decoded>,
}

/// Reads the source to its end and gives every fate to the output. Damage ends reading and is no error.
pub(crate) fn replay(source: RecordSource, out: &mut FateOutput) -> Result<ReplayOutcome> {
    let workers = available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
    thread::scope(|scope| {
        let (jobs, work) = crossbeam_channel::bounded::<Job>(AHEAD);
        let (promise, promises) = mpsc::sync_channel(AHEAD);
        let (hand, handed) = mpsc::sync_channel(AHEAD);
        let reading = scope.spawn(move || read(source, &jobs, &promise));
        for _ in 0..workers {
            let work = work.clone();
            scope.spawn(move || {
                for job in work {
                    // No thread waits for it when applying has ended.
                    let _ = job.answer.send(job.piece.decode());
                }
            });
        }
        drop(work);
        let summing = scope.spawn(move || sum(&handed, out));
        let (merlin, damage) = apply(&promises, &hand);
        drop(hand);
        let ended = summing
            .join()
            .map_err(|_| anyhow!("summing the deaths failed"))?;
        let out = ended?;
        let mut alive = Vec::new();
        let totals = merlin.finish(&mut alive);
        out.alive(&alive, &totals)?;
        drop(promises);
        let left_out = reading
            .join()
            .map_err(|_| anyhow!("reading the records failed"))?;
        Ok(ReplayOutcome {
            totals,
            damage,
            left_out,
        })
    })
}

/// The end of what the reader gives: damage, or the records that there must have been.
enum Promise {
    Block(Receiver<Decoded>),
    Damage(String),
    End(Option<u64>),
}

/// Reads all pieces, and returns what the source does not have.
fn read(
    mut source: RecordSource,
    jobs: &Sender<Job>,
    promise: &SyncSender<Promise>,
) -> Option<String> {
    let mut damage = None;
    source.for_each_piece(&mut |piece| match piece {
        Ok(piece) => {
            let (answer, decoded) = mpsc::sync_channel(1);
            // Applying has ended only after damage, which is reported there.
            if promise.send(Promise::Block(decoded)).is_ok() {
                let _ = jobs.send(Job { piece, answer });
            }
        }
        Err(error) => damage = Some(error.to_string()),
    });
    let _ = promise.send(match damage {
        Some(damage) => Promise::Damage(damage),
        None => Promise::End(source.records_by_end()),
    });
    source.left_out()
}

fn apply(promises: &Receiver<Promise>, hand: &SyncSender<Output>) -> (Merlin, Vec<String>) {
    let (mut merlin, mut damage) = (Merlin::default(), Vec::new());
    let (mut time, mut records) = (0, 0_u64);
    for promise in promises {
        let block = match promise {
            Promise::Block(decoded) => match decoded.recv() {
                Ok(Ok(block)) => block,
                Ok(Err(error)) => {
                    damage.push(error.to_string());
                    break;
                }
                Err(_) => {
                    damage.push("a block could not be decoded".to_owned());
                    break;
                }
            },
            Promise::Damage(what) => {
                damage.push(what);
                break;
            }
            Promise::End(expected) => {
                if let Some(expected) = expected.filter(|expected| *expected != records) {
                    damage.push(format!(
                        "the end block counts {expected} records, but {records} were read"
                    ));
                }
                break;
            }
        };
        if block.time != time {
            damage.push(format!(
                "the block at byte {} begins at time {}, the records before it end at {time}: blocks are missing or doubled",
                block.at, block.time
            ));
            break;
        }
        time = block.end_time;
        records += block.records.len() as u64;
        apply_block(&mut merlin, block, hand);
    }
    (merlin, damage)
}

fn apply_block(merlin: &mut Merlin, block: BlockRecords, hand: &SyncSender<Output>) {
    merlin.set_thread(block.thread);
    let mut fates = Batches {
        hand,
        batch: Vec::new(),
    };
    for record in block.records {
        merlin.apply(&record, &mut fates);
        if let Record::Definition(definition) = record {
            // Summing has ended only after an error, which is reported there.
            let _ = hand.send(Output::Definition(definition));
        }
    }
    fates.send();
}

/// Hands fates on in batches: those of a collection can be as many as the objects of an epoch.
struct Batches<'a> {
    hand: &'a SyncSender<Output>,
    batch: Vec<Fate>,
}

impl Batches<'_> {
    fn send(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            // Summing has ended only after an error, which is reported there.
            let _ = self.hand.send(Output::Dead(batch));
        }
    }
}

impl Extend<Fate> for Batches<'_> {
    fn extend<I: IntoIterator<Item = Fate>>(&mut self, fates: I) {
        for fate in fates {
            self.batch.push(fate);
            if self.batch.len() == BATCH {
                self.send();
            }
        }
    }
}

fn sum<'a>(handed: &Receiver<Output>, out: &'a mut FateOutput) -> Result<&'a mut FateOutput> {
    for output in handed {
        match output {
            Output::Definition(definition) => out.define(&definition),
            Output::Dead(fates) => out.dead(&fates)?,
        }
    }
    Ok(out)
}
