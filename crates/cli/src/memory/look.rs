//! Looks at a JVM: the kernel's files, and its own answers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ducktrack_memory_bill::{
    LoadersOfClass, Mapping, Observed, Pauses, Recorded, Sample, code_ranges, heap_figures,
    loaders_by_class, max_heap, metaspace_committed, metaspace_used, native_memory, pauses,
    stack_pointer,
};

use super::kernel_files::{anonymous_of, group, group_now, mappings_of, processes, waits};
use crate::attach::listener::{Listener, Request};
use crate::jvm_process::JvmProcess;

/// In the path of the file of counters.
const COUNTERS: &str = "/hsperfdata_";

/// A process that is looked at again and again.
pub(super) struct Look<'a> {
    jvm: &'a JvmProcess,
    /// The folder of its group.
    group: Option<PathBuf>,
}

/// All that there is to see.
pub(super) struct Found {
    pub(super) observed: Observed,
    pub(super) group: Option<String>,
    pub(super) max_heap: Option<u64>,
    pub(super) threads: u64,
    pub(super) loaders: Vec<LoadersOfClass>,
}

impl<'a> Look<'a> {
    pub(super) fn at(jvm: &'a JvmProcess) -> Self {
        Self {
            jvm,
            group: group(jvm.pid).map(|(folder, _)| folder),
        }
    }

    /// What is charged now, and the heap.
    pub(super) fn sample(&self, seconds: f64) -> Result<Sample> {
        let mappings = self.mappings()?;
        let heap = self
            .ask("GC.heap_info")
            .and_then(|answer| heap_figures(&answer));
        let held = match self.group.as_deref().and_then(group_now) {
            Some(group) => group.held(),
            None => mappings.iter().map(Mapping::charged).sum(),
        };
        Ok(Sample {
            seconds,
            held,
            heap_used: heap.map(|heap| heap.used),
            heap_resident: heap.map(|heap| heap.resident(&mappings)),
            pauses: self.pauses(&mappings),
        })
    }

    /// Everything, once.
    pub(super) fn whole(&self, recorded: Option<Recorded>) -> Result<Found> {
        let heap_info = self.ask("GC.heap_info").unwrap_or_default();
        let answer = |command: &str| self.ask(command).unwrap_or_default();
        let native = answer("VM.native_memory summary scale=B");
        let metaspace = answer("VM.metaspace basic scale=1");
        let (code, flags) = (answer("Compiler.codecache"), answer("VM.flags"));
        let loaders = answer("VM.classloader_stats");
        let waits = waits(self.jvm.pid);
        let group = self.group.as_deref().and_then(group_now);
        let observed = Observed {
            mappings: self.mappings()?,
            stack_pointers: waits
                .iter()
                .flatten()
                .filter_map(|wait| stack_pointer(wait))
                .collect(),
            heap: heap_figures(&heap_info),
            code: code_ranges(&code),
            metaspace: metaspace_committed(&metaspace),
            native: native_memory(&native),
            recorded,
            group,
            others: self.others(),
        };
        Ok(Found {
            group: self
                .group
                .as_ref()
                .map(|folder| folder.display().to_string()),
            loaders: loaders_by_class(&loaders, metaspace_used(&metaspace).unwrap_or(0)),
            max_heap: max_heap(&flags),
            threads: waits.len() as u64,
            observed,
        })
    }

    fn mappings(&self) -> Result<Vec<Mapping>> {
        let pid = self.jvm.pid;
        mappings_of(pid).with_context(|| format!("process {pid} cannot be looked at"))
    }

    /// The JVM keeps its counters in a file that it maps, where it was not told to do without (`-XX:-UsePerfData`).
    fn pauses(&self, mappings: &[Mapping]) -> Option<Pauses> {
        let mut names = mappings.iter().map(|mapping| &mapping.name);
        let file = names.find(|name| name.contains(COUNTERS))?;
        pauses(&fs::read(self.jvm.inside(Path::new(file))).ok()?)
    }

    fn others(&self) -> u64 {
        let all = self.group.as_deref().map_or_else(Vec::new, processes);
        let others = all.into_iter().filter(|pid| *pid != self.jvm.pid);
        others.map(anonymous_of).sum()
    }

    /// The JVM's answer to a diagnostic command; `None`: it does not answer, or does not know the command.
    fn ask(&self, command: &str) -> Option<String> {
        let listener = Listener::reach(self.jvm).ok()?;
        let reply = listener.ask(&Request::Diagnostic(command)).ok()?;
        (reply.code == 0).then_some(reply.whole)
    }
}
