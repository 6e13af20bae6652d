/* An agent that tells, in a file, which objects are allocated and which allocations fail from the first OutOfMemoryError on. Options: FILE, or FILE,failures
   without the VM's allocation sampler, which only one tool can have: then only those that fail. A line of the file:

   allocated THREAD CLASS METHOD      the method is the one on top of the stack; - without one
   failed THREAD METHOD
   end                                the VM calls the agents for its end; the agent that was loaded last has the last such line */
#include <fcntl.h>
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1;
static volatile int is_full = 0;

/* Written at once and whole: the JVM may be killed at any moment. */
static void tell(const char *line) {
    if (write(file, line, strlen(line)) < 0) {
        abort();
    }
}

static void name_thread(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, char *into, size_t size) {
    jvmtiThreadInfo info;
    snprintf(into, size, "-");
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE) {
        return;
    }
    snprintf(into, size, "%s", info.name);
    for (char *at = into; *at != 0; at++) {
        *at = *at == ' ' ? '_' : *at;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

static void name_method(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, char *into, size_t size) {
    jvmtiFrameInfo frame;
    jint count = 0;
    char *name = NULL;
    jclass class = NULL;
    char *class_name = NULL;
    snprintf(into, size, "-");
    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, 1, &frame, &count) != JVMTI_ERROR_NONE || count == 0) {
        return;
    }
    if ((*jvmti)->GetMethodName(jvmti, frame.method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodDeclaringClass(jvmti, frame.method, &class) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) == JVMTI_ERROR_NONE) {
        snprintf(into, size, "%s%s", class_name, name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
    if (class != NULL) {
        (*jni)->DeleteLocalRef(jni, class);
    }
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size) {
    (void)object;
    (void)size;
    if (!is_full) {
        return;
    }
    char by[200], method[400], line[1000];
    char *signature = NULL;
    name_thread(jvmti, jni, thread, by, sizeof by);
    name_method(jvmti, jni, thread, method, sizeof method);
    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);
    snprintf(line, sizeof line, "allocated %s %s %s\n", by, signature == NULL ? "-" : signature, method);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    tell(line);
}

static void JNICALL failed(jvmtiEnv *jvmti, JNIEnv *jni, jint flags, const void *reserved, const char *text) {
    (void)flags;
    (void)reserved;
    (void)text;
    is_full = 1;
    jthread thread = NULL;
    if ((*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE || thread == NULL) {
        tell("failed - -\n");
        return;
    }
    char by[200], method[400], line[1000];
    name_thread(jvmti, jni, thread, by, sizeof by);
    name_method(jvmti, jni, thread, method, sizeof method);
    snprintf(line, sizeof line, "failed %s %s\n", by, method);
    (*jni)->DeleteLocalRef(jni, thread);
    tell(line);
}

static void JNICALL ended(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void)jvmti;
    (void)jni;
    tell("end\n");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    char *comma = strchr(options, ',');
    int only_failures = comma != NULL;
    if (comma != NULL) {
        *comma = 0;
    }
    /* Loaded a second time it only tells of the end once more. */
    int is_first = file < 0;
    if (is_first) {
        file = open(options, O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    jvmtiEnv *jvmti = NULL;
    if (file < 0 || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) {
        return JNI_ERR;
    }
    jvmtiCapabilities wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.can_generate_resource_exhaustion_heap_events = 1;
    wanted.can_generate_sampled_object_alloc_events = is_first && !only_failures;
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.SampledObjectAlloc = allocated;
    callbacks.ResourceExhausted = failed;
    callbacks.VMDeath = ended;
    int error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    error |= (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    error |= (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (is_first) {
        error |= (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, NULL);
        if (!only_failures) {
            error |= (*jvmti)->SetHeapSamplingInterval(jvmti, 0);
            error |= (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
        }
    }
    return error == 0 ? JNI_OK : JNI_ERR;
}
