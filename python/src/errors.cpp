// The library's errors as Python exceptions: epsfree/errors.py has the classes.
#include <nanobind/nanobind.h>

#include "epsfree/error.hpp"
#include "python/src/bindings.hpp"

namespace epsfree::python {
namespace {

namespace nb = nanobind;

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return "InputError";
    case ErrorKind::io:
      return "FileError";
    case ErrorKind::stopped:
      return "StoppedError";
    case ErrorKind::interrupted:
      return "Interrupted";
    case ErrorKind::internal:
      break;
  }
  return "Error";
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("epsfree.errors").attr(class_of(error.kind()));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace epsfree::python
