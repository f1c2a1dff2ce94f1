// Reading XML as another program would.
#pragma once

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace epsfree {

/// Throws unless it is well-formed.
inline boost::property_tree::ptree parse_xml(const std::string& text) {
  std::istringstream stream(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(stream, tree);
  return tree;
}

/// All that is written within, elements and all.
inline std::string inner_text(const boost::property_tree::ptree& tree) {
  std::string text = tree.data();
  for (const auto& [name, child] : tree) {
    if (name != "<xmlattr>") text += inner_text(child);
  }
  return text;
}

/// The contents of the elements of this name, in their order.
inline std::vector<std::string> texts_of(const boost::property_tree::ptree& tree,
                                         const std::string& element) {
  std::vector<std::string> texts;
  for (const auto& [name, child] : tree) {
    if (name == element) {
      texts.push_back(inner_text(child));
    } else {
      for (std::string& text : texts_of(child, element)) texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace epsfree
