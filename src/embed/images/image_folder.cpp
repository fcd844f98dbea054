// Images as files: in folders on the disk, or inside a tar archive. The folder that holds a file is
// its class.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/image_sources.hpp"
#include "io/tar.hpp"

namespace paco::embed {
namespace {

constexpr int kMaxDepth = 16;  // of folders inside a class

bool has_image_ending(std::string_view name) {
  std::string ending(name.substr(std::min(name.rfind('.'), name.size())));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  // Hidden files (including the "._" files that some systems put beside each image) are not
  // samples.
  const bool hidden = name.substr(name.rfind('/') + 1).starts_with('.');
  return !hidden &&
         (ending == ".jpg" || ending == ".jpeg" || ending == ".png" || ending == ".webp");
}

struct Item {
  std::string name;  // path inside the data set
  std::int64_t label = -1;
  std::uint64_t offset = 0, size = 0;  // in a tar archive
};

// Names, labels and classes; the two classes below read the bytes.
class FileImages : public ImageSource {
 public:
  FileImages(std::string path, std::vector<Item> items, std::vector<std::string> classes)
      : path_(std::move(path)), items_(std::move(items)), classes_(std::move(classes)) {}

  std::size_t size() const override { return items_.size(); }
  std::int64_t label(std::size_t i) const override { return items_[i].label; }
  std::string name(std::size_t i) const override { return items_[i].name; }
  const std::vector<std::string>& class_names() const override { return classes_; }

 protected:
  std::string full_name(std::size_t i) const { return path_ + "/" + items_[i].name; }
  const Item& item(std::size_t i) const { return items_[i]; }

 private:
  std::string path_;
  std::vector<Item> items_;
  std::vector<std::string> classes_;
};

class FolderImages final : public FileImages {
 public:
  using FileImages::FileImages;
  Result<Image> load(std::size_t i) const override {
    PACO_ASSIGN(const auto bytes, core::read_file(full_name(i)));
    return decode_image(bytes, full_name(i), loader());
  }
};

class TarImages final : public FileImages {
 public:
  TarImages(std::string path, std::vector<Item> items, std::vector<std::string> classes,
            io::FileBytes bytes)
      : FileImages(std::move(path), std::move(items), std::move(classes)),
        bytes_(std::move(bytes)) {}
  Result<Image> load(std::size_t i) const override {
    std::vector<std::byte> buffer;
    PACO_ASSIGN(const auto bytes, bytes_.at(item(i).offset, item(i).size, buffer));
    return decode_image(bytes, full_name(i), loader());
  }

 private:
  io::FileBytes bytes_;
};

// Names of all images below a folder, each with `prefix` before it. A folder that links reach
// several times is visited once.
Result<void> collect(const std::string& folder, const std::string& prefix, int depth,
                     std::set<core::FileIdentity>& visited, std::vector<Item>& items) {
  PACO_ASSIGN(const auto names, core::list_folder(folder));
  std::vector<std::string> folders, links;
  for (const std::string& name : names) {
    const core::PathKind kind = core::path_kind(folder + "/" + name);
    if (kind == core::PathKind::file && has_image_ending(name)) items.push_back({prefix + name});
    if (kind != core::PathKind::folder || depth >= kMaxDepth || name.starts_with('.')) continue;
    PACO_ASSIGN(const core::FileIdentity identity, core::file_identity(folder + "/" + name));
    if (identity.is_link) {
      links.push_back(name);
    } else if (visited.insert(identity).second) {
      folders.push_back(name);
    }
  }
  for (const std::string& name : folders)
    PACO_TRY(collect(folder + "/" + name, prefix + name + "/", depth + 1, visited, items));
  for (const std::string& name : links) {
    PACO_ASSIGN(const core::FileIdentity identity, core::file_identity(folder + "/" + name));
    if (!visited.insert(identity).second) continue;
    PACO_TRY(collect(folder + "/" + name, prefix + name + "/", depth + 1, visited, items));
  }
  return {};
}

Error no_images(const std::string& path) {
  return Error{ErrorCode::not_found,
               fmt::format("{}: no .jpg, .png or .webp images are in it", path),
               "give the folder that holds one folder of images per class"};
}

// Sorts by class and name and numbers the classes. `class_of` cuts the class out of an item's name;
// "" is none.
template <class ClassOf>
Result<std::vector<std::string>> number_classes(const std::string& path, std::vector<Item>& items,
                                                ClassOf class_of) {
  if (items.empty()) return no_images(path);
  std::set<std::string> distinct;
  for (const Item& item : items) distinct.insert(std::string(class_of(item.name)));
  if (distinct.size() > 1 && distinct.count("")) {
    const auto loose = std::find_if(items.begin(), items.end(),
                                    [&](const Item& item) { return class_of(item.name).empty(); });
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: '{}' lies beside the class folders and has no class", path, loose->name),
        "move it into the folder of its class, or remove it"};
  }
  std::vector<std::string> classes;
  if (!distinct.count("")) classes.assign(distinct.begin(), distinct.end());
  for (Item& item : items) {
    const auto found = std::lower_bound(classes.begin(), classes.end(), class_of(item.name));
    if (!classes.empty()) item.label = found - classes.begin();
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::pair(a.label, std::string_view(a.name)) <
           std::pair(b.label, std::string_view(b.name));
  });
  return classes;
}

}  // namespace

ImageResult open_image_folder(const std::string& path) {
  std::vector<Item> items;
  PACO_ASSIGN(const core::FileIdentity itself, core::file_identity(path));
  std::set<core::FileIdentity> visited{itself};
  PACO_TRY(collect(path, "", 0, visited, items));
  PACO_ASSIGN(auto classes, number_classes(path, items, [](std::string_view name) {
                const std::size_t slash = name.find('/');
                return slash == name.npos ? std::string_view() : name.substr(0, slash);
              }));
  return ImageResult(std::make_unique<FolderImages>(path, std::move(items), std::move(classes)));
}

ImageResult open_listed_images(const std::string& folder, const std::vector<ListedImage>& images,
                               std::vector<std::string> classes) {
  std::vector<Item> items;
  for (const ListedImage& image : images) items.push_back({image.name, image.label});
  return ImageResult(std::make_unique<FolderImages>(folder, std::move(items), std::move(classes)));
}

ImageResult open_image_tar(io::FileBytes bytes, const std::string& path) {
  PACO_ASSIGN(auto entries, io::list_tar(bytes, path));
  std::vector<Item> items;
  for (io::TarEntry& entry : entries) {
    if (has_image_ending(entry.name))
      items.push_back({std::move(entry.name), -1, entry.offset, entry.size});
  }
  PACO_ASSIGN(auto classes, number_classes(path, items, [](std::string_view name) {
                const std::size_t slash = name.rfind('/');
                if (slash == name.npos) return std::string_view();
                const std::string_view folder = name.substr(0, slash);
                return folder.substr(folder.rfind('/') + 1);
              }));
  return ImageResult(
      std::make_unique<TarImages>(path, std::move(items), std::move(classes), std::move(bytes)));
}

}  // namespace paco::embed
