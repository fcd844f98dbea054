// Several named arrays in one file: npz and safetensors behind one face.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/format.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "io/zip.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct NamedArray {
  NpyHeader header;
  ByteStream stream;  // stands at the first number
};

class ArrayFile {
 public:
  // `format` is zip or safetensors.
  static Result<ArrayFile> open(FileBytes bytes, FileFormat format, const std::string& name);

  const std::vector<std::string>& names() const { return names_; }
  Result<NamedArray> array(const std::string& name) const;
  // `wanted` where it is not empty; else the array called `usual`; else the only one with `axes`
  // dimensions.
  Result<std::string> choose(const std::string& wanted, const std::string& usual,
                             std::size_t axes) const;

 private:
  std::string name_;
  std::vector<std::string> names_;
  std::shared_ptr<ZipArchive> zip_;
  std::shared_ptr<SafetensorsFile> tensors_;
};

}  // namespace paco::io
