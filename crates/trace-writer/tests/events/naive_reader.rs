//! Reads event files exactly as documented, with nothing but a map of objects by address.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ducktrack_count_model::TraceNames;
use ducktrack_trace_format::{
    AddressRange, BlockHeader, BlockKind, Collection, Event, EventBlock, EventColumns,
    EventDecoder, EventFile, FileHeader, HeapClassId, MoveDecoder, Place, SiteId, SyncDecoder,
    ThreadId, decode_content, decode_explained,
};

use crate::test_host::facts;

/// A live object according to the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) bytes: u64,
    pub(crate) class: Option<HeapClassId>,
    pub(crate) site: SiteId,
    pub(crate) thread: ThreadId,
    pub(crate) birth: u32,
}

/// The whole blocks of a file, without an incomplete last one.
pub(crate) fn blocks(bytes: &[u8]) -> Vec<(BlockKind, Vec<u8>)> {
    let header = FileHeader::decode(bytes).unwrap();
    let mut rest = &bytes[usize::from(header.length)..];
    let mut blocks = Vec::new();
    while let Ok(header) = BlockHeader::decode(rest) {
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        if rest.len() < end {
            break;
        }
        assert_eq!(header.sequence as usize, blocks.len());
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).unwrap();
        blocks.push((header.kind, content.into_owned()));
        rest = &rest[end..];
    }
    blocks
}

/// The event files of a directory in order.
pub(crate) fn event_files(directory: &Path) -> Vec<(u32, PathBuf)> {
    let mut files: Vec<(u32, PathBuf)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            Some((EventFile::index_of_name(name)?, path))
        })
        .collect();
    files.sort();
    files
}

/// Follows the blocks of event files.
#[derive(Clone, Debug)]
pub(crate) struct NaiveReader {
    facts: Arc<TraceNames>,
    pub(crate) objects: BTreeMap<u64, Known>,
    collected: Vec<AddressRange>,
    /// Objects of collected ranges that no run has named so far.
    leaving: BTreeMap<u64, Known>,
    arriving: Vec<(u64, Known)>,
    pub(crate) collection: u32,
    pub(crate) collections: Vec<Collection>,
    pub(crate) events: u64,
    pub(crate) sync_parts: u64,
    /// The file's end block was read.
    pub(crate) ended: bool,
}

impl Default for NaiveReader {
    fn default() -> Self {
        Self {
            facts: facts(),
            objects: BTreeMap::new(),
            collected: Vec::new(),
            leaving: BTreeMap::new(),
            arriving: Vec::new(),
            collection: 0,
            collections: Vec::new(),
            events: 0,
            sync_parts: 0,
            ended: false,
        }
    }
}

impl NaiveReader {
    pub(crate) fn follow(&mut self, kind: BlockKind, content: &[u8]) {
        if kind != BlockKind::MOVES {
            self.arrive();
        }
        match kind {
            BlockKind::EVENTS => self.events(content),
            BlockKind::EVENT_COLUMNS => {
                let columns = EventColumns::decode(content).unwrap();
                columns.pieces().for_each(|piece| self.events(piece));
            }
            BlockKind::COLLECTION => self.collection(Collection::decode(content).unwrap()),
            BlockKind::MOVES => self.moves(content),
            BlockKind::SYNC => self.sync(content),
            BlockKind::EXPLAINED => self.explained(content),
            BlockKind::EVENT_FILE => {
                EventFile::decode(content).unwrap();
            }
            BlockKind::END => self.ended = true,
            other => panic!("{other:?}"),
        }
    }

    fn events(&mut self, content: &[u8]) {
        let block = EventBlock::decode(content).unwrap();
        let (thread, birth) = (block.header.thread, block.header.epoch);
        assert!(birth <= self.collection);
        EventDecoder::new(&*Arc::clone(&self.facts))
            .decode(&block, |event| {
                self.events += 1;
                let Event::Allocation(allocation) = event else {
                    return;
                };
                let bytes = allocation.bytes.unwrap();
                let address = match allocation.place {
                    Place::End(end) => end - bytes,
                    Place::Outside(Some(address)) => address,
                    _ => return,
                };
                let known = Known {
                    bytes,
                    class: None,
                    site: allocation.site,
                    thread,
                    birth,
                };
                assert_eq!(self.objects.insert(address, known), None);
            })
            .unwrap();
    }

    fn collection(&mut self, collection: Collection) {
        self.collection = collection.number;
        self.collected.clone_from(&collection.collected);
        for range in &collection.collected {
            let addresses: Vec<u64> = self
                .objects
                .range(range.start..range.end)
                .map(|(address, _)| *address)
                .collect();
            for address in addresses {
                let object = self.objects.remove(&address).unwrap();
                self.leaving.insert(address, object);
            }
        }
        self.collections.push(collection);
    }

    fn moves(&mut self, content: &[u8]) {
        for run in MoveDecoder::new(content).unwrap() {
            let run = run.unwrap();
            let mut done = 0;
            for _ in 0..run.objects {
                let known = match run.found {
                    Some(class) => Known {
                        bytes: run.bytes,
                        class: Some(class),
                        site: SiteId(0),
                        thread: ThreadId(0),
                        birth: self.collection - 1,
                    },
                    None => self.leaving.remove(&(run.from + done)).unwrap(),
                };
                self.arriving.push((run.to + done, known));
                done += known.bytes;
            }
            assert_eq!(done, run.bytes);
        }
    }

    /// Completes the moves: objects that were not named are dead.
    fn arrive(&mut self) {
        self.leaving.clear();
        for (address, object) in std::mem::take(&mut self.arriving) {
            assert_eq!(self.objects.insert(address, object), None);
        }
    }

    /// At the start, the synchronization point is the heap; later it must equal the known heap.
    fn sync(&mut self, content: &[u8]) {
        let decoder = SyncDecoder::new(content).unwrap();
        self.sync_parts += 1;
        let first = self.collection == 0;
        let (collection, last) = (decoder.collection(), decoder.is_last());
        for object in decoder {
            let object = object.unwrap();
            let class = (object.class.0 != u32::MAX).then_some(object.class);
            let known = Known {
                bytes: object.bytes,
                class,
                site: object.site,
                thread: object.thread,
                birth: object.birth,
            };
            if first {
                assert_eq!(self.objects.insert(object.address, known), None);
            } else {
                let mut mine = self.objects[&object.address];
                mine.class = mine.class.or(class);
                assert_eq!(mine, known, "at {:x}", object.address);
            }
        }
        if last {
            self.collection = collection;
        }
    }

    fn explained(&mut self, content: &[u8]) {
        for explained in decode_explained(content) {
            let explained = explained.unwrap();
            let object = self.objects.get_mut(&explained.address).unwrap();
            assert_eq!(object.site, SiteId(0));
            object.site = explained.site;
            object.thread = explained.thread;
            object.birth = explained.birth;
        }
    }
}
