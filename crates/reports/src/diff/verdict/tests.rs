use super::*;
use crate::json::document::{CausedDoc, TotalsDoc};
use crate::json::{AmountDoc, CallerDoc, CauseDoc, ContextDoc, FindingDoc, RunDoc, SiteDoc};
use crate::off_heap::{OffHeapDoc, OffHeapFrameDoc, OffHeapStackDoc};

fn check(gate: &str, before: &Document, after: &Document) -> Verdict {
    let compared = |document| ComparedRun {
        name: "",
        document,
        contexts: None,
        stacks: None,
    };
    let gate: Gate = gate.parse().expect("a gate");
    judge(&gate, &compared(before), &compared(after))
}

fn sites(count: i64, bytes: i64) -> Vec<SiteDoc> {
    vec![SiteDoc {
        class: "com.acme.Main".into(),
        count,
        bytes,
        ..SiteDoc::default()
    }]
}

fn run(sites: Vec<SiteDoc>) -> Document {
    Document {
        selected: TotalsDoc {
            sites: sites.len() as u64,
            ..TotalsDoc::default()
        },
        totals: TotalsDoc {
            count: 1000,
            ..TotalsDoc::default()
        },
        run: RunDoc {
            ended: Some("exit".into()),
            ..RunDoc::default()
        },
        sites,
        ..Document::default()
    }
}

fn passes(gate: &str, before: i64, after: i64) -> bool {
    check(gate, &run(sites(before, before)), &run(sites(after, after))).holds()
}

#[test]
fn growth_in_percent_is_exact_at_the_limit() {
    assert!(passes("count>+5%", 100, 105));
    assert!(!passes("count>+5%", 100, 106));
    assert!(!passes("count>=+5%", 100, 105));
    assert!(passes("count>+0.5%", 1000, 1005));
    assert!(!passes("count>+0.5%", 1000, 1006));
    assert!(!passes("count>+1000%", 0, 1));
    assert!(passes("count>+0%", 7, 7));
    assert!(!passes("count>+0%", i64::MAX - 1, i64::MAX));
}

#[test]
fn growth_and_budgets_with_units() {
    assert!(passes("bytes>+1M", 5, 1_000_005));
    assert!(!passes("bytes>+1M", 5, 1_000_006));
    assert!(passes("bytes > 1 MiB", 0, 1 << 20));
    assert!(!passes("bytes>1Mi", 0, (1 << 20) + 1));
    assert!(!passes("count>1.5k", 0, 1501));
    assert!(passes("count>+10", 50, 20));
}

/// A run of `com.acme.Main` in which a call is charged with some objects.
fn with_calls(application: &str, objects: i64, line: u16) -> Document {
    Document {
        caused: Some(CausedDoc {
            application: vec![application.into()],
            ..CausedDoc::default()
        }),
        causes: vec![CauseDoc {
            class: "com.acme.Main".into(),
            method: "run".into(),
            source_file: Some("Main.java".into()),
            line: Some(line),
            target: "java.text.SimpleDateFormat.<init>".into(),
            objects: 2 * objects,
            charged_objects: objects,
            ..CauseDoc::default()
        }],
        ..run(sites(5, 5))
    }
}

fn reason(verdict: &Verdict) -> &str {
    match &verdict.outcome {
        Outcome::CannotTell(reason) => reason,
        _ => "",
    }
}

#[test]
fn a_scope_counts_the_allocations_of_its_calls_and_names_the_call() {
    let gate = "count[com.acme]>+0";
    let with = |objects, line| with_calls("com.acme.*", objects, line);
    assert!(check(gate, &with(10, 7), &with(10, 8)).holds());
    let verdict = check(gate, &with(10, 7), &with(30, 8));
    assert_eq!((verdict.before, verdict.after), (15, 35));
    assert_eq!(verdict.outcome, Outcome::Broken);
    let text = verdict.to_string();
    assert!(
        text.contains(
            "most at com.acme.Main.run(Main.java:8) calls java.text.SimpleDateFormat.<init>, +20"
        ),
        "{text}"
    );
}

#[test]
fn a_scope_without_the_totals_of_its_calls_cannot_be_judged() {
    let gate = "count[com.acme]>+0";
    let with = with_calls("com.acme.*", 30, 8);
    for (before, after, missing) in [
        (
            run(sites(5, 5)),
            run(sites(5, 5)),
            "the runs have no totals",
        ),
        (
            run(sites(5, 5)),
            with.clone(),
            "the first run has no totals",
        ),
        (
            with.clone(),
            run(sites(5, 5)),
            "the second run has no totals",
        ),
        (
            with,
            with_calls("org.other.*", 30, 8),
            "the second run has no totals",
        ),
    ] {
        let verdict = check(gate, &before, &after);
        let text = reason(&verdict);
        assert!(
            text.starts_with(missing) && text.ends_with("record both with --app com.acme"),
            "{text}"
        );
    }
}

#[test]
fn a_limit_beyond_the_whole_run_holds_without_the_totals_of_calls() {
    let run = run(sites(5, 5));
    assert!(check("count[com.acme]>1k", &run, &run).holds());
    assert!(reason(&check("count[com.acme]>999", &run, &run)).starts_with("the runs"));
    assert_eq!(
        check("count[com.acme]>4", &run, &run).outcome,
        Outcome::Broken
    );
}

