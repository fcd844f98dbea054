#include "io/array_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "core/try.hpp"
#include "io/safetensors.hpp"
#include "io/zip.hpp"

namespace paco::io {

ArrayFile::ArrayFile(std::string name, std::vector<std::string> names, Read read,
                     std::map<std::string, std::string> metadata)
    : name_(std::move(name)),
      names_(std::move(names)),
      read_(std::move(read)),
      metadata_(std::move(metadata)) {}

Result<ArrayFile> open_npz_arrays(FileBytes bytes, const std::string& name) {
  PACO_ASSIGN(auto zip, ZipArchive::open(std::move(bytes), name));
  std::vector<std::string> names;
  std::vector<ZipMember> members;
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(".npy")) continue;
    names.push_back(member.name.substr(0, member.name.size() - 4));
    members.push_back(member);
  }
  return ArrayFile(name, std::move(names),
                   [zip = std::move(zip),
                    members = std::move(members)](std::size_t place) -> Result<NamedArray> {
                     NamedArray array{{}, zip.stream(members[place])};
                     PACO_ASSIGN(array.header, read_npy_header(array.stream));
                     return array;
                   });
}

Result<ArrayFile> open_safetensors_arrays(FileBytes bytes, const std::string& name) {
  PACO_ASSIGN(auto file, SafetensorsFile::from_bytes(std::move(bytes), name));
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors()) names.push_back(tensor.name);
  auto metadata = file.metadata();
  return ArrayFile(
      name, std::move(names),
      [file = std::move(file)](std::size_t place) -> Result<NamedArray> {
        const TensorView& tensor = file.tensors()[place];
        NpyHeader header;
        header.type = tensor.type;
        header.shape = tensor.shape;
        header.elements = tensor.elements();
        return NamedArray{std::move(header), file.stream(tensor)};
      },
      std::move(metadata));
}

Result<NamedArray> ArrayFile::array(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  assert(found != names_.end());
  return read_(static_cast<std::size_t>(found - names_.begin()));
}

Result<NamedArray> ArrayFile::choose(const std::string& wanted, const std::string& usual,
                                     std::size_t axes) const {
  const std::string& first_choice = wanted.empty() ? usual : wanted;
  if (std::find(names_.begin(), names_.end(), first_choice) != names_.end())
    return array(first_choice);
  std::vector<std::string> fitting;
  for (const std::string& name : names_) {
    if (!wanted.empty()) break;
    PACO_ASSIGN(const NamedArray candidate, array(name));
    if (candidate.header.shape.size() == axes) fitting.push_back(name);
  }
  if (fitting.size() == 1) return array(fitting[0]);
  const auto shown = std::span(names_).first(std::min<std::size_t>(names_.size(), 8));
  return Error{ErrorCode::not_found,
               wanted.empty()
                   ? fmt::format("{}: {} arrays of {} dimension{} are in it, which one is meant?",
                                 name_, fitting.empty() ? "no" : std::to_string(fitting.size()),
                                 axes, axes == 1 ? "" : "s")
                   : fmt::format("{}: has no array '{}'", name_, wanted),
               fmt::format("name one as {}#NAME; it holds: {}{}", name_, fmt::join(shown, ", "),
                           shown.size() < names_.size() ? ", ..." : "")};
}

}  // namespace paco::io
