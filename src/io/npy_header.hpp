// Parts of npy reading that embeddings.cpp and labels.cpp share with npy.cpp.
#pragma once

#include "io/npy.hpp"

namespace paco::io {

// The error for data that end after `elements` whole elements.
Error npy_truncated(const std::string& name, const NpyHeader& header, std::uint64_t elements);
// After the last element nothing may follow.
Result<void> expect_npy_end(ByteStream& stream);

}  // namespace paco::io
