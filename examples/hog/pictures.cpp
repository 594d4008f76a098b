// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <fstream>
#include <string_view>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <takt/report/svg_gantt.hpp>

namespace takt::hog {

auto write_detections(const std::string& file, const std::vector<cv::Mat>& frames,
                      const std::vector<std::vector<found>>& detected) -> bool {
  std::vector<cv::Mat> drawn;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    cv::Mat& image = drawn.emplace_back();
    cv::cvtColor(frames[i], image, cv::COLOR_GRAY2BGR);
    for (const found& f : detected[i]) {
      cv::rectangle(image, f.box, {0, 140, 255}, 2);
      cv::putText(image, cv::format("%.2f", f.score), f.box.tl() + cv::Point{4, 14}, cv::FONT_HERSHEY_SIMPLEX, 0.4,
                  {0, 140, 255}, 1, cv::LINE_AA);
    }
  }
  cv::Mat row;
  cv::hconcat(drawn, row);
  return cv::imwrite(file, row, {cv::IMWRITE_PNG_COMPRESSION, 9});
}

auto frame_trace::write(const std::string& file, const std::string& title) const -> bool {
  std::vector<std::string> texts;
  for (std::uint64_t f = 0; f < frames_; ++f) { texts.push_back("frame " + std::to_string(f)); }
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  std::ofstream out{file, std::ios::binary};
  report::write_svg_gantt(out, {slices_, marks_, names}, {.title = title});
  return static_cast<bool>(out.flush());
}

}  // namespace takt::hog
