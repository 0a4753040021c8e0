# SANITIZER_ENVIRONMENT: what sanitized test programs need. The MPIs and their transports are not
# instrumented: what they leak or race on is not ours to mend; the lists name them one by one.
set(SANITIZER_ENVIRONMENT "")
if(TRIBUTARY_SANITIZE MATCHES "address")
  list(APPEND SANITIZER_ENVIRONMENT
    "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:verify_asan_link_order=0"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leak.supp:print_suppressions=0")
endif()
if(TRIBUTARY_SANITIZE MATCHES "undefined")
  list(APPEND SANITIZER_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()
if(TRIBUTARY_SANITIZE MATCHES "thread")
  # UCX patches madvise and friends with a hook that takes a lock: a thread that ends calls it when
  # the sanitizer has already let go of the thread, and crashes.
  list(APPEND SANITIZER_ENVIRONMENT
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/race.supp:ignore_noninstrumented_modules=1:halt_on_error=1"
    "UCX_MEM_MMAP_HOOK_MODE=none")
endif()