#[test]
fn a_scope_that_occurs_nowhere_cannot_be_judged() {
    let with = with_calls("com.acme.*", 30, 8);
    let verdict = check("count[com.acne]>+0", &with, &with);
    assert!(reason(&verdict).contains("no class of com.acne occurs in either run"));
    // It occurs in the second run alone: grown from nothing.
    let empty = Document {
        causes: Vec::new(),
        ..with_calls("com.acme.*", 0, 8)
    };
    let none = Document {
        sites: Vec::new(),
        selected: TotalsDoc::default(),
        ..empty
    };
    assert_eq!(
        check("count[com.acme]>+0", &none, &with).outcome,
        Outcome::Broken
    );
}

#[test]
fn a_damaged_or_killed_run_cannot_be_judged() {
    let good = || run(sites(100, 100));
    let killed = |count| Document {
        run: RunDoc {
            state: "killed".into(),
            ..RunDoc::default()
        },
        ..run(sites(count, count))
    };
    let damaged = Document {
        damage: vec![FindingDoc {
            file: None,
            name: "checksum".into(),
            text: "a block is damaged".into(),
        }],
        ..good()
    };
    for (before, after) in [
        (good(), killed(100)),
        (killed(100), good()),
        (good(), damaged.clone()),
        (damaged, good()),
    ] {
        let verdict = check("count>+5%", &before, &after);
        assert!(reason(&verdict).ends_with("record it again"), "{verdict}");
    }
    // Already over the limit when it was killed.
    assert_eq!(
        check("count>+5%", &good(), &killed(1000)).outcome,
        Outcome::Broken
    );
}

/// `com.acme.Main.next` makes some objects, and a library makes others for it and for another method.
fn with_site(own: i64, of_calls: i64) -> Document {
    let caller = |method: &str, count| ContextDoc {
        caller: CallerDoc {
            class: Some("com.acme.Main".into()),
            method: Some(method.into()),
            ..CallerDoc::default()
        },
        count,
        bytes: 8 * count,
        types: Vec::new(),
    };
    let method = |class: &str, method: &str, count, context| SiteDoc {
        class: class.into(),
        method: method.into(),
        count,
        bytes: 8 * count,
        context,
        ..SiteDoc::default()
    };
    run(vec![
        method("com.acme.Main", "next", own, Vec::new()),
        method("com.acme.Main", "other", 100, Vec::new()),
        method(
            "java.util.ArrayList",
            "grow",
            of_calls + 50,
            vec![caller("next", of_calls), caller("other", 50)],
        ),
    ])
}

#[test]
fn a_site_has_the_objects_of_its_method_and_of_the_calls_there() {
    let before = with_site(3, 4);
    assert!(check("count[com.acme.Main.next()]>7", &before, &before).holds());
    assert!(check("bytes[com.acme.Main.next()]>56", &before, &before).holds());
    assert!(check("count[com.acme.Main.next()]>+0", &before, &before).holds());
    for after in [with_site(4, 4), with_site(3, 5)] {
        let verdict = check("count[com.acme.Main.next()]>7", &before, &after);
        assert_eq!((verdict.before, verdict.after), (7, 8));
        assert_eq!(verdict.outcome, Outcome::Broken);
    }
    let nowhere = check("count[com.acme.Main.nextt()]>7", &before, &before);
    assert_eq!(
        reason(&nowhere),
        "com.acme.Main.nextt() allocates nothing in either run; check the name, or drop the gate"
    );
}

#[test]
fn a_budget_of_a_shared_file_holds_where_its_scope_does_not_occur() {
    let compared = |document| ComparedRun {
        name: "",
        document,
        contexts: None,
        stacks: None,
    };
    let run = with_site(3, 4);
    for (text, outcome) in [
        ("count[com.other]>0", Outcome::Holds),
        ("count[com.other.Main.next()]>0", Outcome::Holds),
        ("count[com.acme.Main.next()]>0", Outcome::Broken),
    ] {
        let gate: Gate = text.parse().expect("a gate");
        let verdict = judge(&gate.of_shared_file(), &compared(&run), &compared(&run));
        assert_eq!(verdict.outcome, outcome, "{text}");
    }
}

#[test]
fn memory_outside_of_the_heap_is_for_whoever_is_on_the_stack_that_made_it() {
    let frame = |class: &str, method: &str| OffHeapFrameDoc {
        class: class.to_owned(),
        method: method.to_owned(),
        line: Some(7),
    };
    let with = |bytes: i64| {
        let made = AmountDoc { count: 1, bytes };
        let frames = vec![
            frame("io.netty.Pool", "chunk"),
            frame("com.acme.Main", "run"),
        ];
        Document {
            off_heap: vec![OffHeapDoc {
                kind: "direct-buffer".into(),
                class: "io.netty.Pool".into(),
                method: "chunk".into(),
                made,
                stacks: vec![OffHeapStackDoc {
                    frames,
                    made,
                    ..OffHeapStackDoc::default()
                }],
                ..OffHeapDoc::default()
            }],
            ..run(Vec::new())
        }
    };
    for scope in ["", "[com.acme]", "[io.netty]", "[com.acme.Main.run()]"] {
        let gate = format!("native{scope}>+0");
        assert!(check(&gate, &with(16), &with(16)).holds(), "{gate}");
        let broken = check(&gate, &with(16), &with(17));
        assert_eq!((broken.before, broken.after), (16, 17), "{gate}");
        assert_eq!(broken.outcome, Outcome::Broken, "{gate}");
        let most = broken.most.expect("a place");
        assert_eq!(
            most,
            ("io.netty.Pool.chunk makes direct-buffer".to_owned(), 1)
        );
    }
    let unknown = check("native[com.other]>+0", &with(16), &with(17));
    assert!(matches!(unknown.outcome, Outcome::CannotTell(_)));
    assert!(check("bytes>+0", &with(16), &with(17)).holds());
}
