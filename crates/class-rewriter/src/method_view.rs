//! The input for planning one method.

use ducktrack_classfile::{ClassFile, Code, Instruction, LineNumbers, Method};
use ducktrack_code_edit::ConstructorHead;

use crate::allocation_site::Allocation;
use crate::application::LeavingCalls;
use crate::joined_chains::JoinedChain;
use crate::pool_rules::PoolRules;
use crate::refusal::Reason;
use crate::rewrite_options::RewriteOptions;

/// The input for planning one method.
pub(crate) struct MethodView<'a> {
    pub(crate) class: &'a ClassFile<'a>,
    pub(crate) method: &'a Method<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) lines: LineNumbers<'a>,
    /// All of them.
    pub(crate) instructions: &'a [Instruction<'a>],
    pub(crate) index: u16,
    /// It is `<init>`: while `this` is uninitialized, no handler may be added.
    pub(crate) constructor: bool,
    pub(crate) is_static: bool,
    pub(crate) descriptor: &'a [u8],
    /// It is `<clinit>`, which runs once.
    pub(crate) class_initializer: bool,
    /// Its sites are filed under the current call site.
    pub(crate) tracked: bool,
    /// Its allocations are counted where it is called.
    pub(crate) counted_by_callers: bool,
    /// Its calls of tracked methods are noted.
    pub(crate) takes_blame: bool,
    pub(crate) rules: &'a PoolRules,
    /// Its calls that leave the application.
    pub(crate) leaving: &'a LeavingCalls,
    pub(crate) options: &'a RewriteOptions,
    pub(crate) allocations: Vec<Allocation>,
    /// Concatenations that C2 joins; their objects are not among the allocations.
    pub(crate) joined: Vec<JoinedChain>,
}

impl MethodView<'_> {
    /// Where `this` may be uninitialized, so that no handler may be added.
    pub(crate) fn constructor_head(&self) -> Result<ConstructorHead, Reason> {
        if !self.constructor {
            return Ok(ConstructorHead::default());
        }
        let head = ConstructorHead::of(self.method, &self.code, self.instructions);
        Ok(head?)
    }
}
