#include "io/literature_sets.hpp"

#include <algorithm>

namespace paco::io {
namespace {

// Class ids from 0; for CUB in the order of classes.txt, for Cars in that of the devkit.
constexpr std::int16_t kCubKnown[] = {
    0,   5,   7,   9,   11,  12,  15,  17,  18,  19,  23,  26,  27,  28,  30,  31,  34,
    38,  39,  40,  42,  43,  44,  48,  50,  51,  53,  55,  56,  61,  64,  67,  69,  70,
    72,  74,  76,  77,  79,  80,  81,  82,  84,  87,  88,  89,  91,  93,  94,  95,  97,
    98,  99,  106, 111, 116, 119, 121, 123, 124, 126, 129, 131, 133, 134, 135, 136, 137,
    141, 143, 144, 146, 147, 149, 150, 154, 157, 158, 161, 162, 163, 166, 167, 168, 171,
    172, 174, 176, 177, 178, 179, 184, 186, 189, 190, 193, 196, 197, 198, 199};
constexpr std::int16_t kCarsKnown[] = {
    0,   1,   2,   7,   9,   11,  16,  20,  22,  25,  26,  28,  38,  41,  44,  46,  50,
    53,  54,  75,  81,  82,  84,  93,  95,  97,  98,  100, 102, 104, 105, 112, 117, 122,
    123, 125, 127, 129, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145,
    146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162,
    163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 180,
    181, 182, 184, 185, 186, 187, 188, 189, 191, 192, 193, 194, 195};

constexpr LiteratureSet kSets[] = {
    {"cifar10",
     "CIFAR-10",
     KnownClasses::first,
     10,
     5,
     5,
     12500,
     37500,
     "https://www.cs.toronto.edu/~kriz/cifar.html",
     {}},
    {"cifar100",
     "CIFAR-100",
     KnownClasses::first,
     100,
     80,
     20,
     20000,
     30000,
     "https://www.cs.toronto.edu/~kriz/cifar.html",
     {}},
    {"imagenet100",
     "ImageNet-100",
     KnownClasses::drawn,
     100,
     50,
     50,
     31860,
     95255,
     "https://www.image-net.org/download.php (ILSVRC 2012, training images)",
     {}},
    {"cub", "CUB-200-2011", KnownClasses::listed, 200, 100, 100, 1498, 4496,
     "https://www.vision.caltech.edu/datasets/cub_200_2011/", kCubKnown},
    {"cars", "Stanford Cars", KnownClasses::listed, 196, 98, 98, 2000, 6144,
     "the page of the Stanford AI Lab is gone; copies with the devkit are in public archives",
     kCarsKnown},
    {"pets",
     "Oxford-IIIT Pet",
     KnownClasses::first,
     37,
     19,
     18,
     942,
     2738,
     "https://www.robots.ox.ac.uk/~vgg/data/pets/",
     {}},
    {"food101",
     "Food-101",
     KnownClasses::first,
     101,
     51,
     50,
     19125,
     56625,
     "https://data.vision.ee.ethz.ch/cvl/datasets_extra/food-101/",
     {}},
    {"fashion-mnist",
     "Fashion-MNIST",
     KnownClasses::first,
     10,
     5,
     5,
     15000,
     45000,
     "https://github.com/zalandoresearch/fashion-mnist",
     {}}};

}  // namespace

std::span<const LiteratureSet> literature_sets() { return kSets; }

const LiteratureSet* literature_set(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSets), std::end(kSets),
                                   [&](const LiteratureSet& set) { return set.name == name; });
  return found == std::end(kSets) ? nullptr : found;
}

}  // namespace paco::io
