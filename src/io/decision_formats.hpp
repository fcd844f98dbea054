// Decisions in each format, for the table (format.hpp). Not for use outside this folder.
#pragma once

#include <memory>
#include <string>

#include "io/decision_reader.hpp"
#include "io/decision_writer.hpp"
#include "io/format.hpp"

namespace paco::io {

using DecisionRowsResult = Result<std::unique_ptr<DecisionRows>>;
DecisionRowsResult open_csv_decisions(ByteStream stream, const EvidenceChoices& choices);
DecisionRowsResult open_jsonl_decisions(ByteStream stream, const EvidenceChoices& choices);
DecisionRowsResult open_npy_decisions(ByteStream stream, const EvidenceChoices& choices);

using DecisionWriterResult = Result<std::unique_ptr<DecisionWriter>>;
DecisionWriterResult create_csv_decisions(core::PartialFile file, const MethodInfo& method,
                                          std::string further);
DecisionWriterResult create_jsonl_decisions(core::PartialFile file, const MethodInfo& method,
                                            std::string further);
DecisionWriterResult create_npy_decisions(core::PartialFile file, const MethodInfo& method,
                                          std::string further);

}  // namespace paco::io
