//! A JVM with the agent, run to its end or kept alive.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Once, OnceLock};
use std::thread::JoinHandle;

use ducktrack_tests::{
    Finished, Jdk, Turns, agent_argument, agent_library, compiled, installed_jdks,
};
use tempfile::TempDir;

/// The lowest version all programs here are compiled for.
const RELEASE: u32 = 11;

/// The compiled programs; made once for all tests.
pub(crate) fn programs() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let names = [
        "LifeCycleProbe",
        "ControlProbe",
        "JniProbe",
        "NoOpAgent",
        "LoaderProbe",
        "HeldAtEnd",
        "FullOfWork",
        "HostileNames",
        "RecursionDepth",
        "RedefinedClass",
        "StoppedAtStart",
        "ThreadViews",
        "ModuleReads",
        "ClassesThatGo",
    ];
    FOLDER.get_or_init(|| compiled(&names, RELEASE)).path()
}

/// A jar of compiled programs; `None` where no JDK has the tool `jar`.
pub(crate) fn jar_of(place: &Path, manifest: &str, classes: &[&str]) -> Option<PathBuf> {
    let jdk = jdks(17).into_iter().find(|jdk| jdk.has("jar"))?;
    let manifest_file = place.join("manifest");
    fs::write(&manifest_file, manifest).expect("manifest");
    let jar = place.join("agent.jar");
    let mut tool = jdk.tool("jar");
    tool.arg("cfm").args([&jar, &manifest_file]);
    for class in classes {
        tool.arg("-C").arg(programs()).arg(class);
    }
    assert!(tool.status().expect("jar").success());
    Some(jar)
}

/// The JDKs from a version on.
pub(crate) fn jdks(lowest: u32) -> Vec<Jdk> {
    installed_jdks()
        .into_iter()
        .filter(|jdk| jdk.version >= lowest)
        .collect()
}

/// One JDK from a version on, another in each turn; all in the full run. For what depends little on the JDK: where
/// the counters of a thread hang, how classes are exchanged and what the views of threads show does depend on it.
pub(crate) fn jdks_in_turn(lowest: u32, turn: usize) -> Vec<Jdk> {
    static ANNOUNCEMENT: Once = Once::new();
    let (jdks, mut turns) = (jdks(lowest), Turns::new());
    let taken = turns.take(&jdks, turn).to_vec();
    ANNOUNCEMENT.call_once(|| turns.announce("most tests of the life cycle: each"));
    taken
}

/// A JVM to start: JDK, options of the agent, options of the VM, words for `LifeCycleProbe`.
pub(crate) struct TrackedJvm {
    command: Command,
}

impl TrackedJvm {
    /// With the agent and these options of it.
    pub(crate) fn new(jdk: &Jdk, agent_options: &str) -> Self {
        let library = agent_library();
        let agent = format!("-agentpath:{}={agent_options}", library.display());
        Self::bare(jdk).vm(&[&agent])
    }

    /// With the agent and these options of it, and with a recording there.
    pub(crate) fn recording(jdk: &Jdk, agent_options: &str, output: &Path) -> Self {
        Self::bare(jdk).vm(&[&agent_argument(agent_options, output)])
    }

    /// Without the agent.
    pub(crate) fn bare(jdk: &Jdk) -> Self {
        let mut command = jdk.java(programs());
        command.args(["-Xmx256m", "-XX:-UsePerfData"]);
        for variable in [
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "_JAVA_OPTIONS",
            "DUCKTRACK_SLOT",
        ] {
            command.env_remove(variable);
        }
        Self { command }
    }

    /// Options of the VM.
    pub(crate) fn vm(mut self, options: &[&str]) -> Self {
        self.command.args(options);
        self
    }

    /// An environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// The working directory.
    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// The same, with no file longer than this many KB.
    pub(crate) fn file_limit(self, kilobytes: u32) -> Self {
        self.limit("-f", kilobytes)
    }

    /// The same, with at most this many KB of address space.
    pub(crate) fn address_limit(self, kilobytes: u32) -> Self {
        self.limit("-v", kilobytes)
    }

    /// The same, killed after this many seconds.
    pub(crate) fn ending_within(self, seconds: u32) -> Self {
        self.by_shell(&format!("exec timeout -s KILL {seconds} \"$0\" \"$@\""))
    }

    fn limit(self, what: &str, kilobytes: u32) -> Self {
        self.by_shell(&format!(
            "ulimit -c 0; ulimit {what} {kilobytes}; exec \"$0\" \"$@\""
        ))
    }

