//! The validator.

use ducktrack_merlin::{BlockReader, CheckResult, Checker, StreamWriter, records_from_text};

fn check(text: &str) -> CheckResult {
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    for record in records_from_text(text).expect("a text") {
        writer.write(&record).expect("a good record");
    }
    let bytes = writer.finish().expect("memory");
    let mut reader = BlockReader::new(bytes.as_slice()).expect("our header");
    let mut checker = Checker::default();
    while let Some(block) = reader.next_block().expect("our blocks") {
        checker.block(&block.decode().expect("our records"));
    }
    checker.finish(reader.records_by_end())
}

#[test]
fn a_possible_stream_has_no_faults() {
    let result = check(
        "type 1\tNode\nnew 1 type=1 site=9 bytes=8\nset -.0 = 1 was -\nset -.0 = - was 1\ncollect 1 complete\ndead 1\nend\n",
    );
    assert_eq!((result.faults, result.records, result.unnamed), (0, 7, 1));
    assert_eq!(result.totals.dead.objects, 1);
}

#[test]
fn faults_come_with_their_place() {
    let result = check("new 1 type=0 site=0 bytes=8\ncollect 1 complete\ndead 1\nend\nuse 1\n");
    assert_eq!(result.faults, 1);
    let found = &result.findings[0];
    assert_eq!((found.block, found.record, found.time), (12, 4, 2));
    assert_eq!(
        found.fault,
        "records on objects that are dead or were never allocated: Use(object1)"
    );
}

#[test]
fn a_missing_block_is_found() {
    let mut checker = Checker::default();
    let block = ducktrack_merlin::BlockRecords {
        time: 5,
        end_time: 5,
        ..Default::default()
    };
    checker.block(&block);
    let result = checker.finish(Some(3));
    let faults: Vec<&str> = result
        .findings
        .iter()
        .map(|found| found.fault.as_str())
        .collect();
    assert_eq!(
        faults,
        [
            "the block begins at time 5, the records before it end at 0: blocks are missing or doubled",
            "the end block counts 3 records, but 0 were read",
        ]
    );
}
