/* Native code of ducktrack.known.NativeThreads: POSIX threads that attach themselves to the VM, work, and detach. */
#include <jni.h>
#include <pthread.h>

#define AT_ONCE 4

struct work {
    JavaVM *vm;
    jclass own;
    jclass bare;
    jmethodID called;
    jint calls;
    jint sum;
};

static void *attached(void *argument) {
    struct work *work = argument;
    JNIEnv *env;
    if ((*work->vm)->AttachCurrentThread(work->vm, (void **)&env, NULL) != JNI_OK) {
        return NULL;
    }
    jobject bare = (*env)->AllocObject(env, work->bare);
    work->sum = bare == NULL ? -1 : 0;
    for (jint i = 0; i < work->calls; i++) {
        jint length = (*env)->CallStaticIntMethod(env, work->own, work->called, i);
        if ((*env)->ExceptionCheck(env)) {
            (*env)->ExceptionClear(env);
        } else {
            work->sum += length;
        }
    }
    (*work->vm)->DetachCurrentThread(work->vm);
    return NULL;
}

JNIEXPORT jint JNICALL Java_ducktrack_known_NativeThreads_attach(JNIEnv *env, jclass own, jclass bare, jint threads, jint calls) {
    JavaVM *vm;
    jint sum = 0;
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK) {
        return -1;
    }
    struct work one = {
        vm, (*env)->NewGlobalRef(env, own), (*env)->NewGlobalRef(env, bare), (*env)->GetStaticMethodID(env, own, "called", "(I)I"), calls, 0};
    for (jint done = 0; done < threads; done += AT_ONCE) {
        pthread_t running[AT_ONCE];
        struct work work[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            work[i] = one;
            if (pthread_create(&running[i], NULL, attached, &work[i]) != 0) {
                return -1;
            }
        }
        for (int i = 0; i < AT_ONCE; i++) {
            pthread_join(running[i], NULL);
            sum += work[i].sum;
        }
    }
    (*env)->DeleteGlobalRef(env, one.own);
    (*env)->DeleteGlobalRef(env, one.bare);
    return sum;
}
