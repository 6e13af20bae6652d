//! Recordings whose every number is known.

use std::process::Command;

use ducktrack_count_model::CountModelBuilder;
use ducktrack_findings::{Evidence, Findings};
use ducktrack_fleet::{Origin, Recording, TablePipe, TraceFacts, export, leak_facts};
use ducktrack_test_support::{sample_heap, sample_run};
use ducktrack_trace_format::{End, Record};

use crate::place::Place;

/// The sample run, with `factor` times the boxed objects of its loop; runs of other factors begin later.
pub(crate) fn shop(factor: u64) -> Vec<Record> {
    let later = factor * 3_600_000;
    let records = sample_run::records_with(factor).into_iter();
    let moved = records.map(|record| match record {
        Record::Run(mut run) => {
            run.start_unix_millis += later;
            Record::Run(run)
        }
        Record::Snapshot(mut snapshot) => {
            snapshot.unix_millis += later;
            Record::Snapshot(snapshot)
        }
        Record::End(end) => Record::End(End {
            unix_millis: end.unix_millis + later,
            ..end
        }),
        other => other,
    });
    moved.collect()
}

/// The same without an end.
pub(crate) fn killed() -> Vec<Record> {
    let records = sample_run::records().into_iter();
    let records = records.filter(|record| !matches!(record, Record::End(_)));
    records.collect()
}

/// Exports a traced run with growing sites, as `name` on `host`.
pub(crate) fn export_traced(place: &Place, root: &str, host: &str) {
    let mut recording = Recording::new(600_000);
    let mut builder = CountModelBuilder::new();
    for record in sample_run::records() {
        builder.fold(record.clone());
        recording.fold(record);
    }
    let facts = recording.finish();
    let sample = sample_heap::sample_trace(builder.finish(), 40);
    let answers = (
        sample.heaps,
        sample.lifetimes,
        sample.timeline,
        sample.survivors,
        None,
    );
    let evidence = Evidence {
        model: &sample.model,
        survivors: &answers.3,
        staleness: None,
        holdings: None,
        max_heap: None,
    };
    let findings = Findings::of(evidence).expect("no dump is read");
    let trace = TraceFacts::of(&sample.model.count, &answers, leak_facts(&findings));
    let origin = Origin {
        service: "bills".into(),
        version: "7".into(),
        host: host.into(),
        ..Origin::default()
    };
    let root = place.path(root).display().to_string();
    let mut reach = Command::new(env!("CARGO_BIN_EXE_ducktrack-reach"));
    reach.args([env!("CARGO_PKG_VERSION"), "tables", &root]);
    let mut pipe = TablePipe::start(reach, &root).expect("a root that can be written to");
    export(&mut pipe, &origin, &facts, Some(&trace)).expect("an export");
}
