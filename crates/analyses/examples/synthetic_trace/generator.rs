//! A trace as a program makes it that allocates much and keeps little: four threads, young collections
//! of 256 MB of eden that copy 2 % into the old space, now and then a full one that keeps a tenth.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ducktrack_count_model::{CountModel, CountModelBuilder, TraceNames};
use ducktrack_trace_format::{
    AddressRange, AllocationKind, BlockKind, Collection, CollectionCounts, CollectionKind,
    Compression, EventBlockHeader, EventFile, EventFlags, EventWords, FileHeader, MethodId,
    MoveEncoder, MovesLevel, Record, Site, SiteId, Space, SpaceKind, ThreadId, encode_block,
};

const SITES: u32 = 500;
const THREADS: u32 = 4;
const OLD: u64 = 0x1_0000_0000;
const EDEN: u64 = 0x100_0000_0000;
const EDEN_BYTES: u64 = 256 << 20;
const BUFFER: u64 = 128 << 10;
const WORDS: u32 = 4_000;
const FULL_EVERY: u32 = 40;

fn size(site: u32) -> u64 {
    16 + u64::from(site % 7) * 8
}

/// The definitions.
pub(crate) fn names() -> (CountModel, TraceNames) {
    let mut builder = CountModelBuilder::new();
    for site in 16..16 + SITES {
        builder.fold(Record::Site(Site {
            id: SiteId(site),
            method: MethodId(0),
            bci: site as u16,
            line: None,
            kind: AllocationKind::New,
            ty: Some(format!("La/Class{};", site % 100)),
        }));
        builder.fold(Record::SiteSize {
            site: SiteId(site),
            bytes: size(site) as u32,
        });
    }
    builder.finish_trace()
}

/// Writes one file of events; gives its bytes.
pub(crate) fn write(directory: &Path, events: u64) -> io::Result<u64> {
    fs::create_dir_all(directory)?;
    let file = File::create(directory.join(EventFile::name(0)))?;
    let mut generator = Generator {
        out: BufWriter::new(file),
        sequence: 0,
        bytes: 0,
        random: 88_172_645_463_325_252,
        epoch: 0,
        old: Vec::new(),
        old_top: OLD,
        young: Vec::new(),
    };
    generator.out.write_all(&FileHeader::current().encode())?;
    let mut content = Vec::new();
    EventFile::default().encode(&mut content);
    generator.block(BlockKind::EVENT_FILE, &content)?;
    let mut written = 0;
    while written < events {
        written += generator.epoch()?;
        generator.collect()?;
    }
    generator.out.flush()?;
    Ok(generator.bytes)
}

struct Generator {
    out: BufWriter<File>,
    sequence: u32,
    bytes: u64,
    random: u64,
    epoch: u32,
    /// Address and bytes, ascending.
    old: Vec<(u64, u64)>,
    old_top: u64,
    /// Survivors of the epoch.
    young: Vec<(u64, u64)>,
}

impl Generator {
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn block(&mut self, kind: BlockKind, content: &[u8]) -> io::Result<()> {
        let mut file = Vec::new();
        encode_block(kind, self.sequence, content, Compression::Lz4, &mut file)
            .map_err(io::Error::other)?;
        self.sequence += 1;
        self.bytes += file.len() as u64;
        self.out.write_all(&file)
    }

    /// Fills eden; gives the number of events.
    fn epoch(&mut self) -> io::Result<u64> {
        let mut events = 0;
        let mut eden_top = EDEN;
        let mut turn = 0;
        while eden_top < EDEN + EDEN_BYTES {
            turn = (turn + 1) % THREADS;
            let (mut words, mut count) = (EventWords::new(), 0);
            while count < WORDS && eden_top < EDEN + EDEN_BYTES {
                let (mut top, limit) = (eden_top, eden_top + BUFFER);
                eden_top = limit;
                let mut is_first = true;
                loop {
                    let random = self.next_random();
                    // Few sites make most objects.
                    let site =
                        16 + ((random % u64::from(SITES) * (random >> 32 & 0xFF)) >> 8) as u32;
                    let bytes = size(site);
                    if top + bytes > limit {
                        break;
                    }
                    top += bytes;
                    if random >> 40 & 63 == 0 {
                        self.young.push((top - bytes, bytes));
                    }
                    words = match is_first {
                        true => words.at(SiteId(site), top),
                        false => words.site(SiteId(site), (bytes / 8) as u32),
                    };
                    is_first = false;
                    count += 1;
                }
            }
            events += u64::from(count);
            let header = EventBlockHeader {
                thread: ThreadId(turn),
                epoch: self.epoch,
                begun: 1,
                handed_over: 2,
                flags: EventFlags::NONE,
                last_top: 0,
            };
            let mut content = Vec::new();
            header.encode(&mut content);
            content.extend_from_slice(words.as_bytes());
            self.block(BlockKind::EVENTS, &content)?;
        }
        Ok(events)
    }

    fn collect(&mut self) -> io::Result<()> {
        self.epoch += 1;
        let is_full = self.epoch.is_multiple_of(FULL_EVERY);
        let old_range = AddressRange {
            start: OLD,
            end: self.old_top,
        };
        let eden = AddressRange {
            start: EDEN,
            end: EDEN + EDEN_BYTES,
        };
        let (mut moves, mut encoder, mut counts) =
            (Vec::new(), MoveEncoder::new(), CollectionCounts::default());
        let mut young = core::mem::take(&mut self.young);
        young.sort_unstable();
        let mut from = young;
        if is_full {
            from = core::mem::take(&mut self.old)
                .into_iter()
                .chain(from)
                .collect();
            from.retain(|_| self.next_random() >> 20 & 7 == 0);
            self.old_top = OLD;
        }
        for (address, bytes) in from {
            let to = self.old_top;
            self.old_top += bytes;
            self.old.push((to, bytes));
            encoder.push(address, to, bytes, None);
            match to == address {
                true => counts.stayed += 1,
                false => counts.moved += 1,
            }
            if encoder.len() > 1 << 20 {
                moves.push(core::mem::take(&mut encoder).finish());
            }
        }
        moves.push(encoder.finish());
        let space = |kind, index, range: AddressRange| Space {
            kind,
            index,
            bottom: range.start,
            top: range.end,
        };
        let collection = Collection {
            number: self.epoch,
            kind: if is_full {
                CollectionKind::Full
            } else {
                CollectionKind::Young
            },
            cause: "Allocation Failure".into(),
            level: MovesLevel::Exact,
            before: vec![
                space(SpaceKind::Old, 0, old_range),
                space(SpaceKind::Eden, 1, eden),
            ],
            after: vec![
                space(
                    SpaceKind::Old,
                    0,
                    AddressRange {
                        end: self.old_top,
                        ..old_range
                    },
                ),
                space(SpaceKind::Eden, 1, eden),
            ],
            collected: if is_full {
                vec![old_range, eden]
            } else {
                vec![eden]
            },
            counts,
            ..Collection::default()
        };
        let mut content = Vec::new();
        collection.encode(&mut content).map_err(io::Error::other)?;
        self.block(BlockKind::COLLECTION, &content)?;
        for content in moves {
            self.block(BlockKind::MOVES, &content)?;
        }
        Ok(())
    }
}
