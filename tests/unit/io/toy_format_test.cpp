// A format from outside the library: one file, no line changed elsewhere, and every reader and
// writer knows it. A toy file is "TOY" and the kind of its content, then lines.
#include <gtest/gtest.h>

#include <cstring>

#include "core/files.hpp"
#include "core/partial_file.hpp"
#include "core/try.hpp"
#include "io/decision_writer.hpp"
#include "io/embedding_writer.hpp"
#include "io/embeddings.hpp"
#include "io/format.hpp"
#include "io/label_rows.hpp"
#include "io/label_writer.hpp"
#include "io/labels.hpp"
#include "io/truth.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

bool is_toy(std::span<const std::byte> head) {
  return head.size() >= 3 && std::memcmp(head.data(), "TOY", 3) == 0;
}

Result<std::vector<std::string>> lines_of(ByteStream& stream) {
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) break;
    lines.push_back(line);
  }
  lines.erase(lines.begin());
  return lines;
}

class ToySource final : public EmbeddingSource {
 public:
  ToySource(std::string name, std::vector<std::string> lines)
      : EmbeddingSource(std::move(name)), lines_(std::move(lines)) {}
  std::size_t dimension() const override { return 1; }
  std::optional<std::uint64_t> rows() const override { return lines_.size(); }
  ElementType type() const override { return ElementType::f64; }

 private:
  Result<std::size_t> read_rows(Rows<double> block, std::vector<std::string>*, Wait) override {
    std::size_t done = 0;
    for (; done < block.rows && at_ < lines_.size(); ++done, ++at_)
      block[done][0] = std::stod(lines_[at_]);
    return done;
  }
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

Result<std::unique_ptr<EmbeddingSource>> open_toy_embeddings(FormatInput input) {
  const std::string name = input.stream.name();
  PACO_ASSIGN(auto lines, lines_of(input.stream));
  return std::unique_ptr<EmbeddingSource>(std::make_unique<ToySource>(name, std::move(lines)));
}

Result<LabelRows> read_toy_labels(ByteStream stream) {
  LabelRows rows;
  PACO_ASSIGN(rows.words, lines_of(stream));
  return rows;
}

class ToyEmbeddings final : public EmbeddingWriter {
 public:
  explicit ToyEmbeddings(std::string path) : path_(std::move(path)) {}
  Result<void> append(Rows<const double> block, const std::vector<std::string>&) override {
    for (std::size_t r = 0; r < block.rows; ++r) text_ += std::to_string(block[r][0]) + "\n";
    return {};
  }
  Result<void> commit() override { return core::write_file(path_, text_); }

 private:
  std::string path_, text_ = "TOY embeddings\n";
};

Result<std::unique_ptr<EmbeddingWriter>> create_toy_embeddings(const std::string& path, std::size_t,
                                                               ElementType) {
  return std::unique_ptr<EmbeddingWriter>(std::make_unique<ToyEmbeddings>(path));
}

Result<void> write_toy_labels(const std::string& path, std::span<const std::string> names) {
  std::string text = "TOY labels\n";
  for (const std::string& name : names) text += name + "\n";
  return core::write_file(path, text);
}

class ToyDecisions final : public DecisionWriter {
 public:
  explicit ToyDecisions(core::PartialFile file) : file_(std::move(file)) {}
  Result<void> write(std::span<const DecidedSample> samples,
                     std::span<const std::string>) override {
    std::string text;
    for (const DecidedSample& one : samples) text += one.sample + " is " + one.name + "\n";
    return file_.write(text);
  }
  Result<std::uint64_t> sync() override { return file_.size(); }
  Result<void> finish() override { return file_.finish(); }
  void discard() override { file_.discard(); }

 private:
  core::PartialFile file_;
};

Result<std::unique_ptr<DecisionWriter>> create_toy_decisions(core::PartialFile file,
                                                             const MethodInfo&, std::string) {
  return std::unique_ptr<DecisionWriter>(std::make_unique<ToyDecisions>(std::move(file)));
}

[[maybe_unused]] const bool kAdded = [] {
  add_format({.name = "toy",
              .suffix = ".toy",
              .recognise = is_toy,
              .embeddings = open_toy_embeddings,
              .labels = read_toy_labels,
              .write_embeddings = create_toy_embeddings,
              .write_labels = write_toy_labels,
              .write_decisions = create_toy_decisions});
  return true;
}();

TEST(ToyFormat, EmbeddingsComeBackAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  const auto writer = create_embeddings(folder / "x.toy", 1);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const double values[] = {0.5, -2};
  ASSERT_TRUE((*writer)->append({values, 2, 1}, {}).ok());
  ASSERT_TRUE((*writer)->commit().ok());
  const auto all = read_embeddings(folder / "x.toy");
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->rows(), 2u);
  EXPECT_EQ((*all)[0][0], 0.5);
  EXPECT_EQ((*all)[1][0], -2);
}

TEST(ToyFormat, LabelsAndTruthComeBackAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = {"wren", "owl", "wren"};
  ASSERT_TRUE(write_labels(folder / "y.toy", names).ok());
  const auto labels = read_labels(folder / "y.toy");
  ASSERT_TRUE(labels.ok()) << labels.error().message;
  EXPECT_EQ(labels->ids, (std::vector<std::int64_t>{1, 0, 1}));
  const std::vector<std::string> known = {"wren"};
  const auto truth = read_truth(folder / "y.toy", {0, 3, {}, known});
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_EQ(truth->labels, (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(ToyFormat, DecisionsAreWritten) {
  const testing::TemporaryFolder folder;
  const auto writer = make_decision_writer(folder / "d.toy", MethodInfo{});
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  const DecidedSample samples[] = {{{}, "a.jpg", "owl", ""}};
  ASSERT_TRUE((*writer)->write(samples).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto bytes = core::read_file(folder / "d.toy");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()),
            "a.jpg is owl\n");
}

TEST(ToyFormat, MessagesNameItAmongTheFormats) {
  const auto writer = create_embeddings("x.parquet", 1);
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.error().hint.find(".toy"), std::string::npos) << writer.error().hint;
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(core::write_file(folder / "x.png", "\x89PNG\r\n").ok());
  const auto opened = open_embeddings(folder / "x.png");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("a file of kind png holds no embeddings"),
            std::string::npos);
  EXPECT_NE(opened.error().hint.find("toy"), std::string::npos) << opened.error().hint;
}

}  // namespace
}  // namespace paco::io
