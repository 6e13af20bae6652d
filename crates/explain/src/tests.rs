//! Real methods: all of java.util of the JDK at hand. Counters are exact on random runs, and pictures are clean.
//!
//! The JDK is the one of `DUCKTRACK_JDK_17`, `DUCKTRACK_JDK_25` or `JAVA_HOME`, or one of /usr/lib/jvm.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ducktrack_classfile::ClassFile;
use ducktrack_path_counters::{BlockId, EdgeId, Placement, SiteVector};

use crate::allocation_sites::{rules, sites};
use crate::explained_method::ExplainedMethod;
use crate::{method_dot, method_svg, method_text};

fn jimage() -> PathBuf {
    let named = ["DUCKTRACK_JDK_17", "DUCKTRACK_JDK_25", "JAVA_HOME"]
        .iter()
        .filter_map(env::var_os);
    let installed = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().into());
    let homes = named
        .chain(installed)
        .map(|home| Path::new(&home).join("bin/jimage"));
    homes
        .into_iter()
        .find(|tool| tool.is_file())
        .expect("a JDK with jimage: set JAVA_HOME")
}

fn class_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            class_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            found.push(path);
        }
    }
}

/// Calls a check with every method of java.util that allocates.
fn for_each_method(mut check: impl FnMut(&ExplainedMethod)) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let tool = jimage();
    let status = Command::new(&tool)
        .args(["extract", "--include", "regex:/java.base/java/util/.*"])
        .arg(format!("--dir={}", folder.path().display()))
        .arg(tool.with_file_name("../lib/modules"))
        .status();
    assert!(status.expect("jimage runs").success());
    let mut files = Vec::new();
    class_files(folder.path(), &mut files);
    let mut methods = 0;
    for file in files {
        let bytes = fs::read(&file).expect("a file");
        let class = ClassFile::parse(&bytes).expect("a class");
        let rules = rules(&class).expect("rules");
        for method in class.methods() {
            let Some(code) = method.code() else { continue };
            let sites = sites(&class, &code, &rules).expect("sites");
            if sites.is_empty() {
                continue;
            }
            let name = format!(
                "{} {}",
                file.display(),
                String::from_utf8_lossy(method.name())
            );
            check(&ExplainedMethod::new(&name, &code, sites, &[]).expect("explained"));
            methods += 1;
        }
    }
    methods
}

/// A run by pseudo-random choices: its edges, and the block where it ends.
fn run(method: &ExplainedMethod, seed: &mut u64) -> (Vec<EdgeId>, BlockId) {
    let mut at = method.graph.entry();
    let mut edges = Vec::new();
    for _ in 0..400 {
        let ways = method.graph.out_edges(at);
        if ways.is_empty() {
            break;
        }
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let edge = ways[usize::try_from(*seed >> 33).expect("31 bits") % ways.len()];
        edges.push(edge);
        at = method.graph.edge(edge).to;
    }
    (edges, at)
}

fn assert_exact(method: &ExplainedMethod, placement: &Placement, edges: &[EdgeId], end: BlockId) {
    let graph = &method.graph;
    let (mut executed, mut counted) = (SiteVector::zero(), SiteVector::zero());
    for &edge in edges {
        // The last block has not run yet.
        executed = executed.plus(graph.sites(graph.edge(edge).from));
        if let Some(counter) = placement.counter_on(edge) {
            counted = counted.plus(&counter.semantics);
        }
        if let Some(counter) = placement.counter_at_start(graph.edge(edge).from) {
            counted = counted.plus(&counter.semantics);
        }
    }
    assert_eq!(
        counted.plus(placement.potential(end)),
        executed,
        "{} at {end}",
        method.name
    );
}

#[test]
fn counters_of_real_methods_are_exact() {
    let mut seed = 42;
    let methods = for_each_method(|method| {
        let placement = method.placement.as_ref().expect("within the limits");
        for _ in 0..10 {
            let (edges, end) = run(method, &mut seed);
            assert_exact(method, placement, &edges, end);
            assert_exact(method, &method.choice.placement, &edges, end);
        }
        let numbered = method.numbered_counters();
        assert_eq!(
            numbered.len(),
            placement.counters().len(),
            "each counter belongs to a path: {}",
            method.name
        );
        for (path, edge) in numbered {
            let counter = placement.counter_on(edge).expect("a counter");
            assert_eq!(
                method.components[path].sum(),
                counter.semantics,
                "{}",
                method.name
            );
        }
        let paths = method.per_run(
            method
                .choice
                .placement
                .increments(&method.graph, &method.frequencies),
        );
        assert!(
            paths <= method.increments_per_site() * 1.000_001,
            "{}",
            method.name
        );
    });
    assert!(methods > 1_000, "{methods} methods");
}

#[test]
fn pictures_of_real_methods_are_clean() {
    let methods = for_each_method(|method| {
        assert!(method_text::render(method).contains("increments per call"));
        assert!(method_dot::render(method).ends_with("}\n"));
        let picture = method_svg::render(method);
        assert_eq!(
            picture.matches("<rect class=\"block").count(),
            method.graph.node_count()
        );
        let drawn = picture
            .split(" d=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        drawn.for_each(|way| {
            assert!(
                !way.contains("NaN") && !way.contains("inf"),
                "{}: {way}",
                method.name
            )
        });
        let layout = method_svg::layout(method);
        for (number, a) in layout.boxes.iter().enumerate() {
            assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + a.width <= layout.width + 1.0);
            for b in &layout.boxes[number + 1..] {
                let apart = a.x + a.width <= b.x
                    || b.x + b.width <= a.x
                    || a.y + a.height <= b.y
                    || b.y + b.height <= a.y;
                assert!(apart, "boxes overlap: {}", method.name);
            }
        }
    });
    assert!(methods > 1_000, "{methods} methods");
}
