#include "shared/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/torch_parts.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/models/model_folder.hpp"
#include "embed/weights/image_encoder.hpp"
#include "server/embedding_queue.hpp"

namespace paco {
namespace {

constexpr const char* kHowToName =
    "give --encoder NAME of 'paco models list', --encoder FOLDER (a run of paco train, or an "
    "encoder "
    "as it is published), or --encoder vit_b16 --weights FILE";

bool is_backbone(const std::string& name) {
  const std::vector<std::string> names = embed::backbone_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the embedder will compute in.
std::string precision_of(const embed::EmbedderSettings& settings) {
  if (settings.precision != "auto") return settings.precision;
  return settings.device == "cpu" ? "float32" : "bfloat16";
}

Result<Encoder> open_run(const EncoderOptions& options, const std::string& path,
                         const TorchParts* torch) {
  Encoder out;
  if (options.settings.device == "cpu") {
    PACO_ASSIGN(out.images, embed::open_cpu_run(path, options.settings));
  } else {
    PACO_ASSIGN(out.images, torch->open_run(path, options.settings));
  }
  const bool folder = core::path_kind(path) == core::PathKind::folder;
  PACO_ASSIGN(out.record,
              embed::image_record(out.images->spec(), folder ? path + "/weights.safetensors" : path,
                                  precision_of(options.settings)));
  return out;
}

Result<std::unique_ptr<embed::ImageEmbedder>> open_bare_network(
    const embed::NetSpec& spec, const std::string& weights, const embed::EmbedderSettings& settings,
    const TorchParts* torch) {
  if (settings.device != "cpu") return torch->open_backbone(spec, weights, settings);
  if (weights.empty()) return embed::open_cpu_backbone(spec, "", settings);
  PACO_ASSIGN(const bool script, embed::is_torchscript_file(weights));
  if (!script || torch == nullptr) return embed::open_cpu_backbone(spec, weights, settings);
  PACO_ASSIGN(const embed::StateDict tensors, torch->read_torchscript(weights));
  return embed::open_cpu_backbone(spec, tensors, weights, settings);
}

Result<Encoder> open_backbone(const embed::NetSpec& spec, const std::string& weights,
                              const embed::EmbedderSettings& settings, const TorchParts* torch) {
  Encoder out;
  PACO_ASSIGN(out.images, open_bare_network(spec, weights, settings, torch));
  PACO_ASSIGN(out.record, embed::image_record(out.images->spec(), weights, precision_of(settings)));
  return out;
}

Result<Encoder> open_named_backbone(const EncoderOptions& options, const TorchParts* torch) {
  if (options.weights.empty() && !options.fresh_weights)
    return Error{ErrorCode::bad_argument,
                 fmt::format("--encoder {} has no weights", options.encoder), kHowToName};
  PACO_ASSIGN(embed::NetSpec spec, embed::make_spec(options.encoder, options.input));
  PACO_ASSIGN(spec.normalisation, embed::parse_normalisation(
                                      options.normalise.empty() ? "imagenet" : options.normalise));
  return open_backbone(spec, options.weights, options.settings, torch);
}

Result<Encoder> open_published(const EncoderOptions& options, const std::string& folder,
                               const TorchParts* torch) {
  PACO_ASSIGN(embed::ImageEncoderFiles files, embed::read_image_encoder(folder));
  if (options.input > 0) {
    const embed::Normalisation own = files.spec.normalisation;
    PACO_ASSIGN(files.spec, embed::make_spec(files.spec.backbone, options.input));
    files.spec.normalisation = own;
  }
  if (!options.normalise.empty()) {
    PACO_ASSIGN(files.spec.normalisation, embed::parse_normalisation(options.normalise));
  }
  return open_backbone(files.spec, files.weights, options.settings, torch);
}

Result<Encoder> open_texts(const EncoderOptions& options, const std::string& folder) {
  if (options.settings.device != "cpu")
    return Error{ErrorCode::unsupported, "text encoders run on a CPU only", "leave --device out"};
  if (options.input > 0 || !options.normalise.empty())
    return Error{ErrorCode::bad_argument,
                 fmt::format("{}: --input and --normalise are for images", folder),
                 "this is an encoder of texts: leave them out"};
  embed::TextEncoderSettings settings;
  settings.threads = options.settings.threads;
  settings.precision = options.settings.precision;
  Encoder out;
  PACO_ASSIGN(out.texts, embed::TextEncoder::open(folder, settings));
  out.record = out.texts->record();
  return out;
}

}  // namespace

void add_encoder(Options& verb, EncoderOptions& options, const std::string& what_for) {
  std::string names;
  for (const std::string& name : embed::backbone_names())
    names += (names.empty() ? "" : ", ") + name;
  verb.add_text("--encoder", options.encoder,
                what_for +
                    ": a name of 'paco models', run folder of paco train, folder of a "
                    "published encoder, or with --weights one of " +
                    names);
  verb.add_text("--weights", options.weights,
                "of an encoder given by such a name: .safetensors, .pth/.pt state dict, or "
                "TorchScript");
  verb.add_text("--normalise", options.normalise,
                "its pixels: imagenet, half (0.5 and 0.5), none, or three means and three "
                "deviations")
      .shown_default("as its folder says, or imagenet");
  add_count(verb, "--input", options.input, 0, 4096, "its input in pixels (0: its own)");
  verb.add_text("--precision", options.settings.precision,
                "it computes in float32, bfloat16 or int8 (CPU only); auto: float32, on a GPU "
                "bfloat16");
}

Result<Encoder> open_encoder(const EncoderOptions& options, const TorchParts* torch) {
  if (options.settings.device != "cpu" && torch == nullptr)
    return Error{ErrorCode::bad_argument,
                 fmt::format("there is no device \"{}\"", options.settings.device),
                 "use cpu, cuda, or cuda:N"};
  if (options.encoder.empty())
    return Error{ErrorCode::bad_argument, "there is no encoder", kHowToName};
  if (is_backbone(options.encoder)) return open_named_backbone(options, torch);
  if (!options.weights.empty())
    return Error{ErrorCode::bad_argument, "--weights goes with the name of a backbone", kHowToName};
  std::string folder = options.encoder;
  if (embed::find_published(options.encoder) != nullptr) {
    PACO_ASSIGN(folder, embed::find_model(options.encoder));
  }
  PACO_ASSIGN(const embed::EncoderKind kind, embed::encoder_kind(folder));
  if (kind != embed::EncoderKind::run) {
    PACO_ASSIGN(Encoder out, kind == embed::EncoderKind::image
                                 ? open_published(options, folder, torch)
                                 : open_texts(options, folder));
    if (folder != options.encoder) out.record.encoder = options.encoder;  // the name that was given
    return out;
  }
  if (options.input > 0 || !options.normalise.empty())
    return Error{
        ErrorCode::bad_argument,
        fmt::format("{}: a trained run has its own input and normalisation", options.encoder),
        "leave --input and --normalise out"};
  return open_run(options, folder, torch);
}

Result<Encoder> open_image_encoder(const EncoderOptions& options, const TorchParts* torch) {
  PACO_ASSIGN(Encoder encoder, open_encoder(options, torch));
  if (encoder.images != nullptr) return encoder;
  return Error{ErrorCode::bad_argument,
               fmt::format("{}: an encoder of texts, not of images", options.encoder),
               "give one of images"};
}

Result<Encoder> open_text_encoder(const EncoderOptions& options) {
  PACO_ASSIGN(Encoder encoder, open_encoder(options));
  if (encoder.texts != nullptr) return encoder;
  return Error{ErrorCode::bad_argument,
               fmt::format("{}: an encoder of images, not of texts", options.encoder),
               "give the folder of a text encoder"};
}

std::shared_ptr<server::EmbeddingQueue> embedding_queue(Encoder encoder) {
  if (encoder.texts != nullptr)
    return std::make_shared<server::EmbeddingQueue>(std::move(encoder.texts),
                                                    std::move(encoder.record));
  return std::make_shared<server::EmbeddingQueue>(std::move(encoder.images),
                                                  std::move(encoder.record));
}

bool encoder_needs_torch(const EncoderOptions& options) {
  if (options.settings.device.starts_with("cuda")) return true;
  if (!is_backbone(options.encoder) || options.weights.empty()) return false;
  const auto script = embed::is_torchscript_file(options.weights);
  return script.ok() && *script;
}

}  // namespace paco
