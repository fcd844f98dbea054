#include "verbs/verb_table.hpp"

namespace paco {

void add_bench(Options& verb, Context& context);
void add_bus(Options& verb, Context& context);
void add_calibrate(Options& verb, Context& context);
void add_category(Options& verb, Context& context);
void add_data(Options& verb, Context& context);
void add_demo(Options& verb, Context& context);
void add_discover(Options& verb, Context& context);
void add_doctor(Options& verb, Context& context);
void add_embed(Options& verb, Context& context);
void add_evaluate(Options& verb, Context& context);
void add_inspect(Options& verb, Context& context);
void add_journal(Options& verb, Context& context);
void add_leaderboard(Options& verb, Context& context);
void add_manual(Options& verb, Context& context);
void add_methods(Options& verb, Context& context);
void add_models(Options& verb, Context& context);
void add_replay(Options& verb, Context& context);
void add_report(Options& verb, Context& context);
void add_send(Options& verb, Context& context);
void add_serve(Options& verb, Context& context);
void add_split(Options& verb, Context& context);
void add_start(Options& verb, Context& context);
void add_study(Options& verb, Context& context);
void add_train(Options& verb, Context& context);
void add_watch(Options& verb, Context& context);

std::span<const VerbEntry> verb_table() {
  static constexpr VerbEntry table[] = {
      {"start", add_start, ""},
      {"demo", add_demo, ""},
      {"data", add_data, ""},
      {"split", add_split, ""},
#ifdef PACO_WITH_TORCH
      {"train", add_train, ""},
#else
      {"train", nullptr, "it needs torch: install libtorch-dev and build again"},
#endif
      {"models", add_models, ""},
      {"embed", add_embed, ""},
      {"methods", add_methods, ""},
      {"calibrate", add_calibrate, ""},
      {"discover", add_discover, ""},
      {"category", add_category, ""},
      {"replay", add_replay, ""},
      {"journal", add_journal, ""},
      {"serve", add_serve, ""},
      {"send", add_send, ""},
      {"watch", add_watch, ""},
#ifdef PACO_WITH_NATS
      {"bus", add_bus, ""},
#else
      {"bus", nullptr, "it needs NATS: install libnats-dev and build again"},
#endif
      {"evaluate", add_evaluate, ""},
      {"inspect", add_inspect, ""},
      {"report", add_report, ""},
      {"study", add_study, ""},
      {"leaderboard", add_leaderboard, ""},
      {"bench", add_bench, ""},
      {"doctor", add_doctor, ""},
      {"manual", add_manual, ""},
  };
  return table;
}

std::vector<std::unique_ptr<Options>> all_verbs(Context& context) {
  std::vector<std::unique_ptr<Options>> verbs;
  for (const VerbEntry& entry : verb_table()) {
    if (entry.add == nullptr) continue;
    verbs.push_back(std::make_unique<Options>(entry.name));
    entry.add(*verbs.back(), context);
  }
  return verbs;
}

}  // namespace paco
