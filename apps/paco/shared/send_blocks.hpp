// The input of `paco send` as requests: rows of embeddings, image files or texts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

struct SendBlock {
  std::size_t samples = 0;  // 0: end of the input
  std::string body, type, query;
  // For images and texts: their names, and the end of each one's line in the body.
  std::vector<std::string> files;
  std::vector<std::size_t> ends;

  // Removes sample `row`, an image.
  void drop(std::size_t row);
};

// One image or text.
struct SendItem {
  std::string path;  // of an image; empty: a text
  std::string text;
  std::string key, id;  // id: for display
};

// A file that was not sent, and why.
struct SkippedFile {
  std::string file, why;
};

class SendBlocks {
 public:
  virtual ~SendBlocks() = default;
  virtual Result<SendBlock> next() = 0;
  virtual std::optional<std::uint64_t> total() const = 0;  // samples, if known
  virtual const std::string& name() const = 0;
  // The files of earlier blocks that could not be read or made small enough.
  const std::vector<SkippedFile>& skipped() const { return skipped_; }
  // Adds a file that the server refused.
  void skip(std::string file, std::string why) {
    skipped_.push_back({std::move(file), std::move(why)});
  }

 private:
  std::vector<SkippedFile> skipped_;
};

// Sample i has the key `key_prefix` + i, unless the prefix is empty. `block`: upper bound on
// samples per request.
Result<std::unique_ptr<SendBlocks>> send_embeddings(const std::string& input, std::size_t block,
                                                    const std::string& key_prefix);
// `paths`: image files, and folders whose image files are sent in order of their names, including
// subfolders. Other files in a folder are left out. The key of an image is `key_prefix` + its path
// in the folder (its name, if the file itself was given), so adding or removing files changes no
// other key. Images that are too large for a server are made smaller.
Result<std::unique_ptr<SendBlocks>> send_images(const std::vector<std::string>& paths,
                                                std::size_t block, const std::string& key_prefix);

// Prefix and path; a path that is too long for a key or is invalid UTF-8 is replaced by its hash.
std::string key_of(const std::string& prefix, const std::string& path);

// The texts of a file (embed/text/text_rows.hpp). The key of a text is `key_prefix` + its hash +
// the number of its earlier occurrences in the file.
Result<std::unique_ptr<SendBlocks>> send_texts(const std::string& file, const std::string& column,
                                               std::size_t block, const std::string& key_prefix);
std::unique_ptr<SendBlocks> send_items(std::vector<SendItem> items, std::string name,
                                       std::size_t block);
// "3f2a90b1c4d5e6f7", with "-1" appended for the first repetition, and so on.
std::string text_key(const std::string& text, std::map<std::string, int>& seen);

}  // namespace paco
