//! The small known run in every format, compared with blessed files (`DUCKTRACK_BLESS=1` writes them anew), and the
//! numbers of that run checked against what the run was made of.

use std::path::PathBuf;

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_reports::{
    ComparedRun, DiffOptions, Document, Filter, Gate, Report, ScreenOptions, Sort, collapsed,
    compare, document, read_json, screen, view,
};
use ducktrack_test_support::sample_run;

fn model(records: Vec<ducktrack_trace_format::Record>) -> CountModel {
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}

fn sample() -> CountModel {
    model(sample_run::records())
}

fn report(filter: &Filter) -> Document {
    document(&view(&sample(), "ducktrack-4711", filter))
}

#[track_caller]
fn golden(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("DUCKTRACK_BLESS").is_some() {
        std::fs::write(&path, actual).expect("write the golden file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != actual {
        let differs = expected
            .lines()
            .zip(actual.lines())
            .position(|(a, b)| a != b);
        panic!(
            "{name} differs from line {:?} on (of {}); it is now:\n{actual}",
            differs.map(|at| at + 1),
            expected.lines().count()
        );
    }
}

#[test]
fn every_format_of_the_sample_run() {
    let model = sample();
    let view = view(&model, "ducktrack-4711", &Filter::default());
    golden("report.txt", &view.text(None));
    golden("report.json", &view.json().expect("json"));
    golden("report.csv", &view.csv().expect("csv"));
    golden("screen.txt", &screen(&view, ScreenOptions::default()));
    let narrow = ScreenOptions {
        width: 80,
        colour: true,
        ..ScreenOptions::default()
    };
    golden("screen-80.txt", &screen(&view, narrow));
    golden("report.collapsed", &collapsed(&view));
}

#[test]
fn filtered_text() {
    let filter = Filter {
        only: vec!["com.acme".into()],
        sort: Sort::Count,
        top: Some(3),
        ..Filter::default()
    };
    golden(
        "only-com.acme.txt",
        &view(&sample(), "ducktrack-4711", &filter).text(None),
    );
}

#[test]
fn diff_text_and_json() {
    let before = report(&Filter::default());
    let after = document(&view(
        &model(sample_run::records_with(2)),
        "ducktrack-4712",
        &Filter::default(),
    ));
    let gates: Vec<Gate> = ["count>+5%", "bytes[com.acme]>+1G"]
        .iter()
        .map(|gate| gate.parse().expect("a gate"))
        .collect();
    let compared = |name, document| ComparedRun {
        name,
        document,
        contexts: None,
        stacks: None,
    };
    let comparison = compare(
        compared("A", &before),
        compared("B", &after),
        &DiffOptions::default(),
        &gates,
    );
    assert!(!comparison.passed());
    golden("diff.txt", &comparison.text(None));
    golden("diff.json", &comparison.json().expect("json"));
}

#[test]
fn sites_have_the_numbers_the_run_was_made_of() {
    let document = report(&Filter::default());
    let site = |method: &str, bci: u16, ty: Option<&str>| {
        let mut found = document
            .sites
            .iter()
            .filter(|site| site.method == method && site.bci == bci && site.ty.as_deref() == ty);
        let site = found.next().expect("the site");
        assert!(found.next().is_none(), "one object per site");
        (site.kind.as_str(), site.count, site.bytes)
    };
    assert_eq!(
        site("total", 3, Some("java.lang.Long")),
        ("boxing", 1_000_000, 16_000_000)
    );
    assert_eq!(
        site("total", 11, Some("java.lang.Object[]")),
        ("varargs", 50_000, 1_200_000)
    );
    assert_eq!(
        site("filter", 8, Some("com.acme.Orders$$Lambda")),
        ("lambda", 30_000, 480_000)
    );
    assert_eq!(site("copyOf", 14, None), ("intrinsic", 8_040, 643_200));
    assert_eq!(
        site("<init>", 1, Some("float[][]")),
        ("multianewarray", 10, 240)
    );
    assert_eq!(
        site("<init>", 1, Some("float[]")),
        ("multianewarray", 20, 640)
    );
    assert_eq!(site("<init>", 5, Some("byte[]")), ("newarray", 400, 12_800));
    assert_eq!(site("run", 0, Some("com.acme.<b>")), ("new", 7, 168));
    assert_eq!(document.sites.len(), 8, "a site that never ran is no row");
}

#[test]
fn parts_sum_to_their_site_and_sites_to_the_totals() {
    for filter in [
        Filter::default(),
        Filter {
            only: vec!["com.acme".into()],
            ..Filter::default()
        },
        Filter {
            types: vec!["java.lang.Object*".into()],
            ..Filter::default()
        },
        Filter {
            threads: vec!["main".into()],
            ..Filter::default()
        },
    ] {
        let document = report(&filter);
        assert!(!document.sites.is_empty());
        for site in &document.sites {
            let of = |parts: Vec<(i64, i64)>| {
                parts
                    .iter()
                    .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
            };
            let whole = (site.count, site.bytes);
            assert_eq!(
                of(site
                    .types
                    .iter()
                    .map(|part| (part.count, part.bytes))
                    .collect()),
                whole,
                "{site:?}"
            );
            if !site.context.is_empty() {
                assert_eq!(
                    of(site
                        .context
                        .iter()
                        .map(|part| (part.count, part.bytes))
                        .collect()),
                    whole,
                    "{site:?}"
                );
            }
        }
        assert_eq!(
            document.selected.count,
            document.sites.iter().map(|site| site.count).sum::<i64>()
        );
        assert_eq!(
            document.selected.bytes,
            document.sites.iter().map(|site| site.bytes).sum::<i64>()
        );
        assert_eq!(document.totals.count, 1_088_477);
    }
}

#[test]
fn a_package_filter_keeps_what_its_callers_are_blamed_for() {
    let document = report(&Filter {
        only: vec!["com.acme".into()],
        ..Filter::default()
    });
    let copy = document
        .sites
        .iter()
        .find(|site| site.method == "copyOf")
        .expect("blamed on com.acme");
    assert_eq!((copy.count, copy.bytes), (6_000, 480_000));
    assert_eq!(copy.context.len(), 1);
    assert!(
        document
            .sites
            .iter()
            .all(|site| site.class != "java.lang.StringBuilder")
    );
}

#[test]
fn a_thread_filter_keeps_that_threads_part() {
    let document = report(&Filter {
        threads: vec!["pool-*".into()],
        ..Filter::default()
    });
    assert_eq!(document.sites.len(), 1);
    assert_eq!(
        (document.sites[0].count, document.sites[0].bytes),
        (100_000, 1_600_000)
    );
    assert_eq!(
        document.sites[0].materialized, None,
        "not recorded by thread, so not claimed"
    );
}

/// `Arrays.copyOf` makes several types for several callers, in the main thread and, added here, in the pool.
#[test]
fn a_thread_filter_keeps_types_and_callers_of_a_site() {
    use ducktrack_trace_format::{CallSiteId, KeyedCount, Record, SiteId};
    let in_pool = |context: Option<u32>, ty: &str, count, bytes| KeyedCount {
        site: SiteId(3),
        context: context.map(CallSiteId),
        ty: Some(ty.into()),
        count,
        bytes,
    };
    let mut records = sample_run::records();
    for record in &mut records {
        if let Record::Snapshot(snapshot) = record {
            snapshot.threads[1].keyed = vec![
                in_pool(Some(1), "[Ljava/lang/Object;", 7, 560),
                in_pool(None, "[Ljava/lang/String;", 5, 400),
            ];
        }
    }
    let model = model(records);
    let copies = |threads: &[&str]| -> Vec<(String, Option<String>, i64, i64)> {
        let filter = Filter {
            threads: threads.iter().map(|&name| name.into()).collect(),
            ..Filter::default()
        };
        let document = document(&view(&model, "ducktrack-4711", &filter));
        let mut sites = document.sites.into_iter();
        let site = sites.find(|site| site.class == "java.util.Arrays");
        let contexts = site.expect("Arrays.copyOf").context.into_iter();
        let cells = contexts.flat_map(|context| {
            let caller = context.caller.method.clone();
            let types = context.types.into_iter();
            types.map(move |ty| (ty.ty, caller.clone(), ty.count, ty.bytes))
        });
        let mut cells: Vec<_> = cells.collect();
        cells.sort();
        cells
    };
    let cell = |ty: &str, caller: Option<&str>, count, bytes| {
        (ty.to_owned(), caller.map(str::to_owned), count, bytes)
    };
    let (first, second) = (Some("total"), Some("grow"));
    assert_eq!(
        copies(&["pool-*"]),
        [
            cell("java.lang.Object[]", second, 7, 560),
            cell("java.lang.String[]", None, 5, 400),
        ]
    );
    assert_eq!(
        copies(&["main"]),
        [
            cell("java.lang.Object[]", None, 40, 3_200),
            cell("java.lang.Object[]", second, 2_000, 160_000),
            cell("java.lang.String[]", first, 6_000, 480_000),
        ]
    );
    assert_eq!(
        copies(&[]),
        [
            cell("java.lang.Object[]", None, 40, 3_200),
            cell("java.lang.Object[]", second, 2_007, 160_560),
            cell("java.lang.String[]", None, 5, 400),
            cell("java.lang.String[]", first, 6_000, 480_000),
        ]
    );
}

#[test]
fn increments_and_completeness_of_the_run() {
    let document = report(&Filter::default());
    // Words of the counters with Count terms: 50,000 + 900,000 + 30,000 + 10 + 400 + 7.
    assert_eq!(document.increments.executed, 980_417);
    // Everything but what was counted by key.
    assert_eq!(document.increments.one_per_site, 1_088_477 - 8_040);
    assert_eq!(document.increments.profiling, 5_000);
    assert_eq!(document.increments.keyed_objects, 8_040);
    let completeness = &document.completeness;
    assert_eq!(completeness.basis, "executed");
    assert_eq!(completeness.vm_bytes, Some(20_000_000));
    assert_eq!(
        completeness.explained_bytes,
        Some(document.totals.bytes.min(20_000_000))
    );
    assert_eq!(completeness.refused_sites, 35);
}

#[test]
fn a_json_report_reads_back_as_itself() {
    let view = view(&sample(), "ducktrack-4711", &Filter::default());
    assert_eq!(
        read_json(&view.json().expect("json")).expect("reads back"),
        document(&view)
    );
    for (text, part) in [
        ("{}", "missing field"),
        ("hello", "line 1 column 1"),
        (r#"{"format":"other"}"#, "missing field"),
    ] {
        let error = read_json(text).expect_err("no report").to_string();
        assert!(error.contains(part), "{error}");
    }
    let newer = view
        .json()
        .expect("json")
        .replace("\"version\":1", "\"version\":99");
    assert!(
        read_json(&newer)
            .expect_err("newer")
            .to_string()
            .contains("version 99")
    );
}

#[test]
fn hostile_names_stay_text_on_the_page() {
    let page = view(&sample(), "ducktrack-4711", &Filter::default())
        .html()
        .expect("html");
    assert!(!page.contains("<img"), "a class name became an element");
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "a class name ended a script"
    );
    assert!(!page.contains('\u{1b}'));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "the page loads nothing"
    );
}

