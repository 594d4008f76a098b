// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include <takt/prediction/corun/model_text.hpp>
#include <takt/prediction/corun/training.hpp>

namespace takt::inline TAKT_ABI {

/// Writes one line per epoch with the errors on the training samples. Source: Yao et al. 2022, Fig. 9.
inline void write_epochs_csv(std::ostream& out, const training_report& report) {
  std::string text = "epoch,percent_of_estimate,percent_of_measurement,root_mean_square\n";
  for (std::size_t e = 0; e < report.epochs.size(); ++e) {
    text += std::to_string(e);
    for (const double v : {report.epochs[e].percent_of_estimate, report.epochs[e].percent_of_measurement,
                           report.epochs[e].root_mean_square}) {
      detail::append_number(text, v, ',');
    }
    text += '\n';
  }
  out << text;
}

/// Writes one line per rule and input, in units of the network's ranges. Source: Yao et al. 2022, Fig. 9.
template <std::size_t Inputs, std::size_t MaxRules>
void write_rules_csv(std::ostream& out, const fuzzy_network<Inputs, MaxRules>& network) {
  std::string text = "rule,weight,importance,input,center,width,slope\n";
  for (std::size_t j = 0; j < network.rules.size(); ++j) {
    const fuzzy_rule<Inputs>& rule = network.rules[j];
    for (std::size_t i = 0; i < Inputs; ++i) {
      text += std::to_string(j);
      detail::append_number(text, rule.weight, ',');
      detail::append_number(text, rule.importance, ',');
      text += ',' + std::to_string(i);
      for (const double v : {rule.center[i], rule.width[i], rule.slope[i]}) { detail::append_number(text, v, ','); }
      text += '\n';
    }
  }
  out << text;
}

}  // namespace takt::inline TAKT_ABI
