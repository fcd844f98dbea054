// The call that exports results: one row per sample, or the files of each category. Both are read
// from the journal piece by piece while they are sent, so their size needs no memory and no disk.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "io/csv.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kExportedAtOnce = 512;  // samples per piece

// The name of a sample for people: its file, else its key, else its number.
std::string file_of(const io::DecidedSample& sample) {
  return sample.sample.empty() && !sample.key.empty() ? sample.key : io::shown_name(sample);
}

// Samples that arrive while the export is sent are left out. Corrections are included if they are
// made before their sample is written.
class ExportPieces : public Pieces {
 public:
  ExportPieces(std::shared_ptr<Stream> stream, journal::JournalReader journal)
      : stream_(std::move(stream)), journal_(std::move(journal)), samples_(view()->samples) {}
  bool ended() const override { return ended_; }

 protected:
  std::shared_ptr<const MemoryView> view() const { return stream_->worker().published()->view; }

  std::shared_ptr<Stream> stream_;
  journal::JournalReader journal_;
  const std::uint64_t samples_;
  bool ended_ = false;
};

class CsvPieces final : public ExportPieces {
 public:
  using ExportPieces::ExportPieces;

  Result<std::string> next() override {
    std::string out;
    if (at_ == 0) out = "file,name,category,verdict,score,now,now_name,key,attributes\n";
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kExportedAtOnce, samples_ - at_));
    PACO_ASSIGN(const std::vector<io::DecidedSample> page, journal_.samples(at_, count));
    const auto now = view();
    for (const io::DecidedSample& sample : page) PACO_TRY(append(out, sample, *now));
    at_ += page.size();
    ended_ = at_ >= samples_ || page.empty();
    return out;
  }

 private:
  Result<void> append(std::string& out, const io::DecidedSample& sample, const MemoryView& now) {
    const CategoryId belongs = category_now(sample, now, journal_);
    PACO_ASSIGN(const journal::Extras extras, journal_.extras(sample.sequence, false));
    out += fmt::format("{},{},{},{},", io::csv_field(file_of(sample)),
                       io::csv_field(now.categories.name(sample.category)), sample.category,
                       verdict_name(sample.verdict));
    if (std::isfinite(sample.score)) out += fmt::format("{}", sample.score);
    out += fmt::format(",{},{},{},{}\n", belongs, io::csv_field(now.categories.name(belongs)),
                       sample.key.empty() ? "" : io::csv_field(sample.key),
                       extras.attributes.empty() ? "" : io::csv_field(extras.attributes));
    return {};
  }

  std::uint64_t at_ = 0;
};

// {"stream", "samples", "categories": [{"category", "name", "files": [...]}, ...]}, for categories
// with members.
class ManifestPieces final : public ExportPieces {
 public:
  using ExportPieces::ExportPieces;

  Result<std::string> next() override {
    std::string out;
    const auto now = view();
    if (!begun_) {
      out = fmt::format("{{\"stream\":\"{}\",\"samples\":{},\"categories\":[", stream_->name(),
                        samples_);
      begun_ = true;
    }
    std::size_t written = 0;
    while (category_ < now->categories.next() && written < kExportedAtOnce) {
      const auto page = members(*now);
      if (page.empty()) {
        if (from_ > 0) out += "]}";
        from_ = 0;
        ++category_;
        continue;
      }
      if (from_ == 0) {
        out += fmt::format("{}{{\"category\":{},\"name\":", is_first_ ? "" : ",", category_);
        append_json_text(out, now->categories.name(category_));
        out += ",\"files\":[";
        is_first_ = has_files_ = false;
      }
      for (const std::uint64_t sequence : page) {
        PACO_ASSIGN(const auto sample, journal_.sample(sequence));
        if (!sample) continue;
        if (has_files_) out += ',';
        append_json_text(out, file_of(*sample));
        has_files_ = true;
      }
      from_ = page.back() + 1;
      written += page.size();
    }
    ended_ = category_ >= now->categories.next();
    if (ended_) out += "]}\n";
    return out;
  }

 private:
  std::vector<std::uint64_t> members(const MemoryView& now) const {
    if (!now.categories.is_live(category_)) return {};
    auto page = stream_->members().page(now.categories[category_].prototypes, from_,
                                        kExportedAtOnce, false);
    while (!page.empty() && page.back() >= samples_) page.pop_back();
    return page;
  }

  CategoryId category_ = 0;
  std::uint64_t from_ = 0;  // the next member; 0: none of this category is written yet
  bool begun_ = false, is_first_ = true, has_files_ = false;
};

}  // namespace

Response Service::get_export(Call& call) {
  const auto form = choice(call, "form", {"csv", "manifest"});
  if (!form.ok()) return failure(form.error());
  auto reader =
      call.stream->read([](journal::JournalReader& journal) { return journal.another_reader(); });
  if (!reader.ok()) return failure(reader.error());
  Response response;
  const bool is_csv = *form == "csv";
  if (is_csv) {
    response.type = "text/csv; charset=utf-8";
    response.pieces = std::make_shared<CsvPieces>(call.stream, std::move(reader).value());
  } else {
    response.pieces = std::make_shared<ManifestPieces>(call.stream, std::move(reader).value());
  }
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}{}\"", call.stream->name(),
                                            is_csv ? ".csv" : "-files.json"));
  return response;
}

}  // namespace paco::server
