#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""import_cost_test.py PROGRAM VALGRIND: a model as large as that of the FMTV challenge of 2017 (1,250 runnables, 10,000
labels, 4 cores, its periods, the crankshaft and interrupts) is imported with at most 30 times the instructions that pugixml
takes to parse it. callgrind counts both in one run, so that the ratio hangs on no clock.
import_cost_test.py --model FILE only writes the model."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

most_times = 30
runnables, labels, cores = 1250, 10_000, 4
# Periods in microseconds, and percent of the runnables as Kramer, Ziegenbein and Hamann found them (WATERS 2015).
tasks = {"Task_1ms": (1_000, 3), "Task_2ms": (2_000, 2), "Task_5ms": (5_000, 2), "Task_10ms": (10_000, 25),
         "Task_20ms": (20_000, 25), "Task_50ms": (50_000, 3), "Task_100ms": (100_000, 20), "Task_200ms": (200_000, 1),
         "Task_1000ms": (1_000_000, 4), "Angle_Sync": (6_660, 15)}
interrupts = [9_500, 9_500, 1_700, 4_900, 700, 1_100, 4_900, 1_700, 6_000, 5_000, 15_000]  # shortest times between two
sizes = [1] * 35 + [2] * 49 + [4] * 13 + [8, 16, 64]  # bytes, in percent of the labels


def body(items):
    return "<activityGraph>\n" + "\n".join(items) + "\n</activityGraph>"


def runnable(draw, name):
    """A time of the shape of the challenge, and 4 to 16 accesses to labels with how often they happen."""
    mean = draw.randint(200, 3_000)
    items = [f'<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueWeibullEstimatorsDistribution" '
             f'lowerBound="{mean // draw.randint(2, 9)}" upperBound="{mean * draw.randint(2, 9) // 2}" average="{mean}.0" '
             'pRemainPromille="0.0005"/></items>']
    for _ in range(draw.randint(4, 16)):
        access = draw.choice(("read", "read", "write"))
        items.append(f'<items xsi:type="am:LabelAccess" data="Label_{draw.randrange(labels)}?type=Label" access="{access}">'
                     f'<statistic><value xsi:type="am:SingleValueStatistic" value="{draw.randint(1, 4)}.0"/></statistic>'
                     '</items>')
    return f'<runnables name="{name}">{body(items)}</runnables>'


def process(tag, name, stimulus, names):
    calls = (f'<items xsi:type="am:RunnableCall" runnable="{n}?type=Runnable"/>' for n in names)
    return f'<{tag} name="{name}" stimuli="{stimulus}">{body(calls)}</{tag.split()[0]}>'


def times(value):
    return f'value="{value}" unit="us"'


def apart(name, least, most):
    return (f'<stimuli xsi:type="am:RelativePeriodicStimulus" name="{name}"><nextOccurrence xsi:type="am:TimeBoundaries">'
            f'<lowerBound {times(least)}/><upperBound {times(most)}/></nextOccurrence></stimuli>')


