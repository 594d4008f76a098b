// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace takt_tests {

/// What a header says where its user says nothing: the initial value of a public member, or the default of a parameter.
struct said_default {
  std::string owner;   ///< a type, or a function as "name()"
  std::string member;  ///< of a parameter of a template "<Name>"
  std::string value;
};

namespace detail {

[[nodiscard]] inline auto is_word(char c) -> bool {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

[[nodiscard]] inline auto trimmed(std::string_view text) -> std::string {
  const auto begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) { return {}; }
  std::string out;
  for (const char c : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin)) {
    if ((c != ' ' && c != '\n') || out.back() != ' ') { out += c == '\n' ? ' ' : c; }
  }
  return out;
}

/// Without comments, lines of the preprocessor, and what stands in quotes.
[[nodiscard]] inline auto bare_code(std::string_view text) -> std::string {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const auto before = out.find_last_not_of(' ');
    const bool begins_line = before == std::string::npos || out[before] == '\n';
    if (rest.starts_with("//") || (begins_line && rest.front() == '#')) {
      at = std::min(text.find('\n', at), text.size() - 1);
      out += '\n';
    } else if (rest.front() == '"' || (rest.front() == '\'' && (out.empty() || !is_word(out.back())))) {
      const char quote = rest.front();
      while (text[++at] != quote) { at += text[at] == '\\' ? 1U : 0U; }
      out.append(2, quote);
    } else {
      out += rest.front();
    }
  }
  return out;
}

/// Behind the bracket that closes the one at `at`. Angles count where `at` is one.
[[nodiscard]] inline auto behind_bracket(std::string_view text, std::size_t at) -> std::size_t {
  const bool angles = text[at] == '<';
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool arrow = c == '>' && text[at - 1] == '-';
    if (angles && c == '(') {
      at = behind_bracket(text, at) - 1;
      continue;
    }
    const bool opens = angles ? c == '<' : c == '(' || c == '{' || c == '[';
    const bool closes = angles ? c == '>' && !arrow : c == ')' || c == '}' || c == ']';
    depth += opens ? 1 : closes ? -1 : 0;
    if (closes && depth == 0) { return at + 1; }
  }
  return at;
}

[[nodiscard]] inline auto last_word(std::string_view text) -> std::string {
  auto end = text.size();
  while (end > 0 && !is_word(text[end - 1])) { --end; }
  auto begin = end;
  while (begin > 0 && is_word(text[begin - 1])) { --begin; }
  return std::string{text.substr(begin, end - begin)};
}

/// Place of the "=" that gives a value, outside of all brackets.
[[nodiscard]] inline auto equals_sign(std::string_view text) -> std::size_t {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '{' || text[at] == '[' || text[at] == '<') {
      if (text[at] == '<' && at + 1 < text.size() && (text[at + 1] == '=' || text[at + 1] == '<')) {
        ++at;
        continue;
      }
      at = behind_bracket(text, at) - 1;
    } else if (text[at] == '=' && at + 1 < text.size() && text[at + 1] != '=' && at > 0 &&
               std::string_view{"=!<>"}.find(text[at - 1]) == std::string_view::npos) {
      return at;
    } else if (text[at] == '=') {
      ++at;
    }
  }
  return std::string_view::npos;
}

/// Parameters between two brackets.
inline void add_parameters(std::string_view list, const std::string& owner, bool of_template,
                           std::vector<said_default>& out) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && std::string_view{"({[<"}.find(list[at]) != std::string_view::npos) {
      at = behind_bracket(list, at) - 1;
      continue;
    }
    if (at < list.size() && list[at] != ',') { continue; }
    const std::string_view one = list.substr(begin, at - begin);
    begin = at + 1;
    const auto equals = equals_sign(one);
    if (equals == std::string_view::npos) { continue; }
    const std::string name = last_word(one.substr(0, equals));
    out.push_back({owner, of_template ? "<" + name + ">" : name, trimmed(one.substr(equals + 1))});
  }
}

