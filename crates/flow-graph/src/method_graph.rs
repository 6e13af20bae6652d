//! The flow graph of one method.

use ducktrack_classfile::{Code, CodeOffset, Instruction, Opcode};

use crate::block::Block;
use crate::edge::{Edge, EdgeKind, hint_of_taken, opposite};
use crate::error::Error;
use crate::leaders::{Leaders, ends_block};
use ducktrack_path_counters::{BlockId, EdgeId, Hint};

/// Blocks and edges of one method, with a virtual ENTRY and EXIT.
#[derive(Clone, Debug)]
pub struct MethodGraph<'c> {
    instructions: Vec<Instruction<'c>>,
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    /// Edges are grouped by the block that they leave; the edges of block b are `starts[b]..starts[b +
    /// 1]`.
    starts: Vec<usize>,
    has_subroutines: bool,
}

impl<'c> MethodGraph<'c> {
    /// Finds the blocks and edges of a method's code.
    ///
    /// # Errors
    /// If the code breaks a rule that verified code never breaks.
    pub fn build(code: &Code<'c>) -> Result<Self, Error> {
        let instructions = code.instructions().collect::<Result<Vec<_>, _>>()?;
        Self::of_instructions(code, instructions)
    }

    /// As [`build`](Self::build), with all instructions of the code.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn of_instructions(
        code: &Code<'c>,
        instructions: impl Into<Vec<Instruction<'c>>>,
    ) -> Result<Self, Error> {
        let instructions = instructions.into();
        let leaders = Leaders::find(code, &instructions)?;
        let blocks = find_blocks(code, &instructions, &leaders);
        let has_subroutines = instructions
            .iter()
            .any(|it| it.opcode.is_jsr() || it.opcode == Opcode::RET);
        let (edges, starts) = EdgeList::of(&instructions, &blocks)?;
        Ok(Self {
            instructions,
            blocks,
            edges,
            starts,
            has_subroutines,
        })
    }

    /// The blocks of instructions, in code order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The ids of the blocks of instructions, in code order.
    pub fn block_ids(&self) -> impl ExactSizeIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::at)
    }

    /// A block of instructions; `None` for ENTRY and EXIT.
    pub fn block(&self, block: BlockId) -> Option<&Block> {
        self.blocks.get(block.index())
    }

    /// The virtual block from which the method is called.
    pub fn entry(&self) -> BlockId {
        BlockId::at(self.blocks.len())
    }

    /// The virtual block to which all returns lead.
    pub fn exit(&self) -> BlockId {
        BlockId::at(self.blocks.len() + 1)
    }

    /// All edges, grouped by the block that they leave; the edge of ENTRY is the last.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// One edge.
    pub fn edge(&self, edge: EdgeId) -> Option<&Edge> {
        self.edges.get(edge.index())
    }

    /// The edges that leave a block, fall-through first.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let start = self
            .starts
            .get(block.index())
            .copied()
            .unwrap_or(self.edges.len());
        let end = self
            .starts
            .get(block.index() + 1)
            .copied()
            .unwrap_or(self.edges.len());
        (start..end).filter_map(|position| Some((EdgeId::at(position), self.edges.get(position)?)))
    }

    /// All instructions of the method, in code order.
    pub fn instructions(&self) -> &[Instruction<'c>] {
        &self.instructions
    }

    /// The instructions of a block; none for ENTRY and EXIT.
    pub fn instructions_of(&self, block: BlockId) -> &[Instruction<'c>] {
        let range = self.block(block).map(Block::instruction_range);
        range
            .and_then(|range| self.instructions.get(range))
            .unwrap_or_default()
    }

    /// The block that contains an offset.
    pub fn block_at(&self, offset: CodeOffset) -> Option<BlockId> {
        let after = self.blocks.partition_point(|block| block.first <= offset);
        let found = after.checked_sub(1)?;
        (offset < self.blocks.get(found)?.end).then(|| BlockId::at(found))
    }

    /// The blocks that begin with an exception handler.
    pub fn handler_entries(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.block_ids()
            .filter(|&id| self.block(id).is_some_and(Block::is_handler_entry))
    }

    /// Whether the code has `jsr` or `ret`. Their control flow is not in the graph (a `jsr` has an
    /// edge to its subroutine and one to the next instruction, a `ret` has none), so it must not be
    /// used to place counters on edges.
    pub fn has_subroutines(&self) -> bool {
        self.has_subroutines
    }
}

