#include "shared/download.hpp"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>

#include "core/files.hpp"
#include "core/partial_file.hpp"
#include "core/try.hpp"

namespace paco {
namespace {

constexpr long kConnectSeconds = 30, kSilentSeconds = 60, kMostRedirects = 10;
constexpr std::uint64_t kMegabyte = 1'000'000;

// The functions of libcurl that are used.
struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) create;
  decltype(&curl_easy_setopt) set;
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_getinfo) get;
  decltype(&curl_easy_strerror) words;
  decltype(&curl_easy_cleanup) free;

  // Null if libcurl is not installed.
  static const Curl* open() {
    static const std::optional<Curl> curl = load();
    return curl ? &*curl : nullptr;
  }

 private:
  static std::optional<Curl> load() {
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
      void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) continue;
      Curl curl{};
      const auto find = [&](auto& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
        return function != nullptr;
      };
      if (find(curl.global_init, "curl_global_init") && find(curl.create, "curl_easy_init") &&
          find(curl.set, "curl_easy_setopt") && find(curl.perform, "curl_easy_perform") &&
          find(curl.get, "curl_easy_getinfo") && find(curl.words, "curl_easy_strerror") &&
          find(curl.free, "curl_easy_cleanup") && curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK)
        return curl;
      ::dlclose(library);
    }
    return std::nullopt;
  }
};

class Transfer {
 public:
  Transfer(const Curl& curl, core::PartialFile& file, core::Progress& progress,
           const std::stop_token& stop)
      : curl_(curl),
        file_(file),
        progress_(progress),
        stop_(stop),
        handle_(curl.create(), curl.free) {}

  CURLcode run(const std::string& address) {
    if (handle_ == nullptr) return CURLE_OUT_OF_MEMORY;
    before_ = file_.size();
    set(CURLOPT_URL, address.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, address.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_USERAGENT, "paco");
    set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(before_));
    set(CURLOPT_ERRORBUFFER, words_);
    set(CURLOPT_WRITEFUNCTION, &Transfer::write);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::report);
    set(CURLOPT_XFERINFODATA, this);
    const CURLcode code = curl_.perform(handle_.get());
    if (started_) progress_.finish();
    return code;
  }

  // The error with a hint, as far as it does not depend on the caller.
  Error error(CURLcode code, const std::string& address) const {
    if (stop_.stop_requested()) return Error{ErrorCode::interrupted, "interrupted", ""};
    if (code == CURLE_WRITE_ERROR && disk_) return *disk_;
    long status = 0;
    curl_.get(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_HTTP_RETURNED_ERROR)
      return Error{ErrorCode::not_found, fmt::format("{}: the server answered {}", address, status),
                   "the file may have moved"};
    return Error{ErrorCode::io,
                 fmt::format("{}: {}", address, words_[0] != 0 ? words_ : curl_.words(code)),
                 "is there a network?"};
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_.set(handle_.get(), option, value);
  }

  static std::size_t write(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const auto written = transfer.file_.write(std::string_view(bytes, size * count));
    if (written.ok()) return size * count;
    transfer.disk_ = written.error();
    return 0;
  }

  // Called about once a second while no data arrives, otherwise more often.
  static int report(void* self, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (transfer.stop_.stop_requested()) return 1;
    if (total <= 0) return 0;
    if (!transfer.started_)
      transfer.progress_.start("fetch", "MB",
                               (transfer.before_ + static_cast<std::uint64_t>(total)) / kMegabyte);
    transfer.started_ = true;
    transfer.progress_.update((transfer.before_ + static_cast<std::uint64_t>(done)) / kMegabyte,
                              {});
    return 0;
  }

  const Curl& curl_;
  core::PartialFile& file_;
  core::Progress& progress_;
  const std::stop_token& stop_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
  std::uint64_t before_ = 0;  // bytes of an earlier attempt
  bool started_ = false;
  std::optional<Error> disk_;
  char words_[CURL_ERROR_SIZE] = {};
};

// Whether the server or file does not support resuming.
bool cannot_resume(CURLcode code) {
  return code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME;
}

}  // namespace

Result<void> download(const std::string& address, const std::string& path, core::Progress& progress,
                      const std::stop_token& stop) {
  const Curl* curl = Curl::open();
  if (curl == nullptr)
    return Error{ErrorCode::not_found, "libcurl is not installed", "Debian: apt install libcurl4"};
  const std::string part = core::PartialFile::partial_name(path);
  std::uint64_t there = 0;
  if (core::path_kind(part) == core::PathKind::file) {
    PACO_ASSIGN(there, core::file_size(part));
  }
  while (true) {
    Result<core::PartialFile> file =
        there > 0 ? core::PartialFile::resume(path, there) : core::PartialFile::create(path);
    if (!file.ok()) return file.error();
    Transfer transfer(*curl, *file, progress, stop);
    const CURLcode code = transfer.run(address);
    if (code == CURLE_OK) return file->sync();
    if (there == 0 || !cannot_resume(code)) return transfer.error(code, address);
    there = 0;
  }
}

}  // namespace paco
