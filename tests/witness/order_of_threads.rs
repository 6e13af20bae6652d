//! `mode=full`: what two threads did is in the order of time to within 100 microseconds, and what one thread did exactly in its order.
//!
//! The program is `tests/witness/HandOvers.java`: two threads hand a ball over, and who has it gives it a
//! new mark. It notes when each mark was given. In the neutral stream of the trace, two marks may have
//! changed places only if the earlier one was over less than 100 microseconds before the later one began.
//!
//! The order is that of a clock, which a thread of the agent advances. Where that thread had no core for longer (a busy
//! machine), both marks have the same time in the trace, and their order is not known. The test counts such pairs apart, and
//! few may be of that kind. While one thread writes, the clock rests: the last fifth of the marks are given after such rests.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, deaths_command, ducktrack_command, is_full_run, printed_by,
    traced_jdks,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Marks of each of the program's five ways to hand over.
const TIMES: usize = 1000;
const MARKS: usize = 5 * TIMES;
/// The precision of the order of threads.
const NANOS: i64 = 100_000;
/// At most one in this many marks that are further apart than that may be in the wrong place, because the clock stood still.
const STALLS: usize = 20;

/// When a mark was given, by the program's clock.
struct Given {
    before: i64,
    after: i64,
}

/// A mark as the stream has it.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    number: usize,
    micros: u64,
}

fn given(file: &Path) -> Vec<Given> {
    let told = std::fs::read(file).expect("what the program noted");
    let (numbers, _) = told.as_chunks::<8>();
    let (pairs, _) = numbers.as_chunks::<2>();
    let pairs = pairs.iter().map(|pair| {
        let [before, after] = pair.map(i64::from_be_bytes);
        Given { before, after }
    });
    pairs.collect()
}

/// The stream, a record a line.
fn stream(run: &TracedRun) -> String {
    let file = run.file("stream");
    let name = file.to_str().expect("a name");
    deaths_command(&run.trace(), &["--format", "stream", "--output", name]);
    printed_by(ducktrack_command().arg("info").arg(&file).arg("--records"))
}

/// The first number of a word such as `micros=7`.
fn number_after(line: &str, key: &str) -> Option<u64> {
    let (_, rest) = line.split_once(key)?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The marks in the order of the stream. Each thread must have made its
/// own in its order, and have given the ball each right after it was made.
fn recorded(stream: &str, name: &str) -> Vec<Recorded> {
    let ty = stream
        .lines()
        .find(|line| line.starts_with("type ") && line.ends_with("HandOvers$Mark;"))
        .and_then(|line| number_after(line, "type "))
        .expect("the marks' type");
    let ty = format!(" type={ty} ");
    let (mut micros, mut thread) = (0, 0);
    let mut first_of: BTreeMap<u64, usize> = BTreeMap::new();
    let mut made: HashMap<u64, (u64, String)> = HashMap::new();
    let mut next: HashMap<u64, usize> = HashMap::new();
    let mut marks = Vec::new();
    for line in stream.lines() {
        if line.starts_with("tick ") {
            micros = number_after(line, "micros=").unwrap_or(micros);
        } else if line.starts_with("name ") {
            let parity = ["even", "odd"].iter().position(|name| line.ends_with(name));
            if let (Some(parity), Some(thread)) = (parity, number_after(line, "name ")) {
                first_of.insert(thread, parity);
            }
        } else if let Some(now) = line.strip_prefix("thread ") {
            thread = now.parse().expect("a thread");
        } else if line.starts_with("new ") && line.contains(&ty) {
            let mark = line.split(' ').nth(1).expect("an id").to_owned();
            let before = made.insert(thread, (micros, mark));
            assert!(before.is_none(), "{name}: a mark was not given");
        } else if line.starts_with("set ") {
            let new = line.split(' ').nth(3);
            let is_mark = made
                .get(&thread)
                .is_some_and(|(_, mark)| Some(&**mark) == new);
            if is_mark {
                made.remove(&thread);
                let number = next.entry(thread).or_insert_with(|| first_of[&thread]);
                marks.push(Recorded {
                    number: *number,
                    micros,
                });
                *number += 2;
            }
        }
    }
    assert!(
        made.is_empty(),
        "{name}: marks that were not given: {made:?}"
    );
    marks
}

/// The findings of a run.
struct Order {
    /// Marks that are more than 100 microseconds after the one before.
    apart: usize,
    /// Of them, those that stand before it: the clock stood still.
    stalled: usize,
    /// Marks that changed places with one that is nearer in time.
    near: usize,
}

fn compare(marks: &[Recorded], given: &[Given], name: &str) -> Order {
    let apart = given
        .windows(2)
        .filter(|pair| pair[1].before - pair[0].after > NANOS)
        .count();
    let (mut stalled, mut near) = (0, 0);
    let mut last = marks[0];
    for mark in marks {
        if mark.number > last.number {
            last = *mark;
            continue;
        }
        let between = given[last.number].before - given[mark.number].after;
        if last.number != mark.number && between <= NANOS {
            near += 1;
        } else if last.number != mark.number {
            assert_eq!(
                mark.micros, last.micros,
                "{name}: mark {} stands after mark {}, which was given {between} ns later",
                mark.number, last.number
            );
            stalled += 1;
        }
    }
    Order {
        apart,
        stalled,
        near,
    }
}

fn check(jdk: &Jdk, collector: &str, programs: &Path) -> Order {
    let run = TracedRun::new(jdk, collector);
    let told = run.file("told");
    let mut command = run.command("mode=full", &[programs]);
    command.args([collector, "-Xmx64m", "-Xmn2m", "HandOvers"]);
    run.finish(command.arg(&told).arg(TIMES.to_string()));
    let (given, name) = (given(&told), run.name());
    let marks = recorded(&stream(&run), name);
    let mut numbers: Vec<usize> = marks.iter().map(|mark| mark.number).collect();
    numbers.sort_unstable();
    assert!(
        numbers.into_iter().eq(0..MARKS),
        "{name}: marks are missing"
    );
    let order = compare(&marks, &given, name);
    assert!(order.apart >= TIMES - 1, "{name}: {} apart", order.apart);
    assert!(
        order.stalled * STALLS <= order.apart,
        "{name}: the clock stood still for {} of {} marks",
        order.stalled,
        order.apart
    );
    println!(
        "{name}: {} marks more than 100 us after the one before; {} not in order because the clock stood still; {} nearer ones changed places",
        order.apart, order.stalled, order.near
    );
    order
}

#[test]
fn records_of_two_threads_are_in_the_order_of_time() {
    let programs = compiled(&["HandOvers"], 17);
    let (mut runs, mut apart, mut stalled) = (0, 0, 0);
    for (number, jdk) in traced_jdks().iter().enumerate() {
        for (at, collector) in COLLECTORS.iter().enumerate() {
            if at == number % COLLECTORS.len() || is_full_run() {
                let order = check(jdk, collector, programs.path());
                apart += order.apart;
                stalled += order.stalled;
                runs += 1;
            }
        }
    }
    checked(&format!(
        "{runs} runs of {MARKS} marks, each thread's in its order; {apart} are more than 100 us after the one before, {stalled} of them not in order because the clock stood still"
    ));
}

#[test]
#[should_panic(expected = "mark 0 stands after mark 1, which was given 200000 ns later")]
fn marks_far_apart_that_changed_places_are_wrong() {
    let given = [(0, 10), (200_010, 200_020)];
    let given = given.map(|(before, after)| Given { before, after });
    let marks = [(1, 300), (0, 100)].map(|(number, micros)| Recorded { number, micros });
    compare(&marks, &given, "made up");
}
