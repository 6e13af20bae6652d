//! JNI functions that stand in the VM's table in place of others, and how these are called.

/// Functions of the table and ours: how ours are put in, recognized, and taken out again.
macro_rules! replaced {
    ($($name:ident $own:ident;)*) => {
        fn put_all(table: &mut JNINativeInterface_) {
            // SAFETY: every VM has the functions of version 1.1.
            let functions = unsafe { &mut table.v1_1 };
            $(functions.$name = $own;)*
        }

        fn are_all(table: &JNINativeInterface_) -> bool {
            // SAFETY: every VM has the functions of version 1.1.
            let functions = unsafe { &table.v1_1 };
            true $(&& functions.$name as usize == $own as *const () as usize)*
        }

        fn put_all_back(table: &mut JNINativeInterface_, original: &JNINativeInterface_) {
            // SAFETY: every VM has the functions of version 1.1.
            let (functions, original) = unsafe { (&mut table.v1_1, &original.v1_1) };
            $(functions.$name = original.$name;)*
        }
    };
}
pub(crate) use replaced;

/// Calls a function of the original table.
macro_rules! original {
    ($name:ident($env:expr $(, $argument:expr)*)) => {
        match $crate::native_code::jni_table::JniFunctions::get() {
            // SAFETY: the caller's arguments are passed on to the function that the caller meant.
            Some(functions) => unsafe { (functions.original().v1_1.$name)($env $(, $argument)*) },
            // Never: the original is kept before ours is put in.
            // SAFETY: the functions give nothing or a pointer.
            None => unsafe { std::mem::zeroed() },
        }
    };
}
pub(crate) use original;
