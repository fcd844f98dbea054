// Options shared by the parts of `paco bus` (servers and credentials), and the parts themselves.
#pragma once

#include "bus/connection.hpp"
#include "cli/verb.hpp"

namespace paco {

void add_bus_server(Options& verb, bus::ConnectOptions& options);

void add_bus_decide(Options& verb, Context& context);
void add_bus_embed(Options& verb, Context& context);
void add_bus_publish(Options& verb, Context& context);
void add_bus_watch(Options& verb, Context& context);

}  // namespace paco
