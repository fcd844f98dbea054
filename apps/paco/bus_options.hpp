// What the parts of `paco bus` share: the servers and the credentials; and the parts themselves.
#pragma once

#include "bus/connection.hpp"
#include "verb.hpp"

namespace paco {

void add_bus_server(CLI::App& verb, bus::ConnectOptions& options);

void add_bus_decide(CLI::App& verb, Context& context);
void add_bus_embed(CLI::App& verb, Context& context);
void add_bus_publish(CLI::App& verb, Context& context);
void add_bus_watch(CLI::App& verb, Context& context);

}  // namespace paco
