//! Graphs drawn as text: `"^A AB AC BD CD D$"`. Blocks are letters, `^` is ENTRY, `$` is EXIT, and
//! `!H` is the exceptional edge to H. Block A has site 0, B site 1 and so on, so that vectors print as
//! sums of letters.

use crate::{
    BlockId, EdgeId, Frequencies, Graph, GraphBuilder, Path, PathEnd, PathKind, PathSet, SiteId,
    SiteVector,
};

pub(super) struct DrawnGraph {
    pub(super) graph: Graph,
    names: Vec<String>,
}

impl DrawnGraph {
    pub(super) fn new(edges: &str) -> Self {
        let names: Vec<String> = edges.split_whitespace().map(str::to_owned).collect();
        let last = edges
            .chars()
            .filter(char::is_ascii_uppercase)
            .max()
            .expect("a block");
        let mut builder = GraphBuilder::new(number(last) as usize + 1);
        for name in &names {
            let (from, to) = (
                name.chars().next().expect("a start"),
                name.chars().nth(1).expect("an end"),
            );
            let block = |letter| match letter {
                '^' => builder.entry(),
                '$' => builder.exit(),
                letter => BlockId::new(number(letter)),
            };
            let to = block(to);
            if from == '!' {
                builder.exceptional_edge(to);
            } else {
                let from = block(from);
                builder.edge(from, to);
            }
        }
        for block in 0..=number(last) {
            builder.site(BlockId::new(block), SiteId::new(block));
        }
        Self {
            graph: builder.build().expect("a graph"),
            names,
        }
    }

    /// Frequencies by edge: `"^A=10 AB=9"`; other edges have zero.
    pub(super) fn frequencies(&self, listed: &str) -> Frequencies {
        let mut of_edge = vec![0; self.graph.edge_count()];
        for item in listed.split_whitespace() {
            let (name, value) = item.split_once('=').expect("name=value");
            of_edge[self.edge(name).index()] = value.parse().expect("a number");
        }
        Frequencies::measured(&self.graph, of_edge)
    }

    pub(super) fn edge(&self, name: &str) -> EdgeId {
        EdgeId::at(
            self.names
                .iter()
                .position(|it| it == name)
                .expect("an edge of that name"),
        )
    }

    pub(super) fn edge_name(&self, edge: EdgeId) -> &str {
        &self.names[edge.index()]
    }

    pub(super) fn block(&self, letter: char) -> BlockId {
        BlockId::new(number(letter))
    }

    /// All paths, one per line: `side C D: branches off A, joins E, counter AC, shares 1 1 1`.
    pub(super) fn describe(&self, set: &PathSet) -> Vec<String> {
        set.paths()
            .iter()
            .map(|path| self.describe_path(path))
            .collect()
    }

    fn describe_path(&self, path: &Path) -> String {
        let kind = match path.kind() {
            PathKind::Hot => "hot",
            PathKind::Side => "side",
            PathKind::Loop => "loop",
            PathKind::Handler => "handler",
        };
        let mut text = kind.to_owned();
        for &block in path.blocks() {
            text += &format!(" {}", self.letter(block));
        }
        text += &format!(": off {}, ", self.letter(path.branching_block()));
        text += &match path.end() {
            PathEnd::Leaves => "leaves".to_owned(),
            PathEnd::Joins(block) => format!("joins {}", self.letter(block)),
            PathEnd::Stops => "stops".to_owned(),
        };
        if let Some(edge) = path.counter_edge() {
            text += &format!(", counter {}", self.edge_name(edge));
        }
        let shares: Vec<String> = path.share_counts().iter().map(u32::to_string).collect();
        text + ", shares " + &shares.join(" ")
    }

    fn letter(&self, block: BlockId) -> char {
        match block {
            block if block == self.graph.entry() => '^',
            block if block == self.graph.exit() => '$',
            block => char::from(b'A' + block.as_u32() as u8),
        }
    }
}

/// `"+A -C"`; `"0"` for the zero vector.
pub(super) fn letters(vector: &SiteVector) -> String {
    if vector.is_zero() {
        return "0".to_owned();
    }
    let term = |&(site, amount): &(SiteId, i32)| {
        let letter = char::from(b'A' + site.as_u32() as u8);
        match amount {
            1 => format!("+{letter}"),
            -1 => format!("-{letter}"),
            _ => format!("{amount:+}{letter}"),
        }
    };
    vector
        .terms()
        .iter()
        .map(term)
        .collect::<Vec<_>>()
        .join(" ")
}

fn number(letter: char) -> u32 {
    u32::from(letter) - u32::from('A')
}
