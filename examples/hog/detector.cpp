// SPDX-License-Identifier: Apache-2.0
#include "detector.hpp"

#include <algorithm>
#include <cmath>

#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

namespace takt::hog {

namespace {

[[nodiscard]] auto at(int i) -> std::size_t { return static_cast<std::size_t>(i); }

[[nodiscard]] auto windows_of(cv::Size image) -> cv::Size {
  return {(image.width - window.width) / cell + 1, (image.height - window.height) / cell + 1};
}

constexpr int window_columns = 64 / cell - 1;
constexpr int window_rows = 128 / cell - 1;

}  // namespace

detector::detector() : weights_{cv::HOGDescriptor::getDefaultPeopleDetector()} {
  bias_ = weights_.back();
  weights_.pop_back();
  // A pixel counts for the cells around it, the less the farther it is from their centres and that of the block.
  constexpr float spread = 1.0F / (2.0F * 4.0F * 4.0F);
  for (int y = 0; y < block_side; ++y) {
    for (int x = 0; x < block_side; ++x) {
      const float dx = static_cast<float>(x) - block_side * 0.5F;
      const float dy = static_cast<float>(y) - block_side * 0.5F;
      const float centred = std::exp(-(dx * dx + dy * dy) * spread);
      const float cx = (static_cast<float>(x) + 0.5F) / cell - 0.5F;
      const float cy = (static_cast<float>(y) + 0.5F) / cell - 0.5F;
      pixel_shares& p = shares_[at(y * block_side + x)];
      for (int column = 0; column < 2; ++column) {
        for (int row = 0; row < 2; ++row) {
          const float near =
              (1 - std::abs(cx - static_cast<float>(column))) * (1 - std::abs(cy - static_cast<float>(row)));
          if (std::abs(cx - static_cast<float>(column)) >= 1 || std::abs(cy - static_cast<float>(row)) >= 1) {
            continue;
          }
          p.cells[p.count++] = {centred * near, (column * 2 + row) * orientations};
        }
      }
    }
  }
}

auto detector::scale_of(std::size_t level) -> double { return std::pow(1.05, static_cast<double>(level)); }

auto detector::size_of(std::size_t level, cv::Size frame) -> cv::Size {
  return {cvRound(frame.width / scale_of(level)), cvRound(frame.height / scale_of(level))};
}

auto detector::blocks_of(cv::Size image) -> cv::Size { return {image.width / cell - 1, image.height / cell - 1}; }

void detector::resize(const cv::Mat& frame, std::size_t level, level_data& out) {
  cv::resize(frame, out.image, size_of(level, frame.size()), 0, 0, cv::INTER_LINEAR_EXACT);
}

void detector::gradient(level_data& data) const {
  const cv::Mat& image = data.image;
  data.magnitude.create(image.size(), CV_32FC2);
  data.orientation.create(image.size(), CV_8UC2);
  std::array<float, 256> root{};
  for (std::size_t v = 0; v < root.size(); ++v) { root[v] = std::sqrt(static_cast<float>(v)); }
  // Outside, the image goes on as in a mirror on its outermost pixels.
  const auto inside = [](int i, int size) { return i < 0 ? -i : (i >= size ? 2 * size - 2 - i : i); };
  constexpr float per_bin = static_cast<float>(orientations / CV_PI);
  for (int y = 0; y < image.rows; ++y) {
    const auto* above = image.ptr<std::uint8_t>(inside(y - 1, image.rows));
    const auto* here = image.ptr<std::uint8_t>(y);
    const auto* below = image.ptr<std::uint8_t>(inside(y + 1, image.rows));
    auto* magnitude = data.magnitude.ptr<cv::Vec2f>(y);
    auto* orientation = data.orientation.ptr<cv::Vec2b>(y);
    for (int x = 0; x < image.cols; ++x) {
      const float dx = root[here[inside(x + 1, image.cols)]] - root[here[inside(x - 1, image.cols)]];
      const float dy = root[below[x]] - root[above[x]];
      const float length = std::sqrt(dx * dx + dy * dy);
      float angle = std::atan2(dy, dx);
      if (angle < 0) { angle += static_cast<float>(2 * CV_PI); }
      angle = angle * per_bin - 0.5F;
      int bin = cvFloor(angle);
      angle -= static_cast<float>(bin);
      magnitude[x] = {length * (1 - angle), length * angle};
      bin = bin < 0 ? bin + orientations : bin % orientations;
      orientation[x] = {static_cast<std::uint8_t>(bin), static_cast<std::uint8_t>((bin + 1) % orientations)};
    }
  }
  data.blocks.assign(at(blocks_of(image.size()).area()) * block_values, 0.0F);
  data.hits.assign(at(windows_of(image.size()).area()), 0);
  data.scores.assign(data.hits.size(), 0.0F);
}

void detector::histogram(level_data& data, int first, int last) const {
  const int columns = blocks_of(data.image.size()).width;
  for (int row = first; row < last; ++row) {
    for (int column = 0; column < columns; ++column) {
      float* values = data.blocks.data() + at((row * columns + column) * block_values);
      for (int y = 0; y < block_side; ++y) {
        const auto* magnitude = data.magnitude.ptr<cv::Vec2f>(row * cell + y) + column * cell;
        const auto* orientation = data.orientation.ptr<cv::Vec2b>(row * cell + y) + column * cell;
        for (int x = 0; x < block_side; ++x) {
          const pixel_shares& p = shares_[at(y * block_side + x)];
          for (std::size_t c = 0; c < p.count; ++c) {
            values[p.cells[c].offset + orientation[x][0]] += p.cells[c].weight * magnitude[x][0];
            values[p.cells[c].offset + orientation[x][1]] += p.cells[c].weight * magnitude[x][1];
          }
        }
      }
    }
  }
}

void detector::normalize(level_data& data, int first, int last) {
  const int columns = blocks_of(data.image.size()).width;
  for (int b = first * columns; b < last * columns; ++b) {
    float* values = data.blocks.data() + at(b * block_values);
    float sum = 0;
    for (int i = 0; i < block_values; ++i) { sum += values[i] * values[i]; }
    const float once = 1.0F / (std::sqrt(sum) + static_cast<float>(block_values) * 0.1F);
    sum = 0;
    for (int i = 0; i < block_values; ++i) {
      values[i] = std::min(values[i] * once, 0.2F);
      sum += values[i] * values[i];
    }
    const float again = 1.0F / (std::sqrt(sum) + 1e-3F);
    for (int i = 0; i < block_values; ++i) { values[i] *= again; }
  }
}

void detector::classify(level_data& data, int first, int last) const {
  const int columns = blocks_of(data.image.size()).width;
  const cv::Size places = windows_of(data.image.size());
  for (int top = first; top < std::min(last, places.height); ++top) {
    for (int left = 0; left < places.width; ++left) {
      float score = bias_;
      const float* weight = weights_.data();
      for (int column = 0; column < window_columns; ++column) {
        for (int row = 0; row < window_rows; ++row, weight += block_values) {
          const float* values = data.blocks.data() + at(((top + row) * columns + left + column) * block_values);
          for (int i = 0; i < block_values; ++i) { score += values[i] * weight[i]; }
        }
      }
      data.scores[at(top * places.width + left)] = score;
      data.hits[at(top * places.width + left)] = score >= 0 ? 1 : 0;
    }
  }
}

auto detector::collect(const std::vector<level_data>& levels) -> std::vector<found> {
  std::vector<found> all;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const double scale = scale_of(level);
    const int columns = windows_of(levels[level].image.size()).width;
    for (std::size_t i = 0; i < levels[level].hits.size(); ++i) {
      if (levels[level].hits[i] == 0) { continue; }
      const int place = static_cast<int>(i);
      const cv::Rect box{cvRound(place % columns * cell * scale), cvRound(place / columns * cell * scale),
                         cvRound(window.width * scale), cvRound(window.height * scale)};
      all.push_back({box, levels[level].scores[i]});
    }
  }
  std::ranges::sort(all, [](const found& a, const found& b) { return a.score > b.score; });
  std::vector<found> kept;
  for (const found& f : all) {
    const auto overlaps = [&f](const found& k) {
      return 2 * (f.box & k.box).area() > std::min(f.box.area(), k.box.area());
    };
    if (std::ranges::none_of(kept, overlaps)) { kept.push_back(f); }
  }
  return kept;
}

}  // namespace takt::hog
