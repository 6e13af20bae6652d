//! The mapped counters of a run that has not ended. For the layout see [`ducktrack_trace_format::counter_file`].
//!
//! The JVM may go on writing meanwhile, so each word has the value of some moment during the reading. A block whose owner changes meanwhile
//! is read again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use ducktrack_trace_format::{
    AgentCost, BLOCK_HEADER_WORDS, BlockOwner, BlockWord, COUNTER_FILE_MAGIC, COUNTER_FILE_NAME,
    COUNTER_FILE_VERSION, ContextExecutions, ContextId, EXTENT_TABLE, ExecutionObjects, Extent,
    FormatError, HISTOGRAM_BYTES, HISTOGRAM_PLACE, HeaderWord, KEYED_ENTRY_BYTES, KEYED_PLACE,
    KeyedEntry, LargestExecution, MAX_EXTENTS, words,
};

/// How often a block whose owner changes is read.
const MOST_READINGS: usize = 4;
const WORD: usize = 8;

/// The open file.
#[derive(Debug)]
pub struct CounterFile {
    path: PathBuf,
    file: File,
}

/// The content of the file at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedCounters {
    /// Process id of the JVM.
    pub pid: u32,
    /// Start of the process in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// The machine's boot id.
    pub boot_id: [u64; 2],
    /// When the agent last updated the file, in milliseconds since 1970.
    pub looked_at_unix_millis: u64,
    /// Bytes allocated by the VM's own count since counting was ready, at that time.
    pub vm_bytes: u64,
    /// Bytes allocated by the VM's own count before counting was ready.
    pub before_ready_bytes: u64,
    /// The VM has announced its end.
    pub vm_ended: bool,
    /// Error number of the system for the last failed write of the trace.
    pub write_error: Option<u64>,
    /// The agent's costs so far.
    pub cost: AgentCost,
    /// Blocks of threads.
    pub blocks: Vec<MappedBlock>,
}

/// The counters of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedBlock {
    /// Number of the block.
    pub number: u64,
    /// The thread that owns it.
    pub owner: BlockOwner,
    /// Bytes allocated by its threads, by the VM's own count.
    pub vm_bytes: u64,
    /// Counters by id, those of the block's header first, up to the end of the file's block.
    pub counters: Vec<u64>,
    /// Keyed entries in use.
    pub keyed: Vec<KeyedEntry>,
    /// The executions that have ended in it, if it is a block of contexts. Of the largest, only the bytes are known.
    pub executions: Option<ContextExecutions>,
    /// From some moment on, keyed entries went to private memory.
    pub keyed_private: bool,
    /// The block refers to an extent that was not in the table when the table was read.
    keyed_is_missing: bool,
}

/// Where the parts of a block are in the file.
#[derive(Clone, Debug, Default)]
struct Parts {
    counters: Vec<Extent>,
    histogram: Option<Extent>,
}

