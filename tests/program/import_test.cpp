// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;

using takt::test::read;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

const std::string lane_assist = TAKT_SOURCE_DIR "/examples/models/lane-assist.amxmi";

auto imported(const std::string& model) -> json {
  const auto o = takt::test::takt("import amalthea " + model);
  REQUIRE_MESSAGE(o.code == 0, o.err);
  return json::parse(o.out);
}

/// The line that refuses a model.
auto refused(const std::string& text) -> std::string {
  const auto o = takt::test::takt("import amalthea " + write("bad.amxmi", text) + " --report");
  CHECK(o.code == 3);
  CHECK(o.out.empty());
  CHECK(std::count(o.err.begin(), o.err.end(), '\n') == 1);
  return o.err;
}

auto element(const std::string& tag, const std::string& inside) -> std::string {
  return "<" + tag + ">" + inside + "</" + tag + ">\n";
}

/// One task "T" of 10 ms on one core of 1 GHz, whose runnable "work" has the items that are given.
struct small_model {
  std::string schema = "1.0.0";
  std::string items =
      R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items>)";
  std::string stimulus =
      R"(<stimuli xsi:type="am:PeriodicStimulus" name="s"><recurrence value="10" unit="ms"/></stimuli>)";
  std::string software{};
  std::string hardware{};
  std::string more{};  ///< further models

  [[nodiscard]] auto text() const -> std::string {
    return "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/" + schema +
           "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n" +
           element("swModel",
                   R"(<tasks name="T" stimuli="s?type=PeriodicStimulus"><activityGraph>
<items xsi:type="am:RunnableCall" runnable="work?type=Runnable"/></activityGraph></tasks>
<runnables name="work"><activityGraph>)" +
                       items + "</activityGraph></runnables>\n" + software) +
           element("hwModel", R"(<definitions xsi:type="am:ProcessingUnitDefinition" name="Core" puType="CPU"/>
<structures name="board"><modules xsi:type="am:ProcessingUnit" name="c0" definition="Core" frequencyDomain="f"/>
</structures><domains xsi:type="am:FrequencyDomain" name="f"><defaultValue value="1" unit="GHz"/></domains>)" +
                                  hardware) +
           element("stimuliModel", stimulus) + more + "</am:Amalthea>\n";
  }
  [[nodiscard]] auto task() const -> json { return imported(write("small.amxmi", text()))["tasks"][0]; }
  [[nodiscard]] auto cpu() const -> json { return task()["segments"][0]["cpu"]["Core"]; }
};

auto with_items(std::string items) -> small_model {
  small_model out;
  out.items = std::move(items);
  return out;
}
auto with_stimulus(std::string stimulus) -> small_model {
  small_model out;
  out.stimulus = std::move(stimulus);
  return out;
}

}  // namespace

TEST_CASE(
    "import: a model gives cores with types, tasks with variants, chains with limits, and notes on what it lacks") {
  const json w = imported(lane_assist);
  CHECK(w["name"] == "lane-assist");
  CHECK(w["platform"]["cpus"]["cores"] ==
        json::parse(R"([{"name": "Big0", "type": "Big"}, {"name": "Little0", "type": "Little"}])"));
  CHECK(w["platform"]["gpus"][0]["sms"] == 2);
  // 2 to 3 and 6 to 9 million cycles, and three times 23,438 lines of 16 cycles, at 2 GHz.
  CHECK(w["tasks"][0]["segments"][0]["cpu"]["Big"] == json::parse("[4562512, 6562512]"));
  const json& lanes = w["tasks"][1];
  CHECK(lanes["variant"] == "gpu");
  const json& on_gpu = lanes["variants"][0]["segments"];
  CHECK(on_gpu[1] == json::parse(R"({"copy": [40000, 75000], "direction": "to-device", "bytes": 400000})"));
  CHECK(on_gpu[2]["kernel"] == json::parse(R"({"work": [18000000, 24000000], "wcet": 12000000, "slice": 4000000})"));
  CHECK(on_gpu[3]["direction"] == "to-host");
  CHECK(lanes["variants"][1]["segments"].size() == 1);
  CHECK(lanes["variants"][1]["segments"][0]["cpu"].contains("Little") == false);
  CHECK(w["tasks"][2]["deadline"] == 8'000'000);
  CHECK(w["chains"][1] ==
        json::parse(R"({"name": "keep lane", "tasks": ["Camera", "Lanes", "Steering"], "reaction": 250000000})"));
  CHECK(w["notes"].dump().find("Camera: no deadline is said: its period is assumed") != std::string::npos);
}

TEST_CASE("import: what of a model is not used is counted, each kind with its first line") {
  const auto o = takt::test::takt("import amalthea " + lane_assist + " --report --write " + scratch("car.json"));
  CHECK(o.code == 0);
  CHECK(contains(o.err, "harmless: SWModel.events, 1 from line 143 on\n"));
  CHECK_FALSE(contains(o.err, "left out: "));
  CHECK_FALSE(contains(o.err, "runnables"));
}

TEST_CASE(
    "import: a plan goes back into the model, which is then read with that mapping, and only allocations change") {
  const std::string workload = scratch("lane.json");
  const std::string plan = scratch("lane-plan.json");
  const std::string model = scratch("lane-planned.amxmi");
  CHECK(takt::test::takt("import amalthea " + lane_assist + " --write " + workload).code == 0);
  CHECK(takt::test::takt("plan " + workload + " --policies tokens-k-fmlp --write " + plan).code == 0);
  const auto o = takt::test::takt("export amalthea " + plan + " --into " + lane_assist + " --write " + model);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "the way of sharing the GPU, tokens, has no place in a model"));
  const json planned = json::parse(read(plan));
  const json again = imported(model);
  REQUIRE(again["tasks"].size() == planned["tasks"].size());
  for (std::size_t i = 0; i < again["tasks"].size(); ++i) {
    CHECK(again["tasks"][i]["core"] == planned["tasks"][i]["core"]);
    CHECK(again["tasks"][i]["priority"] == planned["tasks"][i]["priority"]);
  }
  const std::string before = read(lane_assist);
  const std::string after = read(model);
  const auto mapping = before.find("    <taskAllocation");
  CHECK(after.substr(0, mapping) == before.substr(0, mapping));
  CHECK(after.ends_with("</am:Amalthea>\n"));
  // Once more it changes nothing.
  const std::string same = scratch("lane-same.amxmi");
  CHECK(takt::test::takt("export amalthea " + plan + " --into " + model + " --write " + same).code == 0);
  CHECK(read(same) == after);
}

TEST_CASE("import: a task that the plan keeps off the GPU takes what it triggers onto its core") {
  json workload = imported(lane_assist);
  workload["tasks"][1]["core"] = 0;
  workload["tasks"][1]["variant"] = "cpu";
  const std::string plan = write("cpu-plan.json", workload.dump());
  const std::string model = scratch("cpu-planned.amxmi");
  CHECK(takt::test::takt("export amalthea " + plan + " --into " + lane_assist + " --write " + model).code == 0);
  const json again = imported(model);
  CHECK(again["tasks"][1]["core"] == 0);
  CHECK(again["tasks"][1]["segments"] == json::parse(R"([{"cpu": {"Big": [30588304, 38588304]}}])"));
}

