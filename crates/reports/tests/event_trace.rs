//! The reports on a small known event trace in every format, compared with blessed files (`DUCKTRACK_BLESS=1` writes them
//! anew), and their numbers checked against the model they were made from.

use std::path::PathBuf;

use ducktrack_analyses::{Survivors, TraceModel};
use ducktrack_count_model::CountModelBuilder;
use ducktrack_findings::{Evidence, Findings};
use ducktrack_heap_replay::{CollectionNumber, HeapKnowledge, KnowledgeGap, KnownStretch};
use ducktrack_live_heap::Amount;
use ducktrack_reports::{
    CostRequest, Filter, HeapReport, LeakRequest, LeaksReport, LifetimesReport, Report, Sort,
    TimelineReport, cost_report, heap_report, info_report, leaks_report, lifetimes_report,
    timeline_report,
};
use ducktrack_test_support::sample_heap::{self, SampleTrace};
use ducktrack_test_support::sample_run;
use serde_json::Value;

const TRACE: &str = "ducktrack-4711";

fn sample() -> SampleTrace {
    sample_heap::sample_trace(count_model(), 24)
}

fn count_model() -> ducktrack_count_model::CountModel {
    let mut builder = CountModelBuilder::new();
    sample_run::records()
        .into_iter()
        .for_each(|record| builder.fold(record));
    builder.finish()
}

/// The same run under a collector whose moves are not known.
fn without_moves() -> SampleTrace {
    let mut model = sample_heap::sample_trace(count_model(), 3);
    model.model.info.knowledge = HeapKnowledge::Never {
        reason: "ZGC moves objects while the program runs".into(),
    };
    model.model.info.level = "off".into();
    model.model.info.rotations.clear();
    model.model.info.sums.dropped = 17;
    model.heaps = vec![None];
    model.lifetimes.known = false;
    model.survivors = Survivors::default();
    let timeline = &mut model.timeline;
    timeline.composition.clear();
    for point in &mut timeline.points {
        (point.live, point.died, point.moved, point.promoted) = (None, None, None, None);
        point.fault = Some("no moves under this collector".into());
    }
    model
}

fn heap(model: &SampleTrace, filter: &Filter) -> HeapReport {
    let heap = model.heaps[0].as_ref().expect("the end");
    heap_report(&model.model, heap, TRACE, filter)
}

fn lifetimes(model: &SampleTrace, filter: &Filter) -> LifetimesReport {
    lifetimes_report(&model.model, &model.lifetimes, TRACE, filter)
}

fn timeline(model: &SampleTrace, filter: &Filter) -> TimelineReport {
    timeline_report(&model.model, &model.timeline, TRACE, filter)
}

fn leaks(model: &SampleTrace, sites: Option<&Filter>) -> LeaksReport {
    let request = LeakRequest {
        trace: TRACE.to_owned(),
        sites: sites.cloned(),
        ..LeakRequest::default()
    };
    let answers = (model.survivors.clone(), None);
    let evidence = Evidence::of_trace(&model.model, &answers);
    let findings = Findings::of(evidence).expect("no dump is read");
    leaks_report(&findings, &request).expect("no dump is read")
}

/// All reports with their names.
fn reports(model: &SampleTrace, filter: &Filter) -> Vec<(&'static str, Box<dyn Report>)> {
    vec![
        (
            "cost",
            Box::new(cost_report(
                &model.model,
                &model.costs,
                TRACE,
                filter,
                &CostRequest::default(),
            )),
        ),
        ("info", Box::new(info_report(&model.model, TRACE))),
        ("lifetimes", Box::new(lifetimes(model, filter))),
        ("timeline", Box::new(timeline(model, filter))),
        ("leaks", Box::new(leaks(model, None))),
    ]
}

fn golden_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

