//! `agent/OPTIONS.md`.

use crate::{AgentOption, Mode, OF_COMMANDS, OPTIONS};

const HEAD: &str = "\
# Options of the agent

<!-- Made from crates/options: DUCKTRACK_WRITE_PAGES=1 cargo test -p ducktrack-options -->

`java -agentpath:libducktrack.so=KEY=VALUE,KEY=VALUE,...`, or `ducktrack run --KEY VALUE -- java ...`

Options are separated by commas. `@FILE` reads options from a file, in which `#` starts a comment. `help` prints this list. If an option is unknown, \
malformed or without effect in the mode, the agent prints one line with the reason, and the JVM does not start. Byte values may end in `k`, `m` or `g`. \
A pattern is a class name with dots, in which `*` matches any characters: `com.acme.*`.

| `mode=` | what is recorded | CPU |
|---|---|---|
| `count` | the number of objects that each site allocates | about 1.1 times |
| `trace` | every allocation, move and death | about 1.2 times |
| `deaths` | in addition, last uses and the references of dead objects, for exact death times | several times |
| `full` | in addition, each update of a reference, and calls | ten times and more |
";

/// A table for all modes, a table for each set of modes, and the details below.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    let of_users =
        |belongs: fn(&AgentOption) -> bool| OPTIONS.iter().filter(move |option| belongs(option));
    section(
        &mut page,
        "All modes",
        of_users(AgentOption::works_everywhere),
    );
    let of_counts = of_users(|option| option.modes == [Mode::Count]);
    section(&mut page, "Only mode=count", of_counts);
    let of_traces = of_users(|option| !option.works_in(Mode::Count));
    section(&mut page, "Only traces", of_traces);
    section(&mut page, "Given by commands", OF_COMMANDS.iter());
    page.push_str("\n## Details\n");
    let all = OPTIONS.iter().chain(OF_COMMANDS);
    for option in all.filter(|option| !option.details.is_empty()) {
        page.push_str(&format!("\n### {}\n\n{}\n", option.key, option.details));
    }
    page
}

fn section<'a>(page: &mut String, title: &str, options: impl Iterator<Item = &'a AgentOption>) {
    page.push_str(&format!(
        "\n## {title}\n\n| key | values | default | meaning |\n|---|---|---|---|\n"
    ));
    for option in options {
        page.push_str(&row(option));
    }
}

fn row(option: &AgentOption) -> String {
    let key = match option.details {
        "" => format!("`{}`", option.key),
        _ => format!("[`{}`](#{})", option.key, option.key),
    };
    let values = option.values.text().replace('|', "\\|");
    let default = match option.default {
        "" => String::new(),
        text => format!("`{text}`"),
    };
    let modes = match option.works_everywhere() || option.modes == [Mode::Count] {
        true => String::new(),
        false => format!(" ({})", option.modes_text()),
    };
    let short = option.short.replace('|', "\\|");
    format!("| {key} | `{values}` | {default} | {short}{modes} |\n")
}
