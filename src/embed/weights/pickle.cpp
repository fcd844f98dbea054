#include "embed/weights/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "core/try.hpp"

namespace paco::embed {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kSize = "torch.Size";
constexpr std::string_view kTyped =
    "torch.jit._pickle.restore_type_tag";                      // of files that C++ wrote
constexpr std::string_view kNamespace = "argparse.Namespace";  // training options, kept unread

// Limits for inputs that are made to exhaust memory: far above any real file.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr std::size_t kMostDimensions = 16;
constexpr std::size_t kStorageParts = 5;

bool known_global(std::string_view name) {
  if (name == kOrderedDict || name == kTensor || name == kParameter || name == kSize ||
      name == kTyped || name == kNamespace)
    return true;
  constexpr std::string_view torch = "torch.", storage = "Storage";
  return name.starts_with(torch) && name.ends_with(storage) &&
         name.find('.', torch.size()) == std::string_view::npos;
}

// What numpy and Python 3 call for arrays and bytes; numpy 2 has renamed its own part.
bool known_array_global(std::string_view name) {
  for (const std::string_view core : {"numpy.core.", "numpy._core."})
    if (name.starts_with(core)) name.remove_prefix(core.size());
  return name == "multiarray._reconstruct" || name == "numeric._frombuffer" ||
         name == "numpy.ndarray" || name == "numpy.dtype" || name == "_codecs.encode";
}

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const std::string& origin, PickleUse use)
      : bytes_(bytes), origin_(origin), use_(use) {}

  Result<Pickle> run() {
    while (true) {
      PACO_ASSIGN(const std::uint8_t opcode, byte());
      if (opcode == '.') break;
      PACO_TRY(step(opcode));
      if (pickle_.values.size() > kMostValues)
        return bad("there are more values than in any state dict");
    }
    PACO_ASSIGN(pickle_.root, pop());
    pickle_.length = at_;
    return std::move(pickle_);
  }

 private:
  Error bad(std::string what) const {
    return Error{
        ErrorCode::bad_format, fmt::format("{}: byte {}: {}", origin_, at_, what),
        use_ == PickleUse::arrays
            ? "download the file again, or use the binary version"
            : "save the weights again with torch.save(model.state_dict(), ...) or as safetensors"};
  }

  // Reading.
  Result<std::span<const std::byte>> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) return bad("the pickle ends in the middle of a value");
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
  }
  Result<std::uint8_t> byte() {
    PACO_ASSIGN(const auto part, take(1));
    return static_cast<std::uint8_t>(part[0]);
  }
  Result<std::uint64_t> unsigned_number(int count) {  // little-endian
    PACO_ASSIGN(const auto part, take(count));
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
      value |= std::uint64_t{static_cast<std::uint8_t>(part[i])} << (8 * i);
    return value;
  }
  Result<std::string> text(std::uint64_t count) {
    PACO_ASSIGN(const auto part, take(count));
    return std::string(reinterpret_cast<const char*>(part.data()), part.size());
  }
  Result<std::string> line() {
    std::string result;
    while (true) {
      PACO_ASSIGN(const std::uint8_t character, byte());
      if (character == '\n') return result;
      result.push_back(static_cast<char>(character));
    }
  }

  // The stack. Marks are kept beside it as heights.
  PickleId make(PickleValue value) {
    pickle_.values.push_back(std::move(value));
    return static_cast<PickleId>(pickle_.values.size() - 1);
  }
  Result<void> push(PickleValue value) {
    stack_.push_back(make(std::move(value)));
    return {};
  }
  Result<void> push_kind(Kind kind, std::int64_t integer = 0) {
    PickleValue value;
    value.kind = kind;
    value.integer = integer;
    return push(std::move(value));
  }
  Result<void> push_text(Result<std::string> text) {
    if (!text.ok()) return text.error();
    PickleValue value;
    value.kind = Kind::text;
    value.text = std::move(text).value();
    return push(std::move(value));
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Result<PickleId> pop() {
    if (stack_.size() <= floor()) return bad("a value is taken from an empty stack");
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }
  Result<PickleId> top() const {
    if (stack_.size() <= floor()) return bad("a value is looked at on an empty stack");
    return stack_.back();
  }
  Result<std::vector<PickleId>> pop_mark() {
    if (marks_.empty()) return bad("a mark is missing");
    std::vector<PickleId> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                                stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  Result<void> push_tuple(std::size_t count) {
    PickleValue value;
    value.kind = Kind::list;
    value.items.resize(count);
    for (std::size_t i = count; i-- > 0;) {
      PACO_ASSIGN(value.items[i], pop());
    }
    return push(std::move(value));
  }

  Result<void> remember(std::uint64_t key) {
    PACO_ASSIGN(const PickleId id, top());
    memo_[key] = id;
    return {};
  }
  Result<void> recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return bad(fmt::format("memo {} was never written", key));
    stack_.push_back(found->second);
    return {};
  }

  Result<void> long_number(std::uint64_t count) {
    PACO_ASSIGN(const auto part, take(count));
    // Longer integers (the magic number of the older file form) keep only their low bits, which are
    // enough to recognise them.
    std::uint64_t value =
        !part.empty() && (static_cast<std::uint8_t>(part.back()) & 0x80) ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(part.size(), 8); ++i) {
      const std::uint64_t mask = std::uint64_t{0xff} << (8 * i);
      value = (value & ~mask) | (std::uint64_t{static_cast<std::uint8_t>(part[i])} << (8 * i));
    }
    return push_kind(Kind::integer, static_cast<std::int64_t>(value));
  }

  Result<void> push_global(const std::string& name) {
    if (use_ == PickleUse::arrays && !known_array_global(name))
      return bad(fmt::format("it asks for {}, which no array needs; nothing was run", name));
    if (use_ == PickleUse::state_dict && !known_global(name))
      return Error{
          ErrorCode::unsupported,
          fmt::format("{}: the pickle asks for {}, which no state dict needs; nothing was run",
                      origin_, name),
          "save only the state dict: torch.save(model.state_dict(), ...), or use safetensors"};
    PickleValue value;
    value.kind = Kind::global;
    value.text = name;
    return push(std::move(value));
  }

  Result<void> set_items(PickleId target, const std::vector<PickleId>& items) {
    PickleValue& value = pickle_.values[target];
    if (items.size() % 2 != 0) return bad("a key has no value");
    if (value.kind == Kind::opaque) return {};
    if (value.kind != Kind::dictionary) return bad("items are set on what is no dictionary");
    for (std::size_t i = 0; i < items.size(); i += 2)
      value.entries.emplace_back(items[i], items[i + 1]);
    return {};
  }
  Result<void> append(PickleId target, const std::vector<PickleId>& items) {
    PickleValue& value = pickle_.values[target];
    if (value.kind == Kind::opaque) return {};
    if (value.kind != Kind::list) return bad("items are appended to what is no list");
    value.items.insert(value.items.end(), items.begin(), items.end());
    return {};
  }

  // "Calls" of the few globals: what they would return, built here.
  Result<void> reduce() {
    PACO_ASSIGN(const PickleId arguments_id, pop());
    PACO_ASSIGN(const PickleId callable_id, pop());
    const PickleValue& callable = pickle_.values[callable_id];
    const PickleValue& arguments = pickle_.values[arguments_id];
    if (callable.kind != Kind::global || arguments.kind != Kind::list)
      return bad("something is called that is no function");
    if (callable.text == kOrderedDict) return ordered_dictionary(arguments);
    if (callable.text == kNamespace) return push_kind(Kind::opaque);
    if (arguments.items.empty())
      return bad(fmt::format("{} is called without arguments", callable.text));
    if (use_ == PickleUse::arrays) return array_part(callable.text, arguments);
    if (callable.text == kSize || callable.text == kParameter || callable.text == kTyped) {
      stack_.push_back(arguments.items[0]);
      return {};
    }
    if (callable.text == kTensor) return rebuild_tensor(arguments);
    return bad(fmt::format("{} is called", callable.text));
  }

  // An array before its state, a type of numbers, bytes that Python 3 wrote as text, or an array
  // made of bytes, type and shape.
  Result<void> array_part(const std::string& name, const PickleValue& arguments) {
    PickleValue result;
    const PickleValue& first = pickle_.values[arguments.items[0]];
    if (name.ends_with("_reconstruct")) {
      result.kind = Kind::array;
    } else if (name.ends_with("_frombuffer") && arguments.items.size() >= 3) {
      result.kind = Kind::array;
      result.text = pickle_.values[arguments.items[1]].text;
      result.items = {arguments.items[2], arguments.items[0]};
    } else if (name == "numpy.dtype") {
      result.kind = Kind::opaque;
      result.text = first.text;
    } else if (name == "_codecs.encode") {
      result.kind = Kind::text;
      for (std::size_t i = 0; i < first.text.size(); ++i) {
        const auto c = static_cast<std::uint8_t>(first.text[i]);
        const bool two = (c & 0xfe) == 0xc2 && i + 1 < first.text.size();  // 0x80 to 0xff
        if (c >= 0x80 && !two) return bad("bytes are written as text that holds no bytes");
        result.text += static_cast<char>(two ? (c << 6) | (first.text[++i] & 0x3f) : c);
      }
    } else {
      return bad(fmt::format("{} is called", name));
    }
    return push(std::move(result));
  }

  // OrderedDict() or OrderedDict([(key, value), ...]).
  Result<void> ordered_dictionary(const PickleValue& arguments) {
    PickleValue result;
    result.kind = Kind::dictionary;
    if (!arguments.items.empty()) {
      copied_ += pickle_.values[arguments.items[0]].items.size();
      if (copied_ > bytes_.size()) return bad("one list is used again and again");
      for (const PickleId id : pickle_.values[arguments.items[0]].items) {
        const PickleValue& pair = pickle_.values[id];
        if (pair.kind != Kind::list || pair.items.size() != 2) return bad("a key has no value");
        result.entries.emplace_back(pair.items[0], pair.items[1]);
      }
    }
    return push(std::move(result));
  }

  Result<std::vector<std::int64_t>> integers(PickleId id) const {
    std::vector<std::int64_t> numbers;
    const PickleValue& list = pickle_.values[id];
    if (list.kind != Kind::list || list.items.size() > kMostDimensions)
      return bad("a tensor's shape is no short tuple");
    for (const PickleId item : list.items) {
      if (pickle_.values[item].kind != Kind::integer)
        return bad("a tensor's shape holds no number");
      numbers.push_back(pickle_.values[item].integer);
    }
    return numbers;
  }

  // (storage, offset, shape, stride, requires_grad, hooks).
  Result<void> rebuild_tensor(const PickleValue& arguments) {
    if (arguments.items.size() < 4 || pickle_.values[arguments.items[0]].kind != Kind::storage ||
        pickle_.values[arguments.items[1]].kind != Kind::integer)
      return bad("a tensor is described in an unknown way");
    PickleValue result;
    result.kind = Kind::tensor;
    result.tensor.storage = arguments.items[0];
    result.tensor.offset = pickle_.values[arguments.items[1]].integer;
    PACO_ASSIGN(result.tensor.shape, integers(arguments.items[2]));
    PACO_ASSIGN(result.tensor.stride, integers(arguments.items[3]));
    return push(std::move(result));
  }

  // Persistent ids are ("storage", type, key, device, elements[, view]).
  Result<void> storage() {
    PACO_ASSIGN(const PickleId id, pop());
    const PickleValue& parts = pickle_.values[id];
    const auto kind = [&](std::size_t i) { return pickle_.values[parts.items[i]].kind; };
    if (parts.kind != Kind::list || parts.items.size() < kStorageParts || kind(0) != Kind::text ||
        kind(1) != Kind::global || kind(2) != Kind::text || kind(4) != Kind::integer)
      return bad("a storage is described in an unknown way");
    PickleValue result;
    result.kind = Kind::storage;
    result.items.assign(parts.items.begin(), parts.items.begin() + kStorageParts);
    return push(std::move(result));
  }

  Result<void> build() {
    PACO_ASSIGN(const PickleId state, pop());
    PACO_ASSIGN(const PickleId target, top());
    PickleValue& array = pickle_.values[target];
    // Attributes of a dictionary (its metadata) or of training options are of no use here.
    if (array.kind != Kind::array) return {};
    // (version, shape, type, column-major, bytes).
    const std::vector<PickleId> parts = pickle_.values[state].items;
    if (parts.size() != 5) return bad("an array is described in an unknown way");
    array.text = pickle_.values[parts[2]].text;
    array.integer = pickle_.values[parts[3]].integer;
    array.items = {parts[1], parts[4]};
    return {};
  }

  Result<void> step(std::uint8_t opcode);

  std::span<const std::byte> bytes_;
  const std::string& origin_;
  PickleUse use_;
  std::size_t at_ = 0;
  std::size_t copied_ = 0;  // items copied from lists into dictionaries
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, PickleId> memo_;
};

