#include "medallion/io/line_source.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../catch.h"

namespace medallion {
namespace {

// A file that goes away with its test.
class File {
 public:
  explicit File(const std::string& content)
      : path_((std::filesystem::temp_directory_path() / ("medallion_lines_" + std::to_string(::getpid())))
                  .string()) {
    Write(content);
  }
  ~File() { std::remove(path_.c_str()); }
  void Write(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<LineSource> Open(const File& file) {
  const auto whole_line = [](std::string_view line, const Coordinate& at, Arena&) {
    return BronzeRecord{.payload = line, .at = at};
  };
  auto source = LineSource::Open(file.path(), "t", whole_line);
  REQUIRE(source.ok());
  return std::move(*source);
}

// What is left, as "number:line"; `position` becomes the last one.
std::vector<std::string> ReadAll(LineSource& source, size_t records_max, std::string& position) {
  std::vector<std::string> lines;
  for (bool at_end = false; !at_end;) {
    const auto batch = source.Read(records_max);
    REQUIRE(batch.ok());
    for (const BronzeRecord& record : batch->records) {
      lines.push_back(std::to_string(record.at.offset) + ":" + std::string(record.payload));
    }
    position = std::string(batch->position);
    at_end = batch->at_end;
  }
  return lines;
}

// Lines of 0 to 40,000 bytes, some blank: several of the chunks that the source reads.
std::string Content(std::vector<std::string>& lines) {
  std::string content;
  for (size_t i = 1; content.size() < 5'000'000; ++i) {
    const std::string line(i * 7919 % 40'000, static_cast<char>('a' + i % 26));
    content += line + "\n";
    if (!line.empty()) lines.push_back(std::to_string(i) + ":" + line);
  }
  return content;
}

}  // namespace

TEST_CASE("line source: every line once, however many a batch, from any position") {
  std::vector<std::string> lines;
  const File file(Content(lines));
  for (const size_t records_max : {size_t{1}, size_t{3}, size_t{50}, size_t{100'000}}) {
    std::string position;
    CHECK(ReadAll(*Open(file), records_max, position) == lines);
  }
  const auto source = Open(file);
  for (size_t read = 0; read < 20; read += 5) {
    const auto batch = source->Read(5);
    REQUIRE(batch.ok());
    const std::string position(batch->position);
    const auto other = Open(file);
    REQUIRE(other->Seek(position).ok());
    std::string last;
    CHECK(ReadAll(*other, 7, last) ==
          std::vector(lines.begin() + static_cast<std::ptrdiff_t>(read) + 5, lines.end()));
  }
}

TEST_CASE("line source: batches read ahead are finished later, each from its own stretch of the file") {
  std::vector<std::string> lines;
  const File file(Content(lines));
  const auto source = Open(file);
  std::vector<SourceBatch> batches;
  while (batches.empty() || !batches.back().at_end) {
    auto batch = source->ReadAhead(50);
    REQUIRE(batch.ok());
    batches.push_back(*std::move(batch));
  }
  std::vector<std::string> read;
  for (SourceBatch& batch : batches) {
    REQUIRE(batch.finish);
    batch.finish(batch.records);
    for (const BronzeRecord& record : batch.records) {
      read.push_back(std::to_string(record.at.offset) + ":" + std::string(record.payload));
    }
  }
  CHECK(read == lines);
}

TEST_CASE("line source: a file that grew is continued, a replaced one is read from its beginning") {
  const File file("one\ntwo\n");
  std::string position, last;
  CHECK(ReadAll(*Open(file), 10, position) == std::vector<std::string>{"1:one", "2:two"});
  const auto from_position = [&] {
    const auto source = Open(file);
    REQUIRE(source->Seek(position).ok());
    return ReadAll(*source, 10, last);
  };
  CHECK(from_position().empty());
  file.Write("one\ntwo\nthree\n");
  CHECK(from_position() == std::vector<std::string>{"3:three"});
  file.Write("one\ntwO\nthree\n");
  CHECK(from_position() == std::vector<std::string>{"1:one", "2:twO", "3:three"});
  file.Write("one\n");
  CHECK(from_position() == std::vector<std::string>{"1:one"});
}

TEST_CASE("line source: of a line over 16 MiB only so much is kept") {
  const size_t max = size_t{16} << 20;
  const File file("a\n" + std::string(max + 3'000'000, 'x') + "\nb\n");
  std::string position, last;
  const std::vector<std::string> lines = ReadAll(*Open(file), 10, position);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].size() == 2 + max);
  CHECK(lines[2] == "3:b");
  const auto source = Open(file);
  REQUIRE(source->Seek(position).ok());
  CHECK(ReadAll(*source, 10, last).empty());
}

}  // namespace medallion
