//! Every option is read, and every bad one refused by name.

use std::time::Duration;

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
        "counters=site,interval=2.5,exclude=com.acme.*,exclude=*Proxy*,reinstrument=off,summary=off",
    );
    assert_eq!(options.counters, Counters::Site);
    assert_eq!(options.interval, Some(Duration::from_millis(2500)));
    assert_eq!(options.reinstrument, None);
    assert_eq!(options.reinstrument_after, Duration::from_secs(20));
    assert!(!options.summary);
    assert!(!options.wants("com/acme/a/B"));
    assert!(!options.wants("x/$Proxy12"));
    assert!(options.wants("com/acmeX"));
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
fn mapped_memory_has_a_bound_or_is_off() {
    assert_eq!(run("mapped-memory=8m").mapped_bytes(), 8 << 20);
    assert_eq!(run("mapped-memory=off").mapped_bytes(), 0);
    assert_eq!(run("mode=count").mapped_bytes(), 64 << 20);
    assert_eq!(run("mode=trace").mapped_bytes(), 512 << 20);
    assert_eq!(run("mapped-memory=off,mode=trace").mapped_bytes(), 0);
    assert!(refused("mapped-memory=4k").contains("mapped-memory=4k"));
    assert!(refused("mapped-memory=much").contains("bytes from 1m on, or off"));
}

#[test]
fn options_of_traces() {
    let memory = run("memory=128m");
    assert_eq!(memory.memory, Some(128 << 20));
    assert!(refused("memory=10k").contains("bytes from 1m on"));
    assert!(!run("control=off").control);
    assert!(run("mode=trace").watch_writes);
    assert!(!run("mode=trace,watch=off").watch_writes);
    let options = run(
        "mode=trace,moves=finish,buffer-size=4k,on-full=drop,compress=partial:0.5,max-trace-size=64m,queue=8",
    );
    assert_eq!((options.mode, options.moves), (Mode::Trace, Moves::Finish));
    let events = EventChoices {
        buffer_size: 4096,
        queue: 8,
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
    let removal = trial("remove=a.B->c.D[],remove=a.B->int[],remove-at=oom,remove-after=3");
    let removal = removal.expect("a trial");
    assert_eq!((removal.at, removal.after), (RemoveAt::Oom, 3));
    assert_eq!(removal.pairs[0].target, "[Lc/D;");
    assert_eq!(removal.pairs[1].readable_target(), "int[]");
    for text in [
        "remove=none",
        "mode=trace,remove=none",
        "mode=trace,remove-after=2",
    ] {
        assert!(
            refused(text).contains("need mode=trace and staleness"),
            "{text}"
        );
    }
    assert!(refused("remove=a.B").contains("none or SOURCE->TARGET"));
    assert!(refused("remove-at=now").contains("stale, oom or never"));
    let base = trial("remove=a.B->c.D,remove-at=never").expect("a trial");
    assert_eq!((base.pairs.len(), base.at), (1, RemoveAt::Never));
    assert!(run("dump=end").final_dump);
    assert!(refused("dump=now").contains("end or off"));
}

#[test]
fn staleness_is_on_off_or_of_some_classes() {
    assert_eq!(run("mode=trace").staleness, Staleness::Off);
    assert_eq!(run("mode=trace,staleness=on").staleness, Staleness::On);
    let some = run("staleness=com.acme.*,mode=trace").staleness;
    assert_eq!(some, Staleness::CodeOf(ClassPattern::new("com.acme.*")));
    for text in ["staleness=on", "mode=trace,moves=off,staleness=on"] {
        assert!(
            refused(text).contains("`staleness` needs mode=trace"),
            "{text}"
        );
    }
    assert!(refused("mode=trace,staleness=").contains("on, off or a class pattern"));
}

#[test]
fn death_times_need_all_of_a_trace() {
    for (mode, text) in [
        (Mode::Count, "mode=count"),
        (Mode::Trace, "mode=trace"),
        (Mode::Deaths, "mode=deaths"),
        (Mode::Full, "mode=full"),
    ] {
        assert_eq!(run(text).mode, mode);
    }
    assert!(refused("mode=witness").contains("count, trace, deaths or full"));
    let buffer = |text: &str| run(text).events.buffer_size;
    assert_eq!(buffer("mode=full"), 32 << 10);
    assert_eq!(buffer("buffer-size=16k,mode=full"), 16 << 10);
    assert_eq!(buffer("mode=deaths"), 16 << 10);
    for needed in [
        "moves=exact",
        "staleness=off",
        "on-full=wait",
        "max-trace-size=off",
    ] {
        let (key, _) = needed.split_once('=').expect("an option");
        let other = match key {
            "moves" => "finish",
            "staleness" => "on",
            "on-full" => "drop",
            _ => "64m",
        };
        for mode in ["deaths", "full"] {
            assert_eq!(
                refused(&format!("mode={mode},{key}={other}")),
                format!("mode={mode} needs {needed}; `-agentpath:...=help` prints all options")
            );
        }
    }
    assert_eq!(
        run("calls=all,mode=full").calls,
        Some(ducktrack_class_rewriter::Calls::All)
    );
    assert!(refused("mode=deaths,calls=all").contains("`calls` needs mode=full"));
    assert!(refused("mode=trace,calls=off").contains("`calls` needs mode=full"));
    assert!(refused("mode=trace,roots=end").contains("`roots` needs mode=deaths or mode=full"));
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
        "buffer-size=33k",
        "buffer-size=16x",
        "buffer-deviation=2",
        "queue=0",
        "on-full=cry",
        "compress=partial:7",
        "max-trace-size=1k",
        "max-deviation=0",
    ] {
        assert!(refused(bad).contains(&format!("`{bad}`")), "{bad}");
    }
}

#[test]
fn help_wins() {
    assert_eq!(Options::parse("counters=site,help"), Ok(Request::Help));
}

#[test]
fn every_option_is_in_the_help() {
    for key in [
        "mode",
        "calls",
        "roots",
        "counters",
        "output",
        "interval",
        "summary",
        "include",
        "exclude",
        "reinstrument",
        "reinstrument-after",
        "context",
        "histogram",
        "materialized",
        "moves",
        "watch",
        "buffer-size",
        "buffer-deviation",
        "queue",
        "on-full",
        "compress",
        "max-trace-size",
        "max-deviation",
        "log",
        "level",
    ] {
        assert!(HELP.contains(&format!("  {key}=")), "{key}");
    }
}

#[test]
fn what_a_mode_does_not_heed_is_said() {
    let ignored = |text: &str| run(text).ignored();
    assert!(ignored("mode=trace,max-trace-size=64m").is_empty());
    let said = ignored("max-trace-size=64m");
    assert!(
        said.len() == 1 && said[0].contains("max-trace-size"),
        "{said:?}"
    );
}

#[test]
fn the_switches_of_tests_are_no_options_of_a_release() {
    let bad = if cfg!(feature = "test-switches") {
        assert_eq!(run("fault-at=2").fault_at, Some(2));
        assert!(run("redundant-stamps=on").redundant_stamps);
        let failing = run("mode=deaths,failing-check=stamp").failing_check;
        assert_eq!(failing, Some(SelfCheck::Stamp));
        "`fault-at=0`"
    } else {
        "unknown option `fault-at`"
    };
    assert!(refused("fault-at=0").contains(bad));
}
