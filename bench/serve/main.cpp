// How much a server on loopback takes, and how long an answer takes:
//   bench_serve PORT STREAM DIMENSION
//     [--requests N] [--connections C] [--rows R] [--npy 1] [--rate A_SECOND] [--idle I] [--slow S]
//
// C kept-alive connections send N requests of R samples each, with keys, as JSON or as npy; as fast
// as they are answered, or at a rate. I more connections stay open without a word and S send a byte
// a second. Prints one JSON object; any answer but 200 ends it. It measures from outside: sockets,
// no part of the server.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int port = 0;
  std::string stream;
  std::size_t dimension = 0;
  std::size_t requests = 100'000, connections = 64, rows = 1, idle = 0, slow = 0;
  bool npy = false;
  double rate = 0;  // requests a second; 0: as fast as they are answered
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench_serve: %s\n", why.c_str());
  std::exit(1);
}

int open_connection(int port) {
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (peer < 0 || ::connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    give_up(std::string("cannot connect: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return peer;
}

// Bodies are made beforehand but for the keys, which are as long as each other.
class Requests {
 public:
  explicit Requests(const Options& options) : options_(options) {
    paco::core::Random random(1);
    for (int made = 0; made < 256; ++made) {
      std::string text = "[", bytes;
      for (std::size_t j = 0; j < options.dimension; ++j) {
        const auto value = static_cast<float>(random.normal());
        char number[32];
        std::snprintf(number, sizeof number, "%s%.6f", j == 0 ? "" : ",", value);
        text += number;
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
      rows_.push_back(options.npy ? bytes : text + "]");
    }
    run_ = std::to_string(Clock::now().time_since_epoch().count());
  }
  std::string make(std::uint64_t number) const {
    return options_.npy ? make_npy(number) : make_json(number);
  }

 private:
  std::string make_json(std::uint64_t number) const {
    std::string body = "{\"samples\":[";
    for (std::size_t i = 0; i < options_.rows; ++i) {
      body += i == 0 ? "" : ",";
      body += "{\"key\":\"" + run_ + "-" + std::to_string(number) + "-" + std::to_string(i) +
              "\",\"embedding\":" + rows_[(number * options_.rows + i) % rows_.size()] + "}";
    }
    body += "]}";
    return request("/samples?brief=1", "application/json", body);
  }
  std::string make_npy(std::uint64_t number) const {
    std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(options_.rows) + ", " + std::to_string(options_.dimension) +
                       "), }";
    head.append(63 - (head.size() + 10) % 64, ' ');
    head += '\n';
    std::string body = std::string("\x93NUMPY\x01\x00", 8);
    body += static_cast<char>(head.size() % 256);
    body += static_cast<char>(head.size() / 256);
    body += head;
    for (std::size_t i = 0; i < options_.rows; ++i)
      body += rows_[(number * options_.rows + i) % rows_.size()];
    return request("/samples?brief=1&key_prefix=" + run_ + "-" + std::to_string(number) + "-",
                   "application/x-npy", body);
  }
  std::string request(const std::string& path, const std::string& type,
                      const std::string& body) const {
    return "POST /v1/streams/" + options_.stream + path +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  const Options& options_;
  std::vector<std::string> rows_;
  std::string run_;
};

struct Peer {
  int socket = -1;
  bool busy = false;
  Clock::time_point due;  // when its request should have gone out
  std::string got;
};

void send_all(int socket, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) give_up("the server is gone");
    at += static_cast<std::size_t>(sent);
  }
}

// True where an answer is whole.
bool receive(Peer& peer) {
  char piece[65536];
  const ssize_t count = ::recv(peer.socket, piece, sizeof piece, 0);
  if (count <= 0) give_up("the server closed a connection");
  peer.got.append(piece, static_cast<std::size_t>(count));
  const std::size_t head = peer.got.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  if (!peer.got.starts_with("HTTP/1.1 200")) give_up(peer.got.substr(0, 400));
  const std::size_t length = peer.got.find("Content-Length: ");
  const std::size_t body = std::strtoull(peer.got.c_str() + length + 16, nullptr, 10);
  if (peer.got.size() < head + 4 + body) return false;
  peer.got.clear();
  return true;
}

Options parse(int argc, char** argv) {
  if (argc < 4) give_up("PORT STREAM DIMENSION [--requests N] [--connections C] [--rows R] ...");
  Options o;
  o.port = std::atoi(argv[1]);
  o.stream = argv[2];
  o.dimension = std::strtoull(argv[3], nullptr, 10);
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::size_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--requests") o.requests = value;
    if (name == "--connections") o.connections = value;
    if (name == "--rows") o.rows = value;
    if (name == "--idle") o.idle = value;
    if (name == "--slow") o.slow = value;
    if (name == "--npy") o.npy = value != 0;
    if (name == "--rate") o.rate = std::atof(argv[i + 1]);
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const Options o = parse(argc, argv);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const Requests requests(o);
  std::vector<int> idle, slow;
  for (std::size_t i = 0; i < o.idle; ++i) idle.push_back(open_connection(o.port));
  for (std::size_t i = 0; i < o.slow; ++i) {
    slow.push_back(open_connection(o.port));
    send_all(slow.back(), "POST /v1/streams/" + o.stream + "/samples HTTP/1.1\r\n");
  }
  std::vector<Peer> peers(o.connections);
  std::vector<pollfd> polled(o.connections);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    peers[i].socket = open_connection(o.port);
    polled[i] = {peers[i].socket, POLLIN, 0};
  }
  std::vector<float> delays;
  delays.reserve(o.requests);
  std::deque<std::size_t> free;
  for (std::size_t i = 0; i < peers.size(); ++i) free.push_back(i);
  std::uint64_t sent = 0;
  const Clock::time_point start = Clock::now();
  Clock::time_point next_byte = start;
  while (delays.size() < o.requests) {
    const Clock::time_point now = Clock::now();
    while (!free.empty() && sent < o.requests) {
      const auto due =
          o.rate > 0
              ? start + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(static_cast<double>(sent) / o.rate))
              : now;
      if (due > now) break;
      Peer& peer = peers[free.front()];
      free.pop_front();
      peer.busy = true;
      peer.due = due;
      send_all(peer.socket, requests.make(sent++));
    }
    if (now >= next_byte) {
      for (const int socket : slow) (void)::send(socket, "a", 1, MSG_NOSIGNAL);
      next_byte = now + std::chrono::seconds(1);
    }
    if (::poll(polled.data(), polled.size(), 1) <= 0) continue;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || !receive(peers[i])) continue;
      delays.push_back(
          std::chrono::duration<float, std::milli>(Clock::now() - peers[i].due).count());
      peers[i].busy = false;
      free.push_back(i);
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::sort(delays.begin(), delays.end());
  const auto part = [&](double share) {
    return delays[std::min(delays.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(delays.size())))];
  };
  std::printf(
      "{\"requests\": %zu, \"rows\": %zu, \"connections\": %zu, \"idle\": %zu, \"slow\": %zu, "
      "\"rate\": %.1f, \"requests_per_second\": %.1f, \"samples_per_second\": %.1f, "
      "\"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f}\n",
      delays.size(), o.rows, o.connections, o.idle, o.slow, o.rate,
      static_cast<double>(delays.size()) / seconds,
      static_cast<double>(delays.size() * o.rows) / seconds, part(0.5), part(0.99), delays.back());
  return 0;
}
