// `paco category`: operations by people on the categories of a stream in a journal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <ctime>

#include "cli/verb.hpp"
#include "core/try.hpp"
#include "insight/insight.hpp"
#include "session/operations/operation_json.hpp"
#include "session/summary.hpp"

namespace paco {
namespace {

struct CategoryArguments {
  std::string journal;
  Operation operation;
  std::string into;
  bool all = false;
};

std::string current_user() {
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_name : std::to_string(::getuid());
}

std::string time_text(double seconds) {
  const auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts));
}

// Read-only, because a writer may have the journal open.
Result<Session> open(const Context& context, const CategoryArguments& r) {
  return Session::open_read_only(r.journal, 1, context.stop);
}

Result<void> list(Context& context, const CategoryArguments& r) {
  PACO_ASSIGN(Session session, open(context, r));
  const auto view = session.view();
  PACO_ASSIGN(const insight::CategoryNotes notes, insight::CategoryNotes::of(session));
  std::vector<CategoryId> ids;
  Json json = {{"categories", Json::array()}};
  for (CategoryId id = 0; id < view->categories.next(); ++id) {
    if (!view->categories.has(id)) continue;
    if (!r.all && (!view->categories.is_live(id) || view->categories[id].retired)) continue;
    ids.push_back(id);
    json["categories"].push_back(session::category_json(*view, id));
    json["categories"].back().update(notes.json(*view, id));
  }
  return print_result(context, json, session::category_table(*view, ids));
}

Result<void> history(Context& context, const CategoryArguments& r) {
  PACO_ASSIGN(Session session, open(context, r));
  PACO_ASSIGN(const std::vector<OperationOutcome> past, session.history());
  Json json = {{"operations", Json::array()}};
  std::string text =
      fmt::format("{:>9}  {:>9}  {:<19}  {:<12}  {}\n", "event", "samples", "time", "who", "what");
  for (const OperationOutcome& outcome : past) {
    json["operations"].push_back(session::outcome_json(outcome));
    text += fmt::format("{:>9}  {:>9}  {:<19}  {:<12}  {}\n", outcome.event, outcome.sequence,
                        time_text(outcome.time), outcome.operation.actor, outcome.text);
  }
  return print_result(context, json, text);
}

// Quotes a text as one word of a shell.
std::string quoted(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("/._-+:@%", c) != nullptr;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// The command that carries out a suggested operation: a merge or a name.
std::string command_of(const Operation& operation, const std::string& journal) {
  std::string out =
      fmt::format("paco category {} --journal {}", operation_name(operation.kind), quoted(journal));
  if (operation.kind == OperationKind::rename)
    return out + fmt::format(" {} {}", operation.category, quoted(operation.name));
  return out +
         fmt::format(" {} --into {}", fmt::join(operation.categories, " "), operation.category);
}

Result<void> suggest(Context& context, const CategoryArguments& r) {
  PACO_ASSIGN(Session session, open(context, r));
  PACO_ASSIGN(const insight::Insight found, insight::insight_of(session));
  std::string text;
  if (!found.suggestions.empty())
    text = fmt::format("{:>8}  {:<5}  {}\n", "strength", "kind", "why");
  for (const insight::Suggestion& s : found.suggestions) {
    text += fmt::format("{:>8.2f}  {:<5}  {}\n", s.strength, s.kind, s.reason);
    if (s.operation) text += fmt::format("{:17}{}\n", "", command_of(*s.operation, r.journal));
  }
  for (const insight::Warning& w : found.warnings)
    text += fmt::format("warning: {} (since sample {})\n", w.text, w.since);
  if (text.empty()) text = "nothing to suggest\n";
  return print_result(context, insight::insight_json(found, *session.view()), text);
}

Result<void> apply(Context& context, const CategoryArguments& r) {
  Operation operation = r.operation;
  if (operation.actor.empty()) operation.actor = current_user();
  if (operation.kind == OperationKind::move && r.into != "new") {
    const Json id = Json::parse(r.into, nullptr, false);
    if (!id.is_number_unsigned()) {
      return Error{ErrorCode::bad_argument,
                   fmt::format("--into {}: neither a category nor 'new'", r.into),
                   "give a category id, or 'new'"};
    }
    operation.category = id.get<CategoryId>();
  }
  PACO_ASSIGN(Session session,
              Session::open(r.journal, 1, JournalOptions::Durability::full, context.stop));
  PACO_ASSIGN(const OperationOutcome outcome, session.apply(operation));
  Json json = session::outcome_json(outcome);
  const auto view = session.view();
  if (outcome.category >= 0 && view->categories.has(outcome.category))
    json["result"] = session::category_json(*view, outcome.category);
  PACO_TRY(session.close());
  return print_result(context, json, fmt::format("event {}: {}\n", outcome.event, outcome.text));
}

// Sequence numbers separated by commas, as one value of an option.
Option& add_sequences(Options& part, std::vector<std::uint64_t>& samples) {
  Option option = text_option("--samples", "sequence numbers, e.g. 12,15");
  const auto parse = [](const std::string& text) -> std::optional<std::vector<std::uint64_t>> {
    const Json list = Json::parse("[" + text + "]", nullptr, false);
    const auto is_number = [](const Json& one) { return one.is_number_unsigned(); };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_number))
      return std::nullopt;
    return list.get<std::vector<std::uint64_t>>();
  };
  option.checked([parse](const std::string& text) {
    return parse(text) ? "" : "whole numbers with commas between them are needed";
  });
  option.take = [&samples, parse](const auto& given) { samples = *parse(given.back()); };
  return part.add(std::move(option));
}

