//! Every option is read, and every bad one refused by name.

use std::time::Duration;

use ducktrack_options::{OF_COMMANDS, OPTIONS, Values};

use super::*;

fn run(text: &str) -> Options {
    match Options::parse(text) {
        Ok(Request::Run(options)) => *options,
        other => panic!("{text}: {other:?}"),
    }
}

fn refused(text: &str) -> String {
    Options::parse(text).expect_err(text).to_string()
}

#[test]
fn nothing_means_the_defaults() {
    assert_eq!(run(""), Options::default());
}

#[test]
fn options_are_read_and_patterns_add_up() {
    let options = run(
        "counters=site,interval=2.5,classes=not:com.acme.*,classes=org.*,classes=not:*Proxy*,summary=off",
    );
    assert_eq!(options.counters, Counters::Site);
    assert_eq!(options.interval, Some(Duration::from_millis(2500)));
    assert!(!options.summary);
    let excluded = ["com.acme.*", "*Proxy*"];
    assert_eq!(options.exclude, excluded.map(ClassPattern::new));
    assert_eq!(options.include, [ClassPattern::new("org.*")]);
    assert!(refused("classes=not:").contains("`classes=not:`"));
}

#[test]
fn stacks_are_sampled_unless_they_are_off() {
    for (text, stacks) in [
        ("", Stacks::Auto),
        ("stacks=on", Stacks::On),
        ("stacks=off", Stacks::Off),
        ("stacks=64k", Stacks::Every(64 << 10)),
    ] {
        assert_eq!(run(text).stacks, stacks, "{text}");
    }
    for bad in ["stacks=", "stacks=0", "stacks=2g", "stacks=often"] {
        assert!(
            refused(bad).contains("on, off or bytes from 1 to 1g"),
            "{bad}"
        );
    }
}

#[test]
fn further_figures_add_up_until_off() {
    let figures = |text: &str| (run(text).histogram, run(text).materialized);
    assert_eq!(figures(""), (false, false));
    assert_eq!(figures("record=lengths"), (true, false));
    assert_eq!(figures("record=lengths,record=materialized"), (true, true));
    assert_eq!(figures("record=lengths,record=off"), (false, false));
    assert!(refused("record=all").contains("lengths, materialized or off"));
}

#[test]
fn methods_are_rewritten_for_hot_paths_when_the_counters_tell() {
    let when = |text: &str| {
        let options = run(text);
        (options.reinstrument, options.reinstrument_after)
    };
    let (usual, soon) = (Duration::from_secs(20), Duration::from_millis(2500));
    assert_eq!(when("counters=path"), (Some(10_000), usual));
    assert_eq!(when("counters=path:500"), (Some(500), usual));
    assert_eq!(when("counters=path:500:2.5"), (Some(500), soon));
    assert_eq!(when("counters=path:off"), (None, usual));
    for bad in [
        "path:", "path:0", "path:5:0", "site:5", "site:off", "some:off",
    ] {
        let bad = format!("counters={bad}");
        assert!(refused(&bad).contains(&format!("`{bad}`")), "{bad}");
    }
}

#[test]
fn mapped_memory_has_a_bound_or_is_off() {
    assert_eq!(run("memory=mapped:8m").mapped_bytes(), 8 << 20);
    assert_eq!(run("memory=mapped:off").mapped_bytes(), 0);
    assert_eq!(run("mode=count").mapped_bytes(), 64 << 20);
    assert_eq!(run("mode=trace").mapped_bytes(), 512 << 20);
    assert_eq!(run("memory=mapped:off,mode=trace").mapped_bytes(), 0);
    assert!(refused("memory=mapped:4k").contains("memory=mapped:4k"));
    assert!(refused("memory=mapped:much").contains("bytes from 1m on, or off"));
    let both = run("memory=mapped:8m,memory=96m");
    assert_eq!(
        (both.memory, both.mapped_bytes()),
        (Some(96 << 20), 8 << 20)
    );
}

#[test]
fn options_of_traces() {
    let memory = run("memory=128m");
    assert_eq!(memory.memory, Some(128 << 20));
    assert!(refused("memory=10k").contains("bytes from 1m on"));
    assert!(!run("control=off").control);
    let options = run("mode=trace,moves=off,on-full=drop,compress=partial:0.5,max-trace-size=64m");
    assert_eq!((options.mode, options.moves), (Mode::Trace, Moves::Off));
    let events = EventChoices {
        drop_on_full: true,
        compress: Compress::Partial(0.5),
        max_trace_size: Some(64 << 20),
        ..EventChoices::default()
    };
    assert_eq!(options.events, events);
}

