// The Python functions about past samples: members, samples, pictures, embeddings, centroids, the
// map.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "handle.hpp"
#include "insight/directions.hpp"
#include "insight/insight.hpp"
#include "arrays.hpp"
#include "samples.hpp"

namespace paco::python {
namespace {

using Json = nlohmann::ordered_json;
using Sequences = std::vector<std::uint64_t>;

template <class Work>
auto without_gil(Work work) {
  const ReleaseGil release;
  return work();
}

insight::Directions directions_in(const Session& session) {
  insight::Directions all = insight::directions_of(session.method(), session.events());
  if (all.transform == nullptr) {
    raise({ErrorCode::unsupported,
           std::string(session.method().name()) + " has no directions to compare",
           "methods with directions are paco, mirror and the baselines"});
  }
  return all;
}

py::tuple centroids(PySession& self) {
  const Handle::Use session(*self.handle());
  const insight::Directions all = directions_in(*session);
  const insight::Centroids found = insight::centroids_of(all);
  return py::make_tuple(
      array_of(std::span<const CategoryId>(found.categories)),
      py::array_t<float>({found.categories.size(), all.dimension}, found.rows.data()));
}

py::array_t<float> units(PySession& self, const py::object& x) {
  const Samples samples = Samples::matrix(x);
  const Handle::Use session(*self.handle());
  const insight::Directions all = directions_in(*session);
  if (samples.columns() != session->model().dimension) {
    raise({ErrorCode::bad_shape, "these rows are not of this model", "embed them in the same way"});
  }
  py::array_t<float> out({samples.rows(), all.dimension});
  std::vector<double> scratch;
  if (!all.transform->apply(samples.block(0, samples.rows(), scratch),
                            {out.mutable_data(), samples.rows(), all.dimension})) {
    raise({ErrorCode::bad_value, "one of these rows is zero or not finite", "leave it out"});
  }
  return out;
}

std::string map(PySession& self, std::size_t most) {
  const Handle::Use session(*self.handle());
  const insight::Directions all = directions_in(*session);
  const auto view = session->view();
  const insight::PrototypeMap map =
      without_gil([&] { return insight::principal_map(all, most); });
  Json points = Json::array();
  for (const insight::MapPoint& point : map.points) {
    points.push_back({{"prototype", all.prototypes[point.prototype]},
                      {"category", all.owners[point.prototype]},
                      {"name", view->categories.name(all.owners[point.prototype])},
                      {"x", point.x},
                      {"y", point.y},
                      {"size", all.sizes[point.prototype]},
                      {"known", all.known[point.prototype] != 0}});
  }
  return points.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// {id: {"keywords", "suggested_name", "like"}} of the live categories; keywords need a journal.
std::string notes(PySession& self) {
  const Handle::Use session(*self.handle());
  const Json out = take(without_gil([&]() -> Result<Json> {
    insight::Keywords keywords;
    if (session->has_journal()) {
      auto found = self.handle()->past().keywords(*session);
      if (!found.ok()) return found.error();
      keywords = std::move(*found);
    }
    const auto view = session->view();
    const insight::Directions all = insight::directions_of(session->method(), session->events());
    Json made = Json::object();
    for (CategoryId id = 0; id < view->categories.next(); ++id) {
      if (view->categories.is_live(id))
        made[std::to_string(id)] = insight::category_notes_json(*view, id, all, keywords);
    }
    return made;
  }));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void add_past(py::class_<PySession>& sessions) {
  sessions
      .def("_members",
           [](PySession& self, CategoryId category) {
             const Handle::Use session(*self.handle());
             const Sequences found = take(without_gil(
                 [&] { return self.handle()->past().members(*session, category); }));
             return array_of(std::span<const std::uint64_t>(found));
           })
      .def("_samples",
           [](PySession& self, const Sequences& sequences) {
             const Handle::Use session(*self.handle());
             return take(without_gil(
                 [&] { return self.handle()->past().samples(*session, sequences); }));
           })
      .def("_picture",
           [](PySession& self, std::uint64_t sequence) {
             const Handle::Use session(*self.handle());
             return py::bytes(take(without_gil(
                 [&] { return self.handle()->past().picture(*session, sequence); })));
           })
      .def("_shown",
           [](PySession& self, const Sequences& sequences) {
             const Handle::Use session(*self.handle());
             std::vector<CategoryId> out;
             for (const std::uint64_t sequence : sequences)
               out.push_back(take(session->shown(sequence)));
             return array_of(std::span<const CategoryId>(out));
           })
      .def("_embeddings",
           [](PySession& self, const Sequences& sequences) {
             const Handle::Use session(*self.handle());
             const std::vector<double> rows = take(without_gil(
                 [&] { return self.handle()->past().embeddings(*session, sequences); }));
             return py::array_t<double>({sequences.size(), session->model().dimension},
                                        rows.data());
           })
      .def("_centroids", &centroids)
      .def("_units", &units)
      .def("_map", &map)
      .def("_notes", &notes);
}

}  // namespace paco::python
