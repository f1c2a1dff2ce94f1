// A text that must hold another.
#pragma once

#include <gtest/gtest.h>

#include <string>

#define EXPECT_CONTAINS(text, part) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, std::string(part), std::string(text))
