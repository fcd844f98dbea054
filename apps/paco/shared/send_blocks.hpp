// What `paco send` sends, a request at a time: rows of embeddings, image files or texts.
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
  std::size_t samples = 0;  // 0: there are no more
  std::string body, type, query;
  // Of images and texts: what they are called, and the end of each one's line in the body.
  std::vector<std::string> files;
  std::vector<std::size_t> ends;

  // Leaves sample `row`, an image, out.
  void drop(std::size_t row);
};

// One image or text.
struct SendItem {
  std::string path;  // of an image; empty: a text
  std::string text;
  std::string key, id;  // id: for people
};

// A file that was not sent, and why.
struct SkippedFile {
  std::string file, why;
};

class SendBlocks {
 public:
  virtual ~SendBlocks() = default;
  virtual Result<SendBlock> next() = 0;
  virtual std::optional<std::uint64_t> total() const = 0;  // samples, where that is known
  virtual const std::string& name() const = 0;
  // Files that could not be read or made small enough, of the blocks so far.
  const std::vector<SkippedFile>& skipped() const { return skipped_; }
  // So could a server that would not take it.
  void skip(std::string file, std::string why) {
    skipped_.push_back({std::move(file), std::move(why)});
  }

 private:
  std::vector<SkippedFile> skipped_;
};

// Sample i has the key `key_prefix` + i, unless the prefix is empty. `block`: samples in a request,
// at most.
Result<std::unique_ptr<SendBlocks>> send_embeddings(const std::string& input, std::size_t block,
                                                    const std::string& key_prefix);
// `paths`: image files, and folders whose image files are sent in order of their names, with what
// is below. Other files in a folder are left out. An image has the key `key_prefix` + its path in
// the folder (a file that was named itself: its name), so that files that come or go change no key.
// Images that are too large for a server are made smaller.
Result<std::unique_ptr<SendBlocks>> send_images(const std::vector<std::string>& paths,
                                                std::size_t block, const std::string& key_prefix);

// Prefix and path; a path that is too long for a key or no UTF-8 stands there as its hash.
std::string key_of(const std::string& prefix, const std::string& path);

// Texts of a file (embed/text/text_rows.hpp). A text has the key `key_prefix` + a hash of it, and
// how often it came before in the file.
Result<std::unique_ptr<SendBlocks>> send_texts(const std::string& file, const std::string& column,
                                               std::size_t block, const std::string& key_prefix);
std::unique_ptr<SendBlocks> send_items(std::vector<SendItem> items, std::string name,
                                       std::size_t block);
// "3f2a90b1c4d5e6f7", or with "-1" behind it where it came before.
std::string text_key(const std::string& text, std::map<std::string, int>& seen);

}  // namespace paco
