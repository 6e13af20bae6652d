//! `mode=full`: what is recorded of each update of a reference (source, old and
//! new target) against the numbers that the program itself keeps of its objects.
//!
//! The program is `tests/witness/UpdateIdentities.java`: two threads with nodes of their own, and a third
//! that makes garbage. The reader here is a small one: it knows nodes by thread and order of birth, follows
//! them through collections, and translates the addresses of records from the epoch that they are of.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use ducktrack_count_model::{CountModelBuilder, TraceNames};
use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compiled, is_full_run, pairs, skipped, traced_jdks,
};
use ducktrack_trace_format::{
    AddressRange, Allocation, Collection, Event, EventBlock, EventDecoder, EventFlags, MoveRun,
    Place, Record, ReferenceLayout, SiteFacts, SiteId, ThreadId,
};
use ducktrack_trace_reader::{BufferDecoding, EventFiles, EventStep, TraceReader};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
const ENGINES: [&[&str]; 4] = [
    &["-XX:-TieredCompilation"],
    &["-Xint"],
    &["-XX:TieredStopAtLevel=1"],
    &["-XX:-UseCompressedOops"],
];
/// One more for each JDK, with the first that may have it.
const SPECIAL: [(u32, &[&str]); 3] = [
    (25, &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"]),
    (21, &["-XX:+UseParallelGC", "-Dvirtual"]),
    (
        17,
        &[
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+StressLCM",
            "-XX:+StressGCM",
            "-XX:+StressIGVN",
        ],
    ),
];
const NODE: &str = "LUpdateIdentities$Node;";

/// A node: its thread, and its number there.
type Node = (ThreadId, i32);
/// An update: what, the number of the source, the old and the new target.
type Row = [i32; 4];

struct Facts {
    names: TraceNames,
    references: ReferenceLayout,
}

impl SiteFacts for Facts {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        self.names.fixed_bytes(site)
    }

    fn is_measured(&self, site: SiteId) -> bool {
        self.names.is_measured(site)
    }

    fn called(&self, site: SiteId) -> Option<(SiteId, ducktrack_trace_format::CallSiteId)> {
        self.names.called(site)
    }

    fn references(&self) -> ReferenceLayout {
        self.references
    }
}

/// Moves and deaths of a collection, by address.
struct Moves {
    collected: Vec<AddressRange>,
    runs: Vec<MoveRun>,
}

impl Moves {
    /// Where an object is after the collection; `None`: it is dead.
    fn after(&self, address: u64) -> Option<u64> {
        let is_in = |range: &AddressRange| range.start <= address && address < range.end;
        let at = self.runs.partition_point(|run| run.from <= address);
        let run = at.checked_sub(1).and_then(|at| self.runs.get(at));
        match run.filter(|run| address - run.from < run.bytes) {
            Some(run) => Some(address - run.from + run.to),
            None => (!self.collected.iter().any(is_in)).then_some(address),
        }
    }
}

/// The heap, as far as it is nodes.
struct Replay {
    facts: Facts,
    nodes_at: Vec<SiteId>,
    /// Nodes by address, now and at the end of each epoch before.
    live: BTreeMap<u64, Node>,
    ended: Vec<(BTreeMap<u64, Node>, Moves)>,
    born: HashMap<ThreadId, i32>,
    /// The epoch of the last `cut` of each thread.
    seen: HashMap<ThreadId, u32>,
    rows: HashMap<ThreadId, Vec<Row>>,
    /// Names of static fields, and which thread updates each.
    static_fields: HashMap<u32, String>,
    updated_by: HashMap<String, ThreadId>,
    /// Slot by field.
    slots: HashMap<u32, usize>,
    /// Records of an epoch that was over when they were read.
    late: usize,
    /// Nodes of each thread whose event has no address. The program's next update is one of the node, which has it.
    unplaced: HashMap<ThreadId, Node>,
    told_by_update: usize,
}

impl Replay {
    fn epoch(&self) -> u32 {
        self.ended.len() as u32
    }

    /// The node at an address of an epoch.
    fn node(&self, address: u64, epoch: u32) -> Option<Node> {
        match self.ended.get(epoch as usize) {
            Some((nodes, _)) => nodes.get(&address).copied(),
            None => self.live.get(&address).copied(),
        }
    }

    fn number(&self, address: u64, epoch: u32, thread: ThreadId) -> i32 {
        match self.node(address, epoch) {
            Some((owner, number)) if owner == thread => number,
            _ => -1,
        }
    }

