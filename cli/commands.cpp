#include "cli/commands.hpp"

namespace epsfree::cli {

void add_commands(CLI::App& app, Chosen& chosen) {
  add_init(app, chosen);
  add_run(app, chosen);
  add_show(app, chosen);
  add_sample(app, chosen);
  add_logprob(app, chosen);
  add_combine(app, chosen);
  add_models(app, chosen);
}

}  // namespace epsfree::cli
