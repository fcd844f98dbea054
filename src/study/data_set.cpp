#include "study/data_set.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "core/files.hpp"
#include "core/random.hpp"
#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "io/embeddings.hpp"
#include "io/labels.hpp"

namespace paco::study {
namespace {

std::string digest_of(const DataSet& data) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  const auto add = [&](const void* bytes, std::size_t size) {
    const std::uint64_t length = size;
    XXH3_128bits_update(state, &length, sizeof length);
    if (size > 0) XXH3_128bits_update(state, bytes, size);
  };
  for (const math::Matrix<double>* matrix : {&data.support, &data.stream, &data.classifier})
    add(matrix->data(), matrix->rows() * matrix->columns() * sizeof(double));
  for (const auto* labels : {&data.support_labels, &data.truth})
    add(labels->data(), labels->size() * sizeof(std::int64_t));
  for (const std::string& name : data.class_names) add(name.data(), name.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<void> check_support(const DataSet& data, const std::string& folder) {
  const std::size_t classes = data.class_names.size();
  if (classes < train::kLeastClasses) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: its support set has {} known class(es), too few for a study", folder,
                    classes),
        fmt::format("give labelled samples of {} known classes at least", train::kLeastClasses)};
  }
  std::vector<std::size_t> sizes(classes);
  for (const std::int64_t label : data.support_labels) ++sizes[static_cast<std::size_t>(label)];
  const auto several = std::count_if(sizes.begin(), sizes.end(), [](auto n) { return n > 1; });
  if (several >= 2) return {};
  return Error{ErrorCode::bad_value,
               fmt::format("{}: {} of its {} known classes have a second support sample, too few "
                           "to calibrate with",
                           folder, several, classes),
               "give more samples of each known class"};
}

Result<void> check_stream(const DataSet& data, const std::string& folder) {
  const auto known = static_cast<std::int64_t>(data.class_names.size());
  const auto is_old = [known](std::int64_t label) { return label < known; };
  const auto old = std::count_if(data.truth.begin(), data.truth.end(), is_old);
  const auto refuse = [&](const char* what, const char* hint) {
    return Error{ErrorCode::bad_value, fmt::format("{}: {}", folder, what), hint};
  };
  if (old == static_cast<std::ptrdiff_t>(data.truth.size())) {
    return refuse("its stream has no novel class, so there is nothing to discover",
                  "leave some classes out of the support set: 'paco split' does that");
  }
  if (old == 0) {
    return refuse("its stream has no sample of a known class",
                  "labels of support set and stream must be of the same classes");
  }
  if (data.stream.columns() != data.support.columns()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: the stream has {} columns, the support set {}", folder,
                             data.stream.columns(), data.support.columns()),
                 "embed support set and stream with the same backbone"};
  }
  return {};
}