    fn buffer(&mut self, content: &[u8]) {
        let block = EventBlock::decode(content).expect("a buffer");
        let thread = block.header.thread;
        let is_late = block.header.flags.has(EventFlags::LATE);
        let mut events = Vec::new();
        let piece = EventDecoder::new(&self.facts)
            .decode(&block, |event| events.push(event))
            .expect("words");
        for event in events {
            match event {
                Event::Allocation(made) if self.nodes_at.contains(&made.site) => {
                    self.birth(thread, &made, is_late);
                }
                Event::Update(update) => {
                    let epoch = self.epoch_of(thread, update.seen);
                    if let Some(node) = self.unplaced.remove(&thread) {
                        assert_eq!(self.node(update.source, epoch), None, "{update:?}");
                        self.learn(update.source, epoch, node);
                        self.told_by_update += 1;
                    }
                    let of = |address| self.number(address, epoch, thread);
                    let (source, old, new) = (of(update.source), of(update.old), of(update.new));
                    let is_node = source != -1;
                    let what = match is_node {
                        true => {
                            let next = self.slots.len();
                            *self.slots.entry(update.slot).or_insert(next) as i32
                        }
                        false => 2,
                    };
                    if is_node || old != -1 || new != -1 {
                        self.add(thread, [what, source, old, new]);
                    }
                }
                Event::StaticUpdate(update) => {
                    let epoch = self.epoch_of(thread, update.seen);
                    let of = |address| self.number(address, epoch, thread);
                    let (old, new) = (of(update.old), of(update.new));
                    if old != -1 || new != -1 {
                        if let Some(name) = self.static_fields.get(&update.field) {
                            self.updated_by.insert(name.clone(), thread);
                        }
                        self.add(thread, [3, -1, old, new]);
                    }
                }
                _ => {}
            }
        }
        if let Some(seen) = piece.seen {
            self.seen.insert(thread, seen);
        }
    }

    fn epoch_of(&mut self, thread: ThreadId, seen: Option<u32>) -> u32 {
        let before = self.seen.get(&thread).copied().unwrap_or(0);
        let epoch = seen.unwrap_or(before);
        self.late += usize::from(epoch < self.epoch());
        epoch
    }

    fn add(&mut self, thread: ThreadId, row: Row) {
        self.rows.entry(thread).or_default().push(row);
    }

    fn birth(&mut self, thread: ThreadId, made: &Allocation, is_late: bool) {
        let number = self.born.entry(thread).or_default();
        let node = (thread, *number);
        *number += 1;
        let bytes = made.bytes.expect("the size of a node");
        match made.place {
            Place::End(end) if !is_late => drop(self.live.insert(end - bytes, node)),
            Place::Outside(Some(address)) => drop(self.live.insert(address, node)),
            // It was made before the collection that ended the epoch before.
            Place::Straggler(end) => self.learn(end - bytes, self.epoch() - 1, node),
            _ => {
                let before = self.unplaced.insert(thread, node);
                assert_eq!(before, None, "a node without a place and an update");
            }
        }
    }

    /// A node was there in this epoch.
    fn learn(&mut self, address: u64, epoch: u32, node: Node) {
        let mut address = address;
        for (nodes, moves) in self.ended.iter_mut().skip(epoch as usize) {
            nodes.insert(address, node);
            match moves.after(address) {
                Some(now) => address = now,
                None => return,
            }
        }
        self.live.insert(address, node);
    }

    fn collection(&mut self, collection: &Collection, runs: Vec<MoveRun>) {
        assert_eq!(
            collection.number,
            self.epoch() + 1,
            "a collection is missing"
        );
        assert_eq!(collection.fault, None);
        let moves = Moves {
            collected: collection.collected.clone(),
            runs,
        };
        let before = std::mem::take(&mut self.live);
        for (address, node) in &before {
            if let Some(now) = moves.after(*address) {
                self.live.insert(now, *node);
            }
        }
        self.ended.push((before, moves));
        // Records are seldom of an epoch before the last ones.
        if let Some(old) = self.ended.len().checked_sub(20) {
            self.ended[old].0 = BTreeMap::new();
        }
    }
}

/// The threads of the program's workers; of virtual ones, the carriers, which they never leave because they never wait.
fn workers(replay: &Replay) -> Vec<ThreadId> {
    let fields = ["first", "second"].map(|name| replay.updated_by.get(name));
    fields.into_iter().flatten().copied().collect()
}

struct Read {
    rows: Vec<(Vec<Row>, Vec<Row>)>,
    late: usize,
    told_by_update: usize,
    collections: u32,
}

