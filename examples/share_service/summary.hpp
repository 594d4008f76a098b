// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "applications.hpp"

namespace takt::shares_example {

/// Prints a line per application from the records of a service that has stopped.
void print_summary(const application_set& applications, const service_type& service);

/// Writes the records as a table and as a Chrome trace; an empty name asks for none. Throws `std::runtime_error`.
void write_records(const application_set& applications, const service_type& service, ticks origin,
                   const std::string& csv, const std::string& trace);

}  // namespace takt::shares_example
