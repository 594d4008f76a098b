// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include <opencv2/imgproc.hpp>

#include <takt/core/random.hpp>

namespace takt::hog {

namespace {

struct walker {
  double x = 0;       ///< of the feet
  double y = 0;       ///< of the feet
  double height = 0;  ///< from head to feet
  double step = 0;    ///< phase of the legs
  int shade = 0;
};

void limb(cv::Mat& image, cv::Point2d from, cv::Point2d to, double width, int shade) {
  constexpr int shift = 4;
  const auto fixed = [](cv::Point2d p) { return cv::Point{cvRound(p.x * (1 << shift)), cvRound(p.y * (1 << shift))}; };
  cv::line(image, fixed(from), fixed(to), cv::Scalar::all(shade), std::max(1, cvRound(width)), cv::LINE_AA, shift);
}

void draw_walker(cv::Mat& image, const walker& w) {
  const double h = w.height;
  const auto at = [&w, h](double x, double y) { return cv::Point2d{w.x + x * h, w.y - y * h}; };
  const double swing = 0.10 * std::sin(w.step);
  limb(image, at(-0.045, 0.50), at(-0.05 - swing, 0.02), 0.085 * h, w.shade);
  limb(image, at(0.045, 0.50), at(0.05 + swing, 0.02), 0.085 * h, w.shade);
  limb(image, at(-0.115, 0.77), at(-0.14 + swing / 2, 0.47), 0.06 * h, w.shade);
  limb(image, at(0.115, 0.77), at(0.14 - swing / 2, 0.47), 0.06 * h, w.shade);
  const std::array<cv::Point, 6> torso{at(-0.14, 0.79), at(0.14, 0.79),  at(0.10, 0.62),
                                       at(0.10, 0.46),  at(-0.10, 0.46), at(-0.10, 0.62)};
  cv::fillConvexPoly(image, torso.data(), static_cast<int>(torso.size()), cv::Scalar::all(w.shade), cv::LINE_AA);
  limb(image, at(0, 0.79), at(0, 0.86), 0.06 * h, w.shade);
  cv::ellipse(image, at(0, 0.91), cv::Size(cvRound(0.055 * h), cvRound(0.075 * h)), 0, 0, 360, cv::Scalar::all(w.shade),
              cv::FILLED, cv::LINE_AA);
}

void draw_street(cv::Mat& image) {
  const int ground = image.rows * 3 / 5;
  for (int y = 0; y < image.rows; ++y) {
    image.row(y).setTo(cv::Scalar::all(y < ground ? 205 - y / 6 : 150 + (y - ground) / 8));
  }
  random_stream random{11};
  for (int x = 0; x < image.cols;) {
    const int width = static_cast<int>(random.between(40, 80));
    const int top = static_cast<int>(random.between(5, 45));
    cv::rectangle(image, {x, top}, {x + width, ground}, cv::Scalar::all(static_cast<double>(random.between(175, 195))),
                  cv::FILLED);
    for (int row = top + 8; row + 14 < ground; row += 22) {
      for (int column = x + 6; column + 9 < x + width; column += 18) {
        cv::rectangle(image, {column, row}, {column + 8, row + 11}, cv::Scalar::all(165), cv::FILLED);
      }
    }
    x += width;
  }
  cv::line(image, {0, ground}, {image.cols, ground}, cv::Scalar::all(135), 2);
}

}  // namespace

auto draw_scene(std::int64_t number) -> cv::Mat {
  cv::Mat image(frame_size, CV_8UC1);
  draw_street(image);
  struct lane {
    double start;
    double speed;
    double feet;
    double height;
    int shade;
  };
  constexpr std::array<lane, 3> lanes{{{60, 2.0, 210, 112, 45}, {200, -1.5, 222, 136, 30}, {320, 1.0, 240, 160, 55}}};
  const auto t = static_cast<double>(number);
  for (const lane& l : lanes) {
    const double span = frame_size.width - 80;
    const double x = std::fmod(l.start - 40 + l.speed * t, span);
    draw_walker(image, {40 + (x < 0 ? x + span : x), l.feet, l.height, 0.35 * t + l.start, l.shade});
  }
  cv::GaussianBlur(image, image, {3, 3}, 0);
  random_stream random{static_cast<std::uint64_t>(number) + 1};
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols; ++x) {
      auto& pixel = image.at<std::uint8_t>(y, x);
      pixel = cv::saturate_cast<std::uint8_t>(pixel + static_cast<int>(random.between(-3, 3)));
    }
  }
  return image;
}

}  // namespace takt::hog
