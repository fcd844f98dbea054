// Early return for Result, used inside the library and the program.
//
//   PACO_TRY(write_header(file));             returns the Error, or goes on
//   PACO_ASSIGN(auto rows, count_rows(file)); the same, and keeps the value
#pragma once

#include "paco/result.hpp"

#define PACO_TRY(expression)                                                            \
  do {                                                                                  \
    if (auto paco_result = (expression); !paco_result.ok()) return paco_result.error(); \
  } while (false)

#define PACO_CONCAT_INNER(a, b) a##b
#define PACO_CONCAT(a, b) PACO_CONCAT_INNER(a, b)
#define PACO_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                              \
  if (!result.ok()) return result.error();                 \
  declaration = std::move(result).value()
#define PACO_ASSIGN(declaration, expression) \
  PACO_ASSIGN_INNER(PACO_CONCAT(paco_result_, __LINE__), declaration, expression)