#[test]
fn trials_remove_pairs_and_need_stamps() {
    let trial = |text: &str| run(&format!("mode=trace,moves=off,staleness=on,{text}")).trial;
    let base = trial("remove=none").expect("a trial");
    assert_eq!(
        (base.pairs.len(), base.at, base.after),
        (0, RemoveAt::Stale, 8)
    );
    let removal = trial("remove=a.B->c.D[],remove=a.B->int[],remove=oom:3");
    let removal = removal.expect("a trial");
    assert_eq!((removal.at, removal.after), (RemoveAt::Oom, 3));
    assert_eq!(removal.pairs[0].target, "[Lc/D;");
    assert_eq!(removal.pairs[1].readable_target(), "int[]");
    assert!(refused("remove=none").contains("it needs mode=trace"));
    assert!(refused("mode=trace,remove=none").contains("needs staleness"));
    for bad in [
        "remove=a.B",
        "remove=now",
        "remove=oom:0",
        "remove=oom:soon",
    ] {
        assert!(refused(bad).contains("none, SOURCE->TARGET"), "{bad}");
    }
    let base = trial("remove=a.B->c.D,remove=never").expect("a trial");
    assert_eq!((base.pairs.len(), base.at), (1, RemoveAt::Never));
    assert!(run("dump=on").dump && run("dump=shutdown").dump && !run("dump=off").dump);
    assert!(run("dump=look").look && !run("dump=look").dump && !run("dump=look,dump=on").look);
    assert!(refused("dump=now").contains("on or off"));
}

#[test]
fn staleness_is_on_off_or_of_some_classes() {
    assert_eq!(run("mode=trace").staleness, Staleness::Off);
    assert_eq!(run("mode=trace,staleness=on").staleness, Staleness::On);
    let some = run("staleness=com.acme.*,mode=trace").staleness;
    assert_eq!(some, Staleness::CodeOf(ClassPattern::new("com.acme.*")));
    assert!(refused("mode=trace,moves=off,staleness=on").contains("`staleness` needs moves=exact"));
    assert!(refused("mode=trace,staleness=").contains("on, off or a class pattern"));
}

#[test]
fn death_times_need_all_of_a_trace() {
    for mode in Mode::ALL {
        assert_eq!(run(&format!("mode={}", mode.word())).mode, mode);
    }
    assert!(refused("mode=witness").contains("count, trace, deaths or full"));
    let buffer = |text: &str| run(text).events.buffer_size;
    assert_eq!(buffer("mode=full"), 32 << 10);
    assert_eq!(buffer("mode=deaths"), 16 << 10);
    for (other, needed) in [
        ("moves=off", "moves=exact"),
        ("on-full=drop", "on-full=wait"),
    ] {
        for mode in ["deaths", "full"] {
            assert_eq!(
                refused(&format!("mode={mode},{other}")),
                format!("mode={mode} needs {needed}; `-agentpath:...=help` prints all options")
            );
        }
    }
    assert_eq!(
        run("calls=all,mode=full").calls,
        Some(ducktrack_class_rewriter::Calls::All)
    );
}

#[test]
fn an_option_without_effect_is_refused_with_the_mode_that_has_it() {
    for mode in Mode::ALL {
        for option in OPTIONS.iter().chain(OF_COMMANDS) {
            let example = example(option.key);
            let text = format!("mode={},{}={example}", mode.word(), option.key);
            let outcome = Options::parse(&text).map_err(|bad| bad.to_string());
            let no_effect = outcome
                .as_ref()
                .is_err_and(|why| why.contains(&format!("`{}` has no effect", option.key)));
            assert_eq!(
                no_effect,
                !option.works_in(mode) && option.key != "mode",
                "{text}: {outcome:?}"
            );
            if no_effect {
                assert!(
                    outcome.is_err_and(|why| why.contains(&option.modes_text())),
                    "{text}"
                );
            }
        }
    }
    assert_eq!(
        refused("mode=trace,counters=site"),
        "option `counters` has no effect in mode=trace: it needs mode=count; `-agentpath:...=help` prints all options"
    );
}

