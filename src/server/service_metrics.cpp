// The call for Prometheus: metrics of requests, streams, journals and the process, in base units.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/files.hpp"
#include "server/service.hpp"
#include "server/views.hpp"

namespace paco::server {
namespace {

class Page {
 public:
  void head(std::string_view name, std::string_view kind, std::string_view help) {
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
  }
  void line(std::string_view name, std::string_view labels, double value) {
    text += labels.empty() ? fmt::format("{} {}\n", name, value)
                           : fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  void one(std::string_view name, std::string_view kind, std::string_view help, double value) {
    head(name, kind, help);
    line(name, "", value);
  }
  std::string text;
};

std::size_t open_descriptors() {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  std::size_t count = 0;
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count > 3 ? count - 3 : 0;  // ".", ".." and the folder itself
}

// Field `number` (from 1) of /proc/self/stat.
double stat_field(int number) {
  const auto bytes = core::read_file("/proc/self/stat", 65536);
  if (!bytes.ok()) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::string_view rest(text);
  rest.remove_prefix(std::min(rest.rfind(')') + 1, rest.size()));  // the name may have anything
  for (int field = 2; field < number && !rest.empty(); ++field)
    rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  return std::strtod(rest.data(), nullptr);
}

double boot_time() {
  timespec real{}, since{};
  ::clock_gettime(CLOCK_REALTIME, &real);
  ::clock_gettime(CLOCK_BOOTTIME, &since);
  return static_cast<double>(real.tv_sec - since.tv_sec);
}

void process_figures(Page& page) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  page.one("process_cpu_seconds_total", "counter", "Processor time of user and system.",
           seconds(used.ru_utime) + seconds(used.ru_stime));
  page.one("process_resident_memory_bytes", "gauge", "Memory in use.",
           stat_field(24) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  page.one("process_virtual_memory_bytes", "gauge", "Addresses in use.", stat_field(23));
  page.one("process_open_fds", "gauge", "Open files and connections.",
           static_cast<double>(open_descriptors()));
  page.one("process_max_fds", "gauge", "The most of them.", static_cast<double>(files.rlim_cur));
  page.one("process_start_time_seconds", "gauge", "When the server began, since 1970.",
           boot_time() + stat_field(22) / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

struct StreamFigure {
  const char *name, *kind, *help;
  double (*value)(Stream&);
};

double journal_size(Stream& stream) {
  const auto info = stream.read([](journal::JournalReader& journal) { return journal.info(); });
  return info.ok() ? static_cast<double>(info->file_bytes + info->log_bytes) : 0;
}

constexpr StreamFigure kStreamFigures[] = {
    {"paco_samples", "gauge", "Samples in the stream.",
     [](Stream& s) { return static_cast<double>(s.worker().published()->view->samples); }},
    {"paco_events", "gauge", "Events in the stream.",
     [](Stream& s) { return static_cast<double>(s.worker().published()->events); }},
    {"paco_categories_known", "gauge", "Known classes.",
     [](Stream& s) { return static_cast<double>(s.worker().published()->view->known); }},
    {"paco_categories_discovered", "gauge", "Discovered categories.",
     [](Stream& s) { return static_cast<double>(s.worker().published()->view->discovered); }},
    {"paco_births_total", "counter", "Categories created since the server began.",
     [](Stream& s) { return static_cast<double>(s.births()); }},
    {"paco_waiting_samples", "gauge", "Samples that wait to be decided.",
     [](Stream& s) { return static_cast<double>(s.worker().waiting()); }},
    {"paco_journal_bytes", "gauge", "Size of the journal with its log.", journal_size},
};

}  // namespace

void Service::request_figures(std::string& text) const {
  Page page;
  page.head("paco_http_requests_total", "counter", "Requests by call and status.");
  const auto labels_of = [](const Route& route) {
    return fmt::format("method=\"{}\",route=\"{}\"", verb_text(route.verb), route.pattern);
  };
  for (std::size_t i = 0; i < routes().size(); ++i) {
    for (std::size_t status = 2; status < 6; ++status) {
      const std::uint64_t count = figures_[i].by_status[status];
      if (count == 0) continue;
      page.line("paco_http_requests_total",
                fmt::format("{},code=\"{}xx\"", labels_of(routes()[i]), status),
                static_cast<double>(count));
    }
  }
  page.head("paco_http_request_duration_seconds", "histogram",
            "From the header read to the answer ready.");
  for (std::size_t i = 0; i < routes().size(); ++i) {
    if (figures_[i].seconds.count() == 0) continue;
    figures_[i].seconds.append(page.text, "paco_http_request_duration_seconds",
                               labels_of(routes()[i]));
  }
  text += page.text;
}

Response Service::metrics(Call&) {
  Page page;
  const ListenerCounts counts = counts_ ? counts_() : ListenerCounts{};
  page.head("paco_build_info", "gauge", "The program.");
  page.line("paco_build_info", fmt::format("version=\"{}\"", options_.version), 1);
  page.one("paco_requests_total", "counter", "Requests.", static_cast<double>(requests_));
  page.one("paco_failures_total", "counter", "Requests answered with an error.",
           static_cast<double>(failures_));
  page.one("paco_decisions_total", "counter", "Samples answered.", static_cast<double>(samples_));
  page.one("paco_waiting_image_requests", "gauge", "Requests whose images are being embedded.",
           static_cast<double>(images_waiting_));
  page.one("paco_connections", "gauge", "Open connections.", static_cast<double>(counts.open));
  page.one("paco_connections_total", "counter", "Connections accepted.",
           static_cast<double>(counts.accepted));
  page.one("paco_connections_refused_total", "counter", "Connections beyond the limit.",
           static_cast<double>(counts.refused));
  struct statvfs disk {};
  if (::statvfs(options_.folder.c_str(), &disk) == 0) {
    page.one("paco_disk_free_bytes", "gauge", "Room on the disk of the journals.",
             static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize));
  }
  request_figures(page.text);
  const auto streams = streams_.all();
  page.head("paco_stream_ready", "gauge", "Whether a stream takes samples.");
  for (const auto& stream : streams)
    page.line("paco_stream_ready", fmt::format("stream=\"{}\"", stream->name()), stream->ready());
  for (const StreamFigure& figure : kStreamFigures) {
    page.head(figure.name, figure.kind, figure.help);
    for (const auto& stream : streams) {
      if (!stream->ready()) continue;
      page.line(figure.name, fmt::format("stream=\"{}\"", stream->name()), figure.value(*stream));
    }
  }
  page.head("paco_decision_duration_seconds", "histogram",
            "From a request with samples read to its answer ready.");
  for (const auto& stream : streams) {
    stream->delay_histogram().append(page.text, "paco_decision_duration_seconds",
                                     fmt::format("stream=\"{}\"", stream->name()));
  }
  process_figures(page);
  Response response;
  response.type = "text/plain; version=0.0.4";
  response.body = std::move(page.text);
  return response;
}

}  // namespace paco::server