// The support samples that a shape leaves, in their order.
std::vector<std::size_t> chosen_support(const DataSet& data, const DataShape& shape,
                                        core::Random& random) {
  std::map<std::int64_t, std::vector<std::size_t>> by_class;
  for (std::size_t i = 0; i < data.support_labels.size(); ++i)
    by_class[data.support_labels[i]].push_back(i);
  std::vector<std::size_t> chosen;
  for (auto& [label, rows] : by_class) {
    random.shuffle(std::span(rows));
    auto left =
        static_cast<std::size_t>(shape.support_share * static_cast<double>(rows.size()) + 0.5);
    if (shape.shots > 0) left = std::min(left, shape.shots);
    rows.resize(std::clamp<std::size_t>(left, 1, rows.size()));
    chosen.insert(chosen.end(), rows.begin(), rows.end());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::size_t> stream_order(const DataSet& data, StreamOrder order,
                                      core::Random& random) {
  const std::size_t n = data.truth.size();
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (order == StreamOrder::given) return places;
  random.shuffle(std::span(places));
  if (order == StreamOrder::shuffled) return places;
  std::map<std::int64_t, double> moment;
  for (const std::int64_t label : data.truth) moment[label] = 0;
  for (auto& [label, time] : moment) time = random.uniform();
  constexpr double kOverlap = 0.3;  // of the whole stream
  std::vector<double> when(n);
  for (const std::size_t i : places) {
    const double noise = order == StreamOrder::drifting ? random.uniform(0, kOverlap) : 0;
    when[i] = moment[data.truth[i]] + noise;
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return when[a] < when[b]; });
  return places;
}

math::Matrix<double> rows_of(const math::Matrix<double>& from,
                             const std::vector<std::size_t>& rows) {
  math::Matrix<double> out(rows.size(), from.columns());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(from[rows[i]].data(), from.columns(), out[i].data());
  return out;
}

// Some known classes become novel: their support samples go, their stream samples stay.
void forget_classes(DataSet& data, std::size_t left, core::Random& random) {
  const std::size_t known = data.class_names.size();
  std::vector<std::size_t> order = random.permutation(known);
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left));
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(left), order.end());
  std::vector<std::int64_t> now(known);
  for (std::size_t i = 0; i < known; ++i) now[order[i]] = static_cast<std::int64_t>(i);
  std::vector<std::size_t> rows;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < data.support_labels.size(); ++i) {
    const std::int64_t label = now[static_cast<std::size_t>(data.support_labels[i])];
    if (label >= static_cast<std::int64_t>(left)) continue;
    rows.push_back(i);
    labels.push_back(label);
  }
  data.support = rows_of(data.support, rows);
  data.support_labels = std::move(labels);
  for (std::int64_t& label : data.truth) {
    if (label < static_cast<std::int64_t>(known)) label = now[static_cast<std::size_t>(label)];
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < left; ++i) names.push_back(data.class_names[order[i]]);
  if (data.classifier.rows() > 0) {
    order.resize(left);
    data.classifier = rows_of(data.classifier, order);
  }
  data.class_names = std::move(names);
  data.class_vectors.clear();
}

// Known-class samples of support set and stream are drawn anew, in any order within the places that
// the stream has for them.
void redraw_support(DataSet& data, core::Random& random) {
  const auto known = static_cast<std::int64_t>(data.class_names.size());
  std::vector<std::size_t> places;  // in the stream, of known classes
  for (std::size_t i = 0; i < data.truth.size(); ++i) {
    if (data.truth[i] < known) places.push_back(i);
  }
  const std::size_t support = data.support_labels.size();
  // Samples 0 .. support-1 are of the support set, the others of the stream.
  std::vector<std::size_t> order = random.permutation(support + places.size());
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(support));
  std::vector<std::size_t> counts(data.class_names.size());
  const auto label_of = [&](std::size_t sample) {
    return sample < support ? data.support_labels[sample] : data.truth[places[sample - support]];
  };
  for (std::size_t i = 0; i < support; ++i) ++counts[static_cast<std::size_t>(label_of(order[i]))];
  // A draw that leaves a class without support samples is no draw of this data set.
  if (std::find(counts.begin(), counts.end(), 0u) != counts.end()) return;
  const DataSet before = data;
  const auto copy = [&](std::size_t sample, std::span<double> to) {
    const auto from =
        sample < support ? before.support[sample] : before.stream[places[sample - support]];
    std::copy(from.begin(), from.end(), to.begin());
  };
  const auto label_before = [&](std::size_t sample) {
    return sample < support ? before.support_labels[sample]
                            : before.truth[places[sample - support]];
  };
  for (std::size_t i = 0; i < support; ++i) {
    copy(order[i], data.support[i]);
    data.support_labels[i] = label_before(order[i]);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    copy(order[support + i], data.stream[places[i]]);
    data.truth[places[i]] = label_before(order[support + i]);
  }
}

// Samples of known classes go from the stream to those that a promise is proved by.
void keep_apart(DataSet& data, double share, core::Random& random) {
  const auto known = static_cast<std::int64_t>(data.class_names.size());
  std::vector<std::size_t> apart, left;
  for (std::size_t i = 0; i < data.truth.size(); ++i)
    (data.truth[i] < known && random.uniform() < share ? apart : left).push_back(i);
  const auto labels_of = [&](const std::vector<std::size_t>& rows) {
    std::vector<std::int64_t> labels;
    for (const std::size_t i : rows) labels.push_back(data.truth[i]);
    return labels;
  };
  data.held_out = rows_of(data.stream, apart);
  data.held_out_labels = labels_of(apart);
  data.stream = rows_of(data.stream, left);
  data.truth = labels_of(left);
}

}  // namespace

