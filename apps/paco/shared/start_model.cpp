#include "shared/start_model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/embed_images.hpp"
#include "embed/embed_texts.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/images.hpp"
#include "embed/models/model_folder.hpp"
#include "io/label_writer.hpp"
#include "io/labels.hpp"
#include "shared/fetch_model.hpp"
#include "shared/support_files.hpp"

namespace paco {
namespace {

constexpr std::size_t kNotesShown = 5;

// Labelled photos by their paths.
class PhotoList final : public embed::ImageSource {
 public:
  explicit PhotoList(std::vector<const StartItem*> items) : items_(std::move(items)) {}
  std::size_t size() const override { return items_.size(); }
  Result<embed::Image> load(std::size_t i) const override {
    PACO_ASSIGN(const auto bytes, core::read_file(items_[i]->path));
    return embed::decode_image(bytes, items_[i]->path);
  }
  std::int64_t label(std::size_t) const override { return -1; }
  std::string name(std::size_t i) const override { return items_[i]->key; }
  const std::vector<std::string>& class_names() const override { return names_; }

 private:
  std::vector<const StartItem*> items_;
  std::vector<std::string> names_;
};

std::vector<const StartItem*> labelled(const StartFolder& found) {
  std::vector<const StartItem*> items;
  for (const StartItem& item : found.items)
    if (!item.label.empty()) items.push_back(&item);
  return items;
}

// The classes of the samples that could be embedded, in order.
Result<std::vector<std::string>> embed_photos(Context& context, const StartFiles& files,
                                              const std::vector<const StartItem*>& items,
                                              const Encoder& encoder) {
  embed::EmbedFileOptions options;
  options.out = files.support;
  options.threads = (core::available_threads() + 3) / 4;
  options.resume = true;
  options.clock = context.clock;
  options.record = encoder.record;
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const PhotoList source(items);
  auto done = embed::embed_to_file(source, order, *encoder.images, options, *context.progress,
                                   context.stop);
  if (!done.ok() && done.error().code == ErrorCode::mismatch) {  // parts of other photos
    options.resume = false;
    done = embed::embed_to_file(source, order, *encoder.images, options, *context.progress,
                                context.stop);
  }
  PACO_ASSIGN(const embed::EmbedReport report, std::move(done));
  for (std::size_t i = 0; i < std::min(kNotesShown, report.skipped.size()); ++i)
    print_note(
        fmt::format("left out {}: {}", report.skipped[i].name, report.skipped[i].error.message));
  if (report.skipped.size() > kNotesShown)
    print_note(
        fmt::format("and {} more photos that cannot be read", report.skipped.size() - kNotesShown));
  std::vector<std::string> labels;
  for (const std::size_t sample : report.samples) labels.push_back(items[sample]->label);
  return labels;
}

Result<std::vector<std::string>> embed_words(Context& context, const StartFiles& files,
                                             const std::vector<const StartItem*>& items,
                                             const Encoder& encoder) {
  std::vector<std::string> texts, labels;
  for (const StartItem* item : items) {
    texts.push_back(item->text);
    labels.push_back(item->label);
  }
  embed::EmbedFileOptions options;
  options.out = files.support;
  PACO_TRY(embed::embed_texts_to_file(texts, *encoder.texts, options, *context.progress,
                                      context.stop));
  return labels;
}

// Numbered in the order of their names.
io::Labels classes_of(const std::vector<std::string>& labels) {
  const std::set<std::string> names(labels.begin(), labels.end());
  io::Labels out{{}, {names.begin(), names.end()}};
  for (const std::string& label : labels)
    out.ids.push_back(std::distance(names.begin(), names.find(label)));
  return out;
}

// The name of an encoder of this kind on this machine, or the one that is fetched most cheaply.
const embed::PublishedModel& usual_model(bool images) {
  const embed::PublishedModel* first = nullptr;
  for (const embed::PublishedModel& model : embed::published_models()) {
    if ((model.kind == "images") != images) continue;
    if (first == nullptr) first = &model;
    if (embed::find_model(std::string(model.name)).ok()) return model;
  }
  return *first;
}

bool agrees(const std::string& question) {
  std::fputs(fmt::format("{} [Y/n] ", question).c_str(), stderr);
  char answer[16] = {};
  if (std::fgets(answer, sizeof answer, stdin) == nullptr) return false;
  return answer[0] == '\n' || answer[0] == 'y' || answer[0] == 'Y';
}

// --encoder, or what the last start took, or a name of the table.
Result<std::string> encoder_name(Context& context, const StartFolder& found,
                                 const StartFiles& files, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (core::path_kind(files.settings) == core::PathKind::file) {
    PACO_ASSIGN(const auto bytes, core::read_file(files.settings));
    const Json json =
        Json::parse(reinterpret_cast<const char*>(bytes.data()),
                    reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
    if (json.is_object() && json.contains("encoder") && json["encoder"].is_string())
      return json["encoder"].get<std::string>();
  }
  const embed::PublishedModel& model = usual_model(found.images);
  const std::string name(model.name);
  const auto here = embed::find_model(name);
  if (here.ok()) return name;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return here.error();
  if (!agrees(fmt::format("Fetch {} ({}, about {} MB, {})?", name, model.about, model.megabytes,
                          model.licence)))
    return here.error();
  PACO_TRY(fetch_model(context, model, ""));
  return name;
}

}  // namespace

Result<Encoder> choose_encoder(Context& context, const StartFolder& found, const StartFiles& files,
                               const std::string& wanted) {
  EncoderOptions options;
  PACO_ASSIGN(options.encoder, encoder_name(context, found, files, wanted));
  PACO_ASSIGN(Encoder encoder,
              found.images ? open_image_encoder(options) : open_text_encoder(options));
  print_note(fmt::format("embedding with {} ({}, {} numbers)", options.encoder,
                         encoder.record.encoder, encoder.record.dimension));
  std::error_code ignored;
  const bool is_folder = core::path_kind(options.encoder) != core::PathKind::absent;
  const std::string kept =
      is_folder ? std::filesystem::absolute(options.encoder, ignored).string() : options.encoder;
  PACO_TRY(core::write_file(files.settings, Json{{"encoder", kept}}.dump(2) + "\n"));
  return encoder;
}

Result<Model> start_model(Context& context, const std::string& folder, const StartFolder& found,
                          const StartFiles& files, const Encoder& encoder) {
  if (core::path_kind(files.model) == core::PathKind::file) {
    PACO_ASSIGN(Model model, load_model(files.model));
    Result<void> same = check_embedding(model, encoder.record, folder);
    if (same.ok()) return model;
    Error error = same.error();
    error.hint = fmt::format(
        "start it with the encoder of the first time, or remove {} to begin "
        "anew with this one",
        files.own);
    return error;
  }
  const std::vector<const StartItem*> items = labelled(found);
  std::vector<std::string> labels;
  for (const StartItem* item : items) labels.push_back(item->label);
  PACO_TRY(check_classes(labels, folder));
  if (found.images) {
    PACO_ASSIGN(labels, embed_photos(context, files, items, encoder));
  } else {
    PACO_ASSIGN(labels, embed_words(context, files, items, encoder));
  }
  PACO_TRY(check_classes(labels, folder));
  PACO_TRY(io::write_labels(files.labels, labels));
  CalibrationOptions options;
  options.method = "mirror";
  options.threads = 0;
  PACO_ASSIGN(Model model,
              calibrate_labelled({files.support, files.labels, "", ""}, classes_of(labels), options,
                                 context.stop, *context.progress));
  PACO_TRY(save_model(model, files.model));
  print_note(fmt::format("{} known classes from {} samples", model.known_classes(), labels.size()));
  return model;
}

}  // namespace paco
