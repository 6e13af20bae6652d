//! The start of `mode=deaths`: what it needs in addition to events, tried on real objects before a class is rewritten.

use ducktrack_hotspot::{Address, ReferenceForm};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jobject;

use crate::core::Core;
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::records::Records;
use crate::layers::stamps::Witness;
use crate::options::SelfCheck;

/// What is started, and what it is started with.
pub(super) struct WitnessStart<'a> {
    pub(super) witness: &'a Witness,
    pub(super) records: &'a Records,
    pub(super) helper: Option<&'static EventHelper>,
    /// Where the heap is reserved, if moves are known.
    pub(super) heap: Option<(Address, usize)>,
    pub(super) form: Option<ReferenceForm>,
}

impl WitnessStart<'_> {
    /// Starts it. If that fails, the trace says why, and the recording is one of `mode=trace`.
    pub(super) fn run(self, core: &Core, jni: Jni) {
        let address = |check| move |object| address_for(check, core, self.helper, jni, object);
        let stamp = address(SelfCheck::Stamp);
        if let Err(why) = self.witness.begin(core, jni, self.heap, stamp) {
            let mode = core.options.mode.word();
            let line =
                format!("mode={mode} is off, and the recording continues as mode=trace: {why}.");
            core.log.warn(&line);
            core.notes.add(line);
            return;
        }
        let identity = address(SelfCheck::Identity);
        if let Err(why) = self.records.begin(core, jni, self.form, identity) {
            let line =
                format!("mode=full is off, and the recording continues as mode=deaths: {why}.");
            core.log.warn(&line);
            core.notes.add(line);
        }
    }
}

/// Where an object is, for a self-check. If that one is to fail, the answer is the next word.
fn address_for(
    check: SelfCheck,
    core: &Core,
    helper: Option<&EventHelper>,
    jni: Jni,
    object: jobject,
) -> Option<Address> {
    let address = helper?.address_of(jni, object)?;
    let is_to_fail = core.options.failing_check == Some(check);
    Some(address.plus(if is_to_fail { 8 } else { 0 }))
}