TEST_CASE("export: a plan for other tasks or other cores, or without cores, is refused") {
  json plan = imported(lane_assist);
  const auto line = [&](const json& p) {
    const auto o = takt::test::takt("export amalthea " + write("other.json", p.dump()) + " --into " + lane_assist);
    CHECK(o.code == 3);
    CHECK(o.out.empty());
    return o.err;
  };
  json other = plan;
  other["tasks"][0]["name"] = "Radar";
  other.erase("chains");
  CHECK(contains(line(other), "the model has no task \"Radar\""));
  other = plan;
  other["tasks"].erase(3);
  CHECK(contains(line(other), "the plan has no task \"Diagnosis\""));
  other = plan;
  json& segments = other["tasks"][1]["variants"][0]["segments"];
  segments.push_back(segments[2]);
  CHECK(contains(line(other), "has 2 kernels: expected none, or the 1 of the model"));
  other = plan;
  other["platform"]["cpus"]["cores"][1]["name"] = "Little7";
  CHECK(contains(line(other), "core 1 is \"Little7\", which the model does not have"));
  CHECK(contains(takt::test::takt("export amalthea " + write("plan.json", plan.dump()) + " --into " +
                                  plan["name"].get<std::string>())
                     .err,
                 "cannot be read"));
}

TEST_CASE("import: ticks are read as constants, bounds, statistics, histograms and instructions, and added up") {
  const auto cycles = [](const std::string& value) {
    return with_items(R"(<items xsi:type="am:Ticks">)" + value + "</items>").cpu();
  };
  CHECK(cycles(R"(<default xsi:type="am:DiscreteValueConstant" value="7"/>)") == json::parse("[7, 7]"));
  CHECK(cycles(R"(<default xsi:type="am:DiscreteValueBoundaries" lowerBound="5" upperBound="9"/>)") ==
        json::parse("[5, 9]"));
  CHECK(
      cycles(
          R"(<default xsi:type="am:DiscreteValueWeibullEstimatorsDistribution" lowerBound="5" average="6" upperBound="9"/>)") ==
      json::parse("[5, 9]"));
  CHECK(cycles(R"(<default xsi:type="am:DiscreteValueHistogram"><entries lowerBound="4" upperBound="6" occurrences="3"/>
<entries lowerBound="6" upperBound="20" occurrences="1"/></default>)") == json::parse("[4, 20]"));
  CHECK(
      cycles(
          R"(<extended key="Core?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="3"/></extended>)") ==
      json::parse("[3, 3]"));
  CHECK(with_items(R"(<items xsi:type="am:RunnableInstructions"><default xsi:type="am:InstructionsDeviation"><deviation>
<lowerBound xsi:type="am:LongObject" value="10"/><upperBound xsi:type="am:LongObject" value="30"/></deviation></default></items>
<items xsi:type="am:Group"><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="100"/></items></items>)")
            .cpu() == json::parse("[110, 130]"));
}

TEST_CASE("import: an item without ticks for a core counts with its default, beside items that have them") {
  CHECK(with_items(R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items>
<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="900"/>
<extended key="Core"><value xsi:type="am:DiscreteValueConstant" value="5"/></extended></items>)")
            .cpu() == json::parse("[1005, 1005]"));
}

TEST_CASE("import: runnables that call others have their times too") {
  small_model m = with_items(
      R"(<items xsi:type="am:RunnableCall" runnable="inner"/><items xsi:type="am:RunnableCall" runnable="inner"/>)");
  m.software = R"(<runnables name="inner"><activityGraph><items xsi:type="am:Ticks">
<default xsi:type="am:DiscreteValueConstant" value="50"/></items></activityGraph></runnables>)";
  CHECK(m.cpu() == json::parse("[100, 100]"));
}

TEST_CASE("import: stimuli are periodic with offset and jitter, relative, or sporadic") {
  const json periodic =
      with_stimulus(R"(<stimuli xsi:type="am:PeriodicStimulus" name="s"><recurrence value="2500" unit="us"/>
<jitter xsi:type="am:TimeBoundaries"><lowerBound value="0" unit="us"/><upperBound value="20" unit="us"/></jitter></stimuli>)")
          .task();
  CHECK(periodic["period"] == 2'500'000);
  CHECK(periodic["jitter"] == 20'000);
  CHECK(with_stimulus(
            R"(<stimuli xsi:type="am:RelativePeriodicStimulus" name="s"><nextOccurrence xsi:type="am:TimeBoundaries">
<lowerBound value="3" unit="ms"/><upperBound value="9" unit="ms"/></nextOccurrence></stimuli>)")
            .task()["period"] == 3'000'000);
  CHECK(with_stimulus(R"(<stimuli xsi:type="am:Sporadic" name="s"><stimulusDeviation>
<lowerBound value="4" unit="ms"/><upperBound value="9" unit="ms"/></stimulusDeviation></stimuli>)")
            .task()["period"] == 4'000'000);
}

TEST_CASE("import: the offset of a stimulus is that of its task, and no other one goes back into the model") {
  const std::string model = write("later.amxmi", with_stimulus(R"(<stimuli xsi:type="am:PeriodicStimulus" name="s">
<recurrence value="4" unit="ms"/><offset value="1" unit="ms"/></stimuli>)")
                                                     .text());
  json w = imported(model);
  CHECK(w["tasks"][0]["offset"] == 1'000'000);
  const auto back = [&](const json& plan) {
    return takt::test::takt("export amalthea " + write("later.json", plan.dump()) + " --into " + model);
  };
  CHECK_FALSE(contains(back(w).err, "offset"));
  w["tasks"][0]["offset"] = 2'000'000;
  const auto other = back(w);
  CHECK(other.code == 3);
  CHECK(contains(other.err, "/tasks/0/offset: is not that of the model, which stays as it is"));
}

TEST_CASE("import: a wait stands behind each trigger, and what runs beside a kernel is told") {
  const std::string text = read(lane_assist);
  constexpr std::string_view trigger =
      R"(<items xsi:type="am:InterProcessTrigger" stimulus="lanes_wanted?type=InterProcessStimulus" />)";
  const std::string one{trigger};
  CHECK(contains(refused(with(text, one, one + one)), "is a second trigger before the wait for Lanes_gpu"));
  const json w = imported(
      write("beside.amxmi", with(text, one, one + R"(<items xsi:type="am:RunnableCall" runnable="diagnose" />)")));
  CHECK(contains(w["notes"].dump(), "Lanes: what it does while Lanes_gpu runs is assumed to come behind that"));
}

TEST_CASE("import: a stimulus without a period is told, since chains need one") {
  const json w =
      imported(write("sporadic.amxmi", with_stimulus(R"(<stimuli xsi:type="am:Sporadic" name="s"><stimulusDeviation>
<lowerBound value="4" unit="ms"/><upperBound value="9" unit="ms"/></stimulusDeviation></stimuli>)")
                                           .text()));
  CHECK(contains(w["notes"].dump(), "T: its period is the shortest time between releases"));
}

TEST_CASE("import: priorities stand in allocations in the ways of the schemas, the greater one first") {
  small_model m;
  m.software =
      R"(<tasks name="U" stimuli="s"><activityGraph><items xsi:type="am:RunnableCall" runnable="work"/></activityGraph></tasks>)";
  const auto order = [&](const std::string& t, const std::string& u) {
    m.more = element("mappingModel", R"(<taskAllocation task="T" affinity="c0">)" + t + R"(</taskAllocation>
<taskAllocation task="U" affinity="c0">)" +
                                         u + "</taskAllocation>");
    const json tasks = imported(write("order.amxmi", m.text()))["tasks"];
    return tasks[0]["priority"].get<int>() > tasks[1]["priority"].get<int>() ? "U first" : "T first";
  };
  CHECK(order(R"(<schedulingParameters priority="3"/>)", R"(<schedulingParameters priority="5"/>)") ==
        std::string{"U first"});
  m.schema = "3.1.0";
  const auto keyed = [](const std::string& v) {
    return R"(<schedulingParameters key="priority"><value xsi:type="am:IntegerObject" value=")" + v +
           R"("/></schedulingParameters>)";
  };
  CHECK(order(keyed("3"), keyed("5")) == std::string{"U first"});
  CHECK(order(keyed("7"), keyed("5")) == std::string{"T first"});
  const auto defined = [](const std::string& v) {
    return R"(<schedulingParameters definition="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value=")" +
           v + R"("/></schedulingParameters>)";
  };
  CHECK(order(defined("3"), defined("5")) == std::string{"U first"});
}

