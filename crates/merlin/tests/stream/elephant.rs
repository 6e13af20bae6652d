//! Text of Elephant Tracks and the oracle, in and out.

use ducktrack_merlin::{
    ElephantForm, ElephantReader, ElephantWriter, Merlin, Names, OracleReader, OracleWriter,
    Record, record_to_text, records_from_text,
};

fn read(form: ElephantForm, text: &str) -> Result<Vec<Record>, String> {
    let (mut reader, mut records) = (ElephantReader::new(form), Vec::new());
    for line in text.lines() {
        reader
            .line(line, &mut records)
            .map_err(|error| error.to_string())?;
    }
    reader.finish(&mut records);
    Ok(records)
}

fn lines(records: &[Record]) -> Vec<String> {
    records.iter().map(record_to_text).collect()
}

/// Deaths of the records, as the writers take them.
fn deaths(
    records: &[Record],
) -> Vec<(ducktrack_merlin::ObjectId, u64, ducktrack_merlin::ThreadId)> {
    let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
    records
        .iter()
        .for_each(|record| merlin.apply(record, &mut fates));
    let _ = merlin.finish(&mut fates);
    let dead = fates
        .iter()
        .filter_map(|fate| Some((fate.object, fate.unreachable?.time, fate.thread)));
    dead.collect()
}

fn names(records: &[Record]) -> Names {
    let mut names = Names::default();
    for record in records {
        if let Record::Definition(definition) = record {
            names.define(definition);
        }
    }
    names
}

const PROGRAM: &str = "type 1\tjava.lang.Object[]\ntype 2\tNode\nthread 1\nenter 17 on -\nnew 1 type=1 site=30 bytes=48 length=8\nthread 2\n\
                       new 2 type=2 site=31 bytes=24\nset 1.3 = 2 was -\nuse 2\nthread 1\nset -.5 = 1 was -\nthrow 17 on - with 2\nset -.5 = - was 1\n\
                       new 3 type=2 site=31 bytes=24\ncollect 1 partial\ndead 1\ndead 2\nend\n";

fn written(form: ElephantForm) -> String {
    let records = records_from_text(PROGRAM).expect("a text");
    let mut writer = ElephantWriter::new(
        Vec::new(),
        form,
        names(&records),
        deaths(&records).into_iter(),
    );
    records
        .iter()
        .for_each(|record| writer.record(record).expect("memory"));
    String::from_utf8(writer.finish().expect("memory")).expect("text")
}

#[test]
fn et1_is_hexadecimal_with_threads_and_old_targets() {
    assert_eq!(
        written(ElephantForm::Et1),
        "M 11 0 1\nA 1 30 java.lang.Object[] 1e 8 1\nN 2 18 Node 1f 0 2\nU 0 1 2 3 2\nR 2 2\nU 0 0 1 5 1\nX 11 0 2 1\nU 1 0 0 5 1\nD 1 1\nD 2 2\nN 3 18 Node 1f 0 1\n"
    );
}

#[test]
fn et3_is_decimal_with_the_clock_of_entries_and_exits() {
    assert_eq!(
        written(ElephantForm::Et3),
        "M 17 0 1\nA 1 48 1 30 8 1\nN 2 24 2 31 0 1\nU 1 2 3 1\nU 0 1 5 1\nX 17 0 2 2\nU 0 0 5 2\nD 1 1 2\nD 2 2 2\nN 3 24 2 31 0 2\n"
    );
}

#[test]
fn et1_comes_back_with_the_same_deaths() {
    let records = read(ElephantForm::Et1, &written(ElephantForm::Et1)).expect("our lines");
    let times = |records: &[Record]| {
        deaths(records)
            .iter()
            .map(|(object, time, _)| (object.get(), *time))
            .collect::<Vec<_>>()
    };
    assert_eq!(times(&records), [(1, 8), (2, 8)]);
    assert_eq!(
        times(&records),
        times(&records_from_text(PROGRAM).expect("a text"))
    );
}

