//! Objects at the lowest addresses of the heap, which ZGC without generations
//! counts from 0: a thread-local buffer there is not taken for none.

use ducktrack_tests::{TracedRun, checked, trace_command};
use serde_json::Value;

use crate::said::of_type;
use crate::{known_forms, programs};

const ROUNDS: &str = "150";

#[test]
fn objects_in_the_first_page_are_where_they_are() {
    let programs = programs();
    let forms = known_forms();
    for (jdk, form) in &forms {
        let what = format!("{} first page", form.join(" "));
        let run = TracedRun::new(jdk, &what);
        let mut command = run.command("", &[programs.path()]);
        command.args(*form).args(["-Xmx64m", "FirstPage", ROUNDS]);
        let said = run.finish(&mut command);
        let live = said
            .lines()
            .find_map(|line| line.strip_prefix("Node ")?.parse().ok());
        let heap = trace_command("heap", &run.trace(), &["--top", "1000"]);
        let name = run.name();
        assert_eq!(Some(of_type(&heap, "FirstPage$Node")), live, "{name}");
        assert_eq!(Some(at_the_site(&heap)), live, "{name}: with their site");
        assert_eq!(heap["missing"].to_string(), "[]", "{name}");
    }
    checked(&format!(
        "objects in the first page of ZGC's heap, {} runs",
        forms.len()
    ));
}

fn at_the_site(heap: &Value) -> u64 {
    let sites = heap["sites"].as_array().into_iter().flatten();
    let of_program = sites.filter(|row| row["type"] == "FirstPage$Node");
    of_program.filter_map(|row| row["count"].as_u64()).sum()
}
