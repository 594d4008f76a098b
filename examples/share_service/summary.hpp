// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "applications.hpp"

namespace takt::shares_example {

/// Prints a line per application from the records of a service that has stopped.
void print_summary(const application_set& applications, const service_type& service);

/// Throws `std::runtime_error` where `write_records` would fail from the start.
void try_records(const std::string& csv, const std::string& trace);

/// Writes the records as a table and as a Chrome trace; an empty name asks for none. Under a
/// name is the old file or all of the new one, whatever happens. Throws `std::runtime_error`.
void write_records(const application_set& applications, const service_type& service, ticks origin,
                   const std::string& csv, const std::string& trace);

}  // namespace takt::shares_example
