//! Real methods: all of java.util of the local JDK. Counters are exact on random runs, and pictures are well-formed.
//!
//! The JDK is the one of `DUCKTRACK_JDK_17`, `DUCKTRACK_JDK_25` or `JAVA_HOME`, or one of /usr/lib/jvm.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ducktrack_classfile::{ClassFile, CodeOffset};
use ducktrack_code_edit::Place;
use ducktrack_path_counters::{BlockId, EdgeId, Placement, SiteVector};

use crate::allocation_sites::{rules, sites};
use crate::explained_method::{ExplainedMethod, MethodOfClass};
use crate::in_code::{InCodeTerm, Rewritten, Verdict};
use crate::{method_dot, method_text};

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
        let rewritten = Rewritten::of(&bytes, None);
        for (index, method) in (0u16..).zip(class.methods()) {
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
            let of = MethodOfClass {
                class: &bytes,
                index,
                rewritten: &rewritten,
            };
            check(&ExplainedMethod::new(&name, of, &code, sites, &[]).expect("explained"));
            methods += 1;
        }
    }
    methods
}

/// A run by pseudo-random choices: its edges, and its last block.
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
        // The last block has not been executed yet.
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
fn real_methods_are_drawn() {
    let methods = for_each_method(|method| {
        assert!(method_text::render(method).contains("increments per call"));
        assert!(method_dot::render(method).ends_with("}\n"));
    });
    assert!(methods > 1_000, "{methods} methods");
}

/// How often a probe at a place is executed on a path from ENTRY to EXIT.
fn times(method: &ExplainedMethod, place: Place, edges: &[EdgeId]) -> i64 {
    let block_of = |at: CodeOffset| {
        let blocks = method.blocks.iter();
        blocks.rev().find(|block| block.first <= at)
    };
    let ends = |edge: &EdgeId| {
        let ends = method.graph.edge(*edge);
        let block = |id: BlockId| method.blocks.get(id.index());
        (block(ends.from), block(ends.to))
    };
    let runs_of = |at: CodeOffset| {
        let first = block_of(at).map(|block| block.first);
        let entered = edges.iter().filter_map(|edge| ends(edge).1);
        entered.filter(|block| Some(block.first) == first).count()
    };
    let falls = |edge: &EdgeId, to: CodeOffset| {
        let (from, target) = ends(edge);
        let target = target.is_some_and(|block| block.first == to);
        // The previous block in the code.
        let previous = method.blocks.iter().rev().find(|block| block.first < to);
        target && from.map(|block| block.first) == previous.map(|block| block.first)
    };
    let times = match place {
        Place::Entry => 1,
        Place::Before(at) | Place::After(at) => runs_of(at),
        Place::FallThroughInto(to) => edges.iter().filter(|edge| falls(edge, to)).count(),
        Place::OnBranch { from, to } => {
            let goes = |edge: &&EdgeId| {
                let (block, target) = ends(edge);
                block.is_some_and(|block| block.last == from)
                    && target.is_some_and(|block| block.first == to)
            };
            edges.iter().filter(goes).count()
        }
    };
    i64::try_from(times).expect("few")
}

/// A run by pseudo-random choices in which nothing is thrown.
fn complete_run(method: &ExplainedMethod, seed: &mut u64) -> Option<Vec<EdgeId>> {
    let mut at = method.graph.entry();
    let mut edges = Vec::new();
    while at != method.graph.exit() && edges.len() < 400 {
        let ways = method.graph.out_edges(at).iter();
        let ways: Vec<EdgeId> = ways
            .copied()
            .filter(|edge| !method.graph.edge(*edge).exceptional)
            .collect();
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let edge = *ways.get(usize::try_from(*seed >> 33).expect("31 bits") % ways.len().max(1))?;
        edges.push(edge);
        at = method.graph.edge(edge).to;
    }
    (at == method.graph.exit()).then_some(edges)
}

/// The listed counters in the code are exact, whatever policy placed them.
#[test]
fn counters_in_the_code_are_exact() {
    let mut seed = 7;
    let (mut by_path, mut runs, mut reasons) = (0, 0, HashSet::new());
    let methods = for_each_method(|method| {
        match &method.in_code.verdict {
            Verdict::ByPath => by_path += 1,
            Verdict::PerSite(why) => {
                reasons.insert(std::mem::discriminant(why));
            }
            Verdict::NoCounters | Verdict::Refused(_) => {}
        }
        for _ in 0..10 {
            let Some(edges) = complete_run(method, &mut seed) else {
                continue;
            };
            runs += 1;
            for (site, place) in method.sites.iter().enumerate() {
                let is_first_level = |term: &&InCodeTerm| term.site == site && term.level == 0;
                let counted: i64 = method
                    .in_code
                    .counters
                    .iter()
                    .flat_map(|counter| {
                        let terms = counter.terms.iter().filter(is_first_level);
                        let times = times(method, counter.place, &edges);
                        terms.map(move |term| i64::from(term.factor) * times)
                    })
                    .sum();
                let entered = edges.iter().map(|edge| method.graph.edge(*edge).to);
                let executed = entered.filter(|block| *block == place.block).count();
                let expected = match method.in_code.uncounted.contains(&site) {
                    true => 0,
                    false => i64::try_from(executed).expect("few"),
                };
                assert_eq!(
                    counted, expected,
                    "s{site} of {}: {:?}",
                    method.name, method.in_code
                );
            }
        }
    });
    assert!(
        methods > 1_000 && by_path > 20 && runs > 5_000 && reasons.len() >= 4,
        "{methods} {by_path} {runs} {}",
        reasons.len()
    );
}
