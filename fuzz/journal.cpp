// Fuzz target for journals: the input is a list of changes, three bytes of place and one of value
// each, to a journal that was made well; what comes of it is verified, opened and looked through.
// Inputs as whole files would hardly get past the header of the database.
#include "journal/journal.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "paco/session.hpp"

namespace {

using namespace paco;

const std::string& scratch() {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("fuzz_journal." + std::to_string(getpid())))
          .string();
  return path;
}

void remove_scratch() {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(scratch() + end);
}

std::vector<std::byte> synthetic_journal() {
  remove_scratch();
  const std::vector<double> support{9, 1, 0, 8, 0, 1, 9, 0, 2, 1, 9, 0, 0, 8,
                                    1, 2, 9, 0, 0, 1, 9, 1, 0, 8, 0, 2, 9};
  const std::vector<std::int64_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
  const auto model =
      std::make_shared<const Model>(calibrate({{support.data(), 9, 3}, labels, {}, {}}).value());
  auto session = Session::create(scratch(), model, "paco", {}, {}).value();
  std::vector<double> samples;
  std::vector<std::string> keys;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 3; ++j) samples.push_back((i + 1) * (j + 2) % 7 - 3);
    keys.push_back("key " + std::to_string(i));
  }
  std::vector<Decision> decisions(12);
  session.decide({samples.data(), 12, 3}, decisions, {keys, {}}).value();
  Operation operation;
  operation.kind = OperationKind::rename;
  operation.category = 0;
  operation.name = "heron";
  session.apply(operation).value();
  if (!session.close().ok()) __builtin_trap();
  std::vector<std::byte> bytes = core::read_file(scratch()).value();
  remove_scratch();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> good = synthetic_journal();
  std::vector<std::byte> bytes = good;
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t place = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    bytes[place % bytes.size()] = static_cast<std::byte>(data[i + 3]);
  }
  if (!core::write_file(scratch(), bytes).ok()) __builtin_trap();
  core::NoProgress silent;
  const auto report = journal::verify_journal(scratch(), silent, {});
  if (!report.ok() && report.error().message.empty()) __builtin_trap();
  auto session = Session::open_read_only(scratch());
  if (session.ok()) {
    const auto history = session->history();
    if (history.ok() && session->view()->samples != session->samples()) __builtin_trap();
  } else if (session.error().message.empty()) {
    __builtin_trap();
  }
  remove_scratch();
  return 0;
}
