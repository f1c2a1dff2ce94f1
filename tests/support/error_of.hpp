// The message of the Error that a call throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "epsfree/error.hpp"

namespace epsfree {

/// Fails the test unless `call` throws an Error of this kind; returns its message.
template <class Call>
std::string error_of(ErrorKind kind, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace epsfree