TEST_CASE("import: cores by deadlines are told from cores by priorities") {
  small_model m;
  m.more = element("osModel", R"(<operatingSystems name="os"><taskSchedulers name="edf">
<schedulingAlgorithm xsi:type="am:EarliestDeadlineFirst"/></taskSchedulers></operatingSystems>)") +
           element("mappingModel", R"(<schedulerAllocation scheduler="edf" responsibility="c0"/>
<taskAllocation task="T" scheduler="edf"/>)");
  const json w = imported(write("edf.amxmi", m.text()));
  CHECK(w["platform"]["cpus"]["policy"] == "edf");
  CHECK(w["tasks"][0]["core"] == 0);
}

TEST_CASE("import: schema 0.7 has chips with a quartz, call sequences and priorities of tasks") {
  const std::string text =
      R"(<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/0.7.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<swModel><tasks name="T" stimuli="s?type=Periodic" priority="4"><callGraph><graphEntries xsi:type="am:CallSequence">
<calls xsi:type="am:TaskRunnableCall" runnable="work?type=Runnable"/></graphEntries></callGraph></tasks>
<runnables name="work"><runnableItems xsi:type="am:RunnableInstructions">
<default xsi:type="am:InstructionsConstant" value="9000"/></runnableItems></runnables></swModel>
<hwModel><coreTypes name="TriCore" instructionsPerCycle="1.5"/><system><ecus><microcontrollers>
<quartzes name="q"><frequency value="200" unit="MHz"/></quartzes>
<cores name="c0" coreType="TriCore?type=CoreType"><prescaler clockRatio="0.5" quartz="q?type=Quartz"/></cores>
</microcontrollers></ecus></system></hwModel>
<stimuliModel><stimuli xsi:type="am:Periodic" name="s"><recurrence value="5" unit="ms"/></stimuli></stimuliModel>
<mappingModel><coreAllocation scheduler="os?type=TaskScheduler" core="c0?type=Core"/>
<taskAllocation task="T?type=Task" scheduler="os?type=TaskScheduler"/></mappingModel></am:Amalthea>)";
  const json w = imported(write("old.amxmi", text));
  // 9,000 instructions at 1.5 in each cycle of 10 ns.
  CHECK(w["tasks"][0]["segments"][0]["cpu"]["TriCore"] == json::parse("[60000, 60000]"));
  CHECK(w["tasks"][0]["core"] == 0);
  CHECK(w.value("notes", json::array()).dump().find("priorities") == std::string::npos);
}

TEST_CASE("import: a broken model is refused with the line and the element") {
  const small_model good;
  const std::string text = good.text();
  CHECK(imported(write("good.amxmi", text))["tasks"].size() == 1);
  CHECK(contains(refused(text.substr(0, text.size() / 2)), ": line "));
  CHECK(contains(refused(with(text, "amalthea/1.0.0", "amalthea/9.0.0")), "line 1: am:Amalthea: is of the schema"));
  CHECK(contains(refused(with(text, "value=\"10\" unit=\"ms\"", "value=\"10\"")),
                 "recurrence: has no unit: expected ps, ns, us"));
  CHECK(contains(refused(with(text, "value=\"10\" unit=\"ms\"", "value=\"10\" unit=\"fortnight\"")),
                 "recurrence: has the unit \"fortnight\""));
  CHECK(
      contains(refused(with(text, "value=\"1000\"", "value=\"many\"")), "value is \"many\": expected a number from 0"));
  CHECK(contains(refused(with(text, "stimuli=\"s?", "stimuli=\"z?")),
                 "tasks \"T\": stimuli names \"z\", which is not there"));
  CHECK(contains(refused(with(text, "runnable=\"work?", "runnable=\"play?")),
                 "runnable names \"play\", which is not there"));
  CHECK(contains(refused(with(text, "definition=\"Core\"", "definition=\"Corn\"")), "definition names \"Corn\""));
  CHECK(contains(refused(with_items(R"(<items xsi:type="am:RunnableCall" runnable="work"/>)").text()),
                 "calls \"work\" in a circle"));
  CHECK(contains(refused(with_items(R"(<items xsi:type="am:LabelAccess" data="gone" access="read"/>)").text()),
                 "uses the label \"gone\", which is not there"));
  CHECK(contains(refused(with_items(R"(<items xsi:type="am:SemaphoreAccess"/>)").text()), "has no semaphore"));
  CHECK(contains(refused(with_stimulus(R"(<stimuli xsi:type="am:VariableRateStimulus" name="s"/>)").text()),
                 "has no task that is released by anything"));
  CHECK(contains(refused("<html/>"), "is no AMALTHEA model"));
  CHECK(contains(refused(""), "line 1"));
  for (const char* name : {"T\xFF", "T&#xD800;", "T&#x110000;"}) {
    CHECK(contains(refused(with(text, "name=\"T\"", "name=\"" + std::string{name} + "\"")),
                   "name has a byte or a reference that is no character"));
  }
  small_model m;
  m.more = element("constraintsModel", R"(<eventChains name="a" stimulus="x?type=ProcessEvent"/>)");
  CHECK(contains(refused(m.text()), "eventChains \"a\": stimulus names \"x\", which is not there"));
  m.more =
      element("constraintsModel",
              R"(<eventChains name="a"><segments xsi:type="am:EventChainReference" eventChain="a"/></eventChains>)");
  CHECK(contains(refused(m.text()), "eventChains \"a\": contains itself"));
}

