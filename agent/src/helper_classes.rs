//! The helper classes in the VM: their definition, the methods that rewritten code calls, and which loaders can find them.

pub(crate) mod call_helper;
pub(crate) mod definition;
pub(crate) mod event_helper;
pub(crate) mod helper_class;
pub(crate) mod hint_speed;
pub(crate) mod library_class;
pub(crate) mod loader_links;
pub(crate) mod mark_helper;
pub(crate) mod measured_helper;
pub(crate) mod module_helper;
pub(crate) mod natives;
pub(crate) mod record_helper;
pub(crate) mod store_records;
pub(crate) mod use_helper;
pub(crate) mod witness_helper;