/// Ids are identity hashes there and come again; old targets are not told.
#[test]
fn et3_numbers_objects_anew() {
    let text = "# a comment\n\nM 5 0 1\nN 815033865 40 6 58 0 1\nU 0 815033865 9 1\nU 0 0 9 1\nD 815033865 1950409828 1\nN 815033865 24 6 58 0 1\nE 5 2\n";
    let records = read(ElephantForm::Et3, text).expect("lines");
    assert_eq!(
        lines(&records),
        [
            "enter 5 on -",
            "type 1\t6",
            "new 1 type=1 site=58 bytes=40",
            "store -.9 = 1",
            "store -.9 = -",
            "collect 1 partial",
            "dead 1",
            "end",
            "new 2 type=1 site=58 bytes=24",
            "exit 5 on -",
        ]
    );
    assert_eq!(deaths(&records)[0].1, 4);
}

#[test]
fn lines_that_are_none_are_named() {
    let fault = |text: &str| read(ElephantForm::Et1, text).expect_err("no record");
    assert_eq!(
        fault("M 1 2 3\nQ 1\n"),
        "line 2: not a record of Elephant Tracks: Q 1"
    );
    assert_eq!(fault("D 1"), "line 1: fields are missing or left over: D 1");
    assert_eq!(
        fault("M xyz 0 1"),
        "line 1: a field is not a number, or out of range: M xyz 0 1"
    );
    assert_eq!(
        read(ElephantForm::Et3, "R 1 2").expect_err("only in ET1"),
        "line 1: not a record of Elephant Tracks: R 1 2"
    );
}

/// Allocation 1 is on thread 1, 2 on thread 2, 3 on thread 1; both dead ones were reachable until the second.
#[test]
fn the_oracle_counts_allocations_in_all_and_by_thread() {
    let records = records_from_text(PROGRAM).expect("a text");
    let mut writer = OracleWriter::new(Vec::new(), names(&records), deaths(&records).into_iter());
    records.iter().for_each(|record| writer.record(record));
    let text = String::from_utf8(writer.finish().expect("memory")).expect("text");
    assert_eq!(
        text,
        "alloc_seq,free_at_seq,size,type,obj_id,thread,thread_alloc_seq,thread_free_seq\n\
         1,3,48,java.lang.Object[],1,1,1,2\n2,3,24,Node,2,2,1,2\n3,,24,Node,3,1,2,\n"
    );
}

fn read_oracle(text: &str) -> Result<Vec<Record>, String> {
    let (mut reader, mut records) = (OracleReader::default(), Vec::new());
    for line in text.lines() {
        let read = reader.line(line, &mut records);
        read.map_err(|error| error.to_string())?;
    }
    reader.finish(&mut records);
    Ok(records)
}

/// Columns in another order, and one that nobody knows; object 9 dies before allocation 3 is made, which is alive at the end.
#[test]
fn an_oracle_says_when_roots_let_go() {
    let text = "size,alloc_seq,note,free_at_seq,type,obj_id\n24,1,\"a \"\"b\"\", c\",3,Node,9\n\n16,2,,3,\"Map<A,B>\",7\n8,3,x,,Node,8\n";
    let records = read_oracle(text).expect("rows");
    assert_eq!(
        lines(&records),
        [
            "fact level\tfull",
            "fact uses\tnone",
            "fact frontend\toracle",
            "type 1\tNode",
            "new 9 type=1 site=0 bytes=24",
            "type 2\tMap<A,B>",
            "new 7 type=2 site=0 bytes=16",
            "root runtime 7",
            "root runtime 9",
            "new 8 type=1 site=0 bytes=8",
            "collect 1 partial",
            "dead 7",
            "dead 9",
            "end",
        ]
    );
}

#[test]
fn rows_that_are_none_are_named() {
    let fault = |text: &str| read_oracle(text).expect_err("no row");
    assert_eq!(
        fault("alloc_seq,size\n"),
        "line 1: the first line must name the columns alloc_seq, free_at_seq and size; free_at_seq is missing"
    );
    let head = "alloc_seq,free_at_seq,size\n";
    let row = |row: &str| fault(&format!("{head}{row}\n"));
    assert_eq!(
        row("1,2"),
        "line 2: 2 fields, but the first line names 3 columns"
    );
    assert_eq!(
        row("1,x,3"),
        "line 2: free_at_seq is not a number, or out of range: x"
    );
    assert_eq!(
        row("4,4,3"),
        "line 2: free_at_seq is 4, not after alloc_seq 4"
    );
    assert_eq!(
        row("3,4,3\n3,4,3"),
        "line 3: alloc_seq is 3 after 3: rows must be in the order of allocation"
    );
    assert_eq!(row("1,4,\"3"), "line 2: a quoted field has no end");
}
