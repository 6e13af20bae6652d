//! Where each object is, against the program's own references, read through `Unsafe`.

use std::collections::BTreeMap;

use ducktrack_analyses::{DumpedObjects, LiveObjects};
use ducktrack_count_model::CountModelBuilder;
use ducktrack_test_support::replay_files;
use ducktrack_tests::{TracedRun, checked, is_full_run};
use ducktrack_trace_reader::TraceReader;

use crate::{known_forms, programs};

const STEPS: &str = "30";

#[test]
fn each_object_is_where_the_programs_reference_says() {
    let programs = programs();
    let seeds = if is_full_run() { 10 } else { 1 };
    let (mut runs, mut objects) = (0, 0);
    for (jdk, form) in known_forms() {
        for seed in 0..seeds {
            let what = format!("{} addresses {seed}", form.join(" "));
            let run = TracedRun::new(&jdk, &what);
            let mut command = run.command("", &[programs.path()]);
            command.args(form).args(["-Xmx256m", "Addresses"]);
            let is_single = jdk.version == 17 || jdk.version == 21 && form.len() == 1;
            let colours = if is_single { "single" } else { "generational" };
            command.args([&seed.to_string(), STEPS, colours]);
            let said = run.finish(&mut command);
            objects += compare(&run, &said);
            runs += 1;
        }
    }
    checked(&format!(
        "addresses under ZGC against the program's references, {runs} runs, {objects} objects, 0 elsewhere"
    ));
}

/// Compares the objects of both classes; gives how many.
fn compare(run: &TracedRun, said: &str) -> usize {
    let name = run.name();
    let mut said_at = BTreeMap::new();
    let mut millis = 0;
    for line in said.lines() {
        match line.split_once(' ') {
            Some(("at", time)) => millis = time.parse().expect("a time"),
            Some((class, address)) if class.starts_with("Addresses$") => {
                let address: u64 = address.parse().expect("an address");
                said_at.insert(address, format!("L{class};"));
            }
            _ => {}
        }
    }
    let objects = objects_at(run, millis);
    let makers = objects.makers();
    let of_program = objects
        .addresses()
        .enumerate()
        .filter_map(|(place, address)| {
            let maker = makers.get(objects.facts_of(place)?.maker as usize)?;
            let ty = maker.ty.as_deref()?;
            ty.starts_with("LAddresses$")
                .then(|| (address, ty.to_owned()))
        });
    let in_trace: BTreeMap<u64, String> = of_program.collect();
    assert!(said_at.len() > 5_000, "{name}: {}", said_at.len());
    let differ = said_at
        .iter()
        .filter(|(at, ty)| in_trace.get(at) != Some(ty))
        .count();
    assert_eq!(differ, 0, "{name}: of {} objects", said_at.len());
    assert_eq!(in_trace.len(), said_at.len(), "{name}");
    said_at.len()
}

/// The live objects of the last collection before a time.
fn objects_at(run: &TracedRun, millis: u64) -> LiveObjects {
    let mut builder = CountModelBuilder::new();
    for record in TraceReader::open(&run.trace()).expect("a trace") {
        builder.fold(record);
    }
    let question = DumpedObjects::new(millis);
    let (_, objects) = replay_files(&run.trace(), builder.finish_trace(), question, 1, 64 << 20);
    objects.expect("the heap is known")
}
