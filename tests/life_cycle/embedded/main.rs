//! `project`, a user's Maven project that uses only the API of `ducktrack-agent`,
//! on each JDK; and the endpoint of the guide `embed-it` in a Spring Boot service.

mod endpoint;
mod project;

use ducktrack_tests::{
    agent_argument, checked, installed_jdks, matrix_jdks, skipped, trace_command,
};
use serde_json::Value;

use project::Project;

/// The points that the program makes in a recording.
const POINTS: u64 = 12_345 + 678;
const SELF_ATTACH: &str = "-Djdk.attach.allowAttachSelf=true";

#[test]
fn a_program_records_itself_and_others_by_the_api_alone() {
    let Some(project) = Project::build() else {
        skipped("embedded: no Maven, or no JDK 17 with javac");
        return;
    };
    let jdks = matrix_jdks();
    for jdk in &jdks {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let run = |options: &[&str], arguments: &[&str]| project.run(jdk, options, arguments);

        let text = run(&[SELF_ATTACH], &["self", &path("self")]);
        let answers = text.lines().filter_map(|line| line.strip_prefix("JSON "));
        let answers: Vec<Value> = answers.map(parsed).collect();
        assert_eq!(answers.len(), 2, "{jdk}: {text}");
        for answer in &answers {
            compare(answer, jdk.version);
        }

        let option = agent_argument("", path("here").as_ref());
        run(&[&option], &["here"]);

        let refused = run(&[], &["forbidden"]);
        for words in [
            "REFUSED Can not attach to current VM: ",
            "-Djdk.attach.allowAttachSelf=true",
        ] {
            assert!(refused.contains(words), "{jdk}: no {words:?}: {refused}");
        }

        let mut other = vec!["other".to_owned(), path("other")];
        other.extend(project.command(jdk, &[], &["points"]));
        run(&[], &other.iter().map(String::as_str).collect::<Vec<_>>());
    }
    checked(&format!(
        "a program that uses only the API, on {} JDKs: two recordings of itself, one of another JVM, one of -agentpath, and the JDK's refusal",
        jdks.len()
    ));
}

/// The answer against the report of the command: each site of the program.
fn compare(answer: &Value, version: u32) {
    let directory = answer["directory"].as_str().expect("a directory");
    let report = trace_command("report", directory.as_ref(), &[]);
    let reported = report["sites"].as_array().expect("sites");
    let reported = reported
        .iter()
        .find(|site| site["type"] == "acme.Points$Point")
        .expect("points in the report");
    let sites = answer["sites"].as_array().expect("sites");
    let answered = sites
        .iter()
        .find(|site| site["type"] == "Lacme/Points$Point;")
        .expect("points in the answer");
    assert_eq!(answered["objects"], POINTS, "Java {version}");
    assert_eq!(answered["objects"], reported["count"], "Java {version}");
    assert_eq!(answered["bytes"], reported["bytes"], "Java {version}");
    assert_eq!(answered["line"], reported["line"], "Java {version}");
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn the_endpoint_of_the_guide_counts_in_a_service() {
    let compiler = installed_jdks()
        .into_iter()
        .find(|jdk| jdk.version == 17 && jdk.has("javac"));
    let Some((compiler, project)) = compiler.zip(Project::build()) else {
        skipped("the endpoint of the guide: no Maven, or no JDK 17 with javac");
        return;
    };
    let Some(service) = endpoint::Service::start(&compiler, &project.artifact) else {
        skipped("the endpoint of the guide: no Spring; scripts/harness-build fetches it");
        return;
    };
    let (code, refused) = service.send("GET", "/allocations");
    assert_eq!(code, 409, "{refused}");
    assert!(refused.contains("call Ducktrack.start"), "{refused}");
    let (code, status) = service.send("POST", "/allocations/start");
    assert_eq!(
        (code, &parsed(&status)["phase"]),
        (200, &Value::from("recording"))
    );
    assert_eq!(service.send("POST", "/allocations/mark/one").0, 200);
    let (code, top) = service.send("GET", "/allocations?count=3");
    let top = parsed(&top);
    let lines = top.as_array().expect("a list");
    assert_eq!((code, lines.len()), (200, 3), "{top}");
    for line in lines {
        let line = line.as_str().expect("a line");
        assert!(line.contains(" bytes) at "), "{line}");
    }
    let (code, ended) = service.send("POST", "/allocations/stop");
    assert_eq!(code, 200, "{ended}");
    let restored = parsed(&ended)["classes_restored"].as_u64();
    assert!(restored.is_some_and(|classes| classes > 1_000), "{ended}");
    checked(
        "the endpoint of the guide in a Spring Boot service: refused, started, read, marked, stopped",
    );
}