    fn by_shell(self, words: &str) -> Self {
        let mut command = Command::new("bash");
        command.arg("-c").arg(words).arg(self.command.get_program());
        command.args(self.command.get_args());
        if let Some(directory) = self.command.get_current_dir() {
            command.current_dir(directory);
        }
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Self { command }
    }

    /// Runs `LifeCycleProbe` with these words to its end.
    pub(crate) fn run(self, words: &[&str]) -> Finished {
        self.run_program("LifeCycleProbe", words)
    }

    /// Runs a program with these words to its end.
    pub(crate) fn run_program(mut self, program: &str, words: &[&str]) -> Finished {
        let command = self.command.arg(program).args(words);
        Finished::of(command.stdin(Stdio::null()))
    }

    /// Runs `LifeCycleProbe` to its end, which must be a good one.
    #[track_caller]
    pub(crate) fn run_well(self, words: &[&str]) -> Finished {
        self.run(words).must_succeed()
    }

    /// The same of a program.
    #[track_caller]
    pub(crate) fn run_program_well(self, program: &str, words: &[&str]) -> Finished {
        self.run_program(program, words).must_succeed()
    }

    /// Starts `LifeCycleProbe` with these words and waits until it is ready.
    pub(crate) fn start(self, words: &[&str]) -> RunningJvm {
        self.start_program("LifeCycleProbe", words)
    }

    /// The same, started by another user.
    pub(crate) fn run_by(self, uid: u32) -> Self {
        let (uid, mut command) = (uid.to_string(), Command::new("setpriv"));
        command
            .args(["--clear-groups", "--regid", &uid, "--reuid", &uid])
            .arg(self.command.get_program())
            .args(self.command.get_args());
        Self { command }
    }

    /// The same, as in a container: with process ids of its own, and a `/var/tmp` that
    /// is not there outside. The process that is started has the JVM as its child.
    pub(crate) fn in_container(self) -> Self {
        let mut command = Command::new("unshare");
        command
            .args(["--pid", "--mount", "--fork", "--mount-proc", "--kill-child"])
            .args([
                "sh",
                "-c",
                "mount -t tmpfs none /var/tmp && exec \"$0\" \"$@\"",
            ])
            .arg(self.command.get_program())
            .args(self.command.get_args());
        Self { command }
    }

    /// Starts a program with these words and waits until it is ready.
    pub(crate) fn start_program(mut self, program: &str, words: &[&str]) -> RunningJvm {
        let command = self.command.arg(program).args(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("java");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut errors = child.stderr.take().expect("piped");
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let mut jvm = RunningJvm {
            child,
            input,
            output,
            errors: Some(errors),
            out: String::new(),
        };
        jvm.wait_for("READY");
        jvm
    }
}

/// A JVM that is ready.
pub(crate) struct RunningJvm {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: Option<JoinHandle<String>>,
    out: String,
}

impl RunningJvm {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Reads its output up to a line with this text.
    pub(crate) fn wait_for(&mut self, text: &str) {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("its output");
            if read == 0 {
                let _ = self.child.wait();
                let errors = self.read_errors();
                panic!("the JVM ended before {text}: {} {errors}", self.out);
            }
            self.out.push_str(&line);
            if line.contains(text) {
                return;
            }
        }
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.pid().to_string())
            .status();
        assert!(status.expect("kill").success());
    }

    /// Lets the program go on.
    pub(crate) fn go_on(&mut self) {
        self.write("");
    }

    /// Tells the program something; the line with this text that it answers.
    pub(crate) fn ask(&mut self, line: &str, answer: &str) -> String {
        self.write(line);
        self.wait_for(answer);
        self.out.lines().next_back().unwrap_or_default().to_owned()
    }

    fn write(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            input
                .write_all(format!("{line}\n").as_bytes())
                .expect("its input");
            input.flush().expect("its input");
        }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Finished {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("its output");
        let status = self.child.wait().expect("its end");
        Finished {
            status,
            out: std::mem::take(&mut self.out) + &rest,
            errors: self.read_errors(),
        }
    }

    /// The same, which must be a good one.
    #[track_caller]
    pub(crate) fn end_well(self) -> Finished {
        self.end().must_succeed()
    }

    fn read_errors(&mut self) -> String {
        let errors = self.errors.take().map(JoinHandle::join);
        errors.map_or_else(String::new, |errors| errors.expect("reader"))
    }
}

impl Drop for RunningJvm {
    /// A test that failed leaves no JVM running.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
