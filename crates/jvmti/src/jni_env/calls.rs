//! Method IDs, constructors and calls. Arguments are `jvalue`s in the order of the descriptor.

use jni::sys::{jclass, jint, jlong, jmethodID, jobject, jthrowable, jvalue};

use super::{Jni, jni_call};
use crate::error::{Error, c_string};

impl Jni {
    /// The ID of a static method. Initializes the class.
    pub fn static_method_id(
        self,
        class: jclass,
        name: &str,
        descriptor: &str,
    ) -> Result<jmethodID, Error> {
        let function = "GetStaticMethodID";
        let (name, descriptor) = (c_string(function, name)?, c_string(function, descriptor)?);
        let id = jni_call!(
            self,
            v1_1.GetStaticMethodID(class, name.as_ptr(), descriptor.as_ptr())
        );
        self.non_null(function, id)
    }

    /// The ID of an instance method or (`<init>`) constructor. Initializes the class.
    pub fn method_id(
        self,
        class: jclass,
        name: &str,
        descriptor: &str,
    ) -> Result<jmethodID, Error> {
        let function = "GetMethodID";
        let (name, descriptor) = (c_string(function, name)?, c_string(function, descriptor)?);
        let id = jni_call!(
            self,
            v1_1.GetMethodID(class, name.as_ptr(), descriptor.as_ptr())
        );
        self.non_null(function, id)
    }

    /// Calls a static method that returns nothing.
    pub fn call_static_void(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<(), Error> {
        jni_call!(
            self,
            v1_1.CallStaticVoidMethodA(class, method, arguments.as_ptr())
        );
        self.without_exception("CallStaticVoidMethodA", ())
    }

    /// Calls a static method that returns an `int`.
    pub fn call_static_int(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jint, Error> {
        let value = jni_call!(
            self,
            v1_1.CallStaticIntMethodA(class, method, arguments.as_ptr())
        );
        self.without_exception("CallStaticIntMethodA", value)
    }

    /// Calls a static method that returns a `long`.
    pub fn call_static_long(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jlong, Error> {
        let value = jni_call!(
            self,
            v1_1.CallStaticLongMethodA(class, method, arguments.as_ptr())
        );
        self.without_exception("CallStaticLongMethodA", value)
    }

    /// Calls a static method that returns a `boolean`.
    pub fn call_static_boolean(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<bool, Error> {
        let value = jni_call!(
            self,
            v1_1.CallStaticBooleanMethodA(class, method, arguments.as_ptr())
        );
        self.without_exception("CallStaticBooleanMethodA", value)
    }

    /// Calls a static method that returns a reference; null is allowed.
    pub fn call_static_object(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jobject, Error> {
        let value = jni_call!(
            self,
            v1_1.CallStaticObjectMethodA(class, method, arguments.as_ptr())
        );
        self.without_exception("CallStaticObjectMethodA", value)
    }

    /// Calls a static method that returns a reference. An exception is cleared and returned as a local reference.
    pub fn try_call_static_object(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jobject, jthrowable> {
        let value = jni_call!(
            self,
            v1_1.CallStaticObjectMethodA(class, method, arguments.as_ptr())
        );
        self.take_exception().map_or(Ok(value), Err)
    }

    /// Calls an instance method that returns nothing.
    pub fn call_void(
        self,
        object: jobject,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<(), Error> {
        jni_call!(
            self,
            v1_1.CallVoidMethodA(object, method, arguments.as_ptr())
        );
        self.without_exception("CallVoidMethodA", ())
    }

    /// Calls an instance method that returns an `int`.
    pub fn call_int(
        self,
        object: jobject,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jint, Error> {
        let value = jni_call!(
            self,
            v1_1.CallIntMethodA(object, method, arguments.as_ptr())
        );
        self.without_exception("CallIntMethodA", value)
    }

    /// Calls an instance method that returns a `long`.
    pub fn call_long(
        self,
        object: jobject,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jlong, Error> {
        let value = jni_call!(
            self,
            v1_1.CallLongMethodA(object, method, arguments.as_ptr())
        );
        self.without_exception("CallLongMethodA", value)
    }

    /// Calls an instance method that returns a reference; null is allowed.
    pub fn call_object(
        self,
        object: jobject,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jobject, Error> {
        let value = jni_call!(
            self,
            v1_1.CallObjectMethodA(object, method, arguments.as_ptr())
        );
        self.without_exception("CallObjectMethodA", value)
    }

    /// Creates an object with a constructor.
    pub fn new_object(
        self,
        class: jclass,
        constructor: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jobject, Error> {
        self.non_null(
            "NewObjectA",
            jni_call!(
                self,
                v1_1.NewObjectA(class, constructor, arguments.as_ptr())
            ),
        )
    }
}
