#include "storage/faulty.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <utility>

#include "base/errno_error.hpp"

namespace tributary::storage {
namespace {

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array kOperations{
    Named<Operation>{"open", Operation::open},     Named<Operation>{"read", Operation::read},
    Named<Operation>{"write", Operation::write},   Named<Operation>{"sync", Operation::sync},
    Named<Operation>{"resize", Operation::resize}, Named<Operation>{"reserve", Operation::reserve},
    Named<Operation>{"size", Operation::size},     Named<Operation>{"lock", Operation::lock},
    Named<Operation>{"map", Operation::map},       Named<Operation>{"close", Operation::close},
};

constexpr std::array kFaults{
    Named<int>{"short", 0},
    Named<int>{"EIO", EIO},
    Named<int>{"ENOSPC", ENOSPC},
    Named<int>{"EINTR", EINTR},
    Named<int>{"EDQUOT", EDQUOT},
    Named<int>{"EACCES", EACCES},
    Named<int>{"ENOENT", ENOENT},
    Named<int>{"EROFS", EROFS},
    Named<int>{"ENOLCK", ENOLCK},
    Named<int>{"ENOMEM", ENOMEM},
    Named<int>{"EOPNOTSUPP", EOPNOTSUPP},
};

template <typename Table>
auto find(const Table& table, std::string_view name) {
  for (const auto& row : table)
    if (row.name == name) return std::optional(row.value);
  return std::optional<decltype(table[0].value)>();
}

Error malformed(std::string_view rule) {
  return {ErrorKind::argument, "fault rule '" + std::string(rule) + "' is malformed"};
}

std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view front = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return front;
}

bool set_key(FaultRule& rule, std::string_view setting) {
  const std::string_view key = cut(setting, '=');
  std::int64_t number = 0;
  const char* end = setting.data() + setting.size();
  const auto [stopped, error] = std::from_chars(setting.data(), end, number);
  if (error != std::errc{} || stopped != end) return false;
  if (key == "rank")
    rule.rank = number;
  else if (key == "nth")
    rule.nth = number;
  else if (key == "every" && number > 0)
    rule.every = number;
  else if (key == "times")
    rule.times = number;
  else if (key == "after")
    rule.after = number;
  else
    return false;
  return true;
}

Result<FaultRule> parse_rule(std::string_view text) {
  std::string_view rest = text;
  const auto operation = find(kOperations, cut(rest, ':'));
  const auto fault = find(kFaults, cut(rest, ':'));
  if (!operation || !fault) return malformed(text);
  FaultRule rule;
  rule.operation = *operation;
  rule.error_number = *fault;
  while (!rest.empty())
    if (!set_key(rule, cut(rest, ':'))) return malformed(text);
  return rule;
}

ByteCount length_of(std::span<const iovec> list) {
  ByteCount total = 0;
  for (const iovec& part : list) total += static_cast<ByteCount>(part.iov_len);
  return total;
}

class FaultyStorage final : public Storage {
 public:
  FaultyStorage(std::unique_ptr<Storage> inner, std::vector<FaultRule> rules)
      : inner_(std::move(inner)), rules_(std::move(rules)) {}

  ssize_t read_some(FileOffset offset, std::span<const iovec> to) override {
    const Verdict verdict = judge(Operation::read, offset, length_of(to));
    if (verdict.error_number != 0) return -verdict.error_number;
    if (!verdict.shortened) return inner_->read_some(offset, to);
    const iovec part{to[0].iov_base, verdict.length_of_first(to[0])};
    return inner_->read_some(offset, {&part, 1});
  }
  ssize_t write_some(FileOffset offset, std::span<const iovec> from) override {
    const Verdict verdict = judge(Operation::write, offset, length_of(from));
    if (verdict.error_number != 0) return -verdict.error_number;
    if (!verdict.shortened) return inner_->write_some(offset, from);
    const iovec part{from[0].iov_base, verdict.length_of_first(from[0])};
    return inner_->write_some(offset, {&part, 1});
  }
  int sync() override {
    return or_fault(Operation::sync, {}, [&] { return inner_->sync(); });
  }
  int resize(FileOffset size) override {
    return or_fault(Operation::resize, {0, size}, [&] { return inner_->resize(size); });
  }
  int reserve(Extent extent) override {
    return or_fault(Operation::reserve, extent, [&] { return inner_->reserve(extent); });
  }
  FileOffset size() override {
    return or_fault(Operation::size, {}, [&] { return inner_->size(); });
  }
  int lock(Extent extent, LockMode mode, Wait wait) override {
    return or_fault(Operation::lock, extent, [&] { return inner_->lock(extent, mode, wait); });
  }
  int unlock(Extent extent) override { return inner_->unlock(extent); }
  Result<Mapping> map(Extent extent) override {
    const Verdict verdict = judge(Operation::map, extent.offset, extent.length);
    if (verdict.error_number != 0) return errno_error("map", path(), verdict.error_number);
    return inner_->map(extent);
  }
  int close() override {
    const int closed = inner_->close();
    return or_fault(Operation::close, {}, [&] { return closed; });
  }
  const Traits& traits() const override { return inner_->traits(); }
  const std::string& path() const override { return inner_->path(); }
  bool readable() const override { return inner_->readable(); }

 private:
  struct Verdict {
    int error_number = 0;
    bool shortened = false;
    ByteCount length = 0;

    std::size_t length_of_first(const iovec& first) const {
      return std::min(first.iov_len, static_cast<std::size_t>(std::max<ByteCount>(length, 1)));
    }
  };

  Verdict judge(Operation operation, FileOffset offset, ByteCount length) {
    const std::scoped_lock guard(mutex_);
    for (FaultRule& rule : rules_) {
      if (rule.operation != operation || !rule.strikes(offset + length)) continue;
      if (rule.error_number == 0) return {0, true, length / 2};
      if (rule.after && offset < *rule.after && operation == Operation::write)
        return {0, true, *rule.after - offset};
      return {rule.error_number, false, 0};
    }
    return {};
  }

  template <typename Call>
  auto or_fault(Operation operation, Extent extent, Call call) -> decltype(call()) {
    const Verdict verdict = judge(operation, extent.offset, extent.length);
    return verdict.error_number != 0 ? -verdict.error_number : call();
  }

  std::unique_ptr<Storage> inner_;
  std::mutex mutex_;
  std::vector<FaultRule> rules_;
};

}  // namespace

bool FaultRule::strikes(FileOffset end) {
  if (after && end <= *after) return false;
  ++calls;
  if (calls < nth || (calls - nth) % every != 0) return false;
  if (!times) return true;
  return (*times)-- > 0;
}

Result<std::vector<FaultRule>> parse_faults(std::string_view text) {
  std::vector<FaultRule> rules;
  while (!text.empty()) {
    Result<FaultRule> rule = parse_rule(cut(text, ','));
    if (!rule) return rule.error();
    rules.push_back(*rule);
  }
  return rules;
}

std::vector<FaultRule> faults_of_rank(std::vector<FaultRule> rules, int rank) {
  std::erase_if(rules, [&](const FaultRule& rule) { return rule.rank && *rule.rank != rank; });
  return rules;
}

int open_fault(std::vector<FaultRule>& rules) {
  for (FaultRule& rule : rules)
    if (rule.operation == Operation::open && rule.strikes(0)) return rule.error_number;
  return 0;
}

std::unique_ptr<Storage> make_faulty(std::unique_ptr<Storage> inner, std::vector<FaultRule> rules) {
  return std::make_unique<FaultyStorage>(std::move(inner), std::move(rules));
}

}  // namespace tributary::storage
