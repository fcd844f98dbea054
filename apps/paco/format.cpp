// The functions of {fmt} that its headers only declare, in the program itself, so that it loads
// neither libfmt nor, on its behalf, a second C++ library beside the one that is linked in. For
// {fmt} 9; CMakeLists.txt leaves this out with another.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
