//! Threads that are stopped while they hand over their buffers, which native code
//! does beside a pause: no pause waits for them, and nothing is in the wrong epoch.

use ducktrack_tests::{TracedRun, checked};

use crate::said::{self, Sites};
use crate::{known_forms, programs};

/// How long each thread is stopped, in milliseconds; every other thread of
/// the machine may take a core away from the VM thread, but not for as long.
const STOPPED: u32 = 60;
const THREADS_STEPS_AND_SLOTS: [&str; 3] = ["4", "12", "20000"];

#[test]
fn no_pause_waits_for_a_thread_that_hands_over_its_buffer() {
    let programs = programs();
    let forms = known_forms();
    let mut pauses = 0;
    for (jdk, form) in &forms {
        let what = format!("{} held buffers", form.join(" "));
        let run = TracedRun::new(jdk, &what);
        let log = run.file("log");
        let options = format!("slow-handover={STOPPED},log=info:{}", log.display());
        let mut command = run.command(&options, &[programs.path()]);
        command.args(*form).arg("-Xmx96m");
        command.arg("ConcurrentHeap").args(THREADS_STEPS_AND_SLOTS);
        let said = run.finish(&mut command);
        let log = std::fs::read_to_string(log).expect("the agent's log");
        let work = Work::of(&log).unwrap_or_else(|| panic!("{}: {log}", run.name()));
        println!("{}: {work:?}", run.name());
        assert!(work.pauses >= 6, "{}: {work:?}", run.name());
        assert_eq!(work.waits, 0, "{}: {work:?}", run.name());
        assert!(
            work.longest < f64::from(STOPPED) / 2.0,
            "{}: {work:?}",
            run.name()
        );
        said::compare(&run.trace(), &said, Sites::ButOfArrays, run.name());
        pauses += work.pauses;
    }
    checked(&format!(
        "{pauses} pauses under ZGC beside threads that are stopped while they hand over their buffers, 0 waited"
    ));
}

/// The agent's work in pauses, as its log says.
#[derive(Debug)]
struct Work {
    pauses: usize,
    /// Milliseconds.
    longest: f64,
    waits: usize,
}

impl Work {
    fn of(log: &str) -> Option<Self> {
        let line = log
            .lines()
            .rev()
            .find(|line| line.contains("pauses of the collector"))?;
        let number_before = |end: &str| line.split_once(end)?.0.rsplit(' ').next();
        let (_, times) = line.split_once(", its time ")?;
        let longest = times.split_once(" at the longest")?.0.rsplit(' ').next()?;
        Some(Self {
            pauses: number_before(" pauses of the collector")?.parse().ok()?,
            longest: longest.parse().ok()?,
            waits: line.rsplit_once("waits in ")?.1.trim().parse().ok()?,
        })
    }
}