fn find_blocks(code: &Code<'_>, instructions: &[Instruction<'_>], leaders: &Leaders) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (position, instruction) in instructions.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if !leaders.is_leader(instruction.offset) => {
                block.last = instruction.offset;
                block.end = instruction.end();
                block.instructions.end = position + 1;
            }
            _ => blocks.push(Block {
                first: instruction.offset,
                last: instruction.offset,
                end: instruction.end(),
                instructions: position..position + 1,
                handler_of: Vec::new(),
            }),
        }
    }
    for (position, entry) in code.exception_table().iter().enumerate() {
        let found = blocks.binary_search_by_key(&entry.handler, |block| block.first);
        if let Some(block) = found.ok().and_then(|at| blocks.get_mut(at)) {
            block.handler_of.push(position);
        }
    }
    blocks
}

/// Edges under construction.
struct EdgeList<'a> {
    blocks: &'a [Block],
    edges: Vec<Edge>,
}

impl<'a> EdgeList<'a> {
    fn of(
        instructions: &[Instruction<'_>],
        blocks: &'a [Block],
    ) -> Result<(Vec<Edge>, Vec<usize>), Error> {
        let mut list = Self {
            blocks,
            edges: Vec::new(),
        };
        let mut starts = Vec::with_capacity(blocks.len() + 3);
        for (position, block) in blocks.iter().enumerate() {
            starts.push(list.edges.len());
            if let Some(last) = instructions.get(block.instructions.end - 1) {
                list.leaving(BlockId::at(position), last)?;
            }
        }
        starts.push(list.edges.len());
        let (entry, first) = (BlockId::at(blocks.len()), BlockId::at(0));
        list.push(entry, first, EdgeKind::Entry, Hint::None);
        starts.push(list.edges.len());
        starts.push(list.edges.len());
        Ok((list.edges, starts))
    }

    fn push(&mut self, from: BlockId, to: BlockId, kind: EdgeKind, hint: Hint) {
        self.edges.push(Edge {
            from,
            to,
            kind,
            hint,
        });
    }

    /// Adds the edges of a block, determined by its last instruction.
    fn leaving(&mut self, from: BlockId, last: &Instruction<'_>) -> Result<(), Error> {
        let opcode = last.opcode;
        if opcode.is_return() {
            let exit = BlockId::at(self.blocks.len() + 1);
            self.push(from, exit, EdgeKind::Return, Hint::None);
        } else if opcode.is_switch() {
            self.switch(from, last)?;
        } else {
            let taken = hint_of_taken(opcode);
            if !ends_block(last) || opcode.is_conditional_branch() || opcode.is_jsr() {
                self.fall_through(from, last, opposite(taken))?;
            }
            if let Some(target) = last.branch_target() {
                let to = self.starting_at(last, target)?;
                self.push(from, to, EdgeKind::Branch(last.offset), taken);
            }
        }
        Ok(())
    }

    fn fall_through(
        &mut self,
        from: BlockId,
        last: &Instruction<'_>,
        hint: Hint,
    ) -> Result<(), Error> {
        let next = from.index() + 1;
        if next >= self.blocks.len() {
            return Err(Error::FallsOffTheEnd { last: last.offset });
        }
        self.push(from, BlockId::at(next), EdgeKind::FallThrough, hint);
        Ok(())
    }

    fn switch(&mut self, from: BlockId, last: &Instruction<'_>) -> Result<(), Error> {
        let mut targets: Vec<CodeOffset> = last.targets().collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let to = self.starting_at(last, target)?;
            self.push(from, to, EdgeKind::Switch(last.offset), Hint::None);
        }
        Ok(())
    }

    fn starting_at(&self, from: &Instruction<'_>, target: CodeOffset) -> Result<BlockId, Error> {
        let found = self
            .blocks
            .binary_search_by_key(&target, |block| block.first);
        found
            .map(BlockId::at)
            .map_err(|_| Error::BranchIntoInstruction {
                from: from.offset,
                target,
            })
    }
}
