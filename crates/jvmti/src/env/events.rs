//! Capabilities, callbacks and event notification.

use super::{Env, call};
use crate::capabilities::Capabilities;
use crate::enumerations::{EventKind, EventMode};
use crate::error::{Error, length_for_vm};
use crate::event_callbacks::EventCallbacks;
use crate::raw_types::jthread;

impl Env {
    /// The capabilities that the VM can give at this moment.
    pub fn potential_capabilities(self) -> Result<Capabilities, Error> {
        let mut offered = Capabilities::default();
        call!(self, GetPotentialCapabilities(&raw mut offered))?;
        Ok(offered)
    }

    /// The capabilities that this environment has.
    pub fn capabilities(self) -> Result<Capabilities, Error> {
        let mut owned = Capabilities::default();
        call!(self, GetCapabilities(&raw mut owned))?;
        Ok(owned)
    }

    /// Adds the wanted capabilities that the VM offers, and returns which of the wanted ones the environment now has.
    pub fn add_capabilities(self, wanted: &Capabilities) -> Result<Capabilities, Error> {
        let offered = wanted.intersection(&self.potential_capabilities()?);
        call!(self, AddCapabilities(&raw const offered))?;
        Ok(wanted.intersection(&self.capabilities()?))
    }

    /// Relinquishes capabilities.
    pub fn relinquish_capabilities(self, given_up: &Capabilities) -> Result<(), Error> {
        call!(self, RelinquishCapabilities(std::ptr::from_ref(given_up)))
    }

    /// Sets all callbacks at once. The VM copies the structure.
    ///
    /// # Safety
    /// The functions must stay loaded while the environment lives, and must not unwind (see [`crate::guard`]).
    pub unsafe fn set_event_callbacks(self, callbacks: &EventCallbacks) -> Result<(), Error> {
        let size = length_for_vm("SetEventCallbacks", size_of::<EventCallbacks>())?;
        call!(self, SetEventCallbacks(std::ptr::from_ref(callbacks), size))
    }

    /// Enables or disables an event, for one thread or (null) for all.
    pub fn set_event_notification_mode(
        self,
        mode: EventMode,
        event: EventKind,
        thread: jthread,
    ) -> Result<(), Error> {
        call!(self, SetEventNotificationMode(mode, event, thread))
    }

    /// Enables an event for all threads.
    pub fn enable(self, event: EventKind) -> Result<(), Error> {
        self.set_event_notification_mode(EventMode::ENABLE, event, std::ptr::null_mut())
    }

    /// Disables an event for all threads.
    pub fn disable(self, event: EventKind) -> Result<(), Error> {
        self.set_event_notification_mode(EventMode::DISABLE, event, std::ptr::null_mut())
    }

    /// Sets the mean number of bytes between two `SampledObjectAlloc` events. JDK 11 and later.
    pub fn set_heap_sampling_interval(self, bytes: i32) -> Result<(), Error> {
        call!(self, SetHeapSamplingInterval(bytes))
    }
}
