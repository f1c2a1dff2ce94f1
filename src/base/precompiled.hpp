// Headers that most files include, compiled once for all of them (EPSFREE_PRECOMPILE). No file may
// rely on this one: each includes what it uses, and the build of the fuzzers, which precompiles
// nothing, shows where that was forgotten.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