// One opcode; the names are those of Python's pickletools.
Result<void> Machine::step(std::uint8_t opcode) {
  const auto with = [&](int count, auto&& use) -> Result<void> {
    PACO_ASSIGN(const std::uint64_t number, unsigned_number(count));
    return use(number);
  };
  const auto as_text = [&](std::uint64_t count) { return push_text(text(count)); };
  const auto as_integer = [&](std::uint64_t value) {
    return push_kind(Kind::integer, static_cast<std::int64_t>(value));
  };
  switch (opcode) {
    case 0x80:
      return with(1, [](auto) { return Result<void>(); });  // PROTO
    case 0x95:
      return with(8, [](auto) { return Result<void>(); });  // FRAME
    case 'N':
      return push_kind(Kind::none);
    case 0x88:
      return push_kind(Kind::boolean, 1);
    case 0x89:
      return push_kind(Kind::boolean, 0);
    case 'K':
      return with(1, as_integer);  // BININT1
    case 'M':
      return with(2, as_integer);  // BININT2
    case 'J':                      // BININT
      return with(4, [&](std::uint64_t v) {
        return push_kind(Kind::integer, static_cast<std::int32_t>(static_cast<std::uint32_t>(v)));
      });
    case 0x8a:
      return with(1, [&](std::uint64_t n) { return long_number(n); });  // LONG1
    case 0x8b:
      return with(4, [&](std::uint64_t n) { return long_number(n); });  // LONG4
    case 'G': {                                                         // BINFLOAT, big-endian
      PACO_ASSIGN(const std::uint64_t bits, unsigned_number(8));
      PickleValue value;
      value.kind = Kind::real;
      value.real = std::bit_cast<double>(__builtin_bswap64(bits));
      return push(std::move(value));
    }
    case 0x8d:
    case 0x8e:
    case 0x96:
      return with(8, as_text);  // BINUNICODE8, BINBYTES8, BYTEARRAY8
    case 'X':
    case 'T':
    case 'B':
      return with(4, as_text);  // BINUNICODE, BINSTRING, BINBYTES
    case 0x8c:
    case 'U':
    case 'C':
      return with(1, as_text);  // their SHORT_ forms
    case ']':
    case ')':
      return push_kind(Kind::list);  // EMPTY_LIST, EMPTY_TUPLE
    case '}':
      return push_kind(Kind::dictionary);  // EMPTY_DICT
    case 0x85:
      return push_tuple(1);
    case 0x86:
      return push_tuple(2);
    case 0x87:
      return push_tuple(3);
    case '(':
      marks_.push_back(stack_.size());
      return {};
    case 't':
    case 'l': {  // TUPLE, LIST
      PickleValue value;
      value.kind = Kind::list;
      PACO_ASSIGN(value.items, pop_mark());
      return push(std::move(value));
    }
    case 'd': {  // DICT
      PACO_ASSIGN(const auto items, pop_mark());
      PACO_TRY(push_kind(Kind::dictionary));
      return set_items(stack_.back(), items);
    }
    case 'a': {  // APPEND
      PACO_ASSIGN(const PickleId item, pop());
      PACO_ASSIGN(const PickleId list, top());
      return append(list, {item});
    }
    case 'e': {  // APPENDS
      PACO_ASSIGN(const auto items, pop_mark());
      PACO_ASSIGN(const PickleId list, top());
      return append(list, items);
    }
    case 's': {  // SETITEM
      PACO_ASSIGN(const PickleId item, pop());
      PACO_ASSIGN(const PickleId key, pop());
      PACO_ASSIGN(const PickleId dictionary, top());
      return set_items(dictionary, {key, item});
    }
    case 'u': {  // SETITEMS
      PACO_ASSIGN(const auto items, pop_mark());
      PACO_ASSIGN(const PickleId dictionary, top());
      return set_items(dictionary, items);
    }
    case 'q':
      return with(1, [&](std::uint64_t key) { return remember(key); });  // BINPUT
    case 'r':
      return with(4, [&](std::uint64_t key) { return remember(key); });  // LONG_BINPUT
    case 0x94:
      return remember(memo_.size());  // MEMOIZE
    case 'h':
      return with(1, [&](std::uint64_t key) { return recall(key); });  // BINGET
    case 'j':
      return with(4, [&](std::uint64_t key) { return recall(key); });  // LONG_BINGET
    case 'c': {                                                        // GLOBAL
      PACO_ASSIGN(const std::string module, line());
      PACO_ASSIGN(const std::string name, line());
      return push_global(module + "." + name);
    }
    case 0x93: {  // STACK_GLOBAL
      PACO_ASSIGN(const PickleId name, pop());
      PACO_ASSIGN(const PickleId module, pop());
      return push_global(pickle_.values[module].text + "." + pickle_.values[name].text);
    }
    case 'Q':
      return storage();  // BINPERSID
    case 'R':
    case 0x81:
      return reduce();  // REDUCE, NEWOBJ
    case 'b':
      return build();
    case '0': {  // POP
      PACO_TRY(pop());
      return {};
    }
    default:
      break;
  }
  return bad(
      fmt::format("opcode 0x{:02x} does not occur in a state dict; nothing was run", opcode));
}

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  for (const auto& [name, value] : dictionary.entries)
    if (values[name].kind == Kind::text && values[name].text == key) return &values[value];
  return nullptr;
}

Result<Pickle> read_pickle(std::span<const std::byte> bytes, const std::string& origin,
                           PickleUse use) {
  return Machine(bytes, origin, use).run();
}

}  // namespace paco::embed