#[track_caller]
fn golden(name: &str, actual: &str) {
    let path = golden_path(name);
    if std::env::var_os("DUCKTRACK_BLESS").is_some() {
        std::fs::write(&path, actual).expect("write the golden file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{name} differs; it is now:\n{actual}");
}

/// On a terminal of 80 columns nothing but a command is wider; what is cut of a table's row goes on below.
#[test]
fn texts_fit_into_80_columns() {
    let model = sample();
    let mut all = reports(&model, &Filter::default());
    all.push(("heap", Box::new(heap(&model, &Filter::default()))));
    for (name, report) in all {
        let text = report.text(Some(80));
        let is_command = |line: &str| line.trim_start().starts_with("ducktrack ");
        let wide: Vec<&str> = text
            .lines()
            .filter(|line| line.chars().count() > 80 && !is_command(line))
            .collect();
        assert!(wide.is_empty(), "{name}:\n{}", wide.join("\n"));
        // No figure is lost.
        let figures = |text: &str| {
            text.split(|letter: char| !letter.is_ascii_digit())
                .map(str::len)
                .sum::<usize>()
        };
        assert!(
            figures(&text) * 10 >= figures(&report.text(None)) * 8,
            "{name}:\n{text}"
        );
    }
}

#[test]
fn objects_of_the_archive_are_named_apart() {
    let mut model = sample();
    let heap_at = model.heaps[0].as_mut().expect("the end");
    heap_at.archived = heap_at.types[..1].to_vec();
    let report = heap(&model, &Filter::default());
    assert_eq!(report.archived, report.types[..1]);
    let missing = report.head.missing.join(" ");
    assert!(missing.contains("of the JDK's archive"), "{missing}");
    assert!(heap(&sample(), &Filter::default()).archived.is_empty());
}

#[test]
fn every_format_of_the_sample_heap() {
    let model = sample();
    let mut all = reports(&model, &Filter::default());
    all.push(("heap", Box::new(heap(&model, &Filter::default()))));
    for (name, report) in all {
        golden(&format!("{name}.txt"), &report.text(None));
        golden(&format!("{name}.json"), &report.json().expect("json"));
        golden(&format!("{name}.csv"), &report.csv().expect("csv"));
    }
}

#[test]
fn a_trace_without_moves_says_what_is_missing() {
    let model = without_moves();
    for (name, report) in reports(&model, &Filter::default()) {
        let text = report.text(None);
        assert!(
            text.contains("ZGC moves objects while the program runs"),
            "{name}: {text}"
        );
        assert!(
            text.contains("17 events"),
            "{name}: dropped events are named: {text}"
        );
        let json: Value = serde_json::from_str(&report.json().expect("json")).expect("JSON");
        assert_eq!(json["knowledge"]["state"], "never", "{name}");
        assert_eq!(json["missing"].as_array().map(Vec::len), Some(2), "{name}");
        assert!(
            report.html().expect("html").contains("ZGC moves objects"),
            "{name}"
        );
    }
    golden(
        "timeline-without-moves.txt",
        &timeline(&model, &Filter::default()).text(None),
    );
    golden(
        "lifetimes-without-moves.txt",
        &lifetimes(&model, &Filter::default()).text(None),
    );
}

/// The sample, whose heap was not known from collection 6 up to 9.
fn with_a_gap() -> SampleTrace {
    let mut model = sample();
    let stretch = |since, until| KnownStretch {
        since: CollectionNumber(since),
        until: CollectionNumber(until),
    };
    let stretches = vec![stretch(0, 5), stretch(9, 24)];
    model.model.info.knowledge_gaps = vec![KnowledgeGap {
        since: CollectionNumber(6),
        until: CollectionNumber(9),
        reason: "a region does not parse".into(),
    }];
    model.model.info.known_stretches = stretches;
    let lifetimes = &mut model.lifetimes;
    for lives in lifetimes.sites.iter_mut().map(|row| &mut row.lives) {
        (lives.unknown_fate, lives.alive) = (lives.alive, Amount::default());
    }
    model
}

#[test]
fn verdicts_of_a_run_with_a_gap_say_where_they_are_from() {
    let model = with_a_gap();
    let stretches = "collections 0 to 5 and 9 to 24";
    for (name, report) in reports(&model, &Filter::default()) {
        let text = report.text(None);
        let is_verdict = name == "lifetimes";
        assert_eq!(text.contains(stretches), is_verdict, "{name}: {text}");
        let json: Value = serde_json::from_str(&report.json().expect("json")).expect("JSON");
        assert_eq!(json["knowledge"]["known"][1]["since"], 9, "{name}");
        assert!(report.html().is_ok(), "{name}");
    }
    let lifetimes = lifetimes(&model, &Filter::default());
    let all = &lifetimes.selected;
    assert!(all.unknown_fate.count > 0);
    assert_eq!(all.told(), all.count - all.unknown_fate.count);
    assert!(lifetimes.text(None).contains("fate unknown"));
}

#[test]
fn the_heap_has_the_models_numbers() {
    let model = sample();
    let report = heap(&model, &Filter::default());
    let live = model.heaps[0].as_ref().expect("the end");
    assert_eq!(report.total.count.unsigned_abs(), live.total.count);
    assert_eq!(report.selected, report.total);
    let without = report.unattributed.as_ref().expect("the VM's own objects");
    assert_eq!((without.count, without.bytes), (100, 3200));
    let of_sites: i64 = report.sites.iter().map(|site| site.live.bytes).sum();
    assert_eq!(of_sites + without.bytes, report.total.bytes);
    let of_types: i64 = report.types.iter().map(|ty| ty.bytes).sum();
    assert_eq!(of_types, report.total.bytes);
    let of_threads: i64 = report.threads.iter().map(|thread| thread.bytes).sum();
    assert_eq!(of_threads, report.total.bytes);
    assert_eq!(report.ages.iter().sum::<u64>(), live.total.count);
    for site in &report.sites {
        assert_eq!(
            site.live.ages.iter().sum::<u64>(),
            site.live.count.unsigned_abs()
        );
        assert_eq!(
            site.live.types.iter().map(|ty| ty.count).sum::<i64>(),
            site.live.count
        );
        let callers = site.live.context.iter().map(|caller| caller.bytes);
        assert!(site.live.context.is_empty() || callers.sum::<i64>() == site.live.bytes);
    }
    let blamed = report.sites.iter().flat_map(|site| &site.live.context);
    assert!(blamed.filter(|part| part.caller.class.is_some()).count() > 0);
    assert_eq!(report.spaces.len(), 2, "regions of one kind are one row");
    assert_eq!(report.spaces[0].areas, 2);
    assert_eq!(
        report.spaces.iter().map(|space| space.bytes).sum::<i64>(),
        report.total.bytes
    );
    // 24 collections of 50 ms each, the first after 50 ms, and 4 ms for the last.
    assert_eq!(report.micros, Some(24 * 50_000 + 4_000));
}

#[test]
fn filters_keep_whole_and_consistent_parts() {
    let model = sample();
    let whole = heap(&model, &Filter::default());
    let acme = Filter {
        only: vec!["com.acme".into()],
        ..Filter::default()
    };
    let report = heap(&model, &acme);
    assert!(!report.sites.is_empty() && report.sites.len() < whole.sites.len());
    let is_acme = |class: &str| class.starts_with("com.acme");
    for site in &report.sites {
        let mut callers = site.live.context.iter();
        let blamed = callers.all(|part| part.caller.class.as_deref().is_some_and(is_acme));
        assert!(blamed || is_acme(&site.place.location.class), "{site:?}");
    }
    let mut places = report.sites.iter().map(|site| &site.place.location);
    assert!(
        places.any(|place| !is_acme(&place.class)),
        "nothing of a library that com.acme is to blame for"
    );
    assert!(report.unattributed.is_none() && report.threads.is_empty());
    assert_eq!(report.total, whole.total);
    assert_eq!(
        report.types.iter().map(|ty| ty.bytes).sum::<i64>(),
        report.selected.bytes
    );
    assert_eq!(
        report.ages.iter().sum::<u64>(),
        report.selected.count.unsigned_abs()
    );
    let types = Filter {
        types: vec!["*[]".into()],
        ..Filter::default()
    };
    let report = heap(&model, &types);
    assert!(!report.types.is_empty() && report.types.iter().all(|ty| ty.ty.ends_with("[]")));
    assert_eq!(
        report.sites.iter().map(|site| site.live.count).sum::<i64>(),
        report.selected.count
    );
    let in_heap = heap(&model, &acme).sites.into_iter();
    let in_heap: Vec<_> = in_heap
        .map(|site| (site.place.location.method, site.live.count))
        .collect();
    let kept_last = |site: &Value| {
        let method = site["method"].as_str().expect("a method").to_owned();
        let counts = site["counts"].as_array().expect("counts");
        (
            method,
            counts.last().and_then(Value::as_i64).expect("a moment"),
        )
    };
    for (name, report) in reports(&model, &acme) {
        let json: Value = serde_json::from_str(&report.json().expect("json")).expect("JSON");
        for site in json["sites"].as_array().into_iter().flatten() {
            let is_inside = site["class"].as_str().is_some_and(is_acme);
            let is_blamed = match name {
                // It has no callers of a row; what it keeps last is what the heap keeps.
                "timeline" => in_heap.contains(&kept_last(site)),
                _ => site["context"]
                    .as_array()
                    .is_some_and(|all| !all.is_empty()),
            };
            assert!(is_inside || is_blamed, "{name}: {site}");
        }
        // One filter for all: whoever knows callers keeps what com.acme is to blame for at sites of a library.
        let mut sites = json["sites"].as_array().into_iter().flatten();
        let has_library = sites.any(|site| !site["class"].as_str().is_some_and(is_acme));
        let knows_callers = ["timeline", "lifetimes", "cost"].contains(&name);
        assert!(has_library || !knows_callers, "{name}");
    }
}

#[test]
fn top_cuts_rows_and_says_so() {
    let model = sample();
    let two = Filter {
        top: Some(2),
        sort: Sort::Count,
        ..Filter::default()
    };
    let report = heap(&model, &two);
    assert_eq!((report.sites.len(), report.types.len()), (2, 2));
    assert_eq!(report.rows, heap(&model, &Filter::default()).rows);
    assert!(report.sites[0].live.count >= report.sites[1].live.count);
    let text = report.text(None);
    assert!(
        text.contains("2 of 6 sites, by count") && text.contains("... 4 more sites"),
        "{text}"
    );
    assert!(
        timeline(&model, &two)
            .text(None)
            .contains("the first 1 and the last 1 of 24")
    );
    assert_eq!(leaks(&model, Some(&two)).sites.len(), 2);
    assert_eq!(lifetimes(&model, &two).sites.len(), 2);
}

#[test]
fn layers_of_the_timeline_sum_to_the_heap() {
    let model = sample();
    for filter in [
        Filter::default(),
        Filter {
            only: vec!["java".into()],
            types: vec!["*[]".into()],
            top: Some(1),
            ..Filter::default()
        },
    ] {
        let report = timeline(&model, &filter);
        for (at, moment) in report.moments.iter().enumerate() {
            let point = report
                .collections
                .iter()
                .find(|point| point.number == moment.collection);
            let live = point.and_then(|point| point.live).expect("known");
            let types: u64 = report.types.iter().map(|row| row.layer.sizes[at]).sum();
            assert_eq!(
                types + report.other_types.sizes[at],
                live.bytes.unsigned_abs()
            );
            let sites: u64 = report.sites.iter().map(|row| row.layer.counts[at]).sum();
            let without = report
                .unattributed
                .as_ref()
                .map_or(0, |layer| layer.counts[at]);
            assert_eq!(
                sites + without + report.other_sites.counts[at],
                live.count.unsigned_abs()
            );
        }
        assert_eq!(report.totals.collections, 24);
        // 22 pauses of 4 ms and 2 of 20 ms; a quarter of them is the agent's walk.
        assert_eq!(report.totals.pause_micros, 22 * 4_000 + 2 * 20_000);
        assert_eq!(report.totals.walk_micros * 4, report.totals.pause_micros);
    }
}

#[test]
fn lifetimes_add_up() {
    let report = lifetimes(&sample(), &Filter::default());
    let mut sum = 0;
    for lives in report
        .sites
        .iter()
        .map(|site| &site.lives)
        .chain(&report.unattributed)
    {
        let dead: u64 = lives.died.iter().sum();
        assert_eq!(
            dead + lives.alive.count.unsigned_abs(),
            lives.count.unsigned_abs()
        );
        sum += lives.count;
    }
    assert_eq!(sum, report.selected.count);
    let blamed = report.sites.iter().filter(|site| !site.context.is_empty());
    assert!(blamed.clone().count() > 0);
    for site in blamed {
        let parts = site.context.iter().map(|part| &part.lives);
        let died: u64 = parts.clone().flat_map(|lives| &lives.died).sum();
        assert_eq!(
            parts.map(|lives| lives.bytes).sum::<i64>(),
            site.lives.bytes
        );
        assert_eq!(died, site.lives.died.iter().sum::<u64>());
    }
    assert_eq!(
        report.selected, report.total,
        "without a filter, everything"
    );
}

#[test]
fn reports_read_back_as_themselves() {
    fn read_back<T: serde::Serialize + serde::de::DeserializeOwned + Report>(report: &T) {
        let text = report.json().expect("json");
        let back: T = serde_json::from_str(&text).expect("reads back");
        assert_eq!(back.json().expect("json"), text);
    }
    let model = sample();
    let all = Filter::default();
    read_back(&info_report(&model.model, TRACE));
    read_back(&heap(&model, &all));
    read_back(&lifetimes(&model, &all));
    read_back(&timeline(&model, &all));
    read_back(&leaks(&model, Some(&all)));
}

#[test]
fn hostile_names_stay_text_on_every_page() {
    let model = sample();
    let mut all = reports(&model, &Filter::default());
    all.push(("heap", Box::new(heap(&model, &Filter::default()))));
    for (name, report) in all {
        let page = report.html().expect("html");
        assert!(
            !page.contains("<img"),
            "{name}: a class name became an element"
        );
        assert_eq!(
            page.matches("</script>").count(),
            2,
            "{name}: a class name ended a script"
        );
        assert!(!page.contains('\u{1b}'), "{name}");
        let loads = page.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !loads.contains("http://") && !loads.contains("https://"),
            "{name} loads something"
        );
    }
}

