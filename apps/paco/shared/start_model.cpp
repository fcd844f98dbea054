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
#include "shared/start_nothing.hpp"
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

embed::EmbedFileOptions support_options(const Context& context, const StartFiles& files) {
  embed::EmbedFileOptions options;
  options.out = files.support;
  options.resume = true;
  options.clock = context.clock;
  return options;
}

// Reuses the embeddings of an interrupted start, unless they are of other samples.
template <typename Embed>
Result<embed::EmbedReport> resumed(embed::EmbedFileOptions options, const Embed& embed) {
  Result<embed::EmbedReport> done = embed(options);
  if (done.ok() || done.error().code != ErrorCode::mismatch) return done;
  options.resume = false;
  return embed(options);
}

// The samples that could be embedded, in order.
Result<std::vector<const StartItem*>> embed_photos(Context& context, const StartFiles& files,
                                                   const std::vector<const StartItem*>& items,
                                                   const Encoder& encoder) {
  embed::EmbedFileOptions options = support_options(context, files);
  options.threads = (core::available_threads() + 3) / 4;
  options.record = encoder.record;
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const PhotoList source(items);
  PACO_ASSIGN(const embed::EmbedReport report,
              resumed(options, [&](const embed::EmbedFileOptions& with) {
                return embed::embed_to_file(source, order, *encoder.images, with, *context.progress,
                                            context.stop);
              }));
  for (std::size_t i = 0; i < std::min(kNotesShown, report.skipped.size()); ++i)
    print_note(
        fmt::format("left out {}: {}", report.skipped[i].name, report.skipped[i].error.message));
  if (report.skipped.size() > kNotesShown)
    print_note(
        fmt::format("and {} more photos that cannot be read", report.skipped.size() - kNotesShown));
  std::vector<const StartItem*> embedded;
  for (const std::size_t sample : report.samples) embedded.push_back(items[sample]);
  return embedded;
}

Result<std::vector<const StartItem*>> embed_items(Context& context, const StartFiles& files,
                                                  const std::vector<const StartItem*>& items,
                                                  const Encoder& encoder) {
  if (encoder.images != nullptr) return embed_photos(context, files, items, encoder);
  std::vector<std::string> texts;
  for (const StartItem* item : items) texts.push_back(item->text);
  PACO_TRY(resumed(support_options(context, files), [&](const embed::EmbedFileOptions& with) {
    return embed::embed_texts_to_file(texts, *encoder.texts, with, *context.progress, context.stop);
  }));
  return items;
}

std::vector<std::string> labels_of(const std::vector<const StartItem*>& items) {
  std::vector<std::string> labels;
  for (const StartItem* item : items) labels.push_back(item->label);
  return labels;
}

// Classes are numbered in the order of their names.
io::Labels classes_of(const std::vector<std::string>& labels) {
  const std::set<std::string> names(labels.begin(), labels.end());
  io::Labels out{{}, {names.begin(), names.end()}};
  for (const std::string& label : labels)
    out.ids.push_back(std::distance(names.begin(), names.find(label)));
  return out;
}

// An encoder of this kind that is on this machine, otherwise the first of its kind in the table.
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

// The settings of the last start; an empty object if there was none.
Result<Json> read_settings(const StartFiles& files) {
  if (core::path_kind(files.settings) != core::PathKind::file) return Json::object();
  PACO_ASSIGN(const auto bytes, core::read_file(files.settings));
  const char* text = reinterpret_cast<const char*>(bytes.data());
  const Json json = Json::parse(text, text + bytes.size(), nullptr, false);
  return json.is_object() ? json : Json::object();
}

bool at_terminal() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0; }

// --encoder, or that of the last start, or a name of the table.
Result<std::string> encoder_name(Context& context, const StartFolder& found,
                                 const StartFiles& files, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  PACO_ASSIGN(const Json last, read_settings(files));
  if (const auto name = last.find("encoder"); name != last.end() && name->is_string())
    return name->get<std::string>();
  const embed::PublishedModel& model = usual_model(found.images);
  const std::string name(model.name);
  const auto here = embed::find_model(name);
  if (here.ok()) return name;
  if (!at_terminal()) return here.error();
  if (!agrees(fmt::format("Fetch {} ({}, about {} MB, {})?", name, model.about, model.megabytes,
                          model.licence)))
    return here.error();
  PACO_TRY(fetch_model(context, model, ""));
  return name;
}

}  // namespace

Result<bool> begins_from_nothing(const StartFolder& found, const StartFiles& files,
                                 const std::string& folder, bool wanted) {
  if (core::path_kind(files.model) == core::PathKind::file) {
    PACO_ASSIGN(const Json last, read_settings(files));
    const bool before = last.value("from_nothing", Json()) == true;
    if (before || !wanted) return before;
    return Error{ErrorCode::mismatch, fmt::format("{}: it began with labelled examples", folder),
                 fmt::format("leave --from-nothing out, or remove {} to begin anew", files.own)};
  }
  if (wanted) return true;
  const Result<void> enough = check_classes(labels_of(labelled(found)), folder);
  if (enough.ok()) return false;
  if (at_terminal() &&
      agrees(fmt::format("{}. Begin from nothing, with groups of alike samples as the first "
                         "categories?",
                         enough.error().message)))
    return true;
  Error error = enough.error();
  error.hint += "; or begin with groups of alike samples, which is less right: --from-nothing";
  return error;
}

Result<Encoder> choose_encoder(Context& context, const StartFolder& found, const StartFiles& files,
                               const std::string& wanted, bool from_nothing) {
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
  PACO_TRY(core::write_file(
      files.settings, Json{{"encoder", kept}, {"from_nothing", from_nothing}}.dump(2) + "\n"));
  return encoder;
}

Result<Model> start_model(Context& context, const std::string& folder, const StartFolder& found,
                          const StartFiles& files, const Encoder& encoder, bool from_nothing) {
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
  PACO_ASSIGN(
      const auto items,
      embed_items(context, files, from_nothing ? draw_samples(found) : labelled(found), encoder));
  std::vector<std::string> labels = labels_of(items);
  if (from_nothing) {
    PACO_ASSIGN(labels, group_samples(files.support, encoder.record, items));
  } else {
    PACO_TRY(check_classes(labels, folder));
  }
  PACO_TRY(io::write_labels(files.labels, labels));
  CalibrationOptions options;
  options.method = "mirror";
  options.threads = 0;
  PACO_ASSIGN(Model model,
              calibrate_labelled({files.support, files.labels, "", ""}, classes_of(labels), options,
                                 context.stop, *context.progress));
  PACO_TRY(save_model(model, files.model));
  if (from_nothing)
    print_note(
        fmt::format("{} first categories from groups of alike samples, of {} that were "
                    "compared; they are guesses, to be named and merged on the page",
                    model.known_classes(), items.size()));
  else
    print_note(
        fmt::format("{} known classes from {} samples", model.known_classes(), labels.size()));
  return model;
}

}  // namespace paco