TEST_CASE("import: times and sizes that no file holds are refused in a line") {
  const std::string slow = with(small_model{}.text(), "value=\"1\" unit=\"GHz\"", "value=\"1\" unit=\"Hz\"");
  CHECK(contains(refused(with(slow, "value=\"1000\"", "value=\"1e15\"")), "takes too long"));
  const std::string on_gpu = "<labels name=\"small_frame_on_gpu\">\n      <size value=\"";
  const std::string large = with(read(lane_assist), on_gpu + "400\" unit=\"kB\"", on_gpu + "4000\" unit=\"TB\"");
  CHECK(contains(refused(large), "writes labels that are too large together"));
}

TEST_CASE("import: noise of a hundred megabytes, and elements without an end, are refused in a line") {
  std::string noise(100U << 20U, 'x');
  CHECK(contains(refused(noise), "is larger than any model"));
  noise.resize(10U << 20U);
  CHECK(contains(refused(noise), "line 1"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) { deep += "<a>"; }
  CHECK(contains(refused(deep), "line 1"));
  for (int i = 0; i < 100'000; ++i) { deep += "</a>"; }
  CHECK(contains(refused(deep), "nests deeper"));
}

TEST_CASE("import: 1,250 runnables and 10,000 labels are read") {
  small_model m;
  m.items.clear();
  for (int r = 0; r < 1250; ++r) {
    const std::string name = "r" + std::to_string(r);
    m.items += R"(<items xsi:type="am:RunnableCall" runnable=")" + name + "\"/>\n";
    m.software += "<runnables name=\"" + name + R"("><activityGraph><items xsi:type="am:Ticks">
<default xsi:type="am:DiscreteValueConstant" value="1000"/></items>)";
    for (int l = 0; l < 8; ++l) {
      m.software += R"(<items xsi:type="am:LabelAccess" access="read" data="l)" + std::to_string(8 * r + l) + "\"/>\n";
    }
    m.software += "</activityGraph></runnables>\n";
  }
  for (int l = 0; l < 10'000; ++l) {
    m.software += "<labels name=\"l" + std::to_string(l) + R"("><size value="4" unit="B"/></labels>)" + "\n";
  }
  CHECK(m.cpu() == json::parse("[1250000, 1250000]"));
}

namespace {

/// How many of a kind a file leaves out.
auto left_out(const json& w, const std::string& kind) -> std::int64_t {
  for (const json& o : w.value("incomplete", json::array())) {
    if (o["kind"] == kind) { return o["count"].get<std::int64_t>(); }
  }
  return 0;
}

auto runnable(const std::string& name, const std::string& items) -> std::string {
  return "<runnables name=\"" + name + "\"><callGraph>" + items + "</callGraph></runnables>\n";
}
auto ticks(const std::string& n) -> std::string {
  return R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value=")" + n + R"("/></items>)";
}
auto call(const std::string& name) -> std::string {
  return R"(<items xsi:type="am:RunnableCall" runnable=")" + name + R"("/>)";
}
/// A task of its own, and where it is mapped.
auto task_of(const std::string& attributes, const std::string& items) -> std::string {
  return "<tasks " + attributes + "><callGraph>" + items + "</callGraph></tasks>\n";
}

/// The software of a small model, where "T" of 10 ms calls "work".
auto with_software(std::string software, std::string more = {}) -> small_model {
  small_model out;
  out.software = std::move(software);
  out.more = std::move(more);
  return out;
}

auto task_named(const json& w, const std::string& name) -> json {
  for (const json& t : w["tasks"]) {
    if (t["name"] == name) { return t; }
  }
  return {};
}

}  // namespace

TEST_CASE("import: how a task lets itself be preempted is read, and left out where it is not said") {
  const std::string two = runnable("short", ticks("2000")) + runnable("long", ticks("5000"));
  const auto w = imported(
      write("kinds.amxmi",
            with_software(two + task_of(R"(name="N" stimuli="s" preemption="non_preemptive")", call("long")) +
                          task_of(R"(name="C" stimuli="s" preemption="cooperative")", call("short") + call("long")))
                .text()));
  CHECK(task_named(w, "N")["preemption"] == "nonpreemptive");
  CHECK(task_named(w, "C")["preemption"] == "cooperative");
  CHECK(task_named(w, "C")["segments"][0]["nonpreemptive_region"] == 5000);
  CHECK(left_out(w, "Task without preemption") == 1);  // T
}

TEST_CASE("import: of a switch the longest branch counts, and the shortest, or none where it has no default") {
  const std::string branches =
      "<entries><items xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueConstant\" "
      "value=\"300\"/></items></entries><entries><items xsi:type=\"am:Ticks\"><default "
      "xsi:type=\"am:DiscreteValueConstant\" value=\"700\"/></items></entries>";
  CHECK(with_items(R"(<items xsi:type="am:ProbabilitySwitch">)" + branches + "</items>").cpu() ==
        json::parse("[300, 700]"));
  CHECK(with_items(R"(<items xsi:type="am:ModeSwitch">)" + branches + "</items>").cpu() == json::parse("[0, 700]"));
  CHECK(with_items(R"(<items xsi:type="am:ModeSwitch">)" + branches + "<defaultEntry>" + ticks("900") +
                   "</defaultEntry></items>")
            .cpu() == json::parse("[300, 900]"));
}

TEST_CASE("import: needs are divided by the feature of the core, and a task may have ticks itself") {
  small_model m = with_items(
      R"(<items xsi:type="am:ExecutionNeed"><needs key="Instructions"><value xsi:type="am:DiscreteValueConstant" value="900"/></needs></items>)");
  m.hardware = R"(<featureCategories name="Instructions"><features name="IPC" value="1.5"/></featureCategories>)";
  const std::string text =
      with(m.text(), "name=\"Core\" puType", "name=\"Core\" features=\"Instructions/IPC?type=HwFeature\" puType");
  CHECK(imported(write("need.amxmi", text))["tasks"][0]["segments"][0]["cpu"]["Core"] == json::parse("[600, 600]"));
  const json w = imported(write("own.amxmi", with_software(task_of(R"(name="U" stimuli="s")", ticks("77"))).text()));
  CHECK(task_named(w, "U")["segments"][0]["cpu"]["Core"] == json::parse("[77, 77]"));
}

