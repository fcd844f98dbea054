// Compiles the parts of Asio and Beast that need to be compiled only once: the other files include
// only their declarations (BOOST_ASIO_SEPARATE_COMPILATION in CMakeLists.txt).
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
