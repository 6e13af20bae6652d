//! Records through bytes to fates.

use ducktrack_merlin::{BlockReader, Fate, Merlin, Record, RunTotals, StreamWriter};

/// Writes the records, reads them again, and runs Merlin.
pub(crate) fn replay(records: &[Record]) -> (Vec<Fate>, RunTotals) {
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    for (at, record) in records.iter().enumerate() {
        writer.write(record).expect("a good record");
        if at % 97 == 96 {
            writer.end_block().expect("memory");
        }
    }
    let bytes = writer.finish().expect("memory");
    let mut reader = BlockReader::new(bytes.as_slice()).expect("our header");
    let (mut merlin, mut fates, mut read) = (Merlin::default(), Vec::new(), Vec::new());
    while let Some(block) = reader.next_block().expect("our blocks") {
        let block = block.decode().expect("our records");
        merlin.set_thread(block.thread);
        for record in &block.records {
            merlin.apply(record, &mut fates);
        }
        read.extend(block.records);
    }
    assert_eq!(read, records);
    assert_eq!(reader.records_by_end(), Some(records.len() as u64));
    let totals = merlin.finish(&mut fates);
    (fates, totals)
}
