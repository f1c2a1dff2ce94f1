// Headers that most files of the program include, compiled once (see src/base/precompiled.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>
