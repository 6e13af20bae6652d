/* An agent that wants the VM's allocation sampler, as profilers do. Its file says whether it got it. */
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jint take(JavaVM *vm, const char *file) {
    jvmtiEnv *jvmti = NULL;
    jvmtiCapabilities wanted;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) {
        return JNI_ERR;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.can_generate_sampled_object_alloc_events = 1;
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    FILE *out = fopen(file, "w");
    if (out != NULL) {
        fprintf(out, "%d\n", (int)error);
        fclose(out);
    }
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    return take(vm, options);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    return take(vm, options);
}
