//! Every class with the counters the agent would give it, linked under full verification.
//!
//! The JDK that links the classes also runs on them, so its `java.base` gets helper classes whose methods do nothing.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ducktrack_class_rewriter::{
    AllocationProbes, ApplicationClasses, Calls, ClassRewriter, ClassTemplate, ConsecutiveNumbers,
    RewriteOptions, RewrittenClass, Stamps, ThreadTotals, TrackedMethods,
};
use ducktrack_classfile::{
    ClassBuilder, ClassFile, CodeBuilder, MethodDescriptor, Opcode, ParameterType, access,
};

use crate::corpus::Corpus;

/// The agent's helper classes.
const HELPERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agent/src/helper");

/// Names of refused methods that are shown for each reason.
const MOST_SHOWN: usize = 6;

/// An application that calls, and is called by, about as many classes of its own as others.
#[derive(Debug)]
struct HalfOfTheClasses;

impl ApplicationClasses for HalfOfTheClasses {
    fn contains(&self, class: &[u8]) -> bool {
        class
            .iter()
            .fold(0, |sum: u8, byte| sum.wrapping_add(*byte))
            % 2
            == 0
    }
}

/// Edits of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) classes: usize,
    /// Classes that a later run may take as they are.
    pub(crate) kept: usize,
    pub(crate) methods: u64,
    pub(crate) sites: usize,
    pub(crate) counters: usize,
    /// Methods that were left alone, by reason.
    pub(crate) refusals: BTreeMap<&'static str, Vec<String>>,
}

impl Totals {
    /// How many methods were left alone.
    pub(crate) fn refused(&self) -> u64 {
        self.refusals
            .values()
            .map(|methods| methods.len() as u64)
            .sum()
    }

    /// Adds those of other classes.
    pub(crate) fn add(&mut self, other: Self) {
        self.classes += other.classes;
        self.kept += other.kept;
        self.methods += other.methods;
        self.sites += other.sites;
        self.counters += other.counters;
        for (reason, methods) in other.refusals {
            self.refusals.entry(reason).or_default().extend(methods);
        }
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (methods, refused) = (self.methods, self.refused());
        write!(
            f,
            "{} classes, {methods} methods, {} sites; {} kept",
            self.classes, self.sites, self.kept
        )?;
        let share = 100.0 * refused as f64 / (methods + refused).max(1) as f64;
        write!(f, "; {refused} methods refused ({share:.3} %)")?;
        for (reason, methods) in &self.refusals {
            let shown = methods.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>();
            write!(f, "; {} {reason}: {}", methods.len(), shown.join(", "))?;
            if methods.len() > MOST_SHOWN {
                f.write_str(", ...")?;
            }
        }
        Ok(())
    }
}

/// One way to rewrite.
pub(crate) struct Choice {
    /// The agent's options that lead to it.
    pub(crate) name: &'static str,
    pub(crate) options: RewriteOptions,
    /// With stamps of all objects that are used.
    pub(crate) stamps: Stamps,
    /// Half of the classes are the application.
    pub(crate) application: bool,
    /// How many methods of 100,000 may be left alone. Methods left alone are nearly only tables of locale data (136 with all modules of
    /// JDK 25): straight lines of stores into arrays that are close to the 8,000 bytes which HotSpot compiles, before anything is added.
    pub(crate) most_refusals: u64,
}

/// The choices that the agent's options lead to; `DUCKTRACK_CORPUS_CHOICE=mode=trace` takes one only.
pub(crate) fn choices() -> Vec<Choice> {
    let only = std::env::var("DUCKTRACK_CORPUS_CHOICE").ok();
    let mut choices = Vec::from(all_choices());
    choices.retain(|choice| only.as_ref().is_none_or(|only| only == choice.name));
    choices
}

