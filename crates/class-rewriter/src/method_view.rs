//! What planning one method reads.

use ducktrack_classfile::{ClassFile, Code, Method};

use crate::allocation_site::Allocation;
use crate::application::LeavingCalls;
use crate::pool_rules::PoolRules;
use crate::rewrite_options::RewriteOptions;

/// Everything that planning one method reads.
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
    /// Its sites are filed under the call site under way.
    pub(crate) tracked: bool,
    /// What it allocates is counted where it is called.
    pub(crate) counted_by_callers: bool,
    /// Its calls of tracked methods are noted.
    pub(crate) takes_blame: bool,
    pub(crate) rules: &'a PoolRules,
    /// The class is the application's.
    pub(crate) is_application: bool,
    /// Its calls that leave the application.
    pub(crate) leaving: &'a LeavingCalls,
    pub(crate) options: &'a RewriteOptions,
    pub(crate) allocations: Vec<Allocation>,
}
