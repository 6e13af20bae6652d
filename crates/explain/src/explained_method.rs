//! One method, with everything that is shown about it.

use ducktrack_class_rewriter::MethodProfile;
use ducktrack_classfile::{Code, CodeOffset};
use ducktrack_flow_graph::MethodGraph;
use ducktrack_path_counters::{
    BlockId, Choice, Components, EdgeFrequencies, EdgeId, Frequencies, Graph, Limits, PathSet,
    Placement, PlacementKind, SiteId, SiteVector, choose,
};

use crate::error::Error;
use crate::in_code::{InCode, Rewritten};
use crate::options::EdgeCount;
use crate::site::Site;

/// A method, its graph, paths and counters.
#[derive(Debug)]
pub struct ExplainedMethod {
    pub(crate) name: String,
    pub(crate) blocks: Vec<ExplainedBlock>,
    pub(crate) sites: Vec<ExplainedSite>,
    pub(crate) graph: Graph,
    pub(crate) frequencies: Frequencies,
    pub(crate) paths: PathSet,
    pub(crate) components: Vec<Components>,
    /// The placement of the paths; `None` if there would be too many terms.
    pub(crate) placement: Option<Placement>,
    pub(crate) choice: Choice,
    /// The probes in the code.
    pub(crate) in_code: InCode,
}

/// A class and one of its methods.
#[derive(Clone, Copy)]
pub(crate) struct MethodOfClass<'a> {
    pub(crate) class: &'a [u8],
    pub(crate) index: u16,
    /// The class as rewritten before anything is measured.
    pub(crate) rewritten: &'a Rewritten,
}

/// One block.
#[derive(Clone, Debug)]
pub(crate) struct ExplainedBlock {
    pub(crate) first: CodeOffset,
    pub(crate) last: CodeOffset,
    /// The mnemonic of the last instruction, if it is a branch, switch, return or throw.
    pub(crate) ends_with: Option<&'static str>,
    pub(crate) lines: Option<(u16, u16)>,
    pub(crate) is_handler: bool,
    pub(crate) sites: Vec<SiteId>,
}

/// One site and its place.
#[derive(Clone, Debug)]
pub(crate) struct ExplainedSite {
    pub(crate) site: Site,
    pub(crate) line: Option<u16>,
    pub(crate) block: BlockId,
}

impl ExplainedMethod {
    /// Builds graph, paths and counters of a method.
    ///
    /// # Errors
    /// If the code breaks a rule, uses subroutines, or an edge count names no edge.
    pub(crate) fn new(
        name: &str,
        of: MethodOfClass<'_>,
        code: &Code<'_>,
        mut sites: Vec<Site>,
        counts: &[EdgeCount],
    ) -> Result<Self, Error> {
        let failed = |source| Error::Code {
            method: name.to_owned(),
            source,
        };
        let method = MethodGraph::build(code).map_err(failed)?;
        if method.has_subroutines() {
            return Err(Error::Subroutines {
                method: name.to_owned(),
            });
        }
        sites.sort_by_key(|site| site.offset);
        let mut in_code = of.rewritten.method(of.index, &sites);
        let located = locate(&method, code, sites.clone());
        let on_paths = (0u32..).zip(&located);
        let on_paths = on_paths.filter(|(number, _)| in_code.concerns_paths(*number as usize));
        let on_paths: Vec<(SiteId, BlockId)> = on_paths
            .map(|(number, site)| (SiteId::new(number), site.block))
            .collect();
        let graph = method
            .path_graph(on_paths)
            .map_err(|_| Error::Subroutines {
                method: name.to_owned(),
            })?;
        let frequencies = frequencies(name, &method, &graph, counts)?;
        if !counts.is_empty() {
            let profile = profile(of.index, &method, &graph, &frequencies, counts);
            in_code = Rewritten::of(of.class, Some(profile)).method(of.index, &sites);
        }
        let sites = located;
        let paths = PathSet::build(&graph, &frequencies);
        Ok(Self {
            name: name.to_owned(),
            blocks: describe_blocks(&method, code, &sites),
            sites,
            components: paths.components(&graph),
            placement: Placement::of_paths(&graph, &paths, Limits::default().terms).ok(),
            choice: choose(&graph, &frequencies, &Limits::default()),
            in_code,
            paths,
            frequencies,
            graph,
        })
    }

    /// `B3`, `ENTRY` or `EXIT`.
    pub(crate) fn block_name(&self, block: BlockId) -> String {
        match block {
            block if block == self.graph.entry() => "ENTRY".to_owned(),
            block if block == self.graph.exit() => "EXIT".to_owned(),
            block => format!("B{}", block.as_u32()),
        }
    }

    /// `B3 -> B4`.
    pub(crate) fn edge_name(&self, edge: EdgeId) -> String {
        let edge = self.graph.edge(edge);
        let arrow = if edge.exceptional { "~>" } else { "->" };
        format!(
            "{} {arrow} {}",
            self.block_name(edge.from),
            self.block_name(edge.to)
        )
    }

    /// `+s0 -s3`, or `0`.
    pub(crate) fn vector_text(&self, vector: &SiteVector) -> String {
        if vector.is_zero() {
            return "0".to_owned();
        }
        let terms = vector.terms().iter().map(|(site, amount)| match amount {
            1 => format!("+s{}", site.as_u32()),
            -1 => format!("-s{}", site.as_u32()),
            _ => format!("{amount:+} s{}", site.as_u32()),
        });
        terms.collect::<Vec<_>>().join(" ")
    }