fn all_choices() -> [Choice; 9] {
    let plain = RewriteOptions {
        allocations: AllocationProbes::PathCounters,
        histogram: false,
        materialized: false,
        joined_chains: true,
        totals: ThreadTotals::None,
        off_heap: true,
        calls: true,
        profile: true,
        redundant_stamps: false,
    };
    let site = RewriteOptions {
        allocations: AllocationProbes::SiteCounters,
        totals: ThreadTotals::None,
        profile: false,
        ..plain.clone()
    };
    let all = RewriteOptions {
        histogram: true,
        materialized: true,
        joined_chains: false,
        ..plain.clone()
    };
    let events = RewriteOptions {
        allocations: AllocationProbes::Events,
        joined_chains: false,
        totals: ThreadTotals::None,
        profile: false,
        ..plain.clone()
    };
    let choice = |name, options, most_refusals| Choice {
        name,
        options,
        stamps: Stamps::None,
        application: false,
        most_refusals,
    };
    [
        choice("counters=path", plain.clone(), 200),
        choice("counters=site", site, 200),
        // More code for every site.
        choice("counters=path,record=lengths,record=materialized", all, 600),
        Choice {
            application: true,
            options: RewriteOptions {
                totals: ThreadTotals::Calls,
                calls: false,
                joined_chains: false,
                ..plain.clone()
            },
            ..choice("app=PATTERN", plain.clone(), 200)
        },
        choice("mode=trace", events.clone(), 200),
        Choice {
            stamps: Stamps::Uses,
            // A probe at most instructions: methods of half that size go without them.
            ..choice("mode=trace,staleness=on", events.clone(), 600)
        },
        Choice {
            stamps: Stamps::Witness,
            ..choice("mode=deaths", events.clone(), 700)
        },
        Choice {
            stamps: Stamps::Records(Calls::All),
            ..choice("mode=full,calls=all", events.clone(), 900)
        },
        Choice {
            stamps: Stamps::Records(Calls::Auto),
            ..choice("mode=full", events, 900)
        },
    ]
}

/// Writes the rewritten classes of `corpus` to `output`, a folder per module or package.
pub(crate) fn rewrite(corpus: &Corpus, choice: &Choice, output: &Path) -> Result<Totals> {
    let tracked = TrackedMethods::built_in();
    let rewriter = ClassRewriter {
        options: &choice.options,
        tracked: &tracked,
        application: choice.application.then_some(&HalfOfTheClasses),
        contexts: None,
        hidden: false,
        stamps: choice.stamps,
    };
    // One for all classes, like a long run: most numbers need a constant of their own.
    let mut numbers = ConsecutiveNumbers::default();
    let mut totals = Totals::default();
    for path in &corpus.classes {
        let bytes = std::fs::read(path)?;
        let kept = linked_as_kept(&rewriter, &bytes, &numbers)
            .with_context(|| path.display().to_string())?;
        let rewritten = rewriter
            .rewrite(&bytes, &[], &mut numbers)
            .map_err(|reason| anyhow::anyhow!("{}: {reason}", path.display()))?;
        if let Some(kept) = kept {
            // How it is counted is drawn by `info`, and not kept.
            let fresh = RewrittenClass {
                counting: Vec::new(),
                ..rewritten.clone()
            };
            anyhow::ensure!(kept == fresh, "{}: kept, it is another", path.display());
            totals.kept += 1;
        }
        for refusal in &rewritten.refusals {
            let reason = refusal.reason.name();
            let name = method_name(&bytes, refusal.method)?;
            totals.refusals.entry(reason).or_default().push(name);
        }
        let Some(bytes) = rewritten.bytes else {
            continue;
        };
        totals.classes += 1;
        totals.methods += u64::from(rewritten.methods);
        totals.sites += rewritten.sites.len();
        totals.counters += rewritten.counters.len();
        let target = output.join(path.strip_prefix(&corpus.root)?);
        std::fs::create_dir_all(target.parent().context("a folder")?)?;
        std::fs::write(target, bytes)?;
    }
    for helper in std::fs::read_dir(HELPERS)? {
        let bytes = std::fs::read(helper?.path())?;
        write_helper_without_effect(&bytes, &output.join("java.base"))?;
    }
    Ok(totals)
}

