// The names of error codes.
#include "paco/result.hpp"

#include "core/enum_names.hpp"

namespace paco {
namespace {

constexpr auto kNames = core::enum_names<ErrorCode>({{ErrorCode::bad_argument, "bad_argument"},
                                                     {ErrorCode::not_found, "not_found"},
                                                     {ErrorCode::io, "io"},
                                                     {ErrorCode::bad_format, "bad_format"},
                                                     {ErrorCode::bad_shape, "bad_shape"},
                                                     {ErrorCode::bad_value, "bad_value"},
                                                     {ErrorCode::unsupported, "unsupported"},
                                                     {ErrorCode::mismatch, "mismatch"},
                                                     {ErrorCode::interrupted, "interrupted"},
                                                     {ErrorCode::out_of_memory, "out_of_memory"}});

}  // namespace

std::string_view error_code_name(ErrorCode code) { return kNames.name(code); }

}  // namespace paco
