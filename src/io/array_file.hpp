// Several named arrays in one file, npz or safetensors.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/file_bytes.hpp"
#include "io/npy.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct NamedArray {
  NpyHeader header;
  ByteStream stream;  // at the first number
};

class ArrayFile {
 public:
  // Reads the array at an index of `names`.
  using Read = std::function<Result<NamedArray>(std::size_t place)>;
  ArrayFile(std::string name, std::vector<std::string> names, Read read,
            std::map<std::string, std::string> metadata = {});

  const std::vector<std::string>& names() const { return names_; }
  // The metadata of the file; empty for npz.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  Result<NamedArray> array(const std::string& name) const;
  // The array called `wanted` if that is not empty; otherwise the array called `usual`; otherwise
  // the only one with `axes` dimensions.
  Result<NamedArray> choose(const std::string& wanted, const std::string& usual,
                            std::size_t axes) const;

 private:
  std::string name_;
  std::vector<std::string> names_;
  Read read_;
  std::map<std::string, std::string> metadata_;
};

Result<ArrayFile> open_npz_arrays(FileBytes bytes, const std::string& name);
Result<ArrayFile> open_safetensors_arrays(FileBytes bytes, const std::string& name);

}  // namespace paco::io
