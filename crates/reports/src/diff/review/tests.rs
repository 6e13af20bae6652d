use super::*;
use crate::diff::{ComparedRun, DiffOptions, compare};
use crate::json::{CallerDoc, ContextDoc, Document, SiteDoc};

fn site(method: &str, count: i64, callers: &[(&str, i64)]) -> SiteDoc {
    SiteDoc {
        class: "com.acme.Shop".into(),
        method: method.into(),
        descriptor: "()V".into(),
        line: Some(7),
        source_file: Some("Shop.java".into()),
        ty: Some("byte[]".into()),
        count,
        bytes: 32 * count,
        context: callers
            .iter()
            .map(|(class, count)| ContextDoc {
                caller: CallerDoc {
                    class: Some((*class).into()),
                    method: Some("run<T>".into()),
                    line: Some(70),
                    source_file: Some("Ours.java".into()),
                    ..CallerDoc::default()
                },
                count: *count,
                bytes: 32 * count,
                types: Vec::new(),
            })
            .collect(),
        ..SiteDoc::default()
    }
}

fn document(sites: Vec<SiteDoc>) -> Document {
    let mut document = Document::default();
    document.selected.sites = sites.len() as u64;
    document.totals.count = sites.iter().map(|site| site.count).sum();
    document.run.ended = Some("exit".into());
    document.sites = sites;
    document
}

fn comparison(gates: &[&str]) -> Comparison {
    let before = document(vec![
        site("sell", 10, &[]),
        site("copy", 5, &[("a.One", 2), ("a.Two", 3)]),
        site("less", 9, &[]),
    ]);
    let after = document(vec![
        site("sell", 12, &[]),
        site("copy", 105, &[("a.One", 2), ("a.Two", 103)]),
        site("less", 1, &[]),
    ]);
    let run = |name, document| ComparedRun {
        name,
        document,
        contexts: None,
        stacks: None,
    };
    let gates: Vec<_> = gates
        .iter()
        .map(|gate| gate.parse().expect("a gate"))
        .collect();
    compare(
        run("baseline.json", &before),
        run("after", &after),
        &DiffOptions::default(),
        &gates,
    )
}

fn sources(path: &str) -> Option<String> {
    Some(format!("src/main/java/{path}"))
}

#[test]
fn growth_is_found_at_the_caller_that_grew_most_and_less_is_no_finding() {
    let found = findings(&comparison(&[]), &sources);
    let said: Vec<_> = found
        .iter()
        .map(|finding| (finding.sentence(), finding.file.clone()))
        .collect();
    let expected = [
        (
            "a.Two.run<T> makes byte[] in com.acme.Shop.copy: +100 objects (3 -> 103), +3 200 bytes",
            "src/main/java/a/Ours.java",
        ),
        (
            "com.acme.Shop.sell makes byte[]: +2 objects (10 -> 12), +64 bytes",
            "src/main/java/com/acme/Shop.java",
        ),
    ];
    let plain = |text: &str| {
        text.replace(['\u{202f}', '\u{a0}', ','], " ")
            .replace("  ", " ")
    };
    assert_eq!(said.len(), 2);
    for ((sentence, file), (wanted, path)) in said.iter().zip(expected) {
        assert_eq!(
            (plain(sentence), file.as_deref()),
            (plain(wanted), Some(path))
        );
    }
}

#[test]
fn annotations_stand_at_lines_and_escape_what_ends_them() {
    let text = comparison(&["count>+0"])
        .review(ReviewForm::Github, &sources)
        .expect("text");
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with(
            "::error title=Allocation gate broken,file=src/main/java/a/Ours.java,line=70::FAILED"
        ),
        "{first}"
    );
    assert!(
        first.ends_with("%0ATo accept: ducktrack report after --format json -o baseline.json"),
        "{first}"
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("::warning "))
            .count(),
        2
    );
    assert!(text.lines().all(|line| line.starts_with("::")));
}

#[test]
fn every_gate_is_a_test() {
    let text = comparison(&["count>+0", "bytes>+1G"])
        .review(ReviewForm::Junit, &sources)
        .expect("text");
    assert!(
        text.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{text}"
    );
    assert!(
        text.contains("name=\"bytes&gt;+1G\" time=\"0\"/>"),
        "{text}"
    );
    assert!(text.contains("run&lt;T&gt;"), "{text}");
}

#[test]
fn code_scanning_finds_the_lines() {
    let text = comparison(&["count>+0"])
        .review(ReviewForm::Sarif, &sources)
        .expect("text");
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["ruleId"], "gate-broken");
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"]["uri"],
        "src/main/java/a/Ours.java"
    );
    assert_eq!(place["region"]["startLine"], 70);
    let without = comparison(&[])
        .review(ReviewForm::Sarif, &|_| None)
        .expect("text");
    assert!(!without.contains("physicalLocation"));
}

#[test]
fn a_comment_says_what_changed_and_how_to_accept_it() {
    let text = comparison(&["count>+0"])
        .review(ReviewForm::Markdown, &sources)
        .expect("text");
    assert!(
        text.starts_with("### Allocations: 1 of 1 gates broken\n"),
        "{text}"
    );
    assert!(
        text.contains("| `count>+0` | **broken** | 24 | 118 |"),
        "{text}"
    );
    assert!(
        text.contains("`a.Two.run<T>`<br>src/main/java/a/Ours.java:70"),
        "{text}"
    );
    assert!(
        text.ends_with("To accept: `ducktrack report after --format json -o baseline.json`\n"),
        "{text}"
    );
}

#[test]
fn a_green_gate_annotates_nothing_and_lists_no_growth() {
    let green = comparison(&["count>+1000"]);
    let github = green.review(ReviewForm::Github, &sources).expect("text");
    assert_eq!(github, "");
    let markdown = green.review(ReviewForm::Markdown, &sources).expect("text");
    assert!(
        markdown.starts_with("### Allocations: all gates hold\n"),
        "{markdown}"
    );
    assert!(!markdown.contains("Two.run"), "{markdown}");
    assert!(!markdown.contains("No place allocates more"), "{markdown}");
    let sarif = green.review(ReviewForm::Sarif, &sources).expect("text");
    let log: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    // Without a gate the growth is what was asked for.
    let plain = comparison(&[]).review(ReviewForm::Markdown, &sources);
    assert!(plain.expect("text").contains("Two.run"));
}
