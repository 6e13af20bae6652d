//! The compilations of C2 in a log of `-XX:+LogCompilation`.
//!
//! ```text
//! <task compile_id='7' method='Main run (I)V' bytes='21' ...>
//!   <klass id='9' name='Main' .../>  <method id='10' holder='9' name='run' .../>
//!   <parse method='10' ...>                 the method itself ...
//!     <parse method='12' ...> </parse>      ... and, nested, every method inlined into it
//!   </parse>
//!   <failure reason='...'/>                 a failed attempt: the `parse` elements so far are repeated
//! </task>
//! <nmethod compile_id='7' level='4' insts_offset='368' stub_offset='464' method='Main run (I)V' .../>
//! ```
//!
//! The machine code is the range from `insts_offset` to `stub_offset`, without tables and stubs.

use std::collections::HashMap;
use std::io::BufRead;

use anyhow::{Result, ensure};

/// The last compilation of a method by C2 (without on-stack replacements).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// All inlined methods and the method itself, sorted: two compilations with equal lists made the same choices.
    pub inlined: Vec<String>,
    /// Number of compiled calls of the agent's helper class: the counters that are reached, since C2 leaves out branches that are
    /// never taken.
    pub probes: usize,
}

/// A whole log: the last compilation of each method.
#[derive(Clone, Debug, Default)]
pub struct CompilationLog {
    /// Compilations at level 4, by `class method descriptor`.
    pub compiled: HashMap<String, Compiled>,
}

/// The agent's helper class, as named in the log.
const HELPER: &str = "java.lang.DuckTrack";

impl CompilationLog {
    /// Reads a log line by line; it may be large.
    pub fn read(input: impl BufRead) -> Result<CompilationLog> {
        let mut reader = Reader::default();
        for line in input.split(b'\n') {
            reader.line(&String::from_utf8_lossy(&line?));
        }
        ensure!(
            reader.tasks > 0,
            "no compilation task: is this a log of -XX:+LogCompilation?"
        );
        Ok(CompilationLog {
            compiled: reader.compiled(),
        })
    }
}

/// What the log shows of one task of C2.
#[derive(Default)]
struct Task {
    classes: HashMap<String, String>,
    methods: HashMap<String, String>,
    inlined: Vec<String>,
    probes: usize,
    /// For each open `parse`: whether it is a method of the helper.
    open: Vec<bool>,
}

#[derive(Default)]
struct Reader {
    tasks: usize,
    task: Option<(String, Task)>,
    finished: HashMap<String, Task>,
    machine_code: Vec<(String, String, u64)>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let line = line.trim_start();
        match line.split([' ', '>']).next().unwrap_or("") {
            "<task" => self.start_task(line),
            "</task" => self.end_task(),
            "<nmethod" => self.machine_code(line),
            other => {
                if let Some((_, task)) = &mut self.task {
                    task.line(other, line);
                }
            }
        }
    }

    fn start_task(&mut self, line: &str) {
        self.tasks += 1;
        let replacement = attribute(line, "compile_kind").is_some_and(|kind| kind == "osr");
        let optimizing = attribute(line, "level").is_none_or(|level| level == "4");
        self.task = match attribute(line, "compile_id") {
            Some(id) if optimizing && !replacement => Some((id.to_owned(), Task::default())),
            _ => None,
        };
    }

    fn end_task(&mut self) {
        if let Some((id, task)) = self.task.take() {
            self.finished.insert(id, task);
        }
    }

    fn machine_code(&mut self, line: &str) {
        let optimized = attribute(line, "level") == Some("4");
        let replacement = attribute(line, "compile_kind").is_some_and(|kind| kind == "osr");
        let number = |name: &str| attribute(line, name)?.parse::<u64>().ok();
        let size = number("stub_offset")
            .zip(number("insts_offset"))
            .and_then(|(end, start)| end.checked_sub(start));
        let names = attribute(line, "compile_id").zip(attribute(line, "method"));
        if let (true, false, Some(bytes), Some((id, method))) =
            (optimized, replacement, size, names)
        {
            self.machine_code
                .push((id.to_owned(), method.to_owned(), bytes));
        }
    }

    /// Combines sizes and tasks; a later compilation of a method replaces an earlier one.
    fn compiled(mut self) -> HashMap<String, Compiled> {
        let mut compiled = HashMap::new();
        for (id, method, code_bytes) in self.machine_code {
            let Some(task) = self.finished.remove(&id) else {
                continue;
            };
            let mut inlined = task.inlined;
            inlined.sort();
            compiled.insert(
                method,
                Compiled {
                    code_bytes,
                    inlined,
                    probes: task.probes,
                },
            );
        }
        compiled
    }
}

