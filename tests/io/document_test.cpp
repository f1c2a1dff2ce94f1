#include "io/document.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace epsfree {
namespace {

TEST(Document, ValuesKnowTheirPlace) {
  const Node root = parse_toml("a = 1\n[b]\nc = [1.5,\n 2]\n", "f.toml");
  EXPECT_EQ(std::get<std::int64_t>(root.find("a")->value), 1);
  EXPECT_EQ(root.find("a")->where, "f.toml:1");
  const Node* c = root.find("b")->find("c");
  EXPECT_EQ(c->where, "f.toml:3");
  EXPECT_EQ(c->items()[1].where, "f.toml:4");
}

TEST(Document, BrokenTomlNamesTheLine) {
  const std::string message =
      error_of(ErrorKind::input, [] { parse_toml("a = 1\nb = = 2\n", "f.toml"); });
  EXPECT_EQ(message.rfind("f.toml:2: not valid TOML: ", 0), 0u) << message;
}

// Found by fuzzing: toml++'s own assertion ended a build without NDEBUG.
TEST(Document, TablesWithoutANameAreRefused) {
  for (const std::string text : {"[=]", "[[=]]", "[.a]", "[\n]"}) {
    error_of(ErrorKind::input, [&] { parse_toml(text + "\n", "f.toml"); });
  }
}

// Found by fuzzing: toml++'s test for white space ran into what it calls unreachable.
TEST(Document, BareLettersBeyondAsciiAreRefused) {
  for (const std::string letter : {"\u00e9", "\u00a1", "\u03b8", "\u2e80", "\u3001", "\ufe00"}) {
    for (const std::string& text : {letter + " = 1", "a" + letter + " = 1", "[a" + letter + "b]",
                                    "a = " + letter, "a = 1" + letter, "a = [1, " + letter + "]"}) {
      error_of(ErrorKind::input, [&] { parse_toml(text + "\n", "f.toml"); });
    }
    EXPECT_EQ(parse_toml("\"" + letter + "\" = 1 # " + letter, "f.toml").find(letter)->where,
              "f.toml:1");
  }
}

TEST(Document, KeysOfAMillionPartsAreRefused) {
  std::string text = "[a";
  for (int i = 0; i < 1000000; ++i) text += ".a";
  error_of(ErrorKind::input, [&] { parse_toml(text + "]\n", "f.toml"); });
  error_of(ErrorKind::input, [&] { parse_toml(text.substr(1) + " = 1\n", "f.toml"); });
  std::string numbers = "x = [0.5";  // many dots, but no long key
  for (int i = 0; i < 1000; ++i) numbers += ", 0.5";
  EXPECT_EQ(parse_toml(numbers + "]", "f.toml").find("x")->items().size(), 1001u);
}

TEST(Document, AssignmentsOverrideAndKeepTheirOrigin) {
  Node root = parse_toml("[m]\nn = 1\nk = 2\n", "f.toml");
  merge(root, parse_assignment("m.n=5"));
  merge(root, parse_assignment("m.name=proposal-prior"));
  merge(root, parse_assignment("m.list=[1, 2]"));
  merge(root, parse_assignment("file=data/x.csv"));
  const Node* m = root.find("m");
  EXPECT_EQ(std::get<std::int64_t>(m->find("n")->value), 5);
  EXPECT_EQ(m->find("n")->where, "--set m.n=5");
  EXPECT_EQ(m->find("k")->where, "f.toml:3");
  EXPECT_EQ(std::get<std::string>(m->find("name")->value), "proposal-prior");
  EXPECT_EQ(m->find("list")->items().size(), 2u);
  EXPECT_EQ(std::get<std::string>(root.find("file")->value), "data/x.csv");
  for (const char* bad : {"m.n", "=5", "m..n=5", "m.n=", "m.n=[1", "m n=5", "a=1\nb=2"}) {
    error_of(ErrorKind::usage, [&] { parse_assignment(bad); });
  }
}

TEST(Document, TablesAreWrittenAsTheyWereRead) {
  const std::string text =
      "[p]\nkind = \"x\\\"y\\u0007\"\nflag = true\nbig = 9007199254740993\nv = [[0.1, 1e-300], "
      "[inf, 3]]\n[p.base]\nz = 1.0\n[[p.list]]\na = 1\n[[p.list]]\na = 2\n";
  const Node once = parse_toml(text, "f");
  const std::string written = table_toml(*once.find("p"), "p");
  const Node twice = parse_toml(written, "f");
  EXPECT_EQ(table_toml(*twice.find("p"), "p"), written);
  EXPECT_EQ(std::get<std::string>(twice.find("p")->find("kind")->value), "x\"y\a");
  EXPECT_EQ(std::get<std::int64_t>(twice.find("p")->find("big")->value), 9007199254740993);
  EXPECT_EQ(std::get<double>(twice.find("p")->find("v")->items()[0].items()[1].value), 1e-300);
  EXPECT_EQ(twice.find("p")->find("list")->items().size(), 2u);
}

}  // namespace
}  // namespace epsfree
