#include "simulate/process/worker_message.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epsfree {
namespace {

TEST(WorkerMessage, WritesRequests) {
  std::string text;
  append_request(text, 7, 18446744073709551615u, Eigen::Vector3d(0.1, -1e-300, 2));
  append_request(text, 8, 0, Eigen::VectorXd::Constant(1, 1.0 / 3));
  EXPECT_EQ(text,
            "{\"id\":7,\"seed\":\"18446744073709551615\",\"theta\":[0.1,-1e-300,2]}\n"
            "{\"id\":8,\"seed\":\"0\",\"theta\":[0.3333333333333333]}\n");
}

TEST(WorkerMessage, ReadsAnswers) {
  WorkerLine line;
  ASSERT_TRUE(line.read(R"({"id":7,"x":[0.1,-1e-300,2]})"));
  EXPECT_EQ(line.id, 7);
  EXPECT_TRUE(line.has_x);
  EXPECT_EQ(line.x, (std::vector{0.1, -1e-300, 2.0}));
  EXPECT_FALSE(line.invalid || line.error || line.protocol);

  ASSERT_TRUE(line.read(R"( { "x" : [ ] , "extra":{"a":[1,{}],"b":"}"}, "id" : "9" } )"));
  EXPECT_EQ(line.id, 9);
  EXPECT_TRUE(line.has_x);
  EXPECT_TRUE(line.x.empty());

  ASSERT_TRUE(line.read(R"({"id":1,"x":[NaN,-Infinity,null]})"));
  EXPECT_TRUE(std::isnan(line.x[0]) && std::isinf(line.x[1]) && std::isnan(line.x[2]));

  ASSERT_TRUE(line.read(R"({"id":1,"error":"a \"b\"\n\u00e9"})"));
  EXPECT_EQ(line.error, "a \"b\"\n\xc3\xa9");
  EXPECT_FALSE(line.has_x);
  ASSERT_TRUE(line.read(R"({"id":1,"invalid":true,"error":null,"x":null})"));
  EXPECT_EQ(line.invalid, "");
  EXPECT_FALSE(line.error);

  ASSERT_TRUE(line.read(R"({"epsfree_worker":1,"num_parameters":2,"num_statistics":null})"));
  EXPECT_EQ(line.protocol, 1);
  EXPECT_EQ(line.num_parameters, 2);
  EXPECT_FALSE(line.num_statistics || line.id);
}

TEST(WorkerMessage, RefusesTheRest) {
  WorkerLine line;
  for (const char* text : {"",
                           "x",
                           "[1]",
                           "7",
                           "{",
                           "{}x",
                           "{\"id\":1",
                           "{\"id\":1,}",
                           "{\"id\":1.5}",
                           "{\"id\":1e300}",
                           "{\"id\":[1]}",
                           "{\"x\":[1,2}",
                           "{\"x\":[1 2]}",
                           "{\"x\":7}",
                           "{\"x\":[[1]]}",
                           "{\"error\":7}",
                           "{\"error\":\"a}",
                           "{\"error\":\"\\x\"}",
                           "{\"error\":\"\\u12\"}",
                           "{id:1}",
                           "{\"id\"1}",
                           "{\"id\":1}{\"id\":2}",
                           "{\"a\":tru}"}) {
    EXPECT_FALSE(line.read(text)) << text;
  }
  EXPECT_FALSE(line.read("{\"a\":" + std::string(100000, '[')));
  EXPECT_TRUE(line.read("{}"));
  // Nothing of the line before is left.
  EXPECT_TRUE(line.read("{\"id\":1}"));
  EXPECT_TRUE(line.read("{}"));
  EXPECT_FALSE(line.id);
}

}  // namespace
}  // namespace epsfree