impl Task {
    fn line(&mut self, element: &str, line: &str) {
        match element {
            "<klass" => {
                if let Some((id, name)) = attribute(line, "id").zip(attribute(line, "name")) {
                    self.classes.insert(id.to_owned(), name.to_owned());
                }
            }
            "<method" => self.method(line),
            "<parse" => self.start_parse(line),
            "</parse" => {
                self.open.pop();
            }
            "<failure" => {
                self.inlined.clear();
                self.open.clear();
                self.probes = 0;
            }
            _ => {}
        }
    }

    fn method(&mut self, line: &str) {
        let Some((id, name)) = attribute(line, "id").zip(attribute(line, "name")) else {
            return;
        };
        let holder = attribute(line, "holder")
            .and_then(|holder| self.classes.get(holder))
            .map_or("?", String::as_str);
        self.methods
            .insert(id.to_owned(), format!("{holder} {name}"));
    }

    fn start_parse(&mut self, line: &str) {
        let name = attribute(line, "method")
            .and_then(|id| self.methods.get(id))
            .map_or("?", String::as_str);
        let helper = name.split(' ').next() == Some(HELPER);
        let inside_helper = self.open.last().copied().unwrap_or(false);
        if !helper && !inside_helper {
            self.inlined.push(name.to_owned());
        } else if !inside_helper {
            self.probes += 1;
        }
        // Methods that the helper calls count as the helper's.
        self.open.push(helper || inside_helper);
    }
}

/// The value of `name='...'` in an element.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = line;
    loop {
        let at = rest.find(name)?;
        let (before, after) = (rest.get(..at)?, rest.get(at + name.len()..)?);
        if let (true, Some(value)) = (before.ends_with(' '), after.strip_prefix("='")) {
            return value.split_once('\'').map(|(value, _)| value);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "<compilation_log>
<task compile_id='7' method='Main run (I)V' bytes='21' iicount='1'>
<klass id='9' name='Main' flags='1'/>
<klass id='8' name='java.lang.DuckTrack' flags='1'/>
<method id='10' holder='9' name='run' flags='1'/>
<method id='11' holder='9' name='make' flags='1'/>
<method id='12' holder='8' name='c' flags='1'/>
<method id='13' holder='8' name='slot' flags='1'/>
<parse method='10' uses='1'>
<parse method='11' uses='1'>
</parse>
</parse>
<failure reason='retry without subsuming loads' phase='compile'/>
<parse method='10' uses='1'>
<parse method='12' uses='1'>
<parse method='13' uses='1'>
</parse>
</parse>
<parse method='11' uses='1'>
<parse method='12' uses='1'>
</parse>
</parse>
</parse>
</task>
<task compile_id='8' compile_kind='osr' method='Main run (I)V'>
<parse method='10'>
</parse>
</task>
<task compile_id='9' method='Main early ()V' level='3'>
</task>
<nmethod compile_id='7' compiler='c2' level='4' relocation_offset='-5' insts_offset='368' stub_offset='464' method='Main run (I)V'/>
<nmethod compile_id='8' compile_kind='osr' level='4' insts_offset='0' stub_offset='999' method='Main run (I)V'/>
<nmethod compile_id='9' level='3' insts_offset='0' stub_offset='99' method='Main early ()V'/>
";

    #[test]
    fn machine_code_inlining_and_probes_of_the_last_attempt() {
        let log = CompilationLog::read(LOG.as_bytes()).unwrap();
        let inlined = vec!["Main make".to_owned(), "Main run".to_owned()];
        assert_eq!(log.compiled.len(), 1);
        assert_eq!(
            log.compiled["Main run (I)V"],
            Compiled {
                code_bytes: 96,
                inlined,
                probes: 2
            }
        );
    }

    #[test]
    fn an_attribute_is_not_a_part_of_another() {
        let line = "<nmethod scopes_id='1' id='2' name=''/>";
        assert_eq!(
            (
                attribute(line, "id"),
                attribute(line, "name"),
                attribute(line, "x")
            ),
            (Some("2"), Some(""), None)
        );
    }

    #[test]
    fn something_else_is_no_log() {
        assert!(CompilationLog::read("hello\n".as_bytes()).is_err());
    }
}
