//! Every class with the counters the agent would give it, linked under full verification.
//!
//! The JDK that links the classes also runs on them, so its `java.base` gets a helper class whose methods do nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ducktrack_class_rewriter::{
    ClassRewriter, CounterChoice, Numbers, RewriteOptions, SiteKey, TrackedMethods,
};

use crate::jdk::Corpus;

/// The agent's helper class without effect.
const HELPER: &str = r"
package java.lang;
public final class DuckTrack {
    public static void c(int id) {}
    public static void l1(int n, int id) {}
    public static void l2(int n, int id) {}
    public static void l4(int n, int id) {}
    public static void l8(int n, int id) {}
    public static void lr(int n, int id) {}
    public static void h(int n, int id) {}
    public static void bi(int v, int id) {}
    public static void bj(long v, int id) {}
    public static void bs(int v, int id) {}
    public static void bc(int v, int id) {}
    public static void x(int id) {}
    public static int xg() { return 0; }
    public static void k(int id) {}
    public static void k1(int n, int id) {}
    public static void k2(int n, int id) {}
    public static void k4(int n, int id) {}
    public static void k8(int n, int id) {}
    public static void kr(int n, int id) {}
    public static void d(Object o, int id) {}
    public static void dx(Object o, int id) {}
    public static void dh(Object o, int id) {}
    public static void da(Object o, int id) {}
    public static void dm(Object o, int id) {}
    public static void m(Object o, int levels, int id) {}
    public static void tb() {}
    public static void ta(int id) {}
    public static void tn(int n, int kind, int id) {}
    public static byte[] rewriteHidden(byte[] b) { return b; }
}
";

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
    compile_helper(corpus, output)?;
    Ok(totals)
}

fn compile_helper(corpus: &Corpus, output: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("java/lang/DuckTrack.java");
    std::fs::create_dir_all(source.parent().context("a folder")?)?;
    std::fs::write(&source, HELPER)?;
    let status = Command::new(corpus.home.join("bin/javac"))
        .arg("--patch-module")
        .arg(format!("java.base={}", folder.path().display()))
        .arg("-d")
        .arg(output.join("java.base"))
        .arg(&source)
        .status()?;
    ensure!(status.success(), "the helper does not compile");
    Ok(())
}
