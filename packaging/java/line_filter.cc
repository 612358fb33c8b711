// The native part of LineFilter.java, in librocksdbjni.so.
#include <jni.h>

#include <memory>
#include <string>

#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"

extern "C" JNIEXPORT jlong JNICALL
Java_linebloom_LineFilter_create(JNIEnv* env, jclass /*type*/, jstring policy) {
  auto filter =
      std::make_unique<std::shared_ptr<const rocksdb::FilterPolicy>>();
  std::string problem = "no filter policy";
  const char* text =
      policy == nullptr ? nullptr : env->GetStringUTFChars(policy, nullptr);
  if (text != nullptr) {
    const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
        rocksdb::ConfigOptions(), text, filter.get());
    problem =
        status.ok() ? problem + " is called '" + text + "'" : status.ToString();
    env->ReleaseStringUTFChars(policy, text);
    if (status.ok() && *filter != nullptr) {
      return reinterpret_cast<jlong>(filter.release());
    }
  }
  env->ThrowNew(env->FindClass("java/lang/IllegalArgumentException"),
                problem.c_str());
  return 0;
}