TEST_CASE("import: what a model leaves out has the default of the metamodel") {
  CHECK_FALSE(with_stimulus(R"(<stimuli xsi:type="am:PeriodicStimulus" name="s"><recurrence value="10" unit="ms"/>
<offset unit="ms"/></stimuli>)")
                  .task()
                  .contains("offset"));
  // A frequency without a unit is in Hz.
  const std::string slow = with(small_model{}.text(), "value=\"1\" unit=\"GHz\"", "value=\"1000000\"");
  CHECK(imported(write("slow.amxmi", slow))["tasks"][0]["segments"][0]["cpu"]["Core"] ==
        json::parse("[1000000, 1000000]"));
  CHECK(with_items(
            R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueBoundaries" upperBound="9"/></items>)")
            .cpu() == json::parse("[0, 9]"));
}

TEST_CASE("import: a task that another one releases and does not wait for has its deadline as jitter") {
  const std::string stimuli =
      R"(<stimuli xsi:type="am:PeriodicStimulus" name="s"><recurrence value="10" unit="ms"/></stimuli>
<stimuli xsi:type="am:InterProcessStimulus" name="ips"/>
<stimuli xsi:type="am:EventStimulus" name="es" triggeringEvents="done?type=CustomEvent"/>)";
  small_model m = with_stimulus(stimuli);
  m.software = task_of(R"(name="A" stimuli="s" preemption="preemptive")",
                       R"(<items xsi:type="am:InterProcessTrigger" stimulus="ips"/>)" + call("work")) +
               task_of(R"(name="B" stimuli="ips" preemption="preemptive")", call("signals")) +
               task_of(R"(name="C" stimuli="es" preemption="preemptive")", call("work")) +
               runnable("signals", ticks("50") + R"(<items xsi:type="am:CustomEventTrigger" event="done"/>)");
  m.more = element("eventModel", R"(<events xsi:type="am:CustomEvent" name="done"/>)");
  const json w = imported(write("released.amxmi", m.text()));
  CHECK(task_named(w, "B")["jitter"] == 10'000'000);
  CHECK(task_named(w, "B")["deadline"] == 20'000'000);
  CHECK(task_named(w, "C")["period"] == 10'000'000);
  CHECK(task_named(w, "C")["jitter"] == 20'000'000);
  CHECK(
      contains(refused(with(m.text(), "<callGraph>" + call("work"),
                            R"(<callGraph><items xsi:type="am:InterProcessTrigger" stimulus="ips"/>)" + call("work"))),
               "releases itself through other tasks"));
}

TEST_CASE("import: a section under a priority ceiling on one core is a region, any other one is left out") {
  const auto with_ceiling = [](const std::string& ceiling) {
    const std::string section =
        R"(<items xsi:type="am:SemaphoreAccess" semaphore="m" access="request"/>)" + ticks("400") +
        R"(<items xsi:type="am:SemaphoreAccess" semaphore="m" access="release"/>)" + ticks("1000");
    return imported(write(
        "lock.amxmi",
        with_software(
            task_of(R"(name="L" stimuli="s" preemption="preemptive")", call("locks")) + runnable("locks", section),
            element("osModel", R"(<semaphores name="m" maxValue="1" priorityCeilingProtocol=")" + ceiling + R"("/>)") +
                element("mappingModel", R"(<taskAllocation task="L" affinity="c0"/>)"))
            .text()));
  };
  const json held = with_ceiling("true");
  CHECK(task_named(held, "L")["segments"][0]["nonpreemptive_region"] == 400);
  CHECK(left_out(held, "SemaphoreAccess") == 0);
  CHECK(left_out(with_ceiling("false"), "SemaphoreAccess") == 1);
}

TEST_CASE("import: interrupts are above all tasks, whatever their priorities say") {
  const json w = imported(write(
      "isr.amxmi",
      with_software(
          R"(<isrs name="I" stimuli="s"><callGraph>)" + call("work") + "</callGraph></isrs>",
          element("osModel", R"(<operatingSystems name="os"><interruptControllers name="ic"/></operatingSystems>)") +
              element("mappingModel", R"(<schedulerAllocation scheduler="ic" responsibility="c0"/>
<taskAllocation task="T" affinity="c0"><schedulingParameters priority="99"/></taskAllocation><isrAllocation isr="I" controller="ic" priority="1"/>)"))
          .text()));
  CHECK(task_named(w, "I")["priority"] == 0);
  CHECK(task_named(w, "T")["priority"] == 1);
}

TEST_CASE("import: what no table knows, and what it knows to slow a system down, is left out and counted") {
  const auto incomplete = [](const std::string& software, const std::string& more = {}) {
    return imported(write("left.amxmi", with_software(software, more).text()));
  };
  CHECK(left_out(incomplete(R"(<tasks name="X" stimuli="s" preemption="preemptive" quantum="3"><callGraph>)" +
                            ticks("1") + "</callGraph></tasks>"),
                 "unknown: Task.quantum") == 1);
  CHECK(left_out(incomplete(runnable("odd", R"(<items xsi:type="am:Sleep"/>)")), "unknown: Sleep") == 1);
  CHECK(left_out(incomplete(R"(<tasks name="X" stimuli="s"><customProperties key="osekTaskGroup"/><callGraph>)" +
                            ticks("1") + "</callGraph></tasks>"),
                 "customProperties \"osekTaskGroup\" of Task") == 1);
  CHECK(left_out(incomplete(R"(<labels name="l"><size value="4" unit="B"/></labels>)" +
                            runnable("reads", R"(<items xsi:type="am:LabelAccess" data="l" access="read"/>)")),
                 "LabelAccess without a latency") == 1);
  CHECK(left_out(incomplete(task_of(R"(name="X")", ticks("1"))), "task that nothing in the model releases") == 1);
  CHECK(contains(refused(with_software({}, element("osModel", R"(<operatingSystems name="os"><taskSchedulers name="x">
<schedulingAlgorithm xsi:type="am:SporadicServer"/></taskSchedulers></operatingSystems>)"))
                             .text()),
                 "schedulingAlgorithm SporadicServer"));
}

namespace {

/// Ticks of a call of the operating system.
auto taking(const std::string& call, const std::string& n) -> std::string {
  return element(call, R"(<default xsi:type="am:DiscreteValueBoundaries" lowerBound="0" upperBound=")" + n + R"("/>)");
}
/// Each call of its own weight, so that a sum says which ones were made.
const std::string calls = taking("apiActivateTask", "1") + taking("apiTerminateTask", "2") +
                          taking("apiSchedule", "4") + taking("apiSetEvent", "10") + taking("apiWaitEvent", "20") +
                          taking("apiClearEvent", "40") + taking("apiRequestResource", "100") +
                          taking("apiReleaseResource", "200") + taking("apiEnforcedMigration", "400") +
                          taking("apiRequestSpinlock", "1000") + taking("apiReleaseSpinlock", "2000") +
                          taking("apiSenderReceiverRead", "10000") + taking("apiSenderReceiverWrite", "20000") +
                          taking("apiSynchronousServerCallPoint", "40000");

/// "os" with what its calls take, and "T" and what else is mapped to its one core.
auto on_system(const std::string& overhead, const std::string& mapping = {}) -> std::string {
  return element("osModel",
                 R"(<semaphores name="m" maxValue="1" priorityCeilingProtocol="true" semaphoreType="Resource"/>
<semaphores name="spin" maxValue="1" semaphoreType="Spinlock"/><semaphores name="any" maxValue="1"/>
<operatingSystems name="os" overhead="cost?type=OsOverhead"><taskSchedulers name="rtos">
<schedulingAlgorithm xsi:type="am:OSEK"/></taskSchedulers><interruptControllers name="ic"/></operatingSystems>
<osOverheads name="cost">)" +
                     overhead + "</osOverheads>") +
         element("mappingModel", R"(<schedulerAllocation scheduler="rtos" responsibility="c0"/>
<schedulerAllocation scheduler="ic" responsibility="c0"/><taskAllocation task="T" scheduler="rtos"/>)" +
                                     mapping);
}
/// A small model whose runnable does 1,000 ticks and the items.
auto with_calls(const std::string& items) -> small_model {
  small_model out = with_items(ticks("1000") + items);
  out.software = R"(<labels name="l"><size value="4" unit="B"/></labels>)" + runnable("serves", ticks("500"));
  out.more = element("eventModel", R"(<events xsi:type="am:CustomEvent" name="done"/>)") +
             on_system(element("apiOverhead", calls));
  return out;
}
auto item(const std::string& what) -> std::string { return "<items xsi:type=\"am:" + what + "/>"; }
auto item(const std::string& what, const std::string& inside) -> std::string {
  return "<items xsi:type=\"am:" + what + ">" + inside + "</items>";
}

}  // namespace