/// A declaration, without its body.
class declaration {
 public:
  explicit declaration(std::string text) : text_{trimmed(text)} {
    while (text_.starts_with("template")) {
      const auto open = text_.find('<');
      const auto close = behind_bracket(text_, open);
      template_ += text_.substr(open + 1, close - open - 2);
      text_ = trimmed(text_.substr(close));
      if (text_.starts_with("requires")) { drop_requirement(); }
    }
    while (text_.starts_with("[[")) { text_ = trimmed(text_.substr(text_.find("]]") + 2)); }
  }
  [[nodiscard]] auto text() const -> const std::string& { return text_; }
  [[nodiscard]] auto of_template() const -> const std::string& { return template_; }
  [[nodiscard]] auto starts(std::string_view word) const -> bool {
    return text_.starts_with(word) && (text_.size() == word.size() || !is_word(text_[word.size()]));
  }
  [[nodiscard]] auto is_type() const -> bool { return starts("struct") || starts("class") || starts("union"); }
  [[nodiscard]] auto type_name() const -> std::string {
    std::string_view rest = std::string_view{text_}.substr(text_.find(' ') + 1);
    while (rest.starts_with("[[")) { rest = rest.substr(rest.find("]] ") + 3); }
    return std::string{rest.substr(0, rest.find_first_of(" <:;"))};
  }
  /// Place of the bracket before the parameters of a function.
  [[nodiscard]] auto parameters() const -> std::size_t {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '<' && at > 0 && is_word(text_[at - 1])) {
        at = behind_bracket(text_, at) - 1;
        continue;
      }
      if (text_[at] == '=') { return std::string::npos; }
      if (text_[at] != '(') { continue; }
      const std::string before = last_word(std::string_view{text_}.substr(0, at));
      if (before != "requires" && before != "decltype" && before != "explicit" && before != "alignas") { return at; }
      at = behind_bracket(text_, at) - 1;
    }
    return std::string::npos;
  }

 private:
  /// Up to the declaration proper, which begins with an attribute or a word of these.
  void drop_requirement() {
    std::size_t best = text_.size();
    for (const std::string_view begin : {"[[", "constexpr ", "consteval ", "inline ", "struct ", "class ", "using ",
                                         "explicit ", "template ", "static "}) {
      for (auto at = text_.find(begin); at != std::string::npos; at = text_.find(begin, at + 1)) {
        if (at > 0 && !is_word(text_[at - 1]) && depth_at(at) == 0) {
          best = std::min(best, at);
          break;
        }
      }
    }
    text_ = text_.substr(best);
  }
  [[nodiscard]] auto depth_at(std::size_t end) const -> int {
    int depth = 0;
    for (std::size_t at = 0; at < end; ++at) {
      depth += text_[at] == '(' || text_[at] == '{' ? 1 : text_[at] == ')' || text_[at] == '}' ? -1 : 0;
    }
    return depth;
  }

  std::string text_;
  std::string template_;
};

class header_reader {
 public:
  header_reader(std::string_view code, std::vector<said_default>& out) : code_{code}, out_{&out} {}

  void read() { read_scope("", true); }

