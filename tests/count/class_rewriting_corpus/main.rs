//! All classes of the JDKs and of real libraries through the class reader and the code editor.
//!
//! Four checks, each against something independent:
//!
//! 1. Instructions are counted by other class file readers as well.
//! 2. An edit that inserts nothing gives back the same bytes, although every
//!    table was taken apart and written again.
//! 3. The agent's own counters and events, in every mode, are linked under full verification,
//!    and so is
//! 4. a stress edit, with code, trampolines and handlers at every place where
//!    they can be.
//!
//! Which classes these are is in `corpora`: the JDKs' modules and, in full, the libraries of the workloads.

mod corpora;
mod corpus;
mod counted;
mod linker;
mod made_up;
mod no_op_edit;
mod oracle;
mod replaced;
mod stress_edit;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use ducktrack_classfile::ClassFile;
use ducktrack_code_edit::SkipReason;
use ducktrack_tests::{Turns, checked, matrix_jdks};

use corpus::Corpus;
use counted::Choice;

#[test]
fn instructions_are_counted_by_other_readers_alike() -> Result<()> {
    for corpus in corpora::of_jdks()? {
        // The other readers are slow without optimization: a sample is enough for them.
        let (mut classes, mut instructions, mut refused) = (0, 0, 0);
        for (position, path) in corpus.classes.iter().enumerate() {
            let bytes = std::fs::read(path)?;
            let ours = oracle::ours(&bytes).with_context(|| path.display().to_string())?;
            classes += 1;
            instructions += ours;
            if position % 8 != 0 {
                continue;
            }
            for (name, theirs) in [
                ("cafebabe", oracle::cafebabe(&bytes)),
                ("classfile-parser", oracle::classfile_parser(&bytes)),
            ] {
                match theirs {
                    Some(theirs) => ensure!(
                        theirs == ours,
                        "{}: {name} counts {theirs}, not {ours}",
                        path.display()
                    ),
                    None => refused += 1,
                }
            }
        }
        println!(
            "{}: {classes} classes, {instructions} instructions, {refused} refused by another reader",
            corpus.name
        );
        ensure!(
            classes > 1_000 && instructions > 100_000,
            "{}: too few classes",
            corpus.name
        );
        // They lack some constants, such as those of modules.
        ensure!(
            refused < 10 + corpus.modules.len(),
            "{}: {refused} classes refused by another reader",
            corpus.name
        );
    }
    Ok(())
}

#[test]
fn an_edit_that_inserts_nothing_changes_no_byte() -> Result<()> {
    for corpus in corpora::of_jdks()? {
        let mut methods = 0;
        for path in &corpus.classes {
            let bytes = std::fs::read(path)?;
            let class = ClassFile::parse(&bytes).with_context(|| path.display().to_string())?;
            let (edited, count) =
                no_op_edit::apply(&class).with_context(|| path.display().to_string())?;
            ensure!(edited == bytes, "{} changed", path.display());
            methods += count;
        }
        println!(
            "{}: {methods} methods taken apart and written again",
            corpus.name
        );
        ensure!(methods > 10_000, "{}: too few methods", corpus.name);
    }
    Ok(())
}

#[test]
fn stressed_classes_are_verified() -> Result<()> {
    let mut turns = Turns::new();
    for corpus in turns.take(corpora::of_jdks()?, 0) {
        let output = tempfile::tempdir()?;
        let totals = stress(corpus, output.path())?;
        println!("{}: {totals:?}", corpus.name);
        ensure!(
            totals.insertions > 100_000 && totals.trampolines > 10_000,
            "{}: too little",
            corpus.name
        );
        ensure!(
            totals.rethrowing > 1_000 && totals.continuing > 1_000,
            "{}: too few handlers",
            corpus.name
        );
        let linked = linker::link(corpus, output.path())?;
        println!("{}: {linked} classes linked, none differs", corpus.name);
    }
    turns.announce("stressed classes");
    Ok(())
}

#[test]
fn counted_classes_are_verified() -> Result<()> {
    let (corpora, mut turns) = (corpora::of_jdks()?, Turns::new());
    // In turn: each corpus has choices of its own, and each pair of choices one of them.
    let choices = counted::choices();
    let pairs = choices.chunks(2).enumerate();
    let taken = pairs.flat_map(|(turn, pair)| turns.take(pair, turn / 2));
    let taken: Vec<_> = taken.collect();
    for (turn, choice) in taken.into_iter().enumerate() {
        for corpus in turns.take(corpora, turn) {
            let (totals, linked) = counted_and_linked(corpus, choice)?;
            checked(&format!(
                "{} {}: {linked} classes linked, none differs; rewritten {totals}",
                corpus.name, choice.name
            ));
            ensure!(totals.sites > 5_000, "{}: too few sites", corpus.name);
            ensure_few_refusals(&corpus.name, &totals, choice)?;
        }
    }
    turns.announce("counted classes");
    Ok(())
}

