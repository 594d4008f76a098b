// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

/// The rules of the trace-event format, as its documents state them and as Perfetto imports it, over the text of a
/// trace. Knows nothing of who wrote it.
namespace chrome_trace_checker {

using complaints = std::vector<std::string>;

/// A value of an event or of its arguments. Whole numbers have no fraction; times are thousandths of their text.
struct value {
  enum class kind { text, whole, number, other } what = kind::other;
  std::string text;
  std::int64_t thousandths = 0;
  bool is_exact = false;  ///< as thousandths
};

struct event {
  std::map<std::string, value> fields;
  std::map<std::string, value> args;
  std::size_t number = 0;
  bool has_args = false;

  [[nodiscard]] auto text(const char* field) const -> std::string {
    const auto at = fields.find(field);
    return at != fields.end() && at->second.what == value::kind::text ? at->second.text : std::string{};
  }
  [[nodiscard]] auto is_whole(const char* field) const -> bool {
    const auto at = fields.find(field);
    return at != fields.end() && at->second.what == value::kind::whole;
  }
  [[nodiscard]] auto is_time(const char* field) const -> bool {
    const auto at = fields.find(field);
    const bool is_number =
        at != fields.end() && (at->second.what == value::kind::whole || at->second.what == value::kind::number);
    return is_number && at->second.is_exact;
  }
  [[nodiscard]] auto time(const char* field) const -> std::int64_t { return fields.at(field).thousandths; }
  [[nodiscard]] auto has(const char* field) const -> bool { return fields.contains(field); }
  [[nodiscard]] auto phase() const -> std::string { return text("ph"); }
  /// Pre: both are whole.
  [[nodiscard]] auto track() const -> std::pair<std::int64_t, std::int64_t> {
    return {time("pid") / 1000, time("tid") / 1000};
  }
  [[nodiscard]] auto named() const -> std::string {
    return "event " + std::to_string(number) + " (" + phase() + ", " + text("name") + ")";
  }
};

namespace detail {

/// The digits of a number as thousandths; false where there are more of them, or an exponent.
[[nodiscard]] inline auto thousandths_of(std::string_view text, std::int64_t& out) -> bool {
  const bool negative = text.starts_with('-');
  if (negative) { text.remove_prefix(1); }
  const auto point = std::min(text.find('.'), text.size());
  std::string digits{text.substr(0, point)};
  std::string fraction{point < text.size() ? text.substr(point + 1) : std::string_view{}};
  while (fraction.size() > 3 && fraction.ends_with('0')) { fraction.pop_back(); }
  if (fraction.size() > 3) { return false; }
  digits += fraction + std::string(3 - fraction.size(), '0');
  const bool is_number = digits.size() <= 19 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) { return false; }
  std::uint64_t sum = 0;
  for (const char c : digits) { sum = sum * 10 + static_cast<std::uint64_t>(c - '0'); }
  if (sum > std::uint64_t{1} << 62U) { return false; }
  out = negative ? -static_cast<std::int64_t>(sum) : static_cast<std::int64_t>(sum);
  return true;
}

/// Reads events as the parser meets them, so that a long trace takes no tree of values. The parser itself refuses text
/// that is not UTF-8 and control characters that are not escaped.
class reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit reader(complaints& wrong) : wrong_{&wrong} {}

  std::vector<event> events;
  bool has_events = false;

