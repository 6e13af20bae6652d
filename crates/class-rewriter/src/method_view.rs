//! The input for planning one method.

use ducktrack_classfile::{ClassFile, Code, CodeOffset, Method, Opcode};

use crate::allocation_site::Allocation;
use crate::application::LeavingCalls;
use crate::pool_rules::PoolRules;
use crate::refusal::Reason;
use crate::rewrite_options::RewriteOptions;

/// The input for planning one method.
pub(crate) struct MethodView<'a, 'c> {
    pub(crate) class: &'a ClassFile<'c>,
    pub(crate) method: &'a Method<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) index: u16,
    /// It is `<init>`: before it has called another constructor, no handler may be added.
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
    /// The class belongs to the application.
    pub(crate) is_application: bool,
    /// Its calls that leave the application.
    pub(crate) leaving: &'a LeavingCalls,
    pub(crate) options: &'a RewriteOptions,
    pub(crate) allocations: Vec<Allocation>,
}

impl MethodView<'_, '_> {
    /// In a constructor, the last call of another one of its class or superclass: up to there no handler may be added.
    pub(crate) fn constructor_head(&self) -> Result<Option<CodeOffset>, Reason> {
        if !self.constructor {
            return Ok(None);
        }
        let class = self.class;
        let mut last = None;
        for instruction in self.code.instructions() {
            let instruction = instruction?;
            let Some(index) = instruction
                .pool_index()
                .filter(|_| instruction.opcode == Opcode::INVOKESPECIAL)
            else {
                continue;
            };
            let member = class.pool().member_ref(index)?;
            let is_own = member.class == class.name() || Some(member.class) == class.super_class();
            if is_own && member.name == b"<init>" {
                last = Some(instruction.offset);
            }
        }
        Ok(last)
    }
}
