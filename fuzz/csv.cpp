// Tables of numbers.
#include "io/csv.hpp"

#include "fuzz/expect_error.hpp"
#include "fuzz/target.hpp"

EPSFREE_FUZZ_TARGET(csv) {
  const std::string text = epsfree::text_of(data, size);
  epsfree::expect_error([&] {
    const epsfree::CsvTable table = epsfree::parse_csv(text, "fuzz.csv");
    // What is written reads back as it was.
    const epsfree::CsvTable again =
        epsfree::parse_csv(epsfree::csv_lines(table.points), "again.csv");
    const bool same = again.points.rows() == table.points.rows() &&
                      again.points.cols() == table.points.cols() &&
                      (again.points.array() == table.points.array() ||
                       (again.points.array().isNaN() && table.points.array().isNaN()))
                          .all();
    if (table.points.size() > 0 && !same) __builtin_trap();
  });
}