TEST_CASE("import: a job takes the time of the calls of the operating system that it makes") {
  const auto took = [](const std::string& items) { return with_calls(items).cpu(); };
  // Activation, schedule and termination of each job.
  CHECK(took("") == json::parse("[1000, 1007]"));
  CHECK(took(item("SetEvent\"", R"(<eventMask events="e"/>)")) == json::parse("[1000, 1017]"));
  CHECK(took(item("SetEvent\"", R"(<eventMask events="e f"/>)")) == json::parse("[1000, 1017]"));
  CHECK(took(item("SetEvent\"")) == json::parse("[1000, 1017]"));
  CHECK(took(item("WaitEvent\"", R"(<eventMask events="e"/>)")) == json::parse("[1000, 1027]"));
  CHECK(took(item("ClearEvent\"", R"(<eventMask events="e"/>)")) == json::parse("[1000, 1047]"));
  CHECK(took(item("SchedulePoint\"")) == json::parse("[1000, 1011]"));
  CHECK(took(item("TerminateProcess\"")) == json::parse("[1000, 1009]"));
  CHECK(took(item("CustomEventTrigger\" event=\"done\"")) == json::parse("[1000, 1008]"));
  CHECK(took(item("EnforcedMigration\" resourceOwner=\"rtos\"")) == json::parse("[1000, 1407]"));
  CHECK(took(item("SenderReceiverRead\" label=\"l\"")) == json::parse("[1000, 11007]"));
  CHECK(took(item("SenderReceiverWrite\" label=\"l\"")) == json::parse("[1000, 21007]"));
  CHECK(took(item("SynchronousServerCall\" serverRunnable=\"serves\"")) == json::parse("[1500, 41507]"));
  const auto section = [](const std::string& of) {
    return item("SemaphoreAccess\" access=\"request\" semaphore=\"" + of + '"') +
           item("SemaphoreAccess\" access=\"release\" semaphore=\"" + of + '"');
  };
  CHECK(took(section("m")) == json::parse("[1000, 1307]"));
  CHECK(took(section("spin")) == json::parse("[1000, 4007]"));
  // Whose kind is not said may be either.
  CHECK(took(section("any")) == json::parse("[1000, 4007]"));
  // The longer branch of a switch: 200 ticks, or six calls.
  CHECK(took(item("ModeSwitch\"", element("entries", ticks("200")) +
                                      element("defaultEntry", item("ClearEvent\"") + item("ClearEvent\"") +
                                                                  item("ClearEvent\"") + item("ClearEvent\"") +
                                                                  item("ClearEvent\"") + item("ClearEvent\"")))) ==
        json::parse("[1000, 1247]"));
}

TEST_CASE("import: a task that is activated by another one takes time for that, and so does the other one") {
  small_model m = with_calls("");
  m.stimulus += R"(<stimuli xsi:type="am:InterProcessStimulus" name="ips"/>)";
  m.software += task_of(R"(name="A" stimuli="s")", call("work") + item("InterProcessTrigger\" stimulus=\"ips\"")) +
                task_of(R"(name="B" stimuli="ips")", call("work"));
  m.more = on_system(element("apiOverhead", calls), R"(<taskAllocation task="A" scheduler="rtos"/>
<taskAllocation task="B" scheduler="rtos"/>)");
  const json w = imported(write("activated.amxmi", m.text()));
  CHECK(task_named(w, "A")["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1008]"));
  CHECK(task_named(w, "B")["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1007]"));
}

TEST_CASE("import: interrupts take what is said of their category, or the longest") {
  const auto took = [](const std::string& category) {
    small_model m;
    m.software = "<isrs name=\"I\" stimuli=\"s\"" + category + "><callGraph>" + call("work") + "</callGraph></isrs>";
    m.more = on_system(element("isrCategory1Overhead",
                               taking("preExecutionOverhead", "100") + taking("postExecutionOverhead", "200")) +
                           element("isrCategory2Overhead",
                                   taking("preExecutionOverhead", "3000") + taking("postExecutionOverhead", "50")),
                       R"(<isrAllocation isr="I" controller="ic" priority="1"/>)");
    const json w = imported(write("category.amxmi", m.text()));
    CHECK(task_named(w, "T")["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1000]"));
    return task_named(w, "I")["segments"][0]["cpu"]["Core"];
  };
  CHECK(took(R"( category="CATEGORY_1")") == json::parse("[1000, 1300]"));
  CHECK(took(R"( category="CATEGORY_2")") == json::parse("[1000, 4050]"));
  CHECK(took("") == json::parse("[1000, 4200]"));
}

TEST_CASE("import: calls belong to the longest section, and to the longest region of a cooperative task") {
  small_model m;
  m.software =
      task_of(R"(name="L" stimuli="s" preemption="preemptive")", call("locks")) +
      runnable("locks", item("SemaphoreAccess\" access=\"request\" semaphore=\"m\"") + ticks("400") +
                            item("ClearEvent\"") + item("SemaphoreAccess\" access=\"release\" semaphore=\"m\"")) +
      task_of(R"(name="C" stimuli="s" preemption="cooperative")",
              call("long") + item("SetEvent\"", R"(<eventMask events="e"/>)") + call("long")) +
      runnable("long", ticks("5000") + item("ClearEvent\""));
  m.more = on_system(element("apiOverhead", calls), R"(<taskAllocation task="L" scheduler="rtos"/>
<taskAllocation task="C" scheduler="rtos"/>)");
  const json w = imported(write("regions.amxmi", m.text()));
  // 100 + 400 + 40 + 200.
  CHECK(task_named(w, "L")["segments"][0]["nonpreemptive_region"] == 740);
  // 5,000 + 40, and 7 of the job with 10 between its runnables.
  CHECK(task_named(w, "C")["segments"][0]["nonpreemptive_region"] == 5057);
}

