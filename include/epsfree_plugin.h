/* A simulator as a shared library: what it exports and epsfree calls.
 *
 *   #include <epsfree_plugin.h>
 *
 *   EPSFREE_PLUGIN(2, 3, 1)   // 2 parameters, 3 statistics, may be called from several threads
 *
 *   int32_t epsfree_simulate(const double *theta, int32_t num_parameters, uint64_t seed, double *x,
 *                            int32_t num_statistics, char *message, int32_t message_size) {
 *     ...
 *     return EPSFREE_OK;
 *   }
 *
 *   cc -O2 -shared -fPIC -o my_simulator.so my_simulator.c -lm
 *
 * Plain C, so that C, C++ and, through iso_c_binding, Fortran can be used; a Fortran module writes
 * the three small functions that EPSFREE_PLUGIN makes by hand (examples/simulators/ar1.f90).
 */
#ifndef EPSFREE_PLUGIN_H
#define EPSFREE_PLUGIN_H

#include <stdint.h>

/* Raised whenever a library made for an older one would be called wrongly. */
#define EPSFREE_PLUGIN_VERSION 1

/* How a simulation ended. Every other number counts as failed. */
#define EPSFREE_OK 0
#define EPSFREE_INVALID \
  1 /* the model has no outcome there: a population died out, a matrix is singular */
#define EPSFREE_FAILED 2 /* something broke, which says nothing about the model */

#if defined(_WIN32)
#define EPSFREE_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EPSFREE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define EPSFREE_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The EPSFREE_PLUGIN_VERSION that the library was compiled with. */
EPSFREE_PLUGIN_EXPORT int32_t epsfree_plugin_version(void);

/* How many parameters it takes and statistics it gives; 0: as many as the problem has. */
EPSFREE_PLUGIN_EXPORT int32_t epsfree_plugin_num_parameters(void);
EPSFREE_PLUGIN_EXPORT int32_t epsfree_plugin_num_statistics(void);

/* Optional: not 0 if it may be called from several threads at once, which is true of code without
 * static or global variables. Without it calls are made one after the other. */
EPSFREE_PLUGIN_EXPORT int32_t epsfree_plugin_is_thread_safe(void);

/* Simulates once: reads theta[0 .. num_parameters-1], writes x[0 .. num_statistics-1]. The outcome
 * must depend on theta and seed alone. What went wrong may be written to `message`, a string of at
 * most message_size bytes, its 0 included; it is empty before the call. */
EPSFREE_PLUGIN_EXPORT int32_t epsfree_simulate(const double* theta, int32_t num_parameters,
                                               uint64_t seed, double* x, int32_t num_statistics,
                                               char* message, int32_t message_size);

/* Optional, and used instead of the above where it is there: `count` simulations at once. The i-th
 * has its parameters at thetas + i * num_parameters, its seed in seeds[i], writes its statistics to
 * xs + i * num_statistics, its outcome to outcomes[i] (EPSFREE_OK before the call) and its message
 * to messages + i * message_size. Each must depend on its own parameters and seed alone: how they
 * are put together differs from run to run. What is returned is the outcome of the call as a whole:
 * anything but EPSFREE_OK makes all of them failed. */
EPSFREE_PLUGIN_EXPORT int32_t epsfree_simulate_batch(int32_t count, const double* thetas,
                                                     int32_t num_parameters, const uint64_t* seeds,
                                                     double* xs, int32_t num_statistics,
                                                     int32_t* outcomes, char* messages,
                                                     int32_t message_size);

#ifdef __cplusplus
}
#define EPSFREE_PLUGIN_LINKAGE extern "C"
#else
#define EPSFREE_PLUGIN_LINKAGE
#endif

/* Defines what a library says about itself. To stand once, outside of any function. */
#define EPSFREE_PLUGIN(num_parameters, num_statistics, is_thread_safe)                            \
  EPSFREE_PLUGIN_LINKAGE int32_t epsfree_plugin_version(void) { return EPSFREE_PLUGIN_VERSION; }  \
  EPSFREE_PLUGIN_LINKAGE int32_t epsfree_plugin_num_parameters(void) { return (num_parameters); } \
  EPSFREE_PLUGIN_LINKAGE int32_t epsfree_plugin_num_statistics(void) { return (num_statistics); } \
  EPSFREE_PLUGIN_LINKAGE int32_t epsfree_plugin_is_thread_safe(void) { return (is_thread_safe); }

#endif