fn read(trace: &Path, told: &Path) -> Read {
    let mut builder = CountModelBuilder::new();
    let (mut references, mut nodes_at, mut static_fields) =
        (ReferenceLayout::default(), Vec::new(), HashMap::new());
    for record in TraceReader::open(&trace.join("ducktrack.trace")).expect("a trace") {
        match &record {
            Record::ReferenceLayout(layout) => references = *layout,
            Record::Site(site) if site.ty.as_deref() == Some(NODE) => nodes_at.push(site.id),
            Record::StaticField(field) if field.class == "UpdateIdentities" => {
                static_fields.insert(field.number, field.name.clone());
            }
            _ => {}
        }
        builder.fold(record);
    }
    let (_, names) = builder.finish_trace();
    let mut replay = Replay {
        facts: Facts { names, references },
        nodes_at,
        live: BTreeMap::new(),
        ended: Vec::new(),
        born: HashMap::new(),
        seen: HashMap::new(),
        rows: HashMap::new(),
        static_fields,
        updated_by: HashMap::new(),
        slots: HashMap::new(),
        late: 0,
        unplaced: HashMap::new(),
        told_by_update: 0,
    };
    let mut files = EventFiles::open(trace).expect("event files");
    let mut decoding = BufferDecoding::default();
    while let Some(step) = files.next_step() {
        let (buffers, collection) = match step {
            EventStep::Epoch(epoch) => (epoch.buffers, Some((epoch.collection, epoch.runs))),
            EventStep::End(buffers) => (buffers, None),
            EventStep::Damaged => panic!("damage"),
            _ => continue,
        };
        decoding.decode(&buffers, &mut [&mut replay], |replay, content, _| {
            replay.buffer(content);
            Ok(())
        });
        if let Some((collection, runs)) = collection {
            replay.collection(&collection, runs);
        }
    }
    let workers = workers(&replay);
    assert_eq!(workers.len(), 2, "workers");
    let rows = workers.into_iter().enumerate().map(|(number, thread)| {
        let said = std::fs::read(told.join(number.to_string())).expect("what the program noted");
        let (ints, _) = said.as_chunks::<4>();
        let (said, _) = ints.as_chunks::<4>();
        let said = said.iter().map(|row| {
            let row = row.map(i32::from_be_bytes);
            // A copied element is an element.
            [if row[0] == 4 { 2 } else { row[0] }, row[1], row[2], row[3]]
        });
        let recorded = replay.rows.remove(&thread).unwrap_or_default();
        (said.collect(), recorded)
    });
    Read {
        rows: rows.collect(),
        late: replay.late,
        told_by_update: replay.told_by_update,
        collections: replay.epoch(),
    }
}

struct Sums {
    updates: usize,
    late: usize,
    collections: u32,
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path, sums: &mut Sums) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let name = run.name().to_owned();
    let told = run.file("told");
    std::fs::create_dir(&told).expect("a folder");
    let mut command = run.command("mode=full,calls=off", &[programs]);
    command.args(["-Xmx64m", "-Xmn3m", "-Xverify:all"]);
    let steps = match (options.contains(&"-Xint"), is_full_run()) {
        (true, false) => "3000",
        (true, true) => "30000",
        (false, false) => "20000",
        (false, true) => "400000",
    };
    command.args(options).arg("UpdateIdentities").arg(&told);
    run.finish(command.arg(steps));
    let read = read(&run.trace(), &told);
    // The object that causes a collection, and a few where a space is nearly full.
    let most = 4 * read.collections as usize + 20;
    assert!(
        read.told_by_update < most,
        "{name}: {} nodes without an address",
        read.told_by_update
    );
    assert!(
        read.collections > 3,
        "{name}: {} collections",
        read.collections
    );
    for (said, recorded) in &read.rows {
        let wrong = said
            .iter()
            .zip(recorded)
            .position(|(said, row)| said != row);
        if let Some(wrong) = wrong {
            let around = wrong.saturating_sub(2)..(wrong + 3).min(said.len()).min(recorded.len());
            panic!(
                "{name}: update {wrong}: in truth {:?}, recorded {:?}",
                &said[around.clone()],
                &recorded[around]
            );
        }
        assert_eq!(said.len(), recorded.len(), "{name}: updates");
        sums.updates += said.len();
    }
    sums.late += read.late;
    sums.collections += read.collections;
}

#[test]
fn updates_are_those_that_the_program_noted() {
    let programs = compiled(&["UpdateIdentities"], 17);
    let mut sums = Sums {
        updates: 0,
        late: 0,
        collections: 0,
    };
    let mut runs = 0;
    let (jdks, mut turns) = (traced_jdks(), Turns::new());
    if jdks.is_empty() {
        skipped("identities of updates: no JDK that can be traced");
        return;
    }
    let places = pairs(&jdks, &COLLECTORS);
    for (turn, engine) in ENGINES.iter().enumerate() {
        // Each engine on another JDK, with another collector.
        for (jdk, collector) in turns.take(&places, turn) {
            let options: Vec<&str> = [&[*collector], *engine].concat();
            check(jdk, &options, programs.path(), &mut sums);
            runs += 1;
        }
    }
    turns.announce("identities of updates");
    for jdk in &jdks {
        for (since, options) in SPECIAL {
            let wanted = since == jdk.version || since < jdk.version && is_full_run();
            if wanted {
                check(jdk, options, programs.path(), &mut sums);
                runs += 1;
            }
        }
    }
    assert!(sums.updates > runs * 10_000, "{} updates", sums.updates);
    checked(&format!(
        "{runs} runs, {} updates as the program noted them, over {} collections; {} records read after the collection that they are from before",
        sums.updates, sums.collections, sums.late
    ));
}