Result<DataSet> read_data_set(const std::string& folder, const std::string& name) {
  const auto path = [&](const char* file) { return folder + "/" + file; };
  // The first line of a small text beside the arrays, or nothing.
  const auto first_line = [&](const char* file) -> Result<std::string> {
    if (core::path_kind(path(file)) != core::PathKind::file) return std::string();
    PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path(file), 4096));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(text.substr(0, text.find_first_of("\r\n")));
  };
  for (const char* file :
       {"support.npy", "support_labels.npy", "stream.npy", "stream_labels.npy"}) {
    if (core::path_kind(path(file)) != core::PathKind::absent) continue;
    return Error{ErrorCode::not_found, fmt::format("{} is not there", path(file)),
                 "a data folder has support.npy, support_labels.npy, stream.npy and "
                 "stream_labels.npy"};
  }
  DataSet data;
  data.name = name;
  if (core::path_kind(path("known_classes.txt")) != core::PathKind::absent) {
    PACO_ASSIGN(data.class_names, io::read_class_names(path("known_classes.txt")));
  }
  PACO_ASSIGN(io::Labels labels, io::read_labels(path("support_labels.npy"), data.class_names));
  data.class_names = labels.names;
  data.support_labels = std::move(labels.ids);
  PACO_ASSIGN(const auto support, io::open_embeddings(path("support.npy")));
  PACO_ASSIGN(data.support, io::read_embeddings(*support, data.support_labels.size(),
                                                path("support_labels.npy")));
  PACO_ASSIGN(io::Labels truth, io::read_labels(path("stream_labels.npy"), data.class_names));
  data.truth = std::move(truth.ids);
  PACO_ASSIGN(const auto stream, io::open_embeddings(path("stream.npy")));
  PACO_ASSIGN(data.stream,
              io::read_embeddings(*stream, data.truth.size(), path("stream_labels.npy")));
  if (core::path_kind(path("classifier.npy")) != core::PathKind::absent) {
    PACO_ASSIGN(data.classifier, io::read_embeddings(path("classifier.npy")));
  }
  PACO_ASSIGN(data.split_digest, first_line("digest.txt"));
  PACO_ASSIGN(const std::string seconds, first_line("extraction_seconds.txt"));
  double extraction = 0;
  const auto [end, fault] =
      std::from_chars(seconds.data(), seconds.data() + seconds.size(), extraction);
  if (fault == std::errc{} && extraction > 0) data.extraction_seconds = extraction;
  PACO_ASSIGN(const auto record, io::find_embedding_record(path("support.npy")));
  if (record) data.embedding = embedding_record_to_json(*record);
  PACO_TRY(check_support(data, folder));
  PACO_TRY(check_stream(data, folder));
  data.digest = digest_of(data);
  if (core::path_kind(path("class_vectors.npy")) != core::PathKind::absent) {
    data.class_vectors = path("class_vectors.npy");
    PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(data.class_vectors));
    data.digest += fmt::format("+{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
  }
  return data;
}

DataSet shaped(const DataSet& data, const DataShape& shape) {
  DataSet out = data;
  core::Random random(shape.draw, 77);
  if (shape.redraw) redraw_support(out, random);
  if (shape.known > 0 && shape.known < out.class_names.size())
    forget_classes(out, shape.known, random);
  if (shape.support_share < 1 || shape.shots > 0) {
    const std::vector<std::size_t> rows = chosen_support(out, shape, random);
    out.support = rows_of(out.support, rows);
    std::vector<std::int64_t> labels;
    for (const std::size_t i : rows) labels.push_back(out.support_labels[i]);
    out.support_labels = std::move(labels);
  }
  if (shape.kept_apart > 0) keep_apart(out, shape.kept_apart, random);
  if (shape.order != StreamOrder::given) {
    const std::vector<std::size_t> places = stream_order(out, shape.order, random);
    out.stream = rows_of(out.stream, places);
    std::vector<std::int64_t> truth;
    for (const std::size_t i : places) truth.push_back(out.truth[i]);
    out.truth = std::move(truth);
  }
  return out;
}

}  // namespace paco::study
