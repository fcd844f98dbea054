// Names of verdicts and operations, and back.
#include <utility>

#include "core/enum_names.hpp"
#include "paco/decision.hpp"
#include "paco/operation.hpp"

namespace paco {
namespace {

constexpr auto kVerdicts = core::enum_names<Verdict>({{Verdict::known, "known"},
                                                      {Verdict::existing, "existing"},
                                                      {Verdict::created, "created"},
                                                      {Verdict::tentative, "tentative"}});
constexpr auto kOperations = core::enum_names<OperationKind>({{OperationKind::rename, "rename"},
                                                              {OperationKind::merge, "merge"},
                                                              {OperationKind::separate, "separate"},
                                                              {OperationKind::move, "move"},
                                                              {OperationKind::promote, "promote"},
                                                              {OperationKind::demote, "demote"},
                                                              {OperationKind::retire, "retire"},
                                                              {OperationKind::revive, "revive"},
                                                              {OperationKind::verify, "verify"},
                                                              {OperationKind::undo, "undo"}});

}  // namespace

std::string_view verdict_name(Verdict verdict) { return kVerdicts.name(verdict); }
std::string_view operation_name(OperationKind kind) { return kOperations.name(kind); }
std::optional<OperationKind> operation_kind(std::string_view name) {
  return kOperations.value(name);
}

Edit Edit::inverse() const {
  Edit other = *this;
  std::swap(other.from, other.to);
  std::swap(other.from_counted, other.to_counted);
  std::swap(other.from_text, other.to_text);
  return other;
}

}  // namespace paco
