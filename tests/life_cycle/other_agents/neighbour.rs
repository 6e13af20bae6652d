//! Other agents that run in the same JVM.

use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_tests::{Jdk, harness_folder, skipped};

/// An agent, of the JDK or of another vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbour {
    OpenTelemetry,
    JaCoCo,
    AsyncProfiler,
    FlightRecorder,
    Debugger,
    /// Mockito's inline mocks, which redefine classes with Byte Buddy's agent.
    Mockito,
}

impl Neighbour {
    /// Arguments of the JVM; files go to `place`. `None` where the agent does not run on this machine.
    pub(crate) fn vm_options(self, jdk: &Jdk, place: &Path) -> Option<Vec<String>> {
        if self == Self::Debugger && !jdk.home.join("lib/libjdwp.so").exists() {
            skipped(&format!("{jdk} has no debugger"));
            return None;
        }
        let file = |name: &str| place.join(name).display().to_string();
        Some(match self {
            Self::OpenTelemetry => vec![
                format!("-javaagent:{}", jar("opentelemetry-javaagent.jar")),
                "-Dotel.traces.exporter=none".to_owned(),
                "-Dotel.metrics.exporter=none".to_owned(),
                "-Dotel.logs.exporter=none".to_owned(),
            ],
            Self::JaCoCo => vec![format!(
                "-javaagent:{}=destfile={}",
                jar("org.jacoco.agent-runtime.jar"),
                file("jacoco.exec")
            )],
            Self::AsyncProfiler => vec![format!(
                "-agentpath:{}=start,event=ctimer,alloc=512k,file={}",
                async_profiler(place)?.display(),
                file("profile.jfr")
            )],
            Self::FlightRecorder => vec![format!(
                "-XX:StartFlightRecording=settings=profile,filename={}",
                file("recording.jfr")
            )],
            Self::Debugger => {
                vec!["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0,quiet=y".to_owned()]
            }
            Self::Mockito => vec![format!("-javaagent:{}", library("mockito-core-5.17.0.jar"))],
        })
    }
}

fn jar(name: &str) -> String {
    let jar = harness_folder().join("lib/other-agents").join(name);
    assert!(
        jar.exists(),
        "scripts/harness-build makes {}",
        jar.display()
    );
    jar.display().to_string()
}

fn library(name: &str) -> String {
    let jar = harness_folder().join("lib/service").join(name);
    assert!(
        jar.exists(),
        "scripts/harness-build makes {}",
        jar.display()
    );
    jar.display().to_string()
}

/// The native library out of async-profiler's jar.
fn async_profiler(place: &Path) -> Option<PathBuf> {
    let platform = match std::env::consts::ARCH {
        "x86_64" => "linux-x64",
        "aarch64" => "linux-arm64",
        other => {
            skipped(&format!("async-profiler: there is none for {other}"));
            return None;
        }
    };
    let status = Command::new("unzip")
        .args(["-q", "-o", "-j"])
        .arg(jar("async-profiler.jar"))
        .arg(format!("{platform}/libasyncProfiler.so"))
        .arg("-d")
        .arg(place)
        .status();
    assert!(status.expect("unzip").success());
    Some(place.join("libasyncProfiler.so"))
}
