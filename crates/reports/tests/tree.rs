//! `report --tree` and the flame graph of runs whose stacks are known.

use std::collections::BTreeMap;

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_reports::{Filter, TreeOptions, tree, view};
use ducktrack_trace_format::{
    AllocationKind, Class, ClassId, KeyedCount, Method, MethodId, Record, SampleSums, Site, SiteId,
    Snapshot, StackDefinitions, StackId, StackMethod, StackMethodId, StackNode, StackRow,
    StackSamples, StackType, StackTypeId, ThreadCounts, ThreadId,
};

/// A run of these stacks, outermost frame first, each a class whose method `run` is there; the last makes a `byte[]` of this many bytes.
fn run_of(stacks: &[(Vec<String>, u64)]) -> CountModel {
    let mut records = Vec::new();
    let mut definitions = StackDefinitions::default();
    definitions.types.push(StackType {
        id: StackTypeId(0),
        descriptor: "[B".into(),
    });
    let mut methods: BTreeMap<&str, u32> = BTreeMap::new();
    let mut nodes: BTreeMap<(Option<StackId>, u32), StackId> = BTreeMap::new();
    let (mut rows, mut keyed) = (Vec::new(), Vec::new());
    for (frames, bytes) in stacks {
        let mut at = None;
        let mut last = 0;
        for class in frames {
            let next = u32::try_from(methods.len()).expect("few");
            last = *methods.entry(class).or_insert(next);
            if last == next {
                records.extend(defined(class, next));
                definitions.methods.push(StackMethod {
                    id: StackMethodId(next),
                    class: class.clone(),
                    name: "run".into(),
                    descriptor: "()V".into(),
                });
            }
            let id = StackId(u32::try_from(nodes.len()).expect("few"));
            let node = *nodes.entry((at, last)).or_insert(id);
            if node == id {
                definitions.nodes.push(StackNode {
                    id,
                    parent: at,
                    method: StackMethodId(last),
                    line: Some(5),
                });
            }
            at = Some(node);
        }
        rows.push(StackRow {
            stack: at.expect("a frame"),
            ty: StackTypeId(0),
            thread: ThreadId(1),
            sums: SampleSums::of_sample(*bytes, 0),
        });
        keyed.push(KeyedCount {
            site: SiteId(16 + last),
            context: None,
            ty: None,
            count: 1,
            bytes: *bytes,
        });
    }
    records.push(Record::StackDefinitions(definitions));
    records.push(Record::StackSamples(StackSamples {
        rows,
        ..StackSamples::default()
    }));
    records.push(Record::Snapshot(Snapshot {
        threads: vec![ThreadCounts {
            thread: ThreadId(1),
            vm_allocated_bytes: None,
            counters: Vec::new(),
            keyed,
        }],
        ..Snapshot::default()
    }));
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}

fn defined(class: &str, number: u32) -> [Record; 3] {
    [
        Record::Class(Class {
            id: ClassId(number),
            name: class.to_owned(),
            loader: "app".into(),
            hidden: false,
            source_file: None,
        }),
        Record::Method(Method {
            id: MethodId(number),
            class: ClassId(number),
            name: "run".into(),
            descriptor: "()V".into(),
        }),
        Record::Site(Site {
            id: SiteId(16 + number),
            method: MethodId(number),
            bci: 1,
            line: Some(5),
            kind: AllocationKind::NewArray,
            ty: Some("[B".into()),
        }),
    ]
}

/// A start of eight parts, each of which makes nine small things, and a server whose requests reach a servlet of `com.acme`.
fn server() -> CountModel {
    let mut stacks = Vec::new();
    for part in 0..8 {
        for thing in 0..9 {
            let frames = [
                "lib/Start",
                &format!("lib/Part{part}"),
                &format!("lib/Thing{part}x{thing}"),
            ];
            stacks.push((frames.map(str::to_owned).to_vec(), 11));
        }
    }
    let pool = (0..40).map(|number| format!("tomcat/Valve{number}"));
    let request: Vec<String> = ["java/lang/Thread".to_owned()]
        .into_iter()
        .chain(pool)
        .collect();
    let reaching = |last: &str| {
        let servlet = ["com/acme/Servlet", "java/lang/StringBuilder", last];
        let servlet = servlet.map(str::to_owned);
        request.iter().cloned().chain(servlet).collect::<Vec<_>>()
    };
    stacks.push((reaching("java/util/Arrays"), 150));
    stacks.push((reaching("java/lang/String"), 50));
    run_of(&stacks)
}

fn only_acme() -> Filter {
    Filter {
        only: vec!["com.acme".into()],
        ..Filter::default()
    }
}

#[test]
fn a_large_start_leaves_lines_for_the_programs_own_frames() {
    let view = view(&server(), "server", &Filter::default());
    let text = tree(&view, TreeOptions::default());
    assert!(text.contains("java.lang.StringBuilder.run:5"), "{text}");
    // The chain of the pool is folded, and comes before what it leads to.
    assert!(text.contains("frames) java.lang.StringBuilder"), "{text}");
    let lines = text.lines().filter(|line| line.contains(" B  ")).count();
    assert!(lines <= 60, "{lines} lines");
}

#[test]
fn the_tree_of_a_package_begins_at_its_code() {
    let view = view(&server(), "server", &only_acme());
    for inverted in [false, true] {
        let options = TreeOptions {
            inverted,
            ..TreeOptions::default()
        };
        let text = tree(&view, options);
        assert!(text.contains("com.acme.Servlet.run:5"), "{text}");
        assert!(
            !text.contains("Valve") && !text.contains("Thread"),
            "{text}"
        );
        // Shares are of what the package causes.
        assert!(
            text.contains("100.0 %") && !text.contains("lib.Start"),
            "{text}"
        );
    }
}

/// The page's stacks, by the names of their first frames.
#[test]
fn the_flame_graph_of_a_package_begins_at_its_code() {
    let view = view(&server(), "server", &only_acme());
    let page = ducktrack_reports::Report::html(&view).expect("a page");
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let stacks = &data["stacks"];
    let number = |value: &serde_json::Value| {
        usize::try_from(value.as_i64().expect("a number")).expect("a position")
    };
    let name = |frame: usize| data["strings"][number(&stacks["frames"][frame])].as_str();
    for row in stacks["rows"].as_array().expect("rows") {
        let mut at = number(&row[0]);
        while stacks["nodes"][at][0] != -1 {
            at = number(&stacks["nodes"][at][0]);
        }
        let first = number(&stacks["nodes"][at][1]);
        assert_eq!(name(first), Some("com.acme.Servlet.run:5"));
        let own = stacks["own"].as_array().expect("own frames");
        assert!(own.contains(&first.into()), "{own:?}");
    }
}
