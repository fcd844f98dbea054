// The text encoder in Python: texts in, an array of embeddings out.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <mutex>

#include "embed/models/model_folder.hpp"
#include "embed/text/text_encoder.hpp"
#include "errors.hpp"
#include "module.hpp"

namespace paco::python {
namespace {

// One call at a time; other calls wait without the GIL.
struct Encoder {
  std::unique_ptr<embed::TextEncoder> encoder;
  std::mutex busy;
};

std::shared_ptr<Encoder> open_encoder(const std::string& folder, unsigned threads,
                                      const std::string& precision) {
  auto made = std::make_shared<Encoder>();
  auto opened = [&] {
    const ReleaseGil release;
    return embed::TextEncoder::open(folder, {threads, precision, std::nullopt, 0});
  }();
  made->encoder = take(std::move(opened));
  return made;
}

// (rows, indexes of texts without a word, indexes of texts that were cut off)
py::tuple encode(const std::shared_ptr<Encoder>& self, const std::vector<std::string>& texts) {
  py::array_t<float> out({texts.size(), self->encoder->dimension()});
  const Rows<float> rows{out.mutable_data(), texts.size(), self->encoder->dimension()};
  const embed::EncodedTexts done = take(interruptible([&](std::stop_token stop) {
    const std::lock_guard one(self->busy);
    return self->encoder->encode(texts, rows, stop);
  }));
  return py::make_tuple(out, done.empty, done.cut);
}

}  // namespace

void add_encoder(py::module_& module) {
  py::class_<Encoder, std::shared_ptr<Encoder>> encoders(module, "TextEncoder");
  forbid_new(encoders, "Encoder()");
  encoders.def("encode", &encode, py::arg("texts"), "Rows of float32, one for each text.")
      .def_property_readonly(
          "dimension",
          [](const std::shared_ptr<Encoder>& self) { return self->encoder->dimension(); },
          "numbers in an embedding")
      .def_property_readonly(
          "network",
          [](const std::shared_ptr<Encoder>& self) {
            return embed::text_network_name(self->encoder->spec());
          },
          "what it is, in words")
      .def_property_readonly(
          "record",
          [](const std::shared_ptr<Encoder>& self) {
            return embedding_record_to_json(self->encoder->record());
          },
          "what makes an embedding, as JSON");
  module.def("open_encoder", &open_encoder);
  // The folder of a published encoder on this machine.
  module.def("find_model", [](const std::string& name) { return take(embed::find_model(name)); });
}

}  // namespace paco::python
