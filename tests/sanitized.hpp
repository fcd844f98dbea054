// Whether a sanitizer watches this build: PACO_SANITIZED is 1 or 0. GCC and clang say it in
// different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PACO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PACO_SANITIZED 1
#endif
#endif
#ifndef PACO_SANITIZED
#define PACO_SANITIZED 0
#endif
