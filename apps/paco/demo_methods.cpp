// The methods of paco-demo: those that the demonstration compares, so that neither mirror nor the
// peers have to be built before it runs.
#include "registry/registry.hpp"

namespace paco {

std::span<const Registration> registered_methods() {
  static const std::vector<Registration> list = own_methods();
  return list;
}

}  // namespace paco
