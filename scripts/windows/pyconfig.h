/* What CPython's headers must know of 64-bit Windows to build modules and the launcher with
 * mingw-w64. They come with the Python that builds, whose own pyconfig.h is of another system; this
 * takes its place. Only what public headers ask for.
 */
#ifndef Py_PYCONFIG_H
#define Py_PYCONFIG_H

#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define WITH_THREAD 1
#define Py_ENABLE_SHARED 1 /* functions and data come from python311.dll */
#define HAVE_DECLSPEC_DLL 1
#define WITH_DOC_STRINGS 1

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_SSIZE_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_FPOS_T 8
#define SIZEOF_OFF_T 4
#define SIZEOF_PID_T 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define ALIGNOF_LONG 4
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 16

#define STDC_HEADERS 1
#define HAVE_SSIZE_T 1
#define HAVE_STDINT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_WCHAR_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_STRFTIME 1
#define HAVE_UINTPTR_T 1

#endif