  auto null() -> bool override { return put({}); }
  auto boolean(bool /*b*/) -> bool override { return put({}); }
  auto number_integer(number_integer_t n) -> bool override { return put_whole(std::to_string(n)); }
  auto number_unsigned(number_unsigned_t n) -> bool override { return put_whole(std::to_string(n)); }
  auto number_float(number_float_t /*n*/, const string_t& text) -> bool override {
    value v{.what = value::kind::number, .text = text};
    v.is_exact = thousandths_of(text, v.thousandths);
    return put(std::move(v));
  }
  auto string(string_t& text) -> bool override {
    if (depth_ == 1 && key_ == "displayTimeUnit" && text != "ns" && text != "ms") {
      say("displayTimeUnit is neither ns nor ms");
    }
    return put({.what = value::kind::text, .text = text});
  }
  auto binary(binary_t& /*b*/) -> bool override { return put({}); }
  auto start_object(std::size_t /*size*/) -> bool override {
    ++depth_;
    keys_.emplace_back();
    if (depth_ == first_event_ && in_events_) {
      events.emplace_back();
      events.back().number = events.size() - 1;
    } else if (in_events_ && depth_ == first_event_ + 1 && key_ == "args") {
      events.back().has_args = true;
    }
    in_args_ = in_events_ && depth_ == first_event_ + 1 && key_ == "args";
    return true;
  }
  auto key(string_t& text) -> bool override {
    if (!keys_.back().insert(text).second) { say("'" + text + "' stands twice in one object"); }
    if (!in_args_ || depth_ == first_event_ + 1) { key_ = text; }
    return true;
  }
  auto end_object() -> bool override {
    if (in_args_ && depth_ == first_event_ + 1) { in_args_ = false; }
    keys_.pop_back();
    --depth_;
    return true;
  }
  auto start_array(std::size_t /*size*/) -> bool override {
    const bool is_list = depth_ == 0 || (depth_ == 1 && key_ == "traceEvents" && !in_events_);
    ++depth_;
    if (is_list) {
      in_events_ = true;
      has_events = true;
      first_event_ = depth_ + 1;
    }
    return true;
  }
  auto end_array() -> bool override {
    if (in_events_ && depth_ + 1 == first_event_) { in_events_ = false; }
    --depth_;
    return true;
  }
  auto parse_error(std::size_t at, const std::string& /*token*/, const nlohmann::detail::exception& e)
      -> bool override {
    say("no JSON at byte " + std::to_string(at) + ": " + e.what());
    return false;
  }

 private:
  void say(std::string text) { wrong_->push_back(std::move(text)); }
  auto put_whole(const std::string& text) -> bool {
    value v{.what = value::kind::whole, .text = text};
    v.is_exact = thousandths_of(text, v.thousandths);
    return put(std::move(v));
  }
  auto put(value v) -> bool {
    if (!in_events_) { return true; }
    if (depth_ + 1 == first_event_) {
      say("an event is no object");
    } else if (depth_ == first_event_) {
      events.back().fields[key_] = std::move(v);
    } else if (in_args_ && depth_ == first_event_ + 1) {
      events.back().args[key_] = std::move(v);
    }
    return true;
  }

  complaints* wrong_;
  std::vector<std::set<std::string>> keys_;
  std::string key_;
  std::size_t depth_ = 0;
  std::size_t first_event_ = 0;
  bool in_events_ = false;
  bool in_args_ = false;
};

using track = std::pair<std::int64_t, std::int64_t>;

