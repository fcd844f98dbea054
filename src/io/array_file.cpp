#include "io/array_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "core/try.hpp"

namespace paco::io {

Result<ArrayFile> ArrayFile::open(FileBytes bytes, FileFormat format, const std::string& name) {
  assert(format == FileFormat::zip || format == FileFormat::safetensors);
  ArrayFile file;
  file.name_ = name;
  if (format == FileFormat::zip) {
    PACO_ASSIGN(auto zip, ZipArchive::open(std::move(bytes), name));
    for (const ZipMember& member : zip.members()) {
      if (member.name.ends_with(".npy"))
        file.names_.push_back(member.name.substr(0, member.name.size() - 4));
    }
    file.zip_ = std::make_shared<ZipArchive>(std::move(zip));
  } else {
    PACO_ASSIGN(auto tensors, SafetensorsFile::from_bytes(std::move(bytes), name));
    for (const TensorView& tensor : tensors.tensors()) file.names_.push_back(tensor.name);
    file.tensors_ = std::make_shared<SafetensorsFile>(std::move(tensors));
  }
  return file;
}

Result<NamedArray> ArrayFile::array(const std::string& name) const {
  if (zip_) {
    const auto& members = zip_->members();
    const auto found = std::find_if(members.begin(), members.end(), [&](const ZipMember& member) {
      return member.name == name + ".npy";
    });
    assert(found != members.end());
    NamedArray array{{}, zip_->stream(*found)};
    PACO_ASSIGN(array.header, read_npy_header(array.stream));
    return array;
  }
  PACO_ASSIGN(const TensorView* tensor, tensors_->tensor(name));
  NpyHeader header;
  header.type = tensor->type;
  header.shape = tensor->shape;
  header.elements = tensor->elements();
  return NamedArray{std::move(header), tensors_->stream(*tensor)};
}

Result<std::string> ArrayFile::choose(const std::string& wanted, const std::string& usual,
                                      std::size_t axes) const {
  const std::string& first_choice = wanted.empty() ? usual : wanted;
  if (std::find(names_.begin(), names_.end(), first_choice) != names_.end()) return first_choice;
  std::vector<std::string> fitting;
  for (const std::string& name : names_) {
    if (!wanted.empty()) break;
    PACO_ASSIGN(const NamedArray candidate, array(name));
    if (candidate.header.shape.size() == axes) fitting.push_back(name);
  }
  if (fitting.size() == 1) return fitting[0];
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
