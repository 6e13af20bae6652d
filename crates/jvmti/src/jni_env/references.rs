//! Local, global and weak references.

use jni::sys::{jobject, jweak};

use super::{Jni, jni_call};
use crate::error::{Error, length_for_vm};

impl Jni {
    /// A global reference: keeps the object alive until it is deleted.
    pub fn new_global_ref(self, object: jobject) -> Result<jobject, Error> {
        self.non_null("NewGlobalRef", jni_call!(self, v1_1.NewGlobalRef(object)))
    }

    /// Deletes a global reference; null is allowed.
    pub fn delete_global_ref(self, object: jobject) {
        jni_call!(self, v1_1.DeleteGlobalRef(object));
    }

    /// A weak global reference: null once the object has been collected.
    pub fn new_weak_global_ref(self, object: jobject) -> Result<jweak, Error> {
        self.non_null(
            "NewWeakGlobalRef",
            jni_call!(self, v1_2.NewWeakGlobalRef(object)),
        )
    }

    /// Deletes a weak global reference; null is allowed.
    pub fn delete_weak_global_ref(self, object: jweak) {
        jni_call!(self, v1_2.DeleteWeakGlobalRef(object));
    }

    /// A new local reference to the same object; `None` if the object of a weak reference was collected.
    #[must_use]
    pub fn new_local_ref(self, object: jobject) -> Option<jobject> {
        let local = jni_call!(self, v1_2.NewLocalRef(object));
        (!local.is_null()).then_some(local)
    }

    /// Whether the object of a weak reference is still there; if not, the reference is deleted.
    #[must_use]
    pub fn keep_weak(self, weak: jweak) -> bool {
        let object = self.new_local_ref(weak);
        match object {
            Some(object) => self.delete_local_ref(object),
            None => self.delete_weak_global_ref(weak),
        }
        object.is_some()
    }

    /// Deletes a local reference; null is allowed.
    pub fn delete_local_ref(self, object: jobject) {
        jni_call!(self, v1_1.DeleteLocalRef(object));
    }

    /// Whether both refer to the same object.
    #[must_use]
    pub fn is_same_object(self, one: jobject, other: jobject) -> bool {
        jni_call!(self, v1_1.IsSameObject(one, other))
    }

    /// Runs `body` in a local frame with room for `capacity` references. The frame is popped even if `body` panics.
    pub fn with_local_frame<T>(
        self,
        capacity: usize,
        body: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        struct Frame(Jni);
        impl Drop for Frame {
            fn drop(&mut self) {
                jni_call!(self.0, v1_2.PopLocalFrame(std::ptr::null_mut()));
            }
        }
        let capacity = length_for_vm("PushLocalFrame", capacity)?;
        self.status(
            "PushLocalFrame",
            jni_call!(self, v1_2.PushLocalFrame(capacity)),
        )?;
        let frame = Frame(self);
        let value = body();
        drop(frame);
        Ok(value)
    }
}
