// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files/words.hpp"
#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::read;

constexpr const char* path = TAKT_SOURCE_DIR "/docs/schema/takt-1.schema.json";

/// The schema of the object or choice that messages call so; the whole schema is one of them.
auto titled(const json& schema, std::string_view what) -> json {
  if (schema.at("title") == what) { return schema; }
  for (const json& part : schema.at("$defs")) {
    if (part.contains("title") && part.at("title") == what) { return part; }
  }
  return {};
}

auto titles(const json& schema) -> std::set<std::string> {
  std::set<std::string> out{schema.at("title")};
  for (const json& part : schema.at("$defs")) {
    if (part.contains("title")) { out.insert(part.at("title")); }
  }
  return out;
}

/// Calls `found(key, value)` for every member of every object.
template <class Found>
void for_each_member(const json& v, const Found& found) {
  for (const auto& [key, item] : v.items()) {
    if (v.is_object()) { found(key, item); }
    if (item.is_structured()) { for_each_member(item, found); }
  }
}

}  // namespace

TEST_CASE("schema: takt schema prints the file byte by byte") {
  const auto o = takt::test::takt("schema");
  CHECK(o.code == 0);
  CHECK(o.out == read(path));
}

TEST_CASE("schema: every object that the reader knows has the same keys there, and no other object is there") {
  const json schema = json::parse(read(path));
  std::set<std::string> left = titles(schema);
  for (const takt::program::object_keys& object : takt::program::all_objects()) {
    CAPTURE(object.what);
    const json part = titled(schema, object.what);
    INFO("docs/schema/takt-1.schema.json has no object with this title");
    REQUIRE_FALSE(part.is_null());
    left.erase(std::string{object.what});
    const std::set<std::string> known{object.keys.begin(), object.keys.end()};
    std::set<std::string> said;
    for (const auto& [key, value] : part.at("properties").items()) { said.insert(key); }
    CHECK(said == known);
    // Names of own resources are keys of segments and nodes; their values are times.
    const bool named_freely = object.what == "a segment" || object.what == "a node";
    CHECK((part.at("additionalProperties") == false) == !named_freely);
  }
  for (const takt::program::choice* of : takt::program::choices::all) {
    CAPTURE(of->what);
    const json part = titled(schema, of->what);
    INFO("docs/schema/takt-1.schema.json has no choice with this title");
    REQUIRE_FALSE(part.is_null());
    left.erase(std::string{of->what});
    const std::set<std::string> known{of->words().begin(), of->words().end()};
    CHECK(part.at("enum").get<std::set<std::string>>() == known);
  }
  CHECK(left.empty());
}

TEST_CASE("schema: every reference leads somewhere, every definition is used, and every key is described") {
  const json schema = json::parse(read(path));
  std::set<std::string> used;
  for_each_member(schema, [&](const std::string& key, const json& value) {
    if (key != "$ref") { return; }
    const auto name = value.get<std::string>().substr(std::string_view{"#/$defs/"}.size());
    CAPTURE(name);
    CHECK(schema.at("$defs").contains(name));
    used.insert(name);
  });
  for (const auto& [name, part] : schema.at("$defs").items()) {
    CAPTURE(name);
    CHECK(used.contains(name));
    if (!part.contains("properties") || !part.contains("title")) { continue; }
    for (const auto& [key, value] : part.at("properties").items()) {
      CAPTURE(key);
      const json& said = value.contains("$ref") && !value.contains("description")
                             ? schema.at(json::json_pointer{value.at("$ref").get<std::string>().substr(1)})
                             : value;
      CHECK((said.contains("description") || said.contains("properties")));
    }
  }
}

TEST_CASE("schema: a rule of processors, engines, kernels or GPUs that it lists is judged and simulated") {
  const json plain = json::parse(R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "fixed-priority"},
      "copy_engines": {"count": 1}, "gpus": [{"sms": 4, "virtual_per_sm": 1, "threads_per_sm": 1024,
      "blocks_per_sm": 16, "preemption_levels": 2, "context_switch": 0, "contention": [], "memory": 8589934592}]},
      "tasks": [{"name": "a", "period": "40ms", "priority": 1, "memory": 1024, "segments": [{"cpu": "1ms"},
      {"copy": "1ms", "direction": "to-device"},
      {"kernel": {"work": "4ms", "overhead": 0, "interleave": 1, "wcet": "2ms", "preemption_cost": 0, "blocks": 4,
                  "threads_per_block": 128, "length": "1ms"}}, {"cpu": "1ms"}]}]})");
  const json nodes = json::parse(R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "gel"}}, "tasks":
      [{"name": "a", "period": "40ms", "nodes": [{"name": "n", "cpu": "1ms", "priority_point": "40ms"}]}]})");
  const auto check = [](const json& file) {
    CAPTURE(file.dump());
    const std::string written = takt::test::write("listed.json", file.dump());
    for (const char* command : {"analyze ", "simulate --horizon 100ms "}) {
      const auto o = takt::test::takt(command + written);
      INFO(o.err);
      CHECK(o.code < 3);
    }
  };
  namespace choices = takt::program::choices;
  for (const auto word : choices::cpu_policy.words()) {
    json file = word == "gel" ? nodes : plain;
    if (word != "gel") { file["platform"].erase("gpus"); }
    if (word != "gel") { file["tasks"][0]["segments"].erase(2); }
    file["platform"]["cpus"]["policy"] = word;
    check(file);
  }
  for (const auto word : choices::engine_policy.words()) {
    const std::string_view order = word;
    json file = plain;
    file["platform"].erase("gpus");
    file["tasks"][0]["segments"].erase(2);
    file["platform"]["cpus"]["policy"] = order == "fifo" ? "g-fifo" : order.substr(order.find('-') + 1);
    file["platform"]["copy_engines"]["policy"] = word;
    check(file);
  }
  const auto shared = [&plain](std::string_view sharing) {
    json file = plain;
    json& gpu = file["platform"]["gpus"][0];
    gpu["sharing"] = sharing;
    if (sharing == "slots") {
      gpu["slots"] = {{"period", "10ms"},
                      {"pinned", {{"offset", 0}, {"budget", "5ms"}}},
                      {"gang", {{"offset", "5ms"}, {"budget", "5ms"}}}};
    }
    if (sharing == "tokens") { gpu["protocol"] = "k-fmlp"; }
    return file;
  };
  for (const auto word : choices::sharing.words()) { check(shared(word)); }
  for (const auto word : choices::protocol.words()) {
    json file = shared("tokens");
    file["platform"]["gpus"][0]["protocol"] = word;
    check(file);
  }
  for (const auto word : choices::job_order.words()) {
    for (const char* sharing : {"levels", "gang", "slots"}) {
      json file = shared(sharing);
      file["platform"]["cpus"]["policy"] = word;
      file["platform"]["gpus"][0]["policy"] = word;
      check(file);
    }
  }
}
