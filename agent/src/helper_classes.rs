//! The helper classes in the VM: their definition, the methods that rewritten code calls, and which loaders can find them.

pub(crate) mod context_helper;
pub(crate) mod definition;
pub(crate) mod event_helper;
pub(crate) mod helper_class;
pub(crate) mod library_class;
pub(crate) mod loader_links;
pub(crate) mod measured_helper;
pub(crate) mod module_helper;
pub(crate) mod off_heap_helper;
pub(crate) mod program_helpers;