impl CounterFile {
    /// Opens the file in a trace directory; `None` if there is none, as in a trace that has ended.
    pub fn open(directory: &Path) -> io::Result<Option<Self>> {
        let path = directory.join(COUNTER_FILE_NAME);
        match File::open(&path) {
            Ok(file) => Ok(Some(Self { path, file })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole file.
    pub fn read(&self) -> io::Result<MappedCounters> {
        for _ in 1..MOST_READINGS {
            let counters = self.read_once()?;
            if let Some(counters) = counters {
                return Ok(counters);
            }
        }
        Err(io::Error::other("its tables change too fast to be read"))
    }

    /// `None` if a block's keyed entries moved to an extent that was not yet in the table.
    fn read_once(&self) -> io::Result<Option<MappedCounters>> {
        let mut counters = self.read_header()?;
        let extents = self.extents()?;
        for (number, parts) in (0..).zip(parts_of_blocks(&extents)) {
            match self.block(number, &parts, &extents)? {
                Some(block) if block.keyed_is_missing => return Ok(None),
                block => counters.blocks.extend(block),
            }
        }
        Ok(Some(counters))
    }

    /// Reads the header only.
    pub fn read_header(&self) -> io::Result<MappedCounters> {
        let bytes = self.bytes(0, EXTENT_TABLE as u64)?;
        let all: [u64; EXTENT_TABLE / WORD] = words(&bytes).map_err(malformed)?;
        let word = |word: HeaderWord| all[word as usize];
        if word(HeaderWord::Magic) != COUNTER_FILE_MAGIC {
            return Err(io::Error::other("it does not begin as mapped counters do"));
        }
        if word(HeaderWord::Version) != COUNTER_FILE_VERSION {
            return Err(io::Error::other(format!(
                "its version is {}, this command reads {COUNTER_FILE_VERSION}",
                word(HeaderWord::Version)
            )));
        }
        let write_error = word(HeaderWord::WriteError);
        Ok(MappedCounters {
            pid: small(word(HeaderWord::Pid)),
            process_start: word(HeaderWord::ProcessStart),
            boot_id: [
                word(HeaderWord::BootId),
                all[HeaderWord::BootId as usize + 1],
            ],
            looked_at_unix_millis: word(HeaderWord::LookedAt),
            vm_bytes: word(HeaderWord::VmBytes),
            before_ready_bytes: word(HeaderWord::BeforeReadyBytes),
            vm_ended: word(HeaderWord::State) != 0,
            write_error: (write_error != 0).then_some(write_error),
            cost: cost(&all[HeaderWord::Cost as usize..]),
            blocks: Vec::new(),
        })
    }

    /// The table of extents. An extent outside of the file, or a table that claims more than the file has, is refused before anything is
    /// read for it.
    fn extents(&self) -> io::Result<Vec<Extent>> {
        let length = self.file.metadata()?.len();
        let count = self.word_at(HeaderWord::Extents as u64 * WORD as u64)?;
        if count > MAX_EXTENTS as u64 {
            return Err(io::Error::other("it has more extents than there can be"));
        }
        let table = self.bytes(EXTENT_TABLE as u64, count * Extent::LENGTH as u64)?;
        let mut extents = Vec::new();
        let mut claimed = 0_u64;
        for entry in table.chunks_exact(Extent::LENGTH) {
            let extent = Extent::decode(entry).map_err(malformed)?;
            claimed = claimed.saturating_add(extent.length);
            let end = extent.offset.checked_add(extent.length);
            if claimed > length || end.is_none_or(|end| end > length) {
                return Err(io::Error::other("an extent lies outside of the file"));
            }
            extents.push(extent);
        }
        Ok(extents)
    }

    /// `None` for a block that no thread has owned yet.
    fn block(
        &self,
        number: u64,
        parts: &Parts,
        extents: &[Extent],
    ) -> io::Result<Option<MappedBlock>> {
        let Some(head) = parts.counters.first() else {
            return Ok(None);
        };
        let owner_at = head.offset + BlockWord::Owner as u64 * WORD as u64;
        for _ in 0..MOST_READINGS {
            let owner = self.word_at(owner_at)?;
            let block = self.block_of(number, BlockOwner::of(owner), parts, extents)?;
            if self.word_at(owner_at)? == owner {
                return Ok(block);
            }
        }
        Ok(None)
    }

    fn block_of(
        &self,
        number: u64,
        owner: BlockOwner,
        parts: &Parts,
        extents: &[Extent],
    ) -> io::Result<Option<MappedBlock>> {
        let mut counters = Vec::new();
        for part in &parts.counters {
            // Counters after a missing part would get wrong numbers.
            if part.place != counters.len() as u64 * WORD as u64 {
                break;
            }
            counters.extend(self.words(part)?);
        }
        let header = |word: BlockWord| counters.get(word as usize).copied().unwrap_or(0);
        if counters.len() < BLOCK_HEADER_WORDS {
            return Ok(None);
        }
        let keyed = usize::try_from(header(BlockWord::KeyedExtent)).unwrap_or(usize::MAX);
        let keyed_is_missing = (extents.len()..MAX_EXTENTS).contains(&keyed);
        let is_own = |extent: &&Extent| extent.block == number && extent.place == KEYED_PLACE;
        let keyed = extents.get(keyed).filter(is_own);
        let keyed = match keyed {
            Some(extent) => self.keyed(extent)?,
            None => Vec::new(),
        };
        Ok(Some(MappedBlock {
            number,
            owner,
            vm_bytes: header(BlockWord::VmBytes),
            executions: self.executions(header, parts)?,
            keyed_private: header(BlockWord::KeyedPrivate) != 0,
            counters,
            keyed,
            keyed_is_missing,
        }))
    }

    fn executions(
        &self,
        header: impl Fn(BlockWord) -> u64,
        parts: &Parts,
    ) -> io::Result<Option<ContextExecutions>> {
        let context = small(header(BlockWord::ContextEntered));
        let executions = header(BlockWord::Executions);
        if context == 0 || executions == 0 {
            return Ok(None);
        }
        let [buckets, by_objects] = match &parts.histogram {
            Some(histogram) => self.histograms(histogram)?,
            None => Default::default(),
        };
        let has_objects = parts
            .histogram
            .is_some_and(|one| one.length > HISTOGRAM_BYTES);
        Ok(Some(ContextExecutions {
            context: ContextId(context),
            executions,
            bytes: header(BlockWord::ExecutionBytes),
            largest: Some(LargestExecution {
                bytes: header(BlockWord::LargestExecution),
                unix_millis: 0,
                thread: String::new(),
                trace: None,
            }),
            buckets,
            objects: has_objects.then(|| ExecutionObjects {
                sum: header(BlockWord::ExecutionObjects),
                most: header(BlockWord::MostObjects),
                buckets: by_objects,
            }),
        }))
    }

    /// Executions by bucket of their bytes, and of their objects if they are counted.
    fn histograms(&self, extent: &Extent) -> io::Result<[Vec<(u16, u64)>; 2]> {
        let words: Vec<u64> = self.words(extent)?.collect();
        let mut parts = words.chunks(HISTOGRAM_BYTES as usize / WORD);
        let mut next = || {
            let counts = (0..).zip(parts.next().unwrap_or_default().iter().copied());
            counts.filter(|(_, count)| *count > 0).collect()
        };
        Ok([next(), next()])
    }

    fn keyed(&self, extent: &Extent) -> io::Result<Vec<KeyedEntry>> {
        let bytes = self.bytes(extent.offset, extent.length)?;
        let entries = bytes.chunks_exact(KEYED_ENTRY_BYTES);
        entries
            .filter_map(|entry| words(entry).map(KeyedEntry::of).transpose())
            .map(|entry| entry.map_err(malformed))
            .collect()
    }

    fn words(&self, extent: &Extent) -> io::Result<impl Iterator<Item = u64>> {
        let bytes = self.bytes(extent.offset, extent.length)?;
        let mut at = 0;
        Ok(std::iter::from_fn(move || {
            let word = bytes.get(at..)?.first_chunk::<WORD>()?;
            at += WORD;
            Some(u64::from_le_bytes(*word))
        }))
    }

    fn word_at(&self, offset: u64) -> io::Result<u64> {
        let bytes = self.bytes(offset, WORD as u64)?;
        words::<1>(&bytes).map(|[word]| word).map_err(malformed)
    }

    /// Bytes at an offset; the caller has compared the length with the file's.
    fn bytes(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }
}

/// The parts by block number, keyed entries aside; counters in the order of their places.
fn parts_of_blocks(extents: &[Extent]) -> Vec<Parts> {
    let mut blocks: Vec<Parts> = Vec::new();
    let is_part = |extent: &&Extent| {
        extent.length > 0 && (extent.place < KEYED_PLACE || extent.place == HISTOGRAM_PLACE)
    };
    for extent in extents.iter().filter(is_part) {
        // There are no more blocks than extents.
        let number = usize::try_from(extent.block).unwrap_or(usize::MAX);
        if number >= extents.len() {
            continue;
        }
        if blocks.len() <= number {
            blocks.resize_with(number + 1, Parts::default);
        }
        match extent.place {
            HISTOGRAM_PLACE => blocks[number].histogram = Some(*extent),
            _ => blocks[number].counters.push(*extent),
        }
    }
    for block in &mut blocks {
        block.counters.sort_by_key(|extent| extent.place);
    }
    blocks
}

fn cost(words: &[u64]) -> AgentCost {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    AgentCost {
        classes_seen: small(word(0)),
        classes_rewritten: small(word(1)),
        methods_rewritten: small(word(2)),
        rewrite_micros: word(3),
        bytecode_bytes_before: word(4),
        bytecode_bytes_after: word(5),
        counters: small(word(6)),
        memory_bytes: word(7),
        reinstrumented_methods: small(word(8)),
        snapshot_micros: word(9),
    }
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn malformed(error: FormatError) -> io::Error {
    io::Error::other(error)
}
