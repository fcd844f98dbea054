// What `paco send` sends, a request at a time: rows of embeddings, or image files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

struct SendBlock {
  std::size_t samples = 0;  // 0: there are no more
  std::string body, type, query;
};

class SendBlocks {
 public:
  virtual ~SendBlocks() = default;
  virtual Result<SendBlock> next() = 0;
  virtual std::optional<std::uint64_t> total() const = 0;  // samples, where that is known
  virtual const std::string& name() const = 0;
};

// Sample i has the key `key_prefix` + i, unless the prefix is empty. `block`: samples in a request,
// at most.
Result<std::unique_ptr<SendBlocks>> send_embeddings(const std::string& input, std::size_t block,
                                                    const std::string& key_prefix);
// `paths`: image files, and folders whose image files are sent in order of their names, with what
// is below. Other files in a folder are left out.
Result<std::unique_ptr<SendBlocks>> send_images(const std::vector<std::string>& paths,
                                                std::size_t block, const std::string& key_prefix);

}  // namespace paco