#[test]
fn made_up_classes_do_what_they_do_unedited() -> Result<()> {
    let (choices, mut turns) = (counted::choices(), Turns::new());
    for (turn, jdk) in matrix_jdks().iter().enumerate() {
        let folder = tempfile::tempdir()?;
        let corpus = made_up::corpus(jdk, folder.path())?;
        let unedited = corpus.unedited()?;
        ensure!(
            unedited.linked > 60 && unedited.failures.len() > 15,
            "{}: {} link",
            corpus.name,
            unedited.linked
        );
        // The classes are few and link on each JDK alike: each choice is met on some of them.
        let groups = choices.chunks(3);
        for choice in groups.flat_map(|group| turns.take(group, turn)) {
            let (totals, linked) = counted_and_linked(&corpus, choice)?;
            checked(&format!(
                "{} {}: {linked} classes linked, {} rejected, none differs; rewritten {totals}",
                corpus.name,
                choice.name,
                corpus.classes.len() - linked
            ));
        }
    }
    turns.announce("made up classes");
    Ok(())
}

#[test]
fn counted_libraries_are_verified() -> Result<()> {
    let libraries = corpora::of_libraries()?;
    for choice in counted::choices() {
        let mut of_jdks: BTreeMap<u32, (counted::Totals, usize)> = BTreeMap::new();
        for corpus in libraries {
            let (totals, linked) = counted_and_linked(corpus, &choice)?;
            println!("{} {}: {linked} linked, {totals}", corpus.name, choice.name);
            let sum = of_jdks.entry(corpus.jdk.version).or_default();
            sum.0.add(totals);
            sum.1 += linked;
        }
        for (version, (totals, linked)) in of_jdks {
            let name = format!("libraries on JDK {version}");
            checked(&format!(
                "{name} {}: {linked} classes linked, none differs; rewritten {totals}",
                choice.name
            ));
            ensure_few_refusals(&name, &totals, &choice)?;
        }
    }
    Ok(())
}

/// Rewrites all classes and links them; gives the number of those that link.
fn counted_and_linked(corpus: &Corpus, choice: &Choice) -> Result<(counted::Totals, usize)> {
    let output = tempfile::tempdir()?;
    let totals = counted::rewrite(corpus, choice, output.path())?;
    let linked = linker::link(corpus, output.path())?;
    Ok((totals, linked))
}

fn ensure_few_refusals(name: &str, totals: &counted::Totals, choice: &Choice) -> Result<()> {
    let (methods, refused) = (totals.methods + totals.refused(), totals.refused());
    ensure!(
        refused * 100_000 <= methods * choice.most_refusals,
        "{name} {}: {refused} of {methods} methods refused",
        choice.name
    );
    Ok(())
}

/// Results of the stress edits of a corpus.
#[derive(Debug, Default)]
struct Totals {
    methods: usize,
    insertions: usize,
    trampolines: usize,
    rethrowing: usize,
    continuing: usize,
    skipped: BTreeMap<String, usize>,
}

/// Writes the stressed classes of `corpus` to `output`, a folder per module.
fn stress(corpus: &Corpus, output: &std::path::Path) -> Result<Totals> {
    let mut totals = Totals::default();
    for path in &corpus.classes {
        let bytes = std::fs::read(path)?;
        let class = ClassFile::parse(&bytes).with_context(|| path.display().to_string())?;
        let edited =
            stress_edit::apply(&class, &mut totals).with_context(|| path.display().to_string())?;
        ClassFile::parse(&edited).with_context(|| format!("{} edited", path.display()))?;
        let target = output.join(path.strip_prefix(&corpus.root)?);
        std::fs::create_dir_all(target.parent().context("a folder")?)?;
        std::fs::write(target, edited)?;
    }
    Ok(totals)
}

/// Only its size may keep a method from being stressed, and the two that HotSpot knows by their code.
fn count_skipped(totals: &mut Totals, reason: SkipReason) -> Result<()> {
    let name = match reason {
        SkipReason::TooLarge(_) => "too large",
        SkipReason::TooLargeToCompile(_) => "too large to compile",
        SkipReason::EmptyFinalizer => "empty finalizer",
        SkipReason::ObjectConstructor => "constructor of Object",
        SkipReason::RejectedByTheJvm(why) => why,
        other => anyhow::bail!("refused: {other}"),
    };
    *totals.skipped.entry(name.to_owned()).or_default() += 1;
    Ok(())
}
