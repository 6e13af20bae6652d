/* Native code of JniProbe: objects made in every way that is awkward to count. */
#include <jni.h>
#include <pthread.h>
#include <stddef.h>

static JavaVM *the_vm;

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    the_vm = vm;
    return JNI_VERSION_1_8;
}

/* More arguments than there are registers of either sort. */
JNIEXPORT jobject JNICALL Java_JniProbe_manyArguments(JNIEnv *env, jclass own, jclass many, jint seed, jobject reference) {
    (void)own;
    jmethodID constructor = (*env)->GetMethodID(env, many, "<init>", "(IDJFBDSDCDZDLjava/lang/Object;DDDDIJI)V");
    if (constructor == NULL) {
        return NULL;
    }
    return (*env)->NewObject(env, many, constructor, seed, seed + 0.5, (jlong)seed << 33, (jfloat)(seed + 0.25f), (jbyte)seed,
                             seed + 1.5, (jshort)seed, seed + 2.5, (jchar)seed, seed + 3.5, (jboolean)(seed & 1), seed + 4.5,
                             reference, seed + 5.5, seed + 6.5, seed + 7.5, seed + 8.5, seed + 1, (jlong)seed << 34, seed + 2);
}

/* No argument but the fixed ones. */
JNIEXPORT jobject JNICALL Java_JniProbe_noArguments(JNIEnv *env, jclass own, jclass type) {
    (void)own;
    jmethodID constructor = (*env)->GetMethodID(env, type, "<init>", "()V");
    return constructor == NULL ? NULL : (*env)->NewObject(env, type, constructor);
}

JNIEXPORT jstring JNICALL Java_JniProbe_wide(JNIEnv *env, jclass own, jint length) {
    static const jchar text[] = {0x3b1, 0x3b2, 'c', 'd', 0x3b5, 0x3b6, 'g', 'h', 'i', 'j'};
    (void)own;
    return (*env)->NewString(env, text, length);
}

JNIEXPORT jstring JNICALL Java_JniProbe_utf(JNIEnv *env, jclass own, jboolean wide) {
    (void)own;
    return (*env)->NewStringUTF(env, wide ? "\xce\xb1-wide" : "");
}

/* Tries to make an object of an abstract class; the exception of that. */
JNIEXPORT jobject JNICALL Java_JniProbe_afterException(JNIEnv *env, jclass own, jclass type) {
    (void)own;
    jmethodID constructor = (*env)->GetMethodID(env, type, "<init>", "()V");
    if (constructor == NULL) {
        return NULL;
    }
    jobject made = (*env)->NewObject(env, type, constructor);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (made != NULL || thrown == NULL) {
        return NULL;
    }
    (*env)->ExceptionClear(env);
    return thrown;
}

/* Makes an array while an exception is pending: against the rules, but the VM does it. */
JNIEXPORT void JNICALL Java_JniProbe_whilePending(JNIEnv *env, jclass own, jclass exception) {
    (void)own;
    (*env)->ThrowNew(env, exception, "left pending");
    (*env)->NewIntArray(env, 2);
}

static void *attached(void *rounds) {
    JNIEnv *env;
    if ((*the_vm)->AttachCurrentThread(the_vm, (void **)&env, NULL) != JNI_OK) {
        return NULL;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rounds; i++) {
        (*env)->DeleteLocalRef(env, (*env)->NewDoubleArray(env, 5));
    }
    (*the_vm)->DetachCurrentThread(the_vm);
    return NULL;
}

/* A thread of the system's that comes, makes arrays, and goes. */
JNIEXPORT void JNICALL Java_JniProbe_inAttachedThread(JNIEnv *env, jclass own, jint rounds) {
    pthread_t thread;
    (void)env;
    (void)own;
    if (pthread_create(&thread, NULL, attached, (void *)(ptrdiff_t)rounds) == 0) {
        pthread_join(thread, NULL);
    }
}

JNIEXPORT void JNICALL Java_JniProbe_arrays(JNIEnv *env, jclass own, jint rounds) {
    (void)own;
    for (jint i = 0; i < rounds; i++) {
        (*env)->DeleteLocalRef(env, (*env)->NewByteArray(env, 24));
    }
}
