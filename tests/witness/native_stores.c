/* Native code of NativeStores: references stored by each JNI function that can. */
#include <jni.h>

JNIEXPORT jobject JNICALL Java_NativeStores_store(JNIEnv *env, jclass own, jobject cell, jobjectArray array, jint index, jobject value) {
    jclass type = (*env)->GetObjectClass(env, cell);
    jfieldID field = (*env)->GetFieldID(env, type, "value", "Ljava/lang/Object;");
    jfieldID shared = (*env)->GetStaticFieldID(env, own, "shared", "Ljava/lang/Object;");
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    if (field == NULL || shared == NULL || object == NULL) {
        return NULL;
    }
    (*env)->SetObjectField(env, cell, field, value);
    (*env)->SetObjectArrayElement(env, array, index, value);
    (*env)->SetStaticObjectField(env, own, shared, value);
    return (*env)->NewObjectArray(env, 3, object, value);
}

/* A store that the VM refuses: an element of another type. */
JNIEXPORT void JNICALL Java_NativeStores_refused(JNIEnv *env, jclass own, jobjectArray cells, jobject value) {
    (void)own;
    (*env)->SetObjectArrayElement(env, cells, 0, value);
}