#[test]
fn a_trace_of_nothing_is_a_report_too() {
    let view = view(
        &CountModelBuilder::new().finish(),
        "empty",
        &Filter::default(),
    );
    golden("empty.txt", &view.text(None));
    assert!(view.json().is_ok() && view.html().is_ok());
}

/// A run of one stack for each (method, bytes): `Main.main` calls it, it makes `byte[]`.
fn run_with_stacks(methods: &[(&str, u64)]) -> CountModel {
    use ducktrack_trace_format as format;
    let mut records = vec![format::Record::Class(format::Class {
        id: format::ClassId(0),
        name: "a/Main".into(),
        loader: "app".into(),
        hidden: false,
        source_file: None,
    })];
    let mut stacks = format::StackDefinitions::default();
    let stack_method = |id, name: &str| format::StackMethod {
        id: format::StackMethodId(id),
        class: "a/Main".into(),
        name: name.into(),
        descriptor: "()V".into(),
    };
    let node = |id, parent: Option<u32>| format::StackNode {
        id: format::StackId(id),
        parent: parent.map(format::StackId),
        method: format::StackMethodId(id),
        line: Some(5),
    };
    stacks.methods.push(stack_method(0, "main"));
    stacks.nodes.push(node(0, None));
    stacks.types.push(format::StackType {
        id: format::StackTypeId(0),
        descriptor: "[B".into(),
    });
    let (mut rows, mut keyed) = (Vec::new(), Vec::new());
    for (id, (name, bytes)) in (1..).zip(methods) {
        stacks.methods.push(stack_method(id, name));
        stacks.nodes.push(node(id, Some(0)));
        rows.push(format::StackRow {
            stack: format::StackId(id),
            ty: format::StackTypeId(0),
            thread: format::ThreadId(1),
            sums: format::SampleSums::of_sample(*bytes, 0),
        });
        records.push(format::Record::Method(format::Method {
            id: format::MethodId(id),
            class: format::ClassId(0),
            name: (*name).into(),
            descriptor: "()V".into(),
        }));
        records.push(format::Record::Site(format::Site {
            id: format::SiteId(16 + id),
            method: format::MethodId(id),
            bci: 1,
            line: Some(5),
            kind: format::AllocationKind::NewArray,
            ty: Some("[B".into()),
        }));
        keyed.push(format::KeyedCount {
            site: format::SiteId(16 + id),
            context: None,
            ty: None,
            count: 1,
            bytes: *bytes,
        });
    }
    records.push(format::Record::StackDefinitions(stacks));
    records.push(format::Record::StackSamples(format::StackSamples {
        rows,
        ..format::StackSamples::default()
    }));
    records.push(format::Record::Snapshot(format::Snapshot {
        threads: vec![format::ThreadCounts {
            thread: format::ThreadId(1),
            vm_allocated_bytes: None,
            counters: Vec::new(),
            keyed,
        }],
        ..format::Snapshot::default()
    }));
    model(records)
}

