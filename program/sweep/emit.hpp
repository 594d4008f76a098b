// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace takt::program::sweep {

/// A study as jobs that others start, and what puts their results together.
struct emitted_jobs {
  std::string study;
  std::vector<std::string> call;   ///< of every job, without its part
  std::vector<std::string> merge;  ///< behind the same call
  std::string option;              ///< that takes the part of a job: --shard, --blocks
  std::vector<std::string> parts;
};

/// A script for bash that submits arrays of at most `most_in_array` jobs to Slurm. What follows its name goes to
/// sbatch.
void write_slurm(std::ostream& out, const emitted_jobs& jobs, std::size_t most_in_array);
/// A script for bash that runs GNU parallel. What follows its name goes to parallel.
void write_parallel(std::ostream& out, const emitted_jobs& jobs);

}  // namespace takt::program::sweep
