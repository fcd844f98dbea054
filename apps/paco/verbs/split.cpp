// `paco split`: divides labelled data into the files of a support set and a stream, by a rule of
// the literature or a given one.
#include <fmt/format.h>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "io/embedding_writer.hpp"
#include "io/embeddings.hpp"
#include "io/literature_sets.hpp"
#include "io/splits.hpp"

namespace paco {
namespace {

struct SplitArguments {
  std::string data, labels, embeddings, rule, list, order = "shuffled", out;
  std::size_t known = 0;
  bool unchecked = false;
  io::SplitOptions options;
};

Result<io::Labels> labels_of(const SplitArguments& s) {
  if (!s.labels.empty()) return io::read_labels(s.labels);
  PACO_ASSIGN(const auto images, embed::open_images(s.data));
  return embed::image_labels(*images);
}

// A data set with a rule of the same name ("fashion-mnist", "cifar10:PATH") needs no --rule.
std::string rule_of(const SplitArguments& s) {
  if (!s.rule.empty()) return s.rule;
  const std::string kind = s.data.substr(0, s.data.find(':'));
  if (io::literature_set(kind) != nullptr) return kind;
  if (s.known > 0) return "first";
  return s.list.empty() ? "" : "list";
}

Result<void> write_rows(const math::Matrix<double>& all, const std::vector<std::int64_t>& chosen,
                        io::ElementType type, const std::string& path) {
  PACO_ASSIGN(const auto writer, io::create_embeddings(path, all.columns(), type));
  for (const std::int64_t row : chosen) {
    PACO_TRY(writer->append({all[static_cast<std::size_t>(row)].data(), 1, all.columns()}, {}));
  }
  return writer->commit();
}

Result<void> split_embeddings(const SplitArguments& s, const io::Split& split,
                              std::size_t samples) {
  PACO_ASSIGN(const auto source, io::open_embeddings(s.embeddings));
  const io::ElementType type = source->type();
  for (const std::string& note : source->notes()) print_note(note);
  PACO_ASSIGN(const math::Matrix<double> all,
              io::read_embeddings(*source, samples, s.labels.empty() ? s.data : s.labels));
  PACO_TRY(core::make_folder(s.out));
  PACO_TRY(write_rows(all, split.support, type, s.out + "/support.npy"));
  const auto stream = write_rows(all, split.stream, type, s.out + "/stream.npy");
  if (!stream.ok())
    (void)core::remove_file(s.out + "/support.npy");  // ignore this error: `stream` has the reason
  return stream;
}

// Checks that no file of the split is also an input.
Result<void> check_files(const SplitArguments& s) {
  PACO_TRY(check_outputs({}, {{"--out", s.out}}));
  std::vector<NamedFile> outputs;
  for (const std::string& name : io::split_files())
    outputs.push_back({"a file in --out", s.out + "/" + name});
  if (!s.embeddings.empty()) {
    outputs.push_back({"a file in --out", s.out + "/support.npy"});
    outputs.push_back({"a file in --out", s.out + "/stream.npy"});
  }
  return check_outputs({{"--data", s.data},
                        {"--labels", s.labels},
                        {"--embeddings", s.embeddings},
                        {"--list", s.list}},
                       outputs);
}

Result<void> run(Context& context, SplitArguments& s) {
  PACO_TRY(check_files(s));
  if (s.data.empty() == s.labels.empty()) {
    return Error{ErrorCode::bad_argument, "one of --data and --labels is needed",
                 "name a data set of images, or a file with the label of every sample"};
  }
  const std::string rule = rule_of(s);
  if (rule.empty()) {
    return Error{ErrorCode::bad_argument, "which classes are known?",
                 "give --known K for the first K, --list FILE, or --rule with one of " +
                     io::split_rule_names()};
  }
  PACO_ASSIGN(const io::Labels labels, labels_of(s));
  const io::SplitRule split_rule{rule, s.list, s.known > 0 ? std::optional(s.known) : std::nullopt,
                                 s.unchecked};
  PACO_ASSIGN(const io::ClassSplit classes, io::choose_classes(split_rule, labels.names));
  s.options.shuffle = s.order == "shuffled";
  PACO_ASSIGN(const io::Split split, io::make_split(labels, classes, s.options));
  PACO_TRY(io::check_counts(split_rule, split));
  // Embeddings first: only they can disagree with the labels.
  if (!s.embeddings.empty()) PACO_TRY(split_embeddings(s, split, labels.ids.size()));
  const auto written = io::write_split(split, s.out);
  if (!written.ok()) {
    // Remove the other parts as far as possible; the error of the write is reported.
    for (const char* name : {"/support.npy", "/stream.npy"}) {
      if (!s.embeddings.empty()) (void)core::remove_file(s.out + name);
    }
    return written;
  }

  Json json;
  json["rule"] = rule;
  json["known"] = split.known_classes;
  json["novel"] = split.class_names.size() - split.known_classes;
  json["support"] = split.support.size();
  json["stream"] = split.stream.size();
  json["digest"] = io::split_digest(split);
  json["out"] = s.out;
  const std::string text =
      fmt::format("{}: {} known and {} novel classes; support set {} samples, stream {} samples\n",
                  s.out, split.known_classes, split.class_names.size() - split.known_classes,
                  split.support.size(), split.stream.size());
  return print_result(context, json, text);
}

}  // namespace

void add_split(Options& verb, Context& context) {
  verb.about(
      "Divide a labelled data set into support set and "
      "stream\nand write sample numbers, labels (known classes "
      "first) and class names as files.");
  auto s = std::make_shared<SplitArguments>();
  verb.add_text(
      "--data", s->data,
      "a data set of images: fashion-mnist, folder:PATH, or a published one, e.g. cub:PATH");
  verb.add_text("--labels", s->labels, "or: the label of every sample, numbers or names");
  verb.add_text("--embeddings", s->embeddings,
                "embeddings of the samples, written as support.npy and stream.npy");
  verb.add_text("--rule", s->rule, "which classes are known: " + io::split_rule_names())
      .shown_default("by the data set");
  add_count(verb, "--known", s->known, 1, kNoLimit, "number of known classes, for rule first")
      .shown_default("");
  verb.add_text("--list,--ssb", s->list,
                "file with the known classes, for rule list; of cub and cars instead of the "
                "Semantic Shift Benchmark's");
  verb.add_flag("--unchecked", s->unchecked,
                "split data whose counts are not the literature's by its rule all the same");
  verb.add_text("--order", s->order, "of the stream").one_of({"shuffled", "dataset"});
  add_seed(verb, "--seed", s->options.order_seed, "of the shuffle");
  add_seed(verb, "--support-seed", s->options.support_seed, "of the draw of the support set");
  verb.add_text("--out", s->out, "folder for the files").required();
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