    /// The counters of the paths placement: numbered in the order of the paths, without empty ones.
    pub(crate) fn numbered_counters(&self) -> Vec<(usize, EdgeId)> {
        let placement = self.placement.as_ref();
        let counters = self
            .paths
            .paths()
            .iter()
            .enumerate()
            .filter_map(|(path, it)| {
                let edge = it.counter_edge()?;
                placement?.counter_on(edge).map(|_| (path, edge))
            });
        counters.collect()
    }

    /// The counters that a picture shows on edges: those of paths, unless the rewriter does not use them.
    pub(crate) fn drawn_counters(&self) -> Vec<(usize, EdgeId)> {
        match self.in_code.is_by_path() {
            true => self.numbered_counters(),
            false => Vec::new(),
        }
    }

    /// Occurrences per run.
    pub(crate) fn per_run(&self, frequency: u64) -> f64 {
        frequency as f64 / self.frequencies.runs(&self.graph).max(1) as f64
    }

    /// Increments per run with one counter per site, for sites that paths could count.
    pub(crate) fn increments_per_site(&self) -> f64 {
        let sites = self.sites.iter().enumerate();
        let executed = sites
            .filter(|(number, _)| self.in_code.concerns_paths(*number))
            .map(|(_, site)| self.frequencies.block(&self.graph, site.block));
        self.per_run(executed.fold(0, u64::saturating_add))
    }

    /// Increments per run of each kind of placement that was compared, and whether it was chosen.
    pub(crate) fn candidates(&self) -> Vec<(&'static str, f64, bool)> {
        let mut best: Vec<(PlacementKind, u64)> = Vec::new();
        for &(kind, cost) in &self.choice.candidates {
            match best.iter_mut().find(|known| known.0 == kind) {
                Some(known) => known.1 = known.1.min(cost),
                None => best.push((kind, cost)),
            }
        }
        let chosen = self.choice.placement.kind();
        best.into_iter()
            .map(|(kind, cost)| (placement_name(kind), self.per_run(cost), kind == chosen))
            .collect()
    }
}

/// The name of a kind of placement in output.
fn placement_name(kind: PlacementKind) -> &'static str {
    match kind {
        PlacementKind::Paths => "paths",
        PlacementKind::SpanningForest => "spanning forest",
        PlacementKind::Refined => "refined",
        PlacementKind::PerBlock => "one counter per block",
    }
}

fn locate(method: &MethodGraph<'_>, code: &Code<'_>, sites: Vec<Site>) -> Vec<ExplainedSite> {
    let mut located: Vec<ExplainedSite> = sites
        .into_iter()
        .filter_map(|site| {
            let block = method.block_at(site.offset)?;
            Some(ExplainedSite {
                line: line_of(code, site.offset),
                block,
                site,
            })
        })
        .collect();
    located.sort_by_key(|site| site.site.offset);
    located
}

fn describe_blocks(
    method: &MethodGraph<'_>,
    code: &Code<'_>,
    sites: &[ExplainedSite],
) -> Vec<ExplainedBlock> {
    let describe = |id: BlockId| {
        let block = method.block(id)?;
        let inside = (0u32..).zip(sites).filter(|(_, site)| site.block == id);
        let last = method.instructions_of(id).last()?;
        let decides = last.opcode.is_unconditional_end() || last.opcode.is_conditional_branch();
        Some(ExplainedBlock {
            first: block.first(),
            last: block.last(),
            ends_with: decides.then(|| last.opcode.mnemonic()),
            lines: line_of(code, block.first()).zip(line_of(code, block.last())),
            is_handler: block.is_handler_entry(),
            sites: inside.map(|(site, _)| SiteId::new(site)).collect(),
        })
    };
    method.block_ids().filter_map(describe).collect()
}

fn frequencies(
    name: &str,
    method: &MethodGraph<'_>,
    graph: &Graph,
    counts: &[EdgeCount],
) -> Result<Frequencies, Error> {
    if counts.is_empty() {
        return Ok(Frequencies::estimated(graph));
    }
    let mut counted: Vec<Option<u64>> = graph
        .edge_ids()
        .map(|edge| graph.edge(edge).exceptional.then_some(0))
        .collect();
    for count in counts {
        let edge = find_edge(method, graph, count).ok_or_else(|| {
            let spell = |at: Option<CodeOffset>, other: &str| {
                at.map_or(other.to_owned(), |at| at.to_string())
            };
            let (from, to) = (spell(count.from, "entry"), spell(count.to, "exit"));
            Error::NoSuchEdge {
                method: name.to_owned(),
                from,
                to,
            }
        })?;
        if let Some(slot) = counted.get_mut(edge.index()) {
            *slot = Some(count.count);
        }
    }
    Ok(EdgeFrequencies::of(graph, &counted).into_frequencies())
}

/// The profile that the agent would have measured.
fn profile(
    index: u16,
    method: &MethodGraph<'_>,
    graph: &Graph,
    frequencies: &Frequencies,
    counts: &[EdgeCount],
) -> MethodProfile {
    let counted = counts.iter().filter_map(|count| {
        let edge = find_edge(method, graph, count)?;
        Some((edge.as_u32(), count.count))
    });
    MethodProfile {
        method: index,
        entries: Some(frequencies.runs(graph)),
        increments: None,
        edges: counted.collect(),
        sites: Vec::new(),
    }
}

fn find_edge(method: &MethodGraph<'_>, graph: &Graph, count: &EdgeCount) -> Option<EdgeId> {
    let block = |offset| method.block_at(offset);
    let from = count.from.map_or(Some(graph.entry()), block)?;
    let to = count.to.map_or(Some(graph.exit()), block)?;
    graph
        .out_edges(from)
        .iter()
        .copied()
        .find(|&edge| graph.edge(edge).to == to)
}

fn line_of(code: &Code<'_>, offset: CodeOffset) -> Option<u16> {
    code.line_numbers().line_at(offset)
}
