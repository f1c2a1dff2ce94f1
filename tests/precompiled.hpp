// Headers that most tests include, compiled once per test program (see src/base/precompiled.hpp).
#pragma once

#include <gtest/gtest.h>

#include "base/precompiled.hpp"