#[test]
fn a_trace_of_nothing_is_a_report_too() {
    let nothing = SampleTrace {
        model: TraceModel {
            count: CountModelBuilder::new().finish(),
            info: ducktrack_heap_replay::TraceInfo::default(),
        },
        heaps: Vec::new(),
        lifetimes: ducktrack_analyses::Lifetimes::default(),
        timeline: ducktrack_analyses::Timeline::default(),
        survivors: Survivors::default(),
        costs: ducktrack_analyses::GcCost::default(),
    };
    for (name, report) in reports(&nothing, &Filter::default()) {
        assert!(report.text(None).contains("Next:"), "{name}");
        assert!(report.json().is_ok() && report.html().is_ok(), "{name}");
    }
}

#[test]
fn the_agreed_keys_are_there() {
    let model = sample();
    let json = |report: &dyn Report| -> Value {
        serde_json::from_str(&report.json().expect("json")).expect("JSON")
    };
    let info = json(&info_report(&model.model, TRACE));
    for key in [
        "events",
        "bytesPerEvent",
        "bytesPerMove",
        "compression",
        "collections",
        "quality",
        "dropped",
        "damage",
    ] {
        assert!(!info[key].is_null(), "info lacks {key}");
    }
    let heap = json(&heap(&model, &Filter::default()));
    assert!(heap["collection"].is_u64());
    assert!(
        heap["types"][0]["type"].is_string()
            && heap["types"][0]["count"].is_i64()
            && heap["types"][0]["bytes"].is_i64()
    );
    for key in [
        "class",
        "method",
        "descriptor",
        "bci",
        "count",
        "bytes",
        "ages",
    ] {
        assert!(!heap["sites"][0][key].is_null(), "heap.sites lacks {key}");
    }
    assert!(heap["threads"][0]["name"].is_string());
    let lifetimes = json(&lifetimes(&model, &Filter::default()));
    for key in [
        "class",
        "method",
        "descriptor",
        "bci",
        "count",
        "bytes",
        "died",
        "alive",
    ] {
        assert!(
            !lifetimes["sites"][0][key].is_null(),
            "lifetimes.sites lacks {key}"
        );
    }
}