TEST_CASE("import: for a task on the GPU the core of its caller takes the calls, at its speed") {
  const std::string overhead =
      "<osOverheads name=\"cost\">" +
      element("apiOverhead", taking("apiActivateTask", "2000") + taking("apiSchedule", "4000") +
                                 taking("apiSetEvent", "20000") + taking("apiTerminateTask", "40000") +
                                 taking("apiWaitEvent", "200000") + taking("apiClearEvent", "400000")) +
      "</osOverheads></osModel>";
  const std::string text = with(with(read(lane_assist), "<operatingSystems name=\"Linux\">",
                                     "<operatingSystems name=\"Linux\" overhead=\"cost?type=OsOverhead\">"),
                                "</osModel>", overhead);
  const json w = imported(write("gpu-calls.amxmi", text));
  const json& variants = w["tasks"][1]["variants"];
  // Big0 has 2 GHz. Both tasks are activated and scheduled, and one is triggered: 14,000 ticks.
  CHECK(variants[0]["segments"][0]["cpu"]["Big"][1] == 2'237'504 + 7'000);
  CHECK(variants[0]["segments"][2]["kernel"] ==
        imported(lane_assist)["tasks"][1]["variants"][0]["segments"][2]["kernel"]);
  // It sets the event and ends; its caller waits for that, clears it and ends: 700,000 ticks.
  CHECK(variants[0]["segments"][4]["cpu"]["Big"] == json::parse("[1250288, 1600288]"));
  CHECK(variants[1]["segments"][0]["cpu"]["Big"] == json::parse("[30588304, 38945304]"));
  CHECK_FALSE(w.contains("incomplete"));
}

TEST_CASE("import: a system is as late as its calls make it, and what is charged is told") {
  const auto judged = [](const std::string& n) {
    small_model m = with_items(ticks(n));
    m.more = on_system(element("apiOverhead", calls), "");
    const json w = imported(
        write("close.amxmi", with(m.text(), "<tasks name=\"T\"", "<tasks name=\"T\" preemption=\"preemptive\"")));
    CHECK_FALSE(w.contains("incomplete"));
    CHECK(contains(w["notes"].dump(), "os: its calls take CPU time of the job that makes them"));
    CHECK(contains(w["notes"].dump(), "apiActivateTask, apiTerminateTask, apiSchedule, apiSetEvent"));
    return json::parse(takt::test::takt("analyze " + write("close.json", w.dump()) + " --json").out);
  };
  // With 7 ticks for its activation, schedule and termination it has the whole period, or one too many.
  const json last = judged("9999993");
  CHECK(last["status"] == "schedulable");
  CHECK(last["tasks"][0]["response_bound"] == 10'000'000);
  CHECK(judged("9999994")["status"] != "schedulable");
}

TEST_CASE("import: calls that nothing in a model makes, and tasks of no operating system, are left out by name") {
  const auto with_system = [](const std::string& overhead, const std::string& from = {}, const std::string& to = {}) {
    small_model m;
    m.more = on_system(overhead);
    return imported(write("system.amxmi", with(m.text(), from, to)));
  };
  const auto api = [](const std::string& inside) { return element("apiOverhead", inside); };
  for (const char* name :
       {"apiSendMessage", "apiSuspendOsInterrupts", "apiResumeOsInterrupts", "apiIocRead", "apiIocWrite"}) {
    CAPTURE(name);
    CHECK(left_out(with_system(api(taking(name, "3"))), "OsAPIOverhead." + std::string{name}) == 1);
    CHECK(left_out(with_system(api(taking(name, "0"))), "OsAPIOverhead." + std::string{name}) == 0);
  }
  CHECK(left_out(with_system(api(taking("apiSleep", "3"))), "unknown: OsAPIOverhead.apiSleep") == 1);
  const std::string mapped = R"(<taskAllocation task="T" scheduler="rtos"/>)";
  const std::string elsewhere = R"(<taskAllocation task="T" affinity="c0"/>)";
  CHECK(left_out(with_system(api(calls), mapped, elsewhere), "task without an operating system") == 1);
  CHECK(left_out(with_system(api(taking("apiSetEvent", "0")), mapped, elsewhere), "task without an operating system") ==
        0);
  // Nobody has it.
  const json unused = with_system(api(calls), " overhead=\"cost?type=OsOverhead\"", "");
  CHECK(unused["tasks"][0]["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1000]"));
  CHECK(contains(unused["notes"].dump(), "no operating system has it"));
  small_model m;
  m.more = on_system(api(calls));
  CHECK(contains(refused(with(m.text(), "overhead=\"cost?", "overhead=\"gone?")),
                 "overhead names \"gone\", which is not there"));
}

TEST_CASE("import: a task takes what its own operating system takes, by the kind of its core, or in instructions") {
  small_model m;
  m.software = task_of(R"(name="U" stimuli="s")", call("work"));
  m.more =
      element("osModel", R"(<operatingSystems name="os" overhead="cost"><taskSchedulers name="a"/></operatingSystems>
<operatingSystems name="bare"><taskSchedulers name="b"/></operatingSystems><osOverheads name="cost"><apiOverhead>
<apiTerminateTask><default xsi:type="am:DiscreteValueConstant" value="9"/><extended key="Core"><value
xsi:type="am:DiscreteValueConstant" value="30"/></extended></apiTerminateTask>
<apiSchedule xsi:type="am:InstructionsConstant" value="300"/></apiOverhead></osOverheads>)") +
      element("mappingModel", R"(<taskAllocation task="T" scheduler="a" affinity="c0"/>
<taskAllocation task="U" scheduler="b" affinity="c0"/>)");
  const json w = imported(write("two-systems.amxmi", m.text()));
  CHECK(task_named(w, "T")["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1330]"));
  CHECK(task_named(w, "U")["segments"][0]["cpu"]["Core"] == json::parse("[1000, 1000]"));
  CHECK(contains(w["notes"].dump(), "tasks are to stay on the cores of theirs"));
  CHECK(left_out(w, "task without an operating system") == 0);
}

TEST_CASE("import: a model may be split over files, or be all files of a folder") {
  const std::string text = small_model{}.text();
  const auto cut = text.find("<stimuliModel>");
  const auto end = text.find("</stimuliModel>") + std::string{"</stimuliModel>"}.size();
  const std::string head = text.substr(0, text.find('\n') + 1);
  const std::string folder = scratch("split");
  std::filesystem::create_directory(folder);
  const std::string software =
      write("split/software.amxmi",
            with(text.substr(0, cut) + text.substr(end), "stimuli=\"s?type=PeriodicStimulus\">",
                 R"(><stimuli xsi:type="am:PeriodicStimulus" href="amlt:/#s?type=PeriodicStimulus"/>)"));
  const std::string stimuli = write("split/stimuli.amxmi", head + text.substr(cut, end - cut) + "</am:Amalthea>\n");
  const json whole = imported(write("whole.amxmi", text))["tasks"];
  CHECK(imported(software + " " + stimuli)["tasks"] == whole);
  CHECK(imported(folder)["tasks"] == whole);
  const auto o = takt::test::takt("import amalthea " + software);
  CHECK(o.code == 3);
}

TEST_CASE("import: the docs have the table of the metamodel that the program uses") {
  const auto o = takt::test::takt("import amalthea --table");
  CHECK(o.code == 0);
  CHECK(contains(read(TAKT_SOURCE_DIR "/docs/amalthea.md"), o.out));
}

TEST_CASE("import: each element of the metamodel has a place in the table") {
  const std::string list = TAKT_SOURCE_DIR "/../shared/data/models/amalthea-metamodel.tsv";
  const std::string table = takt::test::takt("import amalthea --table").out;
  // All classes of 0.9.5, and what other versions have besides.
  CHECK(std::count(table.begin(), table.end(), '\n') >= 364 + 2);
  if (!std::filesystem::exists(list)) {
    MESSAGE("skipped: the list of the metamodel is not beside this checkout");
    return;
  }
  std::istringstream lines{read(list)};
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells{line};
    std::string owner;
    std::string kind;
    std::string name;
    std::getline(cells, owner, '\t');
    std::getline(cells, kind, '\t');
    std::getline(cells, name, '\t');
    if (kind == "enum") { continue; }
    const auto row = table.find("\n| `" + owner + "` |");
    CAPTURE(line);
    REQUIRE(row != std::string::npos);
    if (kind == "class") { continue; }
    CHECK(table.substr(row + 1, table.find('\n', row + 1) - row).find("`" + name + "`") != std::string::npos);
  }
}

TEST_CASE("import: the examples of APP4MC are read, but for hardware alone and tasks that nothing releases") {
  const std::filesystem::path folder = TAKT_SOURCE_DIR "/../shared/data/models/app4mc";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: the examples are not beside this checkout");
    return;
  }
  std::size_t loaded = 0;
  std::string split;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::string path = entry.path().string();
    if (contains(path, "democar.split")) {
      split += " " + path;
      ++loaded;
    } else {
      loaded += takt::test::takt("import amalthea " + path).code == 0 ? 1U : 0U;
    }
  }
  CHECK(imported(split)["tasks"].size() == 3);
  CHECK(loaded >= 24);
}

