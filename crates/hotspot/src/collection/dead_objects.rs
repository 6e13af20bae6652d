//! Records the objects that a collection found dead, each with the objects it referred to.
//!
//! A collector does not touch dead objects: after an evacuation their old copies still hold their references, and in a full collection they
//! do so until objects move. A reference holds the address that its target had before the collection.
//!
//! ```text
//! young, mixed   evacuated spaces and regions, walked when the collection is over     -> each dead object; then the survivors
//! full           all spaces, walked right after marking                               -> each dead object; at the end, the survivors
//! ```
//!
//! The frames in a `jdk.internal.vm.StackChunk` (the stack of a virtual thread) are not read.

use std::fmt::Debug;

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable, SizeRule};
use crate::classes::filler_class::only_fills;
use crate::classes::layout_helper::InstanceSize;
use crate::collection::survivor_list::SurvivorList;
use crate::error::Error;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::reference_form::ReferenceForm;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// A reference held by a dead object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldReference {
    /// Bytes from the start of the object to the reference.
    pub offset: usize,
    /// The address of the target when the collection began. Never null.
    pub target: Address,
}

/// Records dead objects. Called during a pause from inside the VM: implementations must not call the VM.
pub trait DeadRecorder: Debug + Send + Sync {
    /// Records an object that the current collection found dead. Addresses ascend within a space.
    fn dead(&mut self, object: Address, references: &[HeldReference]);

    /// Returns what was recorded for the finished collection, as contents of trace blocks. Its survivors follow.
    fn take(&mut self) -> Vec<Vec<u8>>;

    /// Receives the survivors of the finished collection.
    fn survived(&mut self, survivors: &SurvivorList);
}

/// A recorder with what it needs to read references.
#[derive(Debug)]
pub(crate) struct DeadObjects {
    recorder: Box<dyn DeadRecorder>,
    form: ReferenceForm,
    held: Vec<HeldReference>,
}

impl DeadObjects {
    pub(crate) fn new(
        vm: &VmStructs,
        flags: &JvmFlags,
        recorder: Box<dyn DeadRecorder>,
    ) -> Result<Self, Error> {
        Ok(Self {
            recorder,
            form: ReferenceForm::load(vm, flags)?,
            held: Vec::new(),
        })
    }

    pub(crate) fn recorder(&mut self) -> &mut dyn DeadRecorder {
        &mut *self.recorder
    }

    /// Records an object.
    ///
    /// # Safety
    /// The world must be stopped. At `object` there must be an object of this class in readable memory; its mark word may be overwritten.
    pub(crate) unsafe fn object(
        &mut self,
        object: Address,
        class: ClassId,
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) {
        if only_fills(classes, class) {
            return;
        }
        self.held.clear();
        // SAFETY: the caller upholds the same contract.
        unsafe { self.read_references(object, class, classes, sizes) };
        self.recorder.dead(object, &self.held);
    }

    unsafe fn read_references(
        &mut self,
        object: Address,
        class: ClassId,
        classes: &ClassTable,
        sizes: &ObjectSizes,
    ) {
        let rule = classes.rule(class);
        if let SizeRule::Array(helper) = rule {
            if let InstanceSize::Array {
                header_bytes,
                of_references: true,
                ..
            } = helper.decode()
            {
                // SAFETY: the caller vouches for the object.
                let length = unsafe { sizes.header().array_length_of(object) };
                // SAFETY: the array is readable, and all its elements lie inside it.
                unsafe { self.read_run(object, header_bytes, length as usize) };
            }
            return;
        }
        for run in classes.references_of(class) {
            // SAFETY: the run of references lies inside the object, whose memory the caller guarantees to be readable.
            unsafe { self.read_run(object, run.offset as usize, run.count as usize) };
        }
        if let SizeRule::Mirror(fields) = rule {
            // SAFETY: the VM keeps the count in each `java.lang.Class` object and the references after its fields; `most` keeps the run
            // inside the object.
            unsafe {
                let count: i32 = object.plus(self.form.static_count).read();
                let end = sizes.bytes_of(object, rule).unwrap_or(0);
                let most = end.saturating_sub(fields) / self.form.size();
                let count = usize::try_from(count).unwrap_or(0).min(most);
                self.read_run(object, fields, count);
            }
        }
    }

    unsafe fn read_run(&mut self, object: Address, first: usize, count: usize) {
        for at in 0..count {
            let offset = first + at * self.form.size();
            // SAFETY: the caller vouches for the run.
            let target = unsafe { self.form.read(object.plus(offset)) };
            if !target.is_null() {
                self.held.push(HeldReference { offset, target });
            }
        }
    }
}
