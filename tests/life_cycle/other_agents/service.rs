//! The Spring Boot service in a JVM of its own.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Stdio};
use std::thread::JoinHandle;

use ducktrack_tests::{Jdk, harness_folder};

use crate::conversation::Conversation;

/// A service that runs.
pub(crate) struct Service {
    process: Child,
    input: Option<ChildStdin>,
    errors: Option<JoinHandle<String>>,
    port: u16,
}

impl Service {
    /// Starts it with options of the VM, with mocks or without, and waits until it listens.
    pub(crate) fn start(jdk: &Jdk, options: &[String], mocks: bool) -> Self {
        let libraries = harness_folder().join("lib/service");
        assert!(
            libraries.join("driver.jar").exists(),
            "scripts/harness-build makes {}",
            libraries.display()
        );
        let mut command = jdk.java(libraries.join("*"));
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
            command.env_remove(variable);
        }
        let mut process = command
            .args(["-Xmx256m", "-XX:-UsePerfData"])
            .args(options)
            .arg("ducktrack.service.Service")
            .arg(format!("--mocked={mocks}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("java");
        let input = process.stdin.take();
        let mut errors = process.stderr.take().expect("piped");
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            let port = line.strip_prefix("READY ")?;
            port.parse().ok()
        });
        let mut service = Self {
            process,
            input,
            errors: Some(errors),
            port: port.unwrap_or(0),
        };
        assert!(
            service.port != 0,
            "it did not start: {options:?}: {}",
            service.end()
        );
        service
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Talks to it and ends it.
    pub(crate) fn converse(mut self) -> Conversation {
        let conversation = Conversation::with(self.port);
        let errors = self.end();
        let status = self.process.wait().expect("its end");
        assert!(status.success(), "{status}: {errors}");
        conversation
    }

    /// Lets it end; what it wrote to standard error.
    fn end(&mut self) -> String {
        self.input = None;
        let errors = self.errors.take().map(JoinHandle::join);
        errors.and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Service {
    /// A test that failed leaves no JVM behind.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