/// Fields that each kind of event must have, and what they may be.
inline void check_fields(const event& e, complaints& wrong) {
  const auto say = [&](const std::string& text) { wrong.push_back(e.named() + ": " + text); };
  static const std::set<std::string> known{"X", "B", "E", "i", "C", "M", "s", "t", "f", "b", "e"};
  const std::string phase = e.phase();
  if (!known.contains(phase)) { return say("a phase that is not known: '" + phase + "'"); }
  if (!e.is_whole("pid") || !e.is_whole("tid")) { return say("pid and tid must be whole numbers"); }
  if (e.time("pid") == 0) { say("Perfetto ignores process 0"); }
  if (phase != "E" && e.text("name").empty()) { say("no name"); }
  if (phase != "M" && !e.is_time("ts")) { return say("ts must be a number of at most three decimals"); }
  if (phase == "X" && !e.is_time("dur")) { return say("dur must be a number of at most three decimals"); }
  if (phase == "X" && e.time("dur") < 0) { say("dur is negative"); }
  if (phase != "X" && e.has("dur")) { say("dur belongs to complete events"); }
  static const std::set<std::string> scopes{"g", "p", "t"};
  if (phase == "i" && !scopes.contains(e.text("s"))) { say("s of an instant is g, p or t"); }
  static const std::set<std::string> linked{"s", "t", "f", "b", "e"};
  if (linked.contains(phase) && (!e.has("id") || e.text("cat").empty())) { say("no id or no cat"); }
  if (e.has("bp") && (phase != "f" || e.text("bp") != "e")) { say("bp belongs to ends of flows, and is e"); }
  if (phase == "C") {
    const auto is_number = [](const auto& a) {
      return a.second.what == value::kind::whole || a.second.what == value::kind::number;
    };
    if (e.args.empty() || !std::ranges::all_of(e.args, is_number)) { say("a counter has numbers as args"); }
  }
  if (phase == "M") {
    static const std::map<std::string, std::string> metadata{{"process_name", "name"},
                                                             {"process_labels", "labels"},
                                                             {"process_sort_index", "sort_index"},
                                                             {"thread_name", "name"},
                                                             {"thread_sort_index", "sort_index"}};
    const auto at = metadata.find(e.text("name"));
    if (at == metadata.end()) { return say("metadata of a name that is not known"); }
    const auto arg = e.args.find(at->second);
    const auto wanted = at->second == "sort_index" ? value::kind::whole : value::kind::text;
    if (arg == e.args.end() || arg->second.what != wanted || arg->second.text.empty()) {
      say("no args." + at->second + ", or of the wrong kind");
    }
  }
}

/// Tracks and processes have one name each, and what is used is named.
inline void check_names(const std::vector<event>& events, complaints& wrong) {
  std::map<std::int64_t, std::string> processes;
  std::map<track, std::string> threads;
  for (const event& e : events) {
    if (e.phase() != "M" || !e.args.contains("name")) { continue; }
    const track where = e.track();
    const std::string name = e.args.at("name").text;
    const bool is_new = e.text("name") == "process_name" ? processes.emplace(where.first, name).second
                                                         : threads.emplace(where, name).second;
    if (!is_new) { wrong.push_back(e.named() + ": a second name"); }
  }
  std::set<track> nameless;
  for (const event& e : events) {
    if (e.phase() == "M") { continue; }
    const bool is_named = threads.contains(e.track()) && processes.contains(e.track().first);
    if (!is_named && nameless.insert(e.track()).second) { wrong.push_back(e.named() + ": on a track without a name"); }
  }
}

struct stretch {
  std::int64_t start = 0;
  std::int64_t end = 0;
  const event* from = nullptr;
};
using tracks = std::map<track, std::vector<stretch>>;

/// Slices of a track, the longer first where they start together. Those that overlap lie in one another.
[[nodiscard]] inline auto slices_of(const std::vector<event>& events, complaints& wrong) -> tracks {
  tracks out;
  std::map<track, std::vector<const event*>> open;
  std::map<track, std::int64_t> last;
  for (const event& e : events) {
    const std::string phase = e.phase();
    if (phase == "X") {
      out[e.track()].push_back({e.time("ts"), e.time("ts") + e.time("dur"), &e});
    } else if (phase == "B" || phase == "E") {
      auto& stack = open[e.track()];
      const auto before = last.find(e.track());
      if (before != last.end() && e.time("ts") < before->second) { wrong.push_back(e.named() + ": goes back in time"); }
      last[e.track()] = e.time("ts");
      if (phase == "B") {
        stack.push_back(&e);
      } else if (stack.empty()) {
        wrong.push_back(e.named() + ": ends what has not begun");
      } else {
        out[e.track()].push_back({stack.back()->time("ts"), e.time("ts"), stack.back()});
        stack.pop_back();
      }
    }
  }
  for (const auto& [where, stack] : open) {
    for (const event* e : stack) { wrong.push_back(e->named() + ": is never ended"); }
  }
  for (auto& [where, slices] : out) {
    std::ranges::stable_sort(slices, [](const stretch& a, const stretch& b) {
      return a.start != b.start ? a.start < b.start : b.end < a.end;
    });
    std::vector<stretch> around;
    for (const stretch& s : slices) {
      while (!around.empty() && around.back().end <= s.start) { around.pop_back(); }
      if (!around.empty() && around.back().end < s.end) {
        wrong.push_back(s.from->named() + ": overlaps with " + around.back().from->named() + " without lying in it");
      }
      around.push_back(s);
    }
  }
  return out;
}

