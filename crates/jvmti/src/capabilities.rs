//! The capabilities of an environment: 128 bits, one per capability.
//!
//! `jvmtiCapabilities` in C is a sequence of one-bit fields, packed from the lowest bit of the first 32-bit word upwards.
//!
//! | bit | word | mask | capability |
//! |---|---|---|---|
//! | 0 | 0 | 0x0000_0001 | `can_tag_objects` |
//! | 26 | 0 | 0x0400_0000 | `can_generate_all_class_hook_events` |
//! | 37 | 1 | 0x0000_0020 | `can_retransform_classes` |
//! | 44 | 1 | 0x0000_1000 | `can_support_virtual_threads` |
//!
//! Bits 45 to 127 are reserved.

use std::fmt;

/// A set of capabilities, in the VM's layout.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities {
    words: [u32; 4],
}

macro_rules! capabilities {
    ($($bit:literal $c_name:ident $name:ident)*) => {
        /// One capability. The number is its bit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Capability {
            $(
                #[doc = concat!("`", stringify!($c_name), "`.")]
                $name = $bit,
            )*
        }

        impl Capability {
            /// Every capability of JDK 25, by bit.
            pub const ALL: &[Capability] = &[$(Capability::$name,)*];

            /// The name in `jvmti.h`.
            #[must_use]
            pub const fn c_name(self) -> &'static str {
                match self {
                    $(Capability::$name => stringify!($c_name),)*
                }
            }
        }
    };
}

capabilities! {
    0 can_tag_objects CanTagObjects
    1 can_generate_field_modification_events CanGenerateFieldModificationEvents
    2 can_generate_field_access_events CanGenerateFieldAccessEvents
    3 can_get_bytecodes CanGetBytecodes
    4 can_get_synthetic_attribute CanGetSyntheticAttribute
    5 can_get_owned_monitor_info CanGetOwnedMonitorInfo
    6 can_get_current_contended_monitor CanGetCurrentContendedMonitor
    7 can_get_monitor_info CanGetMonitorInfo
    8 can_pop_frame CanPopFrame
    9 can_redefine_classes CanRedefineClasses
    10 can_signal_thread CanSignalThread
    11 can_get_source_file_name CanGetSourceFileName
    12 can_get_line_numbers CanGetLineNumbers
    13 can_get_source_debug_extension CanGetSourceDebugExtension
    14 can_access_local_variables CanAccessLocalVariables
    15 can_maintain_original_method_order CanMaintainOriginalMethodOrder
    16 can_generate_single_step_events CanGenerateSingleStepEvents
    17 can_generate_exception_events CanGenerateExceptionEvents
    18 can_generate_frame_pop_events CanGenerateFramePopEvents
    19 can_generate_breakpoint_events CanGenerateBreakpointEvents
    20 can_suspend CanSuspend
    21 can_redefine_any_class CanRedefineAnyClass
    22 can_get_current_thread_cpu_time CanGetCurrentThreadCpuTime
    23 can_get_thread_cpu_time CanGetThreadCpuTime
    24 can_generate_method_entry_events CanGenerateMethodEntryEvents
    25 can_generate_method_exit_events CanGenerateMethodExitEvents
    26 can_generate_all_class_hook_events CanGenerateAllClassHookEvents
    27 can_generate_compiled_method_load_events CanGenerateCompiledMethodLoadEvents
    28 can_generate_monitor_events CanGenerateMonitorEvents
    29 can_generate_vm_object_alloc_events CanGenerateVmObjectAllocEvents
    30 can_generate_native_method_bind_events CanGenerateNativeMethodBindEvents
    31 can_generate_garbage_collection_events CanGenerateGarbageCollectionEvents
    32 can_generate_object_free_events CanGenerateObjectFreeEvents
    33 can_force_early_return CanForceEarlyReturn
    34 can_get_owned_monitor_stack_depth_info CanGetOwnedMonitorStackDepthInfo
    35 can_get_constant_pool CanGetConstantPool
    36 can_set_native_method_prefix CanSetNativeMethodPrefix
    37 can_retransform_classes CanRetransformClasses
    38 can_retransform_any_class CanRetransformAnyClass
    39 can_generate_resource_exhaustion_heap_events CanGenerateResourceExhaustionHeapEvents
    40 can_generate_resource_exhaustion_threads_events CanGenerateResourceExhaustionThreadsEvents
    41 can_generate_early_vmstart CanGenerateEarlyVmstart
    42 can_generate_early_class_hook_events CanGenerateEarlyClassHookEvents
    43 can_generate_sampled_object_alloc_events CanGenerateSampledObjectAllocEvents
    44 can_support_virtual_threads CanSupportVirtualThreads
}

impl Capability {
    const fn word(self) -> usize {
        self as usize / 32
    }

    const fn mask(self) -> u32 {
        1 << (self as u32 % 32)
    }
}

impl Capabilities {
    /// The set of these capabilities.
    #[must_use]
    pub fn of(list: &[Capability]) -> Self {
        list.iter().fold(Self::default(), |set, &one| set.with(one))
    }

    /// This set with `capability` added.
    #[must_use]
    pub const fn with(mut self, capability: Capability) -> Self {
        self.words[capability.word()] |= capability.mask();
        self
    }

    /// This set without `capability`.
    #[must_use]
    pub const fn without(mut self, capability: Capability) -> Self {
        self.words[capability.word()] &= !capability.mask();
        self
    }

    /// Whether `capability` is in the set.
    #[must_use]
    pub const fn has(&self, capability: Capability) -> bool {
        self.words[capability.word()] & capability.mask() != 0
    }

    /// The capabilities in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut words = self.words;
        for (word, theirs) in words.iter_mut().zip(other.words) {
            *word &= theirs;
        }
        Self { words }
    }

    /// The capabilities in this set but not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut words = self.words;
        for (word, theirs) in words.iter_mut().zip(other.words) {
            *word &= !theirs;
        }
        Self { words }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The known capabilities in the set, by bit.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        Capability::ALL.iter().copied().filter(|&one| self.has(one))
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Capability::c_name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Capabilities, Capability};

    #[test]
    fn bits_are_where_the_table_says() {
        let set = Capabilities::of(&[Capability::CanRetransformClasses, Capability::CanTagObjects]);
        assert_eq!(set.words, [1, 0x20, 0, 0]);
        assert!(set.has(Capability::CanTagObjects) && !set.has(Capability::CanGetBytecodes));
        assert_eq!(
            set.without(Capability::CanTagObjects).words,
            [0, 0x20, 0, 0]
        );
        assert_eq!(
            format!("{set:?}"),
            r#"{"can_tag_objects", "can_retransform_classes"}"#
        );
    }

    #[test]
    fn sets_intersect_and_differ() {
        let wanted = Capabilities::of(&[Capability::CanTagObjects, Capability::CanGetBytecodes]);
        let offered = Capabilities::of(&[Capability::CanGetBytecodes]);
        assert_eq!(wanted.intersection(&offered), offered);
        assert_eq!(
            wanted.difference(&offered).iter().collect::<Vec<_>>(),
            [Capability::CanTagObjects]
        );
        assert!(offered.difference(&wanted).is_empty());
    }
}
