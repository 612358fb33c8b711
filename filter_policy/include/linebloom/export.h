// What the shared library lets others call.
#pragma once

#if defined(__GNUC__)
#define LINEBLOOM_EXPORT __attribute__((visibility("default")))
#else
#define LINEBLOOM_EXPORT
#endif
