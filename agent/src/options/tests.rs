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
    assert!(!options.summary);
    assert!(!options.wants("com/acme/a/B"));
    assert!(!options.wants("x/$Proxy12"));
    assert!(options.wants("com/acmeX"));
}

#[test]
fn options_of_traces() {
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
        "fault-at=0",
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
        "counters",
        "output",
        "interval",
        "summary",
        "include",
        "exclude",
        "reinstrument",
        "context",
        "histogram",
        "materialized",
        "moves",
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