/// Flows begin once, go on in time, end, and are tied to slices.
inline void check_flows(const std::vector<event>& events, const tracks& slices, complaints& wrong) {
  std::map<std::string, std::vector<const event*>> flows;
  for (const event& e : events) {
    const std::string phase = e.phase();
    if (phase != "s" && phase != "t" && phase != "f") { continue; }
    flows[e.text("cat") + '\n' + e.text("name") + '\n' + e.fields.at("id").text].push_back(&e);
    const auto at = slices.find(e.track());
    const std::int64_t now = e.time("ts");
    const bool binds_next = phase == "f" && e.text("bp") != "e";
    bool is_bound = false;
    if (at != slices.end()) {
      const auto later = std::ranges::upper_bound(at->second, now, {}, &stretch::start);
      is_bound = binds_next ? later != at->second.end() || (later != at->second.begin() && (later - 1)->start == now)
                            : std::any_of(std::make_reverse_iterator(later), at->second.rend(),
                                          [now](const stretch& s) { return now < s.end; });
    }
    if (!is_bound) { wrong.push_back(e.named() + ": a flow that is tied to no slice"); }
  }
  for (const auto& [id, all] : flows) {
    const auto count = [&all](const char* phase) {
      return std::ranges::count_if(all, [phase](const event* e) { return e->phase() == phase; });
    };
    const std::string who = all.front()->named();
    if (count("s") != 1 || all.front()->phase() != "s") { wrong.push_back(who + ": a flow does not begin once"); }
    if (count("f") < 1) { wrong.push_back(who + ": a flow without an end"); }
    const auto is_back = [](const event* a, const event* b) { return b->time("ts") < a->time("ts"); };
    if (std::ranges::adjacent_find(all, is_back) != all.end()) { wrong.push_back(who + ": a flow goes back in time"); }
  }
}

/// Asynchronous events begin and end, and counters go on in time.
inline void check_others(const std::vector<event>& events, complaints& wrong) {
  std::map<std::string, std::int64_t> depths;
  std::map<std::pair<track, std::string>, std::int64_t> counted;
  for (const event& e : events) {
    const std::string phase = e.phase();
    if (phase == "b" || phase == "e") {
      std::int64_t& depth = depths[e.text("cat") + '\n' + e.fields.at("id").text];
      depth += phase == "b" ? 1 : -1;
      if (depth < 0) { wrong.push_back(e.named() + ": ends what has not begun"); }
    }
    if (phase == "C") {
      const auto [at, is_first] = counted.try_emplace({{e.track().first, 0}, e.text("name")}, e.time("ts"));
      if (!is_first && e.time("ts") < at->second) { wrong.push_back(e.named() + ": a counter goes back in time"); }
      at->second = e.time("ts");
    }
  }
  for (const auto& [id, depth] : depths) {
    if (depth > 0) { wrong.push_back("an asynchronous event is never ended: " + id); }
  }
}

}  // namespace detail

/// What breaks a rule, at most some of it; empty: nothing.
[[nodiscard]] inline auto complaints_about(std::string_view text) -> complaints {
  complaints wrong;
  detail::reader read{wrong};
  const bool is_json = nlohmann::json::sax_parse(text.begin(), text.end(), &read);
  if (is_json && !read.has_events) { wrong.emplace_back("no list of events"); }
  for (const event& e : read.events) { detail::check_fields(e, wrong); }
  if (wrong.empty()) {
    detail::check_names(read.events, wrong);
    const detail::tracks slices = detail::slices_of(read.events, wrong);
    detail::check_flows(read.events, slices, wrong);
    detail::check_others(read.events, wrong);
  }
  constexpr std::size_t most = 20;
  if (wrong.size() > most) { wrong.resize(most); }
  return wrong;
}

}  // namespace chrome_trace_checker
