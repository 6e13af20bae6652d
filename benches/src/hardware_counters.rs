//! User-mode instructions and cycles of a running JVM, by `perf stat` attached to it.
//!
//! The counters are attached, but off, when the workload starts. They are switched on when the last warm-up iteration ends,
//! and off when the last iteration ends. So start-up, warm-up and shutdown are excluded, but the JVM's own compiler and
//! collector threads are included. Many machines (above all virtual ones) have no such counters: then
//! [`HardwareCounters::probe`] finds none and the columns are absent.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Serialize;

/// Sums over the measured iterations of one fork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CounterReading {
    /// User-mode instructions.
    pub instructions: Option<f64>,
    /// User-mode cycles.
    pub cycles: Option<f64>,
}

/// The counters of this machine.
#[derive(Clone, Debug)]
pub struct HardwareCounters {
    events: Vec<&'static str>,
}

impl HardwareCounters {
    /// Asks `perf stat` to count a trivial program; `None` if perf is not installed or the machine has no counters.
    pub fn probe() -> Option<HardwareCounters> {
        HardwareCounters::with_events(vec!["instructions:u", "cycles:u"])
    }

    fn with_events(events: Vec<&'static str>) -> Option<HardwareCounters> {
        let counters = HardwareCounters { events };
        let list = counters.events.join(",");
        let output = Command::new("perf")
            .args(["stat", "-x,", "-e", &list, "true"])
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let values = parse_values(&String::from_utf8_lossy(&output.stderr));
        (output.status.success() && values.len() == counters.events.len()).then_some(counters)
    }

    /// Attaches to a running process without counting yet. Files go into `directory`.
    pub(crate) fn attach(&self, pid: u32, directory: &Path) -> Option<Attached> {
        let control_path = directory.join("perf-control");
        let output = directory.join("perf-stat.csv");
        let _ = fs::remove_file(&control_path);
        if !Command::new("mkfifo")
            .arg(&control_path)
            .status()
            .ok()?
            .success()
        {
            return None;
        }
        // Opened for reading and writing, so that opening does not wait for the other end.
        let control = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&control_path)
            .ok()?;
        let child = Command::new("perf")
            .args([
                "stat",
                "-x,",
                "-D",
                "-1",
                "-e",
                &self.events.join(","),
                "-p",
                &pid.to_string(),
                "-o",
            ])
            .arg(&output)
            .arg(format!("--control=fifo:{}", control_path.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Attached {
            child,
            control,
            output,
        })
    }
}

/// `perf stat`, attached to one process.
pub(crate) struct Attached {
    child: Child,
    control: File,
    output: PathBuf,
}

impl Attached {
    pub(crate) fn switch_on(&mut self) {
        // If perf has ended, the reading at the end is absent.
        let _ = self.control.write_all(b"enable\n");
    }

    pub(crate) fn switch_off(&mut self) {
        let _ = self.control.write_all(b"disable\n");
    }

    /// Reads the sums after the process has ended: perf then ends by itself.
    pub(crate) fn read(mut self) -> Option<CounterReading> {
        self.child.wait().ok()?;
        let values = parse_values(&fs::read_to_string(&self.output).ok()?);
        let value = |event: &str| {
            values
                .iter()
                .find(|(name, _)| name.starts_with(event))
                .map(|(_, value)| *value)
        };
        Some(CounterReading {
            instructions: value("instructions"),
            cycles: value("cycles"),
        })
    }
}

/// Parses lines of `perf stat -x,`: value, unit, event, and more. Lines without a number ("<not supported>") are
/// skipped.
fn parse_values(text: &str) -> Vec<(String, f64)> {
    let value = |line: &str| {
        let mut fields = line.split(',');
        let value: f64 = fields.next()?.parse().ok()?;
        Some((fields.nth(1)?.to_owned(), value))
    };
    text.lines().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn lines_without_a_number_are_left_out() {
        let text = "# started on Sat\n\n<not supported>,,cycles:u,0,100.00,,\n123456,,instructions:u,9,100.00,0.5,per cycle\n";
        assert_eq!(
            parse_values(text),
            [("instructions:u".to_owned(), 123456.0)]
        );
    }

    /// Every machine can count a task's clock, so attaching and switching can be tested everywhere.
    #[test]
    fn only_what_runs_while_switched_on_is_counted() {
        let Some(counters) = HardwareCounters::with_events(vec!["task-clock"]) else {
            eprintln!("perf stat is not usable here: nothing to test");
            return;
        };
        let directory = std::env::temp_dir().join(format!("ducktrack-perf-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let mut busy = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let mut attached = counters.attach(busy.id(), &directory).unwrap();
        // Perf may react slowly. So the phases are measured in CPU time of the busy process, and the phase that must not be counted
        // is long.
        run_for(busy.id(), 200.0);
        attached.switch_on();
        run_for(busy.id(), 200.0);
        attached.switch_off();
        run_for(busy.id(), 1000.0);
        let whole_ms = cpu_ms(busy.id());
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(attached.child.wait().unwrap().code().is_some());
        let values = parse_values(&fs::read_to_string(&attached.output).unwrap());
        let counted_ms = values[0].1;
        fs::remove_dir_all(&directory).unwrap();
        assert!(
            counted_ms > 20.0 && counted_ms < whole_ms - 500.0,
            "counted {counted_ms} of {whole_ms} ms"
        );
    }

    /// Waits until a process has used this much CPU time.
    fn run_for(pid: u32, ms: f64) {
        let start = cpu_ms(pid);
        while cpu_ms(pid) < start + ms {
            sleep(Duration::from_millis(10));
        }
    }

    /// CPU time of a process, which the system counts in ticks of 10 ms.
    fn cpu_ms(pid: u32) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let mut fields = after_name.split_whitespace().skip(11);
        let mut ticks = || fields.next().unwrap().parse::<f64>().unwrap();
        (ticks() + ticks()) * 10.0
    }
}
