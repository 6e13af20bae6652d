//! Writes a large neutral stream, and measures how fast Merlin takes one.
//!
//! ```text
//! synthetic_stream write FILE RECORDS     objects of several ages: lists, trees, a cache; a collection each 1 M records
//! synthetic_stream replay FILE            one core: decode and apply; objects and records per second of CPU, most memory
//! ```

mod program;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::time::Instant;

use ducktrack_merlin::{BlockReader, Merlin, StreamWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["write", path, records] => write(path, records.parse()?),
        ["replay", path] => replay(path),
        _ => Err("synthetic_stream write FILE RECORDS | replay FILE".into()),
    }
}

fn write(path: &str, records: u64) -> Result<(), Box<dyn Error>> {
    let mut writer = StreamWriter::new(BufWriter::new(File::create(path)?))?;
    let mut program = program::Program::default();
    let mut batch = Vec::new();
    let mut written = 0;
    while written < records {
        program.step(&mut batch);
        written += batch.len() as u64;
        for record in batch.drain(..) {
            writer.write(&record)?;
        }
    }
    program.end(&mut batch);
    for record in batch.drain(..) {
        writer.write(&record)?;
    }
    writer.finish()?;
    let bytes = fs::metadata(path)?.len();
    println!(
        "{written} records, {:.2} bytes each",
        bytes as f64 / written as f64
    );
    Ok(())
}

fn replay(path: &str) -> Result<(), Box<dyn Error>> {
    let mut reader = BlockReader::new(BufReader::new(File::open(path)?))?;
    let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
    let (mut records, mut most_live) = (0_u64, 0);
    let (start, cpu) = (Instant::now(), cpu_seconds()?);
    while let Some(block) = reader.next_block()? {
        let block = block.decode()?;
        merlin.set_thread(block.thread);
        for record in &block.records {
            merlin.apply(record, &mut fates);
        }
        records += block.records.len() as u64;
        most_live = most_live.max(merlin.live_objects());
        fates.clear();
    }
    let totals = merlin.finish(&mut fates);
    let (seconds, wall) = (cpu_seconds()? - cpu, start.elapsed().as_secs_f64());
    let objects = totals.allocated.objects;
    println!(
        "{records} records, {objects} objects, {} dead, most live {most_live}, {} collections\n\
         {seconds:.2} s of CPU ({wall:.2} s): {:.2} M objects/s, {:.1} M records/s, {:.0} MB at most",
        totals.dead.objects,
        totals.collections.len(),
        objects as f64 / seconds / 1e6,
        records as f64 / seconds / 1e6,
        most_memory()? as f64 / 1e3,
    );
    Ok(())
}

/// CPU time of this process: user and system, in hundredths.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks: f64 = fields.get(11).ok_or("no user time")?.parse::<f64>()?
        + fields.get(12).ok_or("no system time")?.parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Resident memory at most, in kilobytes.
fn most_memory() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line
        .ok_or("no VmHWM")?
        .trim()
        .trim_end_matches(" kB")
        .parse()?)
}
