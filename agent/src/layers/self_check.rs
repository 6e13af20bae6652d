//! The address of an object, for the checks of a layer that begins.

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::jobject;

use crate::options::SelfCheck;
use crate::trace::layer::LayerStart;

/// Where an object is. If this check is to fail (`failing-check=`), the answer is the next word.
pub(crate) fn checked_address(
    check: SelfCheck,
    start: &LayerStart<'_>,
    object: jobject,
) -> Option<Address> {
    let address = start.address(object)?;
    let is_to_fail = start.core.options.failing_check == Some(check);
    Some(address.plus(if is_to_fail { 8 } else { 0 }))
}
