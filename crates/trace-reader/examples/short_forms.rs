//! How much the short forms of words save in the event files of a trace, before and after LZ4: `again` and `called` alone, or (`all`) the
//! short forms of `typed` and `outside` as well.
//!
//! ```text
//! cargo run --release -p ducktrack-trace-reader --example short_forms [all] DIR...
//! ```

use std::path::Path;

use ducktrack_probe_vocabulary::event_word::{AGAIN, CALLED, CALLER, MAX_UNITS, OUTSIDE, TYPED};
use ducktrack_trace_format::{
    BlockKind, Compression, EventBlock, FormatError, PieceWord, PieceWords, Word, encode_block,
    is_site,
};
use ducktrack_trace_reader::{EventFiles, EventStep};

/// Bytes of all event blocks.
#[derive(Default)]
struct Sizes {
    all: bool,
    short: usize,
    long: usize,
    short_packed: usize,
    long_packed: usize,
}

impl Sizes {
    fn add(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let block = EventBlock::decode(content)?;
        let (words, _) = block.words.as_chunks::<4>();
        let mut long = content[..content.len() - block.words.len()].to_vec();
        expand(words, self.all, &mut long);
        self.short += content.len();
        self.long += long.len();
        self.short_packed += packed(content)?;
        self.long_packed += packed(&long)?;
        Ok(())
    }
}

fn packed(content: &[u8]) -> Result<usize, FormatError> {
    let mut block = Vec::new();
    encode_block(BlockKind::EVENTS, 0, content, Compression::Lz4, &mut block)?;
    Ok(block.len())
}

/// Writes the words with each caller in full.
fn expand(words: &[Word], all: bool, long: &mut Vec<u8>) {
    let mut classes: Vec<u64> = Vec::new();
    let mut callers: Vec<u32> = Vec::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut caller = None;
    let mut push = |word: u32| long.extend_from_slice(&word.to_le_bytes());
    for piece in PieceWords::new(words.as_flattened()) {
        let event = match piece {
            PieceWord::Event(event) => event,
            PieceWord::Clock { micros } => {
                push(0xE000_0000 + micros);
                continue;
            }
            PieceWord::Extended {
                operation,
                low,
                payload,
            } => {
                push((0xF_0000 + u32::from(operation)) << 12 | low);
                payload
                    .iter()
                    .for_each(|word| push(u32::from_le_bytes(*word)));
                continue;
            }
            _ => return,
        };
        let first = u32::from_le_bytes(event[0]);
        let number = (first & MAX_UNITS) as usize;
        match first >> 12 {
            AGAIN => {
                let (of, site) = pairs[number];
                [CALLER << 12, of, site].into_iter().for_each(&mut push);
                caller = None;
            }
            CALLED => {
                [CALLER << 12, callers[number]]
                    .into_iter()
                    .for_each(&mut push);
                caller = Some(callers[number]);
            }
            TYPED if all && number > 0 => {
                let klass: u64 = classes[number - 1];
                [TYPED << 12, klass as u32, (klass >> 32) as u32]
                    .into_iter()
                    .for_each(&mut push);
            }
            OUTSIDE if all && number > 0 => {
                let (site, address) = (
                    u32::from_le_bytes(event[1]),
                    u64::from(u32::from_le_bytes(event[2])) * 8,
                );
                [
                    OUTSIDE << 12,
                    site,
                    number as u32 * 8,
                    0,
                    address as u32,
                    (address >> 32) as u32,
                ]
                .into_iter()
                .for_each(&mut push);
                caller = None;
            }
            operation => {
                if first == TYPED << 12 {
                    classes.push(
                        u64::from(u32::from_le_bytes(event[2])) << 32
                            | u64::from(u32::from_le_bytes(event[1])),
                    );
                }
                event
                    .iter()
                    .for_each(|word| push(u32::from_le_bytes(*word)));
                let of = caller.take().filter(|_| is_site(operation));
                pairs.extend(of.map(|of| (of, first)));
                if operation == CALLER {
                    let of = u32::from_le_bytes(event[1]);
                    callers.push(of);
                    caller = Some(of);
                }
            }
        }
    }
}

fn sizes(trace: &Path, all: bool) -> Result<Sizes, Box<dyn std::error::Error>> {
    let mut sizes = Sizes {
        all,
        ..Sizes::default()
    };
    let mut files = EventFiles::open(trace)?;
    while let Some(step) = files.next_step() {
        let buffers = match step {
            EventStep::Epoch(epoch) => epoch.buffers,
            EventStep::End(buffers) => buffers,
            _ => continue,
        };
        let mut workers = [&mut sizes];
        files.decode(
            &buffers,
            &mut workers,
            |sizes, content, again| match again {
                true => Ok(()),
                false => sizes.add(content),
            },
        );
    }
    Ok(sizes)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| trace | bytes | without the words | saved | after LZ4 | without the words | saved |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let all = words.first().is_some_and(|word| word == "all");
    words.drain(..usize::from(all));
    for trace in words {
        let of = sizes(Path::new(&trace), all)?;
        let saved = |short: usize, long: usize| 100.0 * (1.0 - short as f64 / long as f64);
        println!(
            "| {trace} | {} | {} | {:.1} % | {} | {} | {:.1} % |",
            of.short,
            of.long,
            saved(of.short, of.long),
            of.short_packed,
            of.long_packed,
            saved(of.short_packed, of.long_packed)
        );
    }
    Ok(())
}