#[test]
fn the_picture_of_two_runs_has_what_vanished_and_what_is_new() {
    let [before, after] = [
        [("kept", 500), ("gone", 300)],
        [("kept", 700), ("<new>", 40)],
    ]
    .map(|methods| view(&run_with_stacks(&methods), "trace", &Filter::default()));
    let page = ducktrack_reports::diff_html(&before, &after).expect("a page");
    if let Some(folder) = std::env::var_os("DUCKTRACK_PICTURES") {
        std::fs::write(PathBuf::from(folder).join("diff.html"), &page).expect("write the page");
    }
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let name = |node: &serde_json::Value| {
        let at = usize::try_from(node[1].as_u64().expect("a position")).expect("small");
        data["strings"][at].as_str().expect("a text").to_owned()
    };
    let bytes: std::collections::BTreeMap<String, (i64, i64)> = data["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| {
            let number = |at: usize| node[at].as_i64().expect("a number");
            (name(node), (number(2), number(3)))
        })
        .collect();
    assert_eq!(bytes["all"], (800, 740));
    assert_eq!(bytes["a.Main.main:5"], (800, 740));
    assert_eq!(bytes["a.Main.kept:5"], (500, 700));
    assert_eq!(bytes["a.Main.gone:5"], (300, 0));
    assert_eq!(bytes["a.Main.<new>:5"], (0, 40));
    let without = view(&sample(), "no-stacks", &Filter::default());
    let refused = ducktrack_reports::diff_html(&without, &after).expect_err("no stacks");
    assert!(
        refused
            .to_string()
            .starts_with("no-stacks has no call stacks")
    );
}
