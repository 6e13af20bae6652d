//! Every class with the counters the agent would give it, linked under full verification.
//!
//! The JDK that links the classes also runs on them, so its `java.base` gets a helper class whose methods do nothing.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ducktrack_class_rewriter::{
    ClassRewriter, CounterChoice, Numbers, RewriteOptions, SiteKey, TrackedMethods,
};
use ducktrack_classfile::{
    ClassBuilder, ClassFile, CodeBuilder, MethodDescriptor, Opcode, ParameterType, access,
};

use crate::jdk::Corpus;

/// The agent's helper class.
const HELPER: &[u8] = include_bytes!("../../../agent/src/helper/DuckTrack.class");

/// What was done to a corpus.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) classes: usize,
    pub(crate) methods: u64,
    pub(crate) sites: usize,
    pub(crate) counters: usize,
    pub(crate) refusals: BTreeMap<&'static str, usize>,
}

/// The choices that the agent's options lead to.
pub(crate) fn choices() -> [(&'static str, RewriteOptions); 3] {
    let plain = RewriteOptions {
        counters: CounterChoice::Path,
        histogram: false,
        materialized: false,
        profile: true,
    };
    let site = RewriteOptions {
        counters: CounterChoice::Site,
        profile: false,
        ..plain.clone()
    };
    let all = RewriteOptions {
        histogram: true,
        materialized: true,
        ..plain.clone()
    };
    [
        ("path", plain),
        ("site", site),
        ("path,histogram,materialized", all),
    ]
}

struct Endless {
    sites: u32,
    counters: u32,
}

impl Numbers for Endless {
    fn site(&mut self, _: SiteKey) -> Option<u32> {
        self.sites += 1;
        Some(self.sites)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        // Like a long run: most numbers need a constant of their own.
        let first = self.counters;
        self.counters = (first + count) % 1_000_000;
        Some(first)
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        self.site(key)
    }
}

/// Writes the rewritten classes of `corpus` to `output`, a folder per module.
pub(crate) fn rewrite(corpus: &Corpus, options: &RewriteOptions, output: &Path) -> Result<Totals> {
    let tracked = TrackedMethods::built_in();
    let rewriter = ClassRewriter {
        options,
        tracked: &tracked,
        hidden: false,
    };
    let mut numbers = Endless {
        sites: 0,
        counters: 64,
    };
    let mut totals = Totals::default();
    for path in &corpus.classes {
        let bytes = std::fs::read(path)?;
        let rewritten = rewriter
            .rewrite(&bytes, &[], &mut numbers)
            .map_err(|reason| anyhow::anyhow!("{}: {reason}", path.display()))?;
        for refusal in &rewritten.refusals {
            *totals.refusals.entry(refusal.reason.name()).or_default() += 1;
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
    let helper = output.join("java.base/java/lang");
    std::fs::create_dir_all(&helper)?;
    std::fs::write(helper.join("DuckTrack.class"), helper_without_effect()?)?;
    Ok(totals)
}

/// A class with the public methods of the helper, which do nothing and give 0 or their argument.
fn helper_without_effect() -> Result<Vec<u8>> {
    let helper = ClassFile::parse(HELPER)?;
    let flags = access::PUBLIC | access::SUPER;
    let mut class = ClassBuilder::new(52, flags, helper.name(), b"java/lang/Object");
    for method in helper
        .methods()
        .filter(|method| method.access_flags() & access::PUBLIC != 0)
    {
        let descriptor = MethodDescriptor::parse(method.descriptor())?;
        let mut code = CodeBuilder::new(1, descriptor.parameter_slots());
        match descriptor.returns() {
            None => code.op(Opcode::RETURN),
            Some(ParameterType::Int) => code.push_int(0).op(Opcode::IRETURN),
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
    Ok(class.finish()?)
}
