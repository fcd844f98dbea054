// How fast do embeddings come from a file into blocks of doubles? Contenders: our sources for npy
// files of float32 and float16, the bare bytes into memory as the limit, and NumPy. The file was
// just written, so it is in the system's cache: what is measured is reading and converting, not the
// disk.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "bench/common/synthetic_shapes.hpp"
#include "core/files.hpp"
#include "harness.hpp"
#include "io/embedding_writer.hpp"
#include "io/embeddings.hpp"

namespace {

using namespace paco;

// All rows in blocks of 256; returns their sum, so that contenders can be compared.
double read_blocks(const bench::Harness& harness, const std::string& path) {
  const auto source = harness.take(io::open_embeddings(path));
  math::Matrix<double> block(256, source->dimension());
  double sum = 0;
  while (const std::size_t rows = harness.take(source->read(block.view()))) {
    for (std::size_t i = 0; i < rows; ++i) sum += block[i][0];
  }
  return sum;
}

// Seconds of the NumPy program, or 0 where there is none.
double numpy_seconds(const std::string& path) {
  const std::string command =
      fmt::format("/usr/bin/python3 '{}/bench/read/numpy_load.py' '{}'", PACO_SOURCE_DIR, path);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  double seconds = 0;
  const bool found = std::fscanf(pipe, "%lf ", &seconds) == 1;  // to the end of the output
  return pclose(pipe) == 0 && found ? seconds : 0;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Harness harness("read", argc, argv);
  const io::SyntheticData cars(cars_shape());
  const math::Matrix<double> stream = cars.stream(0, cars.shape().stream);
  double expected = 0;
  for (std::size_t i = 0; i < stream.rows(); ++i) expected += stream[i][0];
  for (const io::ElementType type : {io::ElementType::f32, io::ElementType::f16}) {
    const std::string name = type == io::ElementType::f32 ? "float32" : "float16";
    const std::string path = fmt::format("/tmp/paco-bench-read-{}.npy", ::getpid());
    {
      const auto writer = harness.take(io::create_embeddings(path, stream.columns(), type));
      harness.take(writer->append(stream, {}));
      harness.take(writer->commit());
    }
    const double sum = read_blocks(harness, path);
    harness.require(std::abs(sum - expected) < 1e-2 * static_cast<double>(stream.rows()),
                    "sum of a column as written and as read, " + name);
    const auto rows = static_cast<double>(stream.rows());
    const auto bytes = static_cast<double>(harness.take(core::file_size(path)));
    harness.time(
        "paco", name, rows, [&] { (void)read_blocks(harness, path); }, 0, bytes);
    harness.time(
        "bytes alone", name, rows, [&] { harness.take(core::read_file(path)); }, 0, bytes);
    if (const double seconds = numpy_seconds(path); seconds > 0) {
      harness.add({"", "numpy", name, timing_of({seconds}), rows, 0, bytes});
    } else {
      harness.note("numpy is not installed and was left out");
    }
    harness.take(core::remove_file(path));
  }
  return harness.finish();
}