 private:
  /// Declarations up to the end of their scope. `type` is that of a class, or nothing.
  void read_scope(const std::string& type, bool is_public) {
    std::string head;
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == '}') {
        ++at_;
        return;
      }
      if (c == ':' && (trimmed(head) == "public" || trimmed(head) == "private" || trimmed(head) == "protected")) {
        is_public = trimmed(head) == "public";
        head.clear();
        ++at_;
      } else if (c == '(' || c == '[') {
        take_bracket(head);
      } else if (c == ';') {
        ++at_;
        finish(declaration{head}, type, is_public);
        head.clear();
      } else if (c == '{') {
        open(head, type, is_public);
      } else {
        head += c;
        ++at_;
      }
    }
  }
  void take_bracket(std::string& head) {
    const auto end = behind_bracket(code_, at_);
    head += code_.substr(at_, end - at_);
    at_ = end;
  }
  void open(std::string& head, const std::string& type, bool is_public) {
    const declaration d{head};
    if (d.starts("namespace") || d.starts("inline namespace")) {
      ++at_;
      if (d.text().ends_with("detail")) {
        --at_;
        at_ = behind_bracket(code_, at_);
      } else {
        read_scope("", true);
      }
      head.clear();
      return;
    }
    if (d.is_type() && d.text().find('=') == std::string::npos) {
      const std::string name = d.type_name();
      if (is_public) { add_parameters(d.of_template(), name, true, *out_); }
      const bool starts_public = d.text().starts_with("struct") || d.text().starts_with("union");
      ++at_;
      read_scope(type.empty() ? name : type + "::" + name, is_public && starts_public);
      head.clear();
      return;
    }
    const auto open_parameters = d.parameters();
    const bool is_function = open_parameters != std::string::npos && !needs_expression(head);
    const bool is_initializer = is_function && initializes_members(d.text(), open_parameters);
    take_bracket(head);
    if (!is_function || is_initializer) { return; }
    finish(d, type, is_public);
    head.clear();
  }
  /// Whether a "requires" stands right before.
  [[nodiscard]] static auto needs_expression(const std::string& head) -> bool {
    std::string text = trimmed(head);
    if (text.ends_with(')')) {
      int depth = 0;
      std::size_t at = text.size();
      do {
        --at;
        depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
      } while (depth > 0 && at > 0);
      text = trimmed(text.substr(0, at));
    }
    return last_word(text) == "requires" && text.ends_with("requires");
  }
  /// Whether the next brace is that of a member in a constructor: "x(...) : a_", "x(...) : a_{1}, b_".
  [[nodiscard]] static auto initializes_members(const std::string& text, std::size_t parameters) -> bool {
    const auto behind = behind_bracket(text, parameters);
    for (std::size_t at = behind; at < text.size(); ++at) {
      if (text[at] == ':' && at + 1 < text.size() && text[at + 1] == ':') {
        ++at;
        continue;
      }
      if (text[at] == ':') { return is_word(text.back()) || text.back() == '>'; }
    }
    return false;
  }
  void finish(const declaration& d, const std::string& type, bool is_public) {
    if (!is_public || d.text().empty()) { return; }
    for (const std::string_view other :
         {"using", "friend", "static_assert", "enum", "concept", "typedef", "namespace"}) {
      if (d.starts(other)) { return; }
    }
    if (d.text().find(" operator") != std::string::npos) { return; }
    const auto open = d.parameters();
    if (open != std::string::npos) {
      const std::string name = last_word(std::string_view{d.text()}.substr(0, open));
      const std::string owner = (type.empty() || name == type ? name : type + "::" + name) + "()";
      add_parameters(d.of_template(), owner, true, *out_);
      add_parameters(std::string_view{d.text()}.substr(open + 1, behind_bracket(d.text(), open) - open - 2), owner,
                     false, *out_);
      return;
    }
    if (type.empty() || d.starts("static") || d.starts("constexpr") || d.starts("inline") || d.starts("template")) {
      return;
    }
    if (const auto equals = equals_sign(d.text()); equals != std::string::npos) {
      out_->push_back(
          {type, last_word(std::string_view{d.text()}.substr(0, equals)), trimmed(d.text().substr(equals + 1))});
    } else if (const auto brace = d.text().find('{'); brace != std::string::npos) {
      out_->push_back({type, last_word(std::string_view{d.text()}.substr(0, brace)), trimmed(d.text().substr(brace))});
    }
  }

  std::string_view code_;
  std::vector<said_default>* out_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// All of them in a header, but for what is private or in a namespace `detail`. It knows the style of this library and
/// not all of C++.
[[nodiscard]] inline auto defaults_said_in(std::string_view header) -> std::vector<said_default> {
  std::vector<said_default> out;
  const std::string code = detail::bare_code(header);
  detail::header_reader{code, out}.read();
  return out;
}

}  // namespace takt_tests
