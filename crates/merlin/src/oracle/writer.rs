//! Records and deaths to rows.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::names::Names;
use crate::stream::record::{Allocation, ObjectId, Record, ThreadId, Time};

/// Writes one row per object, in the order of allocation, when all records were taken.
#[derive(Debug)]
pub struct OracleWriter<W> {
    out: W,
    names: Names,
    deaths: std::iter::Peekable<std::vec::IntoIter<(Time, ObjectId)>>,
    rows: Vec<Row>,
    places: FxHashMap<ObjectId, usize>,
    time: Time,
    thread: ThreadId,
    of_thread: FxHashMap<ThreadId, u64>,
}

#[derive(Debug)]
struct Row {
    allocation: Allocation,
    thread: ThreadId,
    thread_sequence: u64,
    free: Option<(u64, u64)>,
}

impl<W: Write> OracleWriter<W> {
    /// `deaths`: objects with the moment at which each was reachable last, in any order.
    pub fn new(
        out: W,
        names: Names,
        deaths: impl Iterator<Item = (ObjectId, Time, ThreadId)>,
    ) -> Self {
        let mut deaths: Vec<_> = deaths.map(|(object, time, _)| (time, object)).collect();
        deaths.sort_unstable();
        Self {
            out,
            names,
            deaths: deaths.into_iter().peekable(),
            rows: Vec::new(),
            places: FxHashMap::default(),
            time: 0,
            thread: ThreadId::default(),
            of_thread: FxHashMap::default(),
        }
    }

    /// Takes the next record of the stream.
    pub fn record(&mut self, record: &Record) {
        match record {
            Record::Thread(thread) => self.thread = *thread,
            Record::Tick { advance, .. } => self.time = self.time.saturating_add(*advance),
            record if record.is_event() => self.time = self.time.saturating_add(1),
            _ => return,
        }
        if let Record::Allocation(allocation) = record {
            let sequence = self.of_thread.entry(self.thread).or_default();
            *sequence += 1;
            self.places.insert(allocation.object, self.rows.len());
            self.rows.push(Row {
                allocation: *allocation,
                thread: self.thread,
                thread_sequence: *sequence,
                free: None,
            });
        }
        self.deaths_until(self.time);
    }

    fn deaths_until(&mut self, time: Time) {
        while let Some((_, object)) = self.deaths.next_if(|(at, _)| *at <= time) {
            let row = self.places.remove(&object).and_then(|at| {
                let sequence = self.rows.len() as u64 + 1;
                self.rows.get_mut(at).map(|row| (row, sequence))
            });
            if let Some((row, sequence)) = row {
                let of_thread = self.of_thread.get(&row.thread).copied().unwrap_or(0) + 1;
                row.free = Some((sequence, of_thread));
            }
        }
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.deaths_until(Time::MAX);
        writeln!(
            self.out,
            "alloc_seq,free_at_seq,size,type,obj_id,thread,thread_alloc_seq,thread_free_seq"
        )?;
        for (row, sequence) in self.rows.iter().zip(1_u64..) {
            let one = &row.allocation;
            let ty = self
                .names
                .ty(one.ty)
                .map_or_else(|| one.ty.0.to_string(), quoted);
            let [free, thread_free] = match row.free {
                Some((free, thread_free)) => [free.to_string(), thread_free.to_string()],
                None => Default::default(),
            };
            writeln!(
                self.out,
                "{sequence},{free},{},{ty},{},{},{},{thread_free}",
                one.bytes,
                one.object.get(),
                row.thread.0,
                row.thread_sequence
            )?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
