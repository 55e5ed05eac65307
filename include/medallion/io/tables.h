// Reading tables back, for people, files and tests: what the stores that come with the library offer beside Store.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "medallion/silver/accounting.h"

namespace medallion {

// Receives one row as a JSON object, columns in the table's order, no line end. An error stops the reading.
using RowSink = std::function<absl::Status(std::string_view json)>;

class Tables {
 public:
  virtual ~Tables() = default;

  // The tables there are, in the order of the flow.
  virtual std::vector<std::string> Names() const = 0;

  // Every row of a table, sorted by its key, so that equal tables read as equal bytes. The key of the Silver,
  // quarantine, audit and ignored tables is the element's coordinate, of a Gold table its digest key, of the run log
  // the order of writing. NotFound for a table that is not there.
  virtual absl::Status Read(std::string_view table, const RowSink& sink) = 0;

  virtual absl::StatusOr<Accounting> Books() = 0;
};

}  // namespace medallion
