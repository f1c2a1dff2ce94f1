#include "report/run_contents.hpp"

#include "epsfree/error.hpp"
#include "io/number_text.hpp"

namespace epsfree {

InferResult RunContents::result() const {
  if (!finished() || !posterior) {
    if (state == "running") {
      throw Error(ErrorKind::input, "'" + path + "' is still running: wait for its end (`epsfree " +
                                        "watch " + shell_word(path) + "` shows it)");
    }
    std::string message = "'" + path + "' is not a finished run";
    if (finished()) message = "'" + path + "' cannot be checked";
    for (const std::string& fault : faults) message += "; " + fault;
    if (!finished())
      message += "; run its problem again with --out " + shell_word(path) + " to go on with it";
    throw Error(ErrorKind::input, message);
  }
  return {posterior, estimator, summary->inference};
}

}  // namespace epsfree
