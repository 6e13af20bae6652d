//! The pages name every number that the code has, and no other: kinds of blocks, tags of records, flags, operations of words.

use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../FORMAT.md");
const BLOCK_HEADER: &str = include_str!("../../src/block_header.rs");
const EVENT_BLOCK: &str = include_str!("../../src/event_block.rs");
const EVENT_WORD: &str = include_str!("../../src/event_word.rs");
const EXTENSION_BLOCK: &str = include_str!("../../src/extension_block.rs");
const LIBRARY: &str = include_str!("../../src/lib.rs");
const RECORDS: &str = include_str!("../../src/records.rs");
const VOCABULARY: &str = include_str!("../../../probe-vocabulary/src/event_word.rs");
const WITNESS_EVENT: &str = include_str!("../../src/witness_event.rs");

/// Names by number.
type Numbers = BTreeMap<u32, String>;

/// The names in `text` as one spelling: `EVENT_FILE` and `EventFile` and "event file" are the same.
fn spelling(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.collect::<String>().to_lowercase()
}

/// The rows of the table under this heading line, each as its cells, also in a comment of Rust.
fn rows<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let lines = page.lines().map(|line| line.trim_start_matches("//! "));
    let rows = lines
        .skip_while(|line| *line != heading)
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect::<Vec<_>>();
    assert!(!rows.is_empty(), "no table {heading}");
    rows
}

fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(&digits.replace('_', ""), 16),
        None => text.parse(),
    }
    .unwrap_or_else(|_| panic!("{text} is no number"))
}

/// Number and name of the first two columns.
fn of_table(page: &str, heading: &str) -> Numbers {
    let rows = rows(page, heading);
    rows.iter()
        .map(|row| (number(row[0]), spelling(row[1])))
        .collect()
}

/// Constants that are declared like `const NAME: Self = Self(7);`.
fn of_constants(source: &str) -> Numbers {
    let constant = |line: &str| {
        let (name, value) = line.split_once("const ")?.1.split_once(": Self = Self(")?;
        let (value, _) = value.split_once(')')?;
        Some((number(value), spelling(name)))
    };
    source.lines().filter_map(constant).collect()
}

/// Constants in a list of `NAME = 0x0200;`, until a name of the next list.
/// How many short forms there are (`SHORT_UPDATES`) is no number of one.
fn of_list(source: &str, until: &str) -> Numbers {
    let constant = |line: &str| {
        let (name, value) = line.trim().strip_suffix(';')?.split_once(" = ")?;
        let name = Some(name).filter(|name| !name.starts_with("SHORT_"))?;
        Some((number(value), spelling(name)))
    };
    let lines = source.lines().map(str::trim);
    let lines = lines.take_while(|line| !line.starts_with(until));
    lines.filter_map(constant).collect()
}

#[test]
fn the_page_has_every_kind_of_block() {
    let in_code = of_constants(BLOCK_HEADER);
    assert_eq!(
        of_table(PAGE, "| kind | block | layout of its content | in short |"),
        in_code
    );
    let extensions = in_code.into_iter().filter(|(kind, _)| *kind >= 32);
    assert_eq!(
        of_table(EXTENSION_BLOCK, "| kind | name | body |"),
        extensions.collect()
    );
}

#[test]
fn the_page_names_every_layout() {
    let modules = LIBRARY.lines().filter_map(|line| {
        let line = line.trim_start_matches("pub ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    // They have layouts, but no bytes of their own: ways to write and to consume what is documented elsewhere.
    let without_bytes = ["event_shortener", "event_sink"];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut layouts = 0;
    for module in modules.filter(|module| !without_bytes.contains(module)) {
        let source = std::fs::read_to_string(folder.join(format!("{module}.rs"))).unwrap();
        let head = source.lines().take_while(|line| line.starts_with("//!"));
        if head
            .into_iter()
            .any(|line| line.starts_with("//! |") || line == "//! ```text")
        {
            layouts += 1;
            assert!(PAGE.contains(&format!("(src/{module}.rs)")), "{module}");
        }
    }
    assert!(layouts > 15, "{layouts}");
}

#[test]
fn the_table_has_every_record() {
    let variants = RECORDS.split("pub enum Record {").nth(1).unwrap();
    let variants = variants.split("\n}\n").next().unwrap();
    let is_variant =
        |line: &&str| line.starts_with("    ") && line[4..].starts_with(char::is_uppercase);
    let in_code: Numbers = variants
        .lines()
        .filter(is_variant)
        .map(|line| spelling(line.split(['(', '{']).next().unwrap()))
        .enumerate()
        .map(|(tag, name)| (u32::try_from(tag).unwrap(), name))
        .collect();
    let rows = rows(RECORDS, "| tag | record | | tag | record |");
    let pairs = rows
        .iter()
        .flat_map(|row| [(row[0], row[1]), (row[3], row[4])]);
    let documented: Numbers = pairs
        .filter(|(tag, _)| !tag.is_empty())
        .map(|(tag, name)| (number(tag), spelling(&name.replace("Record::", ""))))
        .collect();
    assert_eq!(documented, in_code);
}

#[test]
fn the_tables_have_every_flag() {
    let in_code: Vec<u32> = of_constants(EVENT_BLOCK).into_keys().collect();
    let documented = rows(EVENT_BLOCK, "| flag | meaning |");
    let documented = documented.iter().map(|row| number(row[0]));
    assert_eq!(
        [0].into_iter().chain(documented).collect::<Vec<_>>(),
        in_code
    );
    let flags_of_blocks = BLOCK_HEADER.matches(": u8 = ").count();
    assert_eq!(flags_of_blocks, 1, "FORMAT.md documents one flag: bit 0");
}

#[test]
fn the_tables_have_every_operation() {
    let list = VOCABULARY.split("FIRST_SITE = 16;").nth(1).unwrap();
    let in_code = of_list(list, "IS_CUT");
    let mut documented = of_table(EVENT_WORD, "| op | name | low | payload | meaning |");
    // `cut` is a form of `pad`.
    assert_eq!(documented.insert(0, "pad".into()).as_deref(), Some("cut"));
    assert_eq!(documented, in_code);

    let list = VOCABULARY.split("pub mod extended {").nth(1).unwrap();
    let is_first = |name: &str| name.starts_with("first");
    let (firsts, mut in_code): (Numbers, Numbers) = of_list(list, "}")
        .into_iter()
        .partition(|(_, name)| is_first(name));
    let rows = rows(WITNESS_EVENT, "| extended op | name | payload | meaning |");
    for row in rows.iter().filter(|row| !row[0].contains('+')) {
        let name = in_code.remove(&number(row[0]));
        assert_eq!(name, Some(spelling(row[1])), "{row:?}");
    }
    assert_eq!(in_code, Numbers::new());
    let short_forms = rows.iter().filter(|row| row[0].contains('+'));
    let documented = short_forms.map(|row| {
        let first = number(row[0].split(' ').next().unwrap());
        (first, format!("first{}", spelling(row[1])))
    });
    assert_eq!(documented.collect::<Numbers>(), firsts);
}
