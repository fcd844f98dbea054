#include "embed/weights/file_hash.hpp"

#include <openssl/evp.h>

#include <memory>
#include <vector>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::embed {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(const void* bytes, std::size_t count) { EVP_DigestUpdate(context_.get(), bytes, count); }
  std::string digits() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

Result<std::string> file_sha256(const std::string& path) {
  PACO_ASSIGN(auto stream, core::InputStream::open(path));
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  Sha256 hash;
  while (true) {
    PACO_ASSIGN(const std::size_t count, stream.read(buffer));
    if (count == 0) return hash.digits();
    hash.add(buffer.data(), count);
  }
}

std::string text_sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.digits();
}

}  // namespace paco::embed
