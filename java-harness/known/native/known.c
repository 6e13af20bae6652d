/* Native code of ducktrack.known.Jni: each function makes the objects of one row of that program's header. */
#include <jni.h>

static jclass made_class;
static jclass bare_class;
static jclass jni_class;
static jmethodID made_constructor;
static jmethodID call_back;

static char buffer_memory[64];

static jclass global_class(JNIEnv *env, const char *name) {
    jclass local = (*env)->FindClass(env, name);
    return local == NULL ? NULL : (*env)->NewGlobalRef(env, local);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *env;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    made_class = global_class(env, "ducktrack/known/Jni$Made");
    bare_class = global_class(env, "ducktrack/known/Jni$Bare");
    jni_class = global_class(env, "ducktrack/known/Jni");
    if (made_class == NULL || bare_class == NULL || jni_class == NULL) {
        return JNI_ERR;
    }
    made_constructor = (*env)->GetMethodID(env, made_class, "<init>", "(I)V");
    call_back = (*env)->GetStaticMethodID(env, jni_class, "callBack", "(I)I");
    return made_constructor == NULL || call_back == NULL ? JNI_ERR : JNI_VERSION_1_8;
}

static jobject new_object_v(JNIEnv *env, ...) {
    va_list arguments;
    va_start(arguments, env);
    jobject object = (*env)->NewObjectV(env, made_class, made_constructor, arguments);
    va_end(arguments);
    return object;
}

JNIEXPORT jobject JNICALL Java_ducktrack_known_Jni_newObject(JNIEnv *env, jclass own, jint form, jint value) {
    (void)own;
    if (form == 0) {
        return (*env)->NewObject(env, made_class, made_constructor, value);
    }
    if (form == 1) {
        jvalue arguments[1];
        arguments[0].i = value;
        return (*env)->NewObjectA(env, made_class, made_constructor, arguments);
    }
    return new_object_v(env, value);
}

JNIEXPORT jobject JNICALL Java_ducktrack_known_Jni_allocObject(JNIEnv *env, jclass own) {
    (void)own;
    return (*env)->AllocObject(env, bare_class);
}

JNIEXPORT jstring JNICALL Java_ducktrack_known_Jni_stringUtf(JNIEnv *env, jclass own) {
    (void)own;
    return (*env)->NewStringUTF(env, "utf");
}

JNIEXPORT jstring JNICALL Java_ducktrack_known_Jni_string(JNIEnv *env, jclass own) {
    static const jchar text[] = {'t', 'e', 'x', 't'};
    (void)own;
    return (*env)->NewString(env, text, 4);
}

JNIEXPORT jobjectArray JNICALL Java_ducktrack_known_Jni_objects(JNIEnv *env, jclass own, jobject first) {
    (void)own;
    return (*env)->NewObjectArray(env, 4, made_class, first);
}

JNIEXPORT jint JNICALL Java_ducktrack_known_Jni_primitives(JNIEnv *env, jclass own) {
    (void)own;
    const jarray arrays[] = {
        (*env)->NewBooleanArray(env, 3), (*env)->NewByteArray(env, 3),  (*env)->NewCharArray(env, 3),
        (*env)->NewShortArray(env, 3),   (*env)->NewIntArray(env, 3),   (*env)->NewLongArray(env, 3),
        (*env)->NewFloatArray(env, 3),   (*env)->NewDoubleArray(env, 3),
    };
    jint sum = 0;
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        sum += (*env)->GetArrayLength(env, arrays[i]);
        (*env)->DeleteLocalRef(env, arrays[i]);
    }
    return sum;
}

JNIEXPORT jobject JNICALL Java_ducktrack_known_Jni_buffer(JNIEnv *env, jclass own) {
    (void)own;
    return (*env)->NewDirectByteBuffer(env, buffer_memory, sizeof buffer_memory);
}

JNIEXPORT jintArray JNICALL Java_ducktrack_known_Jni_failing(JNIEnv *env, jclass own) {
    (void)own;
    return (*env)->NewIntArray(env, -1);
}

JNIEXPORT jint JNICALL Java_ducktrack_known_Jni_into(JNIEnv *env, jclass own, jint value) {
    (void)own;
    return (*env)->CallStaticIntMethod(env, jni_class, call_back, value);
}