using CategoryBody = Result<void> (*)(Context&, const CategoryArguments&);

void add_id(Options& part, CategoryId& id) {
  add_count(part, "category", id, 0, kNoLimit, "its id").required();
}

class Parts {
 public:
  Parts(Options& verb, Context& context) : verb_(verb), context_(context) {}

  Options& add(const char* name, const char* text, const std::shared_ptr<CategoryArguments>& r,
               CategoryBody body) {
    Options& part = verb_.add_part(name, text);
    part.add_text("--journal", r->journal, "the journal of the stream").required();
    Context& context = context_;
    finish_verb(part, context_, [&context, r, body] { return body(context, *r); });
    return part;
  }
  Options& operation(OperationKind kind, const char* text, std::shared_ptr<CategoryArguments>& r) {
    r = std::make_shared<CategoryArguments>();
    r->operation.kind = kind;
    Options& part = add(std::string(operation_name(kind)).c_str(), text, r, apply);
    part.add_text("--actor", r->operation.actor, "who does it, for the history")
        .shown_default("the user");
    return part;
  }
  void on_category(OperationKind kind, const char* text) {
    std::shared_ptr<CategoryArguments> r;
    Options& part = operation(kind, text, r);
    add_id(part, r->operation.category);
  }

 private:
  Options& verb_;
  Context& context_;
};

}  // namespace

void add_category(Options& verb, Context& context) {
  verb.about(
      "Look at the categories of a stream, name, merge and correct them, and take it back.\nEvery "
      "operation is an event of the journal: later samples are answered accordingly, earlier "
      "answers stay.");
  Parts parts(verb, context);
  auto r = std::make_shared<CategoryArguments>();
  parts.add("list", "The categories with their sizes.", r, list)
      .add_flag("--all", r->all, "also merged and retired ones");
  parts.add("suggest", "What might be corrected, with the command for it, and what is unusual.",
            std::make_shared<CategoryArguments>(), suggest);
  Options& rename = parts.operation(OperationKind::rename, "Give a category a name.", r);
  add_id(rename, r->operation.category);
  rename.add_text("name", r->operation.name, "the new name").required();
  Options& merge = parts.operation(OperationKind::merge,
                                   "Make some categories one; the others forward to it.", r);
  add_counts(merge, "categories", r->operation.categories, "ids to merge").required();
  add_count(merge, "--into", r->operation.category, 0, kNoLimit, "the one that remains")
      .required()
      .type("INT");
  Options& separate = parts.operation(
      OperationKind::separate, "Make a category of its own of some prototypes of another.", r);
  add_id(separate, r->operation.category);
  add_counts(separate, "prototypes", r->operation.prototypes, "numbers of its prototypes")
      .required();
  separate.add_text("--name", r->operation.name, "of the new category");
  Options& move = parts.operation(
      OperationKind::move, "Move samples to the category where they belong, or to a new one.", r);
  add_counts(move, "samples", r->operation.samples, "sequence numbers").required();
  move.add_text("--into", r->into, "category id, or 'new'").required();
  move.add_text("--name", r->operation.name, "of the new category");
  Options& promote = parts.operation(OperationKind::promote, "Make a category a known class.", r);
  add_id(promote, r->operation.category);
  promote.add_text("name", r->operation.name, "and name it");
  parts.on_category(OperationKind::demote, "Make a promoted category adapt again.");
  parts.on_category(OperationKind::retire, "Take a category out of the competition.");
  parts.on_category(OperationKind::revive, "Put a retired category back in.");
  Options& verify =
      parts.operation(OperationKind::verify, "Confirm that samples belong where they are.", r);
  add_sequences(verify, r->operation.samples).required();
  Options& undo = parts.operation(OperationKind::undo, "Take an operation back.", r);
  add_count(undo, "event", r->operation.event, 0, kNoLimit, "its number, as 'history' shows it")
      .required();
  parts.add("history", "Every operation so far.", std::make_shared<CategoryArguments>(), history);
}

}  // namespace paco
