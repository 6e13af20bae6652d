//! The worked example of `STREAM.md`: these bytes are those records.

use ducktrack_merlin::{Merlin, StreamWriter, record_to_text, records_from_text};

use crate::records::read_all;

/// The block of code after a line of the page that ends with this.
fn code_after(page: &str, heading: &str) -> String {
    let (_, after) = page.split_once(heading).expect("the heading");
    let (_, code) = after.split_once("```text\n").expect("its code");
    code.split_once("```").expect("its end").0.to_owned()
}

fn bytes_of(code: &str) -> Vec<u8> {
    let hex = code.lines().flat_map(|line| {
        line.split("  ")
            .next()
            .unwrap_or_default()
            .split_whitespace()
    });
    hex.map(|byte| u8::from_str_radix(byte, 16).expect("hex"))
        .collect()
}

#[test]
fn the_page_tells_the_truth() {
    let page = include_str!("../../STREAM.md");
    let records = records_from_text(&code_after(page, "### Its records")).expect("records");
    let bytes = bytes_of(&code_after(page, "### Its bytes"));
    assert_eq!(read_all(&bytes), records);
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    for record in &records {
        writer.write(record).expect("a good record");
    }
    let written = writer.finish().expect("memory");
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(hex(&written), hex(&bytes));

    let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
    for record in &records {
        merlin.apply(record, &mut fates);
    }
    let told: Vec<String> = fates
        .iter()
        .map(|fate| {
            let at = fate.unreachable.expect("dead");
            format!(
                "object {}: born {}, last use {}, unreachable {} ({} bytes)",
                fate.object.get(),
                fate.born.time,
                fate.used.expect("used").time,
                at.time,
                at.bytes
            )
        })
        .collect();
    let expected: Vec<String> = code_after(page, "### Its deaths")
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(told, expected);
    let text: Vec<String> = records.iter().map(record_to_text).collect();
    assert_eq!(text.len(), 14);
}
