// Marks the functions that the shared library exports.
#pragma once

#if defined(__GNUC__)
#define LINEBLOOM_EXPORT __attribute__((visibility("default")))
#else
#define LINEBLOOM_EXPORT
#endif
