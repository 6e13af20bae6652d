//! The Java side of the list: constants that `javac` inlines, so that the class itself is never loaded.

use std::fmt::Write;

use crate::numbered::Numbered;
use crate::{block_word, event_word, fact};

const HEAD: &str = "package java.lang;

/**
 * What helper classes, agent and readers agree on. Written by the crate {@code probe-vocabulary} (scripts/build-helper): do not edit.
 *
 * <p>Only constants of the compiler: no class file has a reference to this class, and none is made of it.
 */
final class DuckTrackLayout {
    private DuckTrackLayout() {}
";

/// The text of `DuckTrackLayout.java`.
pub fn java_source() -> String {
    let mut text = HEAD.to_owned();
    section(&mut text, "Words of a thread's block: offsets in bytes.");
    for word in block_word::ALL {
        constant(&mut text, "long", "", word, &format!("{} * 8", word.value));
    }
    section(&mut text, "Words of events.");
    for number in event_word::ALL.iter().chain(event_word::extended::ALL) {
        constant(
            &mut text,
            "int",
            "EVENT_",
            number,
            &format!("{:#x}", number.value),
        );
    }
    section(&mut text, "Questions to the agent.");
    let facts = [
        fact::Fact::numbered(),
        fact::UseFact::numbered(),
        fact::WitnessFact::numbered(),
        fact::RecordFact::numbered(),
        fact::ContextFact::numbered(),
    ];
    for fact in facts.iter().flatten() {
        constant(&mut text, "int", "ASK_", fact, &fact.value.to_string());
    }
    text.push_str("}\n");
    text
}

fn section(text: &mut String, about: &str) {
    let _ = write!(text, "\n    // {about}\n\n");
}

fn constant(text: &mut String, ty: &str, prefix: &str, number: &Numbered, value: &str) {
    let _ = write!(
        text,
        "    /**{} */\n    static final {ty} {prefix}{} = {value};\n",
        number.doc, number.name
    );
}