/// A value of each option; a key that the parser does not know is refused.
#[test]
fn each_option_of_the_table_is_read() {
    for option in OPTIONS.iter().chain(OF_COMMANDS) {
        let values = match option.values {
            Values::Switch => vec!["on", "off"],
            Values::Words(words) => words.to_vec(),
            Values::Described(_) => vec![example(option.key)],
        };
        for value in values {
            let modes = match option.key {
                "mode" => &[Mode::Count],
                _ => option.modes,
            };
            let mode = modes[0].word();
            let before = match option.key {
                "remove" => ",staleness=on",
                _ => "",
            };
            run(&format!("mode={mode}{before},{}={value}", option.key));
        }
        let nonsense = format!("{}=", option.key);
        assert!(Options::parse(&nonsense).is_err(), "{nonsense}");
    }
}

fn example(key: &str) -> &'static str {
    match key {
        "mode" => "count",
        "contexts" => "job:com.acme.Jobs.run(1)",
        "output" => "/tmp/run-%p",
        "classes" | "only-main" | "app" => "com.acme.*",
        "context" | "stacks" | "control" | "summary" | "interval" | "roots" | "calls"
        | "compress" | "cache" | "max-trace-size" | "memory" => "off",
        "record" => "lengths",
        "staleness" => "on",
        "dump" => "end",
        "log" => "debug:stderr",
        "counters" => "site",
        "moves" => "exact",
        "on-full" => "wait",
        "remove" => "none",
        other => panic!("{other}: give an example"),
    }
}

#[test]
fn the_log_has_a_level_and_a_target() {
    let file = |path: &str| LogTarget::File(path.into());
    for (text, level, target) in [
        ("debug", LogLevel::Debug, LogTarget::Stderr),
        ("stderr", LogLevel::Warn, LogTarget::Stderr),
        ("info:stderr", LogLevel::Info, LogTarget::Stderr),
        ("/tmp/a:b", LogLevel::Warn, file("/tmp/a:b")),
        ("error:/tmp/a:b", LogLevel::Error, file("/tmp/a:b")),
    ] {
        let options = run(&format!("log={text}"));
        assert_eq!((options.log_level, options.log), (level, target), "{text}");
    }
    assert!(refused("log=debug:").contains("`log=debug:`"));
}

#[test]
fn an_options_file_may_hold_comments_and_lines() {
    let file = std::env::temp_dir().join(format!("ducktrack-options-{}", std::process::id()));
    std::fs::write(
        &file,
        "# production\ncounters=site # baseline\ninterval=10,summary=off\n",
    )
    .expect("write");
    let options = run(&format!("@{}", file.display()));
    std::fs::remove_file(&file).expect("remove");
    assert_eq!((options.counters, options.summary), (Counters::Site, false));
    assert_eq!(options.interval, Some(Duration::from_secs(10)));
}

#[test]
fn every_bad_option_is_named() {
    assert!(refused("colour=red").contains("unknown option `colour`"));
    assert!(refused("counters=some").contains("`counters=some`"));
    assert!(refused("interval=0").contains("`interval=0`"));
    assert!(refused("interval=NaN").contains("`interval=NaN`"));
    assert!(refused("summary").contains("no value"));
    assert!(refused("output=").contains("a directory"));
    assert!(refused("@/no/such/file").contains("/no/such/file"));
    assert!(refused("context=/no/such/file").contains("readable file"));
    assert!(refused("mode=dance").contains("`mode=dance`"));
    for bad in [
        "moves=some",
        "on-full=cry",
        "compress=partial:7",
        "max-trace-size=1k",
    ] {
        assert!(refused(bad).contains(&format!("`{bad}`")), "{bad}");
    }
}

#[test]
fn help_wins() {
    assert_eq!(Options::parse("counters=site,help"), Ok(Request::Help));
}

#[test]
fn the_switches_of_tests_are_no_options_of_a_release() {
    let bad = if cfg!(feature = "test-switches") {
        assert_eq!(run("fault-at=2").fault_at, Some(2));
        assert!(run("redundant-stamps=on").redundant_stamps);
        assert!(run("mode=trace").watch_writes && !run("mode=trace,watch=off").watch_writes);
        let events = run("mode=trace,buffer-size=4k,queue=8").events;
        assert_eq!((events.buffer_size, events.queue), (4096, 8));
        for bad in ["buffer-size=33k", "buffer-size=16x", "queue=0"] {
            assert!(refused(bad).contains(&format!("`{bad}`")), "{bad}");
        }
        let slow = run("mode=trace,slow-handover=3").events.slow_handover;
        assert_eq!(slow, Duration::from_millis(3));
        let failing = run("mode=full,failing-check=stamp").failing_check;
        assert_eq!(failing, Some(SelfCheck::Stamp));
        "`fault-at=0`"
    } else {
        "unknown option `fault-at`"
    };
    assert!(refused("fault-at=0").contains(bad));
}