/// A class as a later run gets it: planned among other classes, written, read, and linked with the numbers of that run.
fn linked_as_kept(
    rewriter: &ClassRewriter<'_>,
    bytes: &[u8],
    numbers: &ConsecutiveNumbers,
) -> Result<Option<RewrittenClass>> {
    let class = ClassFile::parse(bytes)?;
    let planned = rewriter.plan(&class, &[], &mut ConsecutiveNumbers::default());
    let Some(template) = planned
        .ok()
        .filter(|template| rewriter.plans_alike_in_each_run(&class) && template.can_be_kept())
    else {
        return Ok(None);
    };
    let written = template.encode().context("it cannot be written")?;
    let read = ClassTemplate::decode(&written).context("it cannot be read")?;
    let linked = read.link(&class, &mut numbers.clone());
    linked
        .map(Some)
        .map_err(|reason| anyhow::anyhow!("{reason}"))
}

/// `java.util.HashMap.put`, or the class alone.
fn method_name(bytes: &[u8], method: Option<u16>) -> Result<String> {
    let class = ClassFile::parse(bytes)?;
    let method = method.and_then(|method| class.methods().nth(method.into()));
    let method = method.map_or_else(String::new, |method| {
        format!(".{}", String::from_utf8_lossy(method.name()))
    });
    let class = String::from_utf8_lossy(class.name()).replace('/', ".");
    Ok(class + &method)
}

/// A method that is called instead of the JDK's own calls that; what it gives is on the stack then.
fn pass_on(
    name: &[u8],
    descriptor: &[u8],
    parsed: &MethodDescriptor<'_>,
    code: &mut CodeBuilder,
) -> bool {
    let of_unsafe = descriptor.strip_prefix(b"(Ljdk/internal/misc/Unsafe;");
    if of_unsafe.is_none() && name != b"arraycopy" {
        return false;
    }
    let mut local = 0;
    for parameter in parsed.parameters() {
        let load = match parameter {
            ParameterType::Int => Opcode::ILOAD,
            ParameterType::Long => Opcode::LLOAD,
            ParameterType::Float => Opcode::FLOAD,
            ParameterType::Double => Opcode::DLOAD,
            ParameterType::Reference(_) => Opcode::ALOAD,
        };
        code.local(load, local);
        local += parameter.slots();
    }
    match of_unsafe {
        Some(rest) => {
            let descriptor = [b"(", rest].concat();
            let class = b"jdk/internal/misc/Unsafe";
            code.method(Opcode::INVOKEVIRTUAL, class, name, &descriptor);
        }
        None => {
            code.method(Opcode::INVOKESTATIC, b"java/lang/System", name, descriptor);
        }
    }
    true
}

/// Writes a class with the public methods of a helper, which do nothing and give 0 or
/// their argument; those that are called instead of the JDK's own methods call these.
fn write_helper_without_effect(helper: &[u8], module: &Path) -> Result<()> {
    let helper = ClassFile::parse(helper)?;
    let flags = access::PUBLIC | access::SUPER;
    let mut class = ClassBuilder::new(52, flags, helper.name(), b"java/lang/Object");
    for method in helper
        .methods()
        .filter(|method| method.access_flags() & access::PUBLIC != 0)
    {
        let descriptor = MethodDescriptor::parse(method.descriptor())?;
        let mut code = CodeBuilder::new(8, descriptor.parameter_slots());
        let is_passed = pass_on(method.name(), method.descriptor(), &descriptor, &mut code);
        match descriptor.returns() {
            None => code.op(Opcode::RETURN),
            Some(ParameterType::Int) if is_passed => code.op(Opcode::IRETURN),
            Some(ParameterType::Reference(_)) if is_passed => code.op(Opcode::ARETURN),
            Some(ParameterType::Int) => code.push_int(0).op(Opcode::IRETURN),
            Some(ParameterType::Long) => code.op(Opcode::LCONST_0).op(Opcode::LRETURN),
            Some(ParameterType::Reference(_)) => code.local(Opcode::ALOAD, 0).op(Opcode::ARETURN),
            Some(other) => anyhow::bail!("the helper has a method that gives {other:?}"),
        };
        class
            .method(
                access::PUBLIC | access::STATIC,
                method.name(),
                method.descriptor(),
            )
            .code(code)?;
    }
    let name = std::str::from_utf8(helper.name())?;
    let file = module.join(format!("{name}.class"));
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    std::fs::write(file, class.finish()?)?;
    Ok(())
}
