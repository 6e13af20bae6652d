//! `NewObject(env, class, constructor, ...)`: Rust can call C functions with variable arguments, but not define one.
//!
//! So a few instructions do what `va_start` does in C: they store the argument registers, describe them and the caller's stack
//! in a `va_list`, and call the function that takes one, `NewObjectV`.
//!
//! x86-64 (System V), `va_list` of 24 bytes; stored registers are `rdi rsi rdx rcx r8 r9` (48 bytes), then `xmm0` to `xmm7`:
//!
//! | offset | field | value |
//! |---|---|---|
//! | 0 | `gp_offset` | 24: three named arguments are taken |
//! | 4 | `fp_offset` | 48 |
//! | 8 | `overflow_arg_area` | the caller's stack arguments |
//! | 16 | `reg_save_area` | the stored registers |
//!
//! AArch64 (AAPCS64), `va_list` of 32 bytes, passed by address; stored are `x3` to `x7` (40 bytes) and `q0` to `q7` (128 bytes):
//!
//! | offset | field | value |
//! |---|---|---|
//! | 0 | `stack` | the caller's stack arguments |
//! | 8 | `gr_top` | after the stored `x7` |
//! | 16 | `vr_top` | after the stored `q7` |
//! | 24 | `gr_offs` | -40 |
//! | 28 | `vr_offs` | -128 |
//!
//! On other machines `NewObject` stays as it is and is not counted.

use ducktrack_jvmti::sys::{JNIEnv, jclass, jmethodID, jobject, va_list};

use crate::callbacks::jni_counting::count_constructed;
use crate::callbacks::jni_replaced::original;

/// The type of `NewObject`.
pub(crate) type NewObject =
    unsafe extern "C" fn(env: *mut JNIEnv, class: jclass, constructor: jmethodID, ...) -> jobject;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
std::arch::global_asm!(
    ".p2align 4",
    ".globl ducktrack_jni_new_object",
    ".hidden ducktrack_jni_new_object",
    ".type ducktrack_jni_new_object, @function",
    "ducktrack_jni_new_object:",
    ".cfi_startproc",
    "endbr64",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    // 176 bytes of registers, 24 of va_list, 8 that keep the stack aligned.
    "sub rsp, 208",
    "mov [rsp + 24], rcx",
    "mov [rsp + 32], r8",
    "mov [rsp + 40], r9",
    // The caller says in al whether there are floating-point arguments.
    "test al, al",
    "je 2f",
    "movaps [rsp + 48], xmm0",
    "movaps [rsp + 64], xmm1",
    "movaps [rsp + 80], xmm2",
    "movaps [rsp + 96], xmm3",
    "movaps [rsp + 112], xmm4",
    "movaps [rsp + 128], xmm5",
    "movaps [rsp + 144], xmm6",
    "movaps [rsp + 160], xmm7",
    "2:",
    "mov dword ptr [rsp + 176], 24",
    "mov dword ptr [rsp + 180], 48",
    "lea rax, [rbp + 16]",
    "mov [rsp + 184], rax",
    "mov [rsp + 192], rsp",
    "lea rcx, [rsp + 176]",
    "call {new_object_v}",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size ducktrack_jni_new_object, . - ducktrack_jni_new_object",
    new_object_v = sym new_object_v,
);

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
std::arch::global_asm!(
    ".p2align 2",
    ".globl ducktrack_jni_new_object",
    ".hidden ducktrack_jni_new_object",
    ".type ducktrack_jni_new_object, %function",
    "ducktrack_jni_new_object:",
    ".cfi_startproc",
    "hint #34",
    // 16 bytes of frame record, 40 of x registers, 8 unused, 128 of q registers, 32 of va_list.
    "stp x29, x30, [sp, #-224]!",
    ".cfi_def_cfa_offset 224",
    ".cfi_offset x29, -224",
    ".cfi_offset x30, -216",
    "mov x29, sp",
    "stp x3, x4, [sp, #16]",
    "stp x5, x6, [sp, #32]",
    "str x7, [sp, #48]",
    "stp q0, q1, [sp, #64]",
    "stp q2, q3, [sp, #96]",
    "stp q4, q5, [sp, #128]",
    "stp q6, q7, [sp, #160]",
    "add x9, sp, #224",
    "str x9, [sp, #192]",
    "add x9, sp, #56",
    "str x9, [sp, #200]",
    "add x9, sp, #192",
    "str x9, [sp, #208]",
    "mov w9, #-40",
    "str w9, [sp, #216]",
    "mov w9, #-128",
    "str w9, [sp, #220]",
    "add x3, sp, #192",
    "bl {new_object_v}",
    "ldp x29, x30, [sp], #224",
    ".cfi_restore x29",
    ".cfi_restore x30",
    ".cfi_def_cfa_offset 0",
    "ret",
    ".cfi_endproc",
    ".size ducktrack_jni_new_object, . - ducktrack_jni_new_object",
    new_object_v = sym new_object_v,
);

/// The function in the place of `NewObject`, where there is one for this machine.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) fn new_object() -> Option<NewObject> {
    unsafe extern "C" {
        fn ducktrack_jni_new_object(
            env: *mut JNIEnv,
            class: jclass,
            constructor: jmethodID,
            ...
        ) -> jobject;
    }
    Some(ducktrack_jni_new_object)
}

/// The function in the place of `NewObject`, where there is one for this machine.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
pub(crate) fn new_object() -> Option<NewObject> {
    None
}

/// In the place of `NewObjectV`; ours of `NewObject` calls it.
pub(crate) unsafe extern "system" fn new_object_v(
    env: *mut JNIEnv,
    class: jclass,
    constructor: jmethodID,
    arguments: va_list,
) -> jobject {
    let made = original!(NewObjectV(env, class, constructor, arguments));
    count_constructed(env, made, class, "NewObject");
    made
}
