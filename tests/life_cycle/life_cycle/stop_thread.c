/* Native code of StoppedAtStart: what a debugger does to stop a thread. */
#include <jvmti.h>

JNIEXPORT jint JNICALL Java_StoppedAtStart_stop(JNIEnv *env, jclass own, jobject thread, jobject with) {
    static jvmtiEnv *jvmti;
    (void)own;
    if (jvmti == NULL) {
        JavaVM *vm;
        jvmtiCapabilities wanted = {0};
        wanted.can_signal_thread = 1;
        if ((*env)->GetJavaVM(env, &vm) != 0 || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != 0) {
            return -1;
        }
        (*jvmti)->AddCapabilities(jvmti, &wanted);
    }
    return (*jvmti)->StopThread(jvmti, thread, with);
}
