//! Rewrites all class files of a directory, as the agent does when they are loaded: `cargo run --release -p ducktrack-class-rewriter
//! --example rewrite_classes -- DIRECTORY [path|site|events]`. `scripts/bench rewriting` counts the instructions.

use std::env;
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args_os().nth(1).ok_or("no directory of classes")?;
    let allocations = match env::args().nth(2).as_deref() {
        None | Some("path") => AllocationProbes::PathCounters,
        Some("site") => AllocationProbes::SiteCounters,
        Some("events") => AllocationProbes::Events,
        Some(other) => return Err(format!("{other}: path, site or events").into()),
    };
    let mut paths = Vec::new();
    class_files(Path::new(&directory), &mut paths)?;
    paths.sort();
    let classes = paths
        .iter()
        .map(fs::read)
        .collect::<Result<Vec<Vec<u8>>, _>>()?;
    let options = RewriteOptions {
        allocations,
        histogram: false,
        materialized: false,
        totals: ThreadTotals::None,
        calls: true,
        off_heap: true,
        joined_chains: true,
        profile: allocations == AllocationProbes::PathCounters,
        redundant_stamps: false,
    };
    let sums = rewrite_all(&classes, &options);
    println!(
        "{} classes, {} rewritten, {} refused; {} methods, {} counters, {} bytes of code from {}, hash {:016x}",
        classes.len(),
        sums.rewritten.len(),
        sums.refused,
        sums.methods,
        sums.counters,
        sums.code_after,
        sums.code_before,
        hash(&sums.rewritten),
    );
    Ok(())
}

#[derive(Default)]
struct Sums {
    rewritten: Vec<Vec<u8>>,
    refused: usize,
    methods: u64,
    counters: usize,
    code_before: u64,
    code_after: u64,
}

/// Two versions of the rewriter that print the same hash write the same classes.
fn hash(classes: &[Vec<u8>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    classes.hash(&mut hasher);
    hasher.finish()
}

/// The measured function: profilers find it by its name.
#[inline(never)]
fn rewrite_all(classes: &[Vec<u8>], options: &RewriteOptions) -> Sums {
    let tracked = TrackedMethods::built_in();
    let rewriter = ClassRewriter {
        options,
        tracked: &tracked,
        application: None,
        contexts: None,
        hidden: false,
        stamps: Stamps::None,
    };
    let mut sums = Sums::default();
    let mut numbers = ConsecutiveNumbers::default();
    for class in classes {
        match rewriter.rewrite(class, &[], &mut numbers) {
            Ok(result) => {
                sums.rewritten.extend(result.bytes);
                sums.methods += u64::from(result.methods);
                sums.counters += result.counters.len();
                sums.code_before += result.code_bytes.0;
                sums.code_after += result.code_bytes.1;
            }
            Err(_) => sums.refused += 1,
        }
    }
    sums
}

fn class_files(directory: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            class_files(&path, paths)?;
        } else if path.extension().is_some_and(|ext| ext == "class") {
            paths.push(path);
        }
    }
    Ok(())
}
