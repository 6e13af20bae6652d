//! Which programs are recorded.
//!
//! With the agent in `JAVA_TOOL_OPTIONS`, every JVM below a shell loads it: the compiler, the build tool and `jps`
//! as well as the program. Those are left alone, unless the agent was given to them on their own command line.

use ducktrack_jvmti::Vm;

use crate::options::ClassPattern;

/// Variables of the environment whose options every JVM takes, or every one that `java` starts.
const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Modules of the JDK: a main class in one of them is a tool (`jdk.compiler/com.sun.tools.javac.Main`).
const MODULES: [&str; 2] = ["java.", "jdk."];

/// Main classes, or prefixes of them, of tools of the JDK and of launchers of Maven and Gradle.
/// JVMs that these start for the user's own code (test runners, workers) are not among them.
const TOOLS: [&str; 10] = [
    "com.sun.tools.",
    "sun.tools.",
    "sun.security.tools.",
    "sun.launcher.",
    "jdk.jshell.execution.",
    "jdk.internal.jshell.",
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.apache.maven.wrapper.",
    "org.gradle.wrapper.",
    "org.gradle.launcher.",
];

/// Jars that are started with `java -jar`.
const JARS: [&str; 2] = ["gradle-wrapper.jar", "maven-wrapper.jar"];

/// The main class of `java Program.java`.
const SOURCE_LAUNCHER: &str = "com.sun.tools.javac.launcher.";

/// Why the program of this JVM, which is starting, is not to be recorded. `wanted` are patterns of main classes; none: all.
pub(crate) fn why_not(vm: Vm, wanted: &[ClassPattern]) -> Option<String> {
    let from_environment = comes_from_environment();
    if !from_environment && wanted.is_empty() {
        return None;
    }
    let command = command(vm);
    let main = command.as_deref().unwrap_or_default();
    let main = main.split(' ').next().unwrap_or_default();
    if from_environment && is_tool(main) {
        return Some(format!("{main} is a tool"));
    }
    let is_wanted = |name: &str| {
        let name = name.replace('.', "/");
        wanted.iter().any(|pattern| pattern.matches(&name))
    };
    let is_left_out = !wanted.is_empty() && !is_wanted(program(command.as_deref()?));
    is_left_out.then(|| format!("{main} is not the main class that only-main= names"))
}

/// The command line after `java` and its options.
fn command(vm: Vm) -> Option<String> {
    let (env, _) = vm.jvmti().ok()?;
    let command = env.system_property("sun.java.command").ok().flatten()?;
    Some(String::from_utf8_lossy(&command).into_owned())
}

/// The main class, or the file name of its jar or of its source.
fn program(command: &str) -> &str {
    let file = |path: &'_ str| path.rfind('/').map_or(0, |at| at + 1);
    let (main, rest) = command.split_once(' ').unwrap_or((command, ""));
    if main.contains(SOURCE_LAUNCHER) {
        let source = rest.split(' ').next().unwrap_or_default();
        let name = &source[file(source)..];
        return name.strip_suffix(".java").unwrap_or(name);
    }
    &main[file(main)..]
}

fn comes_from_environment() -> bool {
    let names_agent = |variable: &str| {
        let value = std::env::var(variable).unwrap_or_default();
        value.contains("-agentpath:") && value.contains("ducktrack")
            || value.contains("-agentlib:ducktrack")
    };
    VARIABLES.iter().any(|variable| names_agent(variable))
}

/// `main` is a main class, `module/class`, or the path of a jar.
fn is_tool(main: &str) -> bool {
    let is_module = |module: &str| MODULES.iter().any(|prefix| module.starts_with(prefix));
    // `java Program.java`: the user's own code.
    if main.contains(SOURCE_LAUNCHER) {
        return false;
    }
    if main.ends_with(".jar") {
        let file = main.rsplit('/').next().unwrap_or(main);
        return JARS.contains(&file);
    }
    match main.split_once('/') {
        Some((module, _)) => is_module(module),
        None => TOOLS.iter().any(|tool| main.starts_with(tool)),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_tool, program};

    #[test]
    fn tools_are_known_by_their_main_class_and_programs_are_not() {
        for tool in [
            "jdk.compiler/com.sun.tools.javac.Main",
            "java.base/sun.security.tools.keytool.Main",
            "org.codehaus.plexus.classworlds.launcher.Launcher",
            "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
            "/home/me/app/gradle/wrapper/gradle-wrapper.jar",
        ] {
            assert!(is_tool(tool), "{tool}");
        }
        for program in [
            "com.acme.Main",
            "jdk.compiler/com.sun.tools.javac.launcher.Main",
            "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher",
            "com.acme/com.acme.Main",
            "/srv/app.jar",
            "worker.org.gradle.process.internal.worker.GradleWorkerMain",
            "org.apache.maven.surefire.booter.ForkedBooter",
        ] {
            assert!(!is_tool(program), "{program}");
        }
    }

    #[test]
    fn a_program_is_named_by_its_class_its_jar_or_its_source() {
        for (command, name) in [
            ("com.acme.Main 1 2", "com.acme.Main"),
            ("com.acme/com.acme.Main", "com.acme.Main"),
            ("/srv/lib/orders.jar --port 1", "orders.jar"),
            (
                "jdk.compiler/com.sun.tools.javac.launcher.Main src/Hello.java a",
                "Hello",
            ),
            ("", ""),
        ] {
            assert_eq!(program(command), name);
        }
    }
}