TEST_CASE("incomplete: nothing is proven of a file that leaves something out until its user acknowledges the kind") {
  json w = imported(write("whole.amxmi", with(small_model{}.text(), "<tasks name=\"T\"",
                                              "<tasks name=\"T\" preemption=\"preemptive\" quantum=\"3\"")));
  REQUIRE(left_out(w, "unknown: Task.quantum") == 1);
  CHECK_FALSE(w.contains("acknowledged"));
  const auto asked = [&](const std::string& command) {
    return takt::test::takt(command + write("incomplete.json", w.dump()) + " --json");
  };
  const json open = json::parse(asked("analyze ").out);
  CHECK(open["status"] == "not-proven");
  CHECK(open["tasks"][0]["response_bound"].is_null());
  CHECK(asked("compare ").code == 2);
  CHECK(asked("plan ").code == 2);
  CHECK(takt::test::takt("export cpp " + write("incomplete.json", w.dump())).code == 3);
  w["acknowledged"] = {"unknown: Task.quantum"};
  const json taken = json::parse(asked("analyze ").out);
  CHECK(taken["status"] == "schedulable");
  CHECK(contains(taken["assumptions"].dump(), "unknown: Task.quantum"));
  CHECK(contains(json::parse(asked("simulate ").out)["notes"].dump(), "unknown: Task.quantum"));
  CHECK(contains(json::parse(asked("compare ").out)["notes"].dump(), "unknown: Task.quantum"));
  CHECK(contains(takt::test::takt("export cpp " + write("incomplete.json", w.dump())).out, "unknown: Task.quantum"));
  w["acknowledged"] = {"Task.quantum"};
  CHECK(asked("analyze ").code == 3);
}

TEST_CASE("notes: every command that gives a verdict shows those of the file") {
  json w = imported(write("whole.amxmi", small_model{}.text()));
  w["notes"] = {"measured on a Sunday"};
  w.erase("incomplete");
  const std::string file = write("noted.json", w.dump());
  for (const char* command : {"analyze ", "simulate ", "compare ", "plan ", "sensitivity "}) {
    CAPTURE(command);
    CHECK(contains(takt::test::takt(command + file).out, "measured on a Sunday"));
    CHECK(contains(takt::test::takt(command + file + " --json").out, "measured on a Sunday"));
  }
}

TEST_CASE("import: the WATERS 2019 model is the workload that stands under examples/data") {
  const std::string model = TAKT_SOURCE_DIR "/../shared/data/models/waters2019-mobstr.amxmi";
  if (!std::filesystem::exists(model)) {
    MESSAGE("skipped: the model of the challenge is not beside this checkout");
    return;
  }
  const json tasks = imported(model)["tasks"];
  const json by_hand = json::parse(read(data("waters2019")))["tasks"];
  CHECK(tasks.size() == by_hand.size());
  for (const json& t : by_hand) {
    const auto name = t["name"].get<std::string>();
    CAPTURE(name);
    const auto same = std::ranges::find_if(
        tasks, [&](const json& o) { return o["name"] == name || o["name"] == "PRE_" + name + "_gpu_POST"; });
    REQUIRE(same != tasks.end());
    CHECK((*same)["period"] == t["period"]);
    // The model has the deadlines of these two exchanged; they are their periods.
    if (name != "Detection" && name != "Lane_detection") { CHECK((*same)["deadline"] == t["deadline"]); }
    const json& segments = same->contains("variants") ? (*same)["variants"][0]["segments"] : (*same)["segments"];
    REQUIRE(segments.size() == t["segments"].size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const json& mine = segments[i];
      const json& theirs = t["segments"][i];
      if (theirs.contains("cpu")) {
        const bool of_a_type = std::ranges::any_of(mine["cpu"], [&](const json& v) { return v == theirs["cpu"]; });
        CHECK(of_a_type);
      } else if (theirs.contains("kernel")) {
        CHECK(mine["kernel"]["work"] == theirs["kernel"]["work"]);
        CHECK(mine["kernel"]["wcet"] == theirs["kernel"]["wcet"]);
      } else {
        CHECK(mine == theirs);
      }
    }
  }
}
