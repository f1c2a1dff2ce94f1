// The table of methods, as Python shows it.
#include "infer/methods.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/bindings.hpp"

namespace epsfree::python {

namespace nb = nanobind;

namespace {

/// Groups and options in lists, in the order of the table.
class OptionLister final : public OptionVisitor {
 public:
  void group(const std::string& path, const std::string& help) override {
    path_ = path.empty() ? "" : path + ".";
    if (!path.empty()) groups_[path.c_str()] = help;
  }
  void option(const Option& option) override {
    nb::dict each;
    each["path"] = path_ + option.name;
    each["help"] = option.help;
    each["range"] = option.range.text;
    std::visit(
        [&]<class Place>(const Place& place) {
          if constexpr (std::is_same_v<Place, OptionChoice>) {
            each["default"] = place.names.at(place.get());
            each["choices"] = place.names;
          } else {
            each["default"] = *place;
            each["choices"] = std::vector<std::string>{};
          }
        },
        option.place);
    options_.append(each);
  }
  nb::dict groups() const { return groups_; }
  nb::list options() const { return options_; }

 private:
  std::string path_;
  nb::dict groups_;
  nb::list options_;
};

nb::list all_methods() {
  nb::list list;
  for (const MethodEntry& entry : methods()) {
    InferOptions options{.method = entry.defaults};
    OptionLister lister;
    visit_options(options, lister);
    nb::dict each;
    each["name"] = entry.name;
    each["help"] = entry.help;
    each["any_observation"] = entry.learns_any_observation;
    each["groups"] = lister.groups();
    each["options"] = lister.options();
    list.append(each);
  }
  return list;
}

}  // namespace

void bind_methods(nb::module_& module) { module.def("methods", &all_methods); }

}  // namespace epsfree::python
