// Marks the functions that the shared library exports.
#pragma once

#define LINEBLOOM_EXPORT __attribute__((visibility("default")))