def model():
    """The text of the model, the same in each run, and the names of its tasks."""
    draw = random.Random(2017)
    names = iter([f"Runnable_{i}" for i in range(runnables)])
    share = {name: runnables * percent // 100 for name, (_, percent) in tasks.items()}
    share["Angle_Sync"] += runnables - sum(share.values()) - len(interrupts)
    software, stimuli, mapping = [], [], []
    for at, (name, (period, _)) in enumerate(tasks.items()):
        own = [next(names) for _ in range(share[name])]
        software.append(process('tasks preemption="preemptive"', name, f"every_{name}", own))
        if name == "Angle_Sync":
            stimuli.append(apart(f"every_{name}", period, 10 * period))
        else:
            stimuli.append(f'<stimuli xsi:type="am:PeriodicStimulus" name="every_{name}"><recurrence {times(period)}/>'
                           '</stimuli>')
        mapping.append(f'<taskAllocation task="{name}" scheduler="OS_{at % cores}" affinity="CORE{at % cores}">'
                       f'<schedulingParameters priority="{len(tasks) - at}"/></taskAllocation>')
    for at, period in enumerate(interrupts):
        software.append(process("isrs", f"ISR_{at + 1}", f"interrupt_{at + 1}", [next(names)]))
        stimuli.append(apart(f"interrupt_{at + 1}", period, 2 * period))
        mapping.append(f'<isrAllocation isr="ISR_{at + 1}" controller="IC_{at % cores}" priority="{at + 1}"/>')
    software += [runnable(draw, f"Runnable_{i}") for i in range(runnables)]
    software += [f'<labels name="Label_{i}"><size value="{draw.choice(sizes)}" unit="B"/></labels>' for i in range(labels)]
    hardware = ['<definitions xsi:type="am:ProcessingUnitDefinition" name="Core" puType="CPU"/>',
                '<structures name="board">']
    hardware += [f'<modules xsi:type="am:ProcessingUnit" name="CORE{c}" definition="Core" frequencyDomain="clock">'
                 '<accessElements name="ram" destination="RAM"><readLatency xsi:type="am:DiscreteValueConstant" value="9"/>'
                 '<writeLatency xsi:type="am:DiscreteValueConstant" value="9"/></accessElements></modules>'
                 for c in range(cores)]
    hardware += ['<modules xsi:type="am:Memory" name="RAM" frequencyDomain="clock"/>', "</structures>",
                 '<domains xsi:type="am:FrequencyDomain" name="clock"><defaultValue value="200" unit="MHz"/></domains>']
    system = ['<operatingSystems name="os">']
    system += [f'<taskSchedulers name="OS_{c}"><schedulingAlgorithm xsi:type="am:OSEK"/></taskSchedulers>'
               for c in range(cores)]
    system += [f'<interruptControllers name="IC_{c}"/>' for c in range(cores)] + ["</operatingSystems>"]
    mapping = [f'<schedulerAllocation scheduler="{s}_{c}" responsibility="CORE{c}"/>' for s in ("OS", "IC")
               for c in range(cores)] + mapping
    parts = {"swModel": software, "hwModel": hardware, "osModel": system, "stimuliModel": stimuli, "mappingModel": mapping}
    text = "\n".join(f"<{tag}>\n" + "\n".join(lines) + f"\n</{tag}>" for tag, lines in parts.items())
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/1.0.0" '
            f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n{text}\n</am:Amalthea>\n',
            [*tasks, *(f"ISR_{i + 1}" for i in range(len(interrupts)))])


def counted(text):
    """All instructions of a file of callgrind, and those of calls of pugixml's parser from outside of it."""
    names, within, callee, parse = {}, "", None, 0
    named = lambda found: names.setdefault(found[1], found[2]) if found[2] else names[found[1]]
    for line in text.splitlines():
        if found := re.match(r"c?fn=(\(\d+\))(?: (.*))?$", line):
            if line.startswith("cfn="):
                callee = named(found)
            else:
                within = named(found)
        elif line.startswith("calls="):
            continue
        elif callee is not None:
            # The line behind "calls=" has the instructions of the call with all that it calls.
            if callee.startswith("pugi::xml_document::load") and not within.startswith("pugi::"):
                parse += int(line.split()[-1])
            callee = None
    return int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1]), parse


text, names = model()
if sys.argv[1] == "--model":
    pathlib.Path(sys.argv[2]).write_text(text)
    sys.exit()
program, valgrind = sys.argv[1:3]
with tempfile.TemporaryDirectory() as folder:
    file, written, counts = (pathlib.Path(folder) / name for name in ("fmtv.amxmi", "fmtv.json", "counts"))
    file.write_text(text)
    done = subprocess.run([valgrind, "--tool=callgrind", f"--callgrind-out-file={counts}",
                           program, "import", "amalthea", file, "--write", written], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the import ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found = json.loads(written.read_text())
    whole, parse = counted(counts.read_text())
problems = []
if sorted(t["name"] for t in found["tasks"]) != sorted(names):
    problems.append(f"the file has the tasks {[t['name'] for t in found['tasks']]}")
if found["platform"]["cpus"]["count"] != cores:
    problems.append(f"the file has {found['platform']['cpus']['count']} cores")
if "incomplete" in found:
    problems.append(f"left out: {found['incomplete']}")
if parse == 0:
    problems.append("callgrind names no call of pugi::xml_document::load_*")
elif whole > most_times * parse:
    problems.append(f"that is more than {most_times} times")
print(f"{whole:,} instructions, {parse:,} of them in pugixml's parser: {whole / max(parse, 1):.1f} times; {len(text):,} bytes")
sys.exit("\n".join(problems) or 0)
