#ifndef TABLECAST_ITEM_JSON_PATH_H_
#define TABLECAST_ITEM_JSON_PATH_H_

// Where a reader stands inside a JSON tree, as a chain of frames on its stack; turned into text
// only when something has to be said. Private to item/.

#include <string>
#include <string_view>
#include <vector>

namespace tablecast::internal {

class JsonPath {
 public:
  JsonPath() = default;
  JsonPath(const JsonPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  JsonPath(const JsonPath& parent, std::size_t index)
      : parent_(&parent), index_(index), is_index_(true) {}

  // Frames above this one.
  int depth() const { return depth_; }

  // "tags.SS[2]"
  std::string ToString() const {
    std::vector<const JsonPath*> frames;
    for (const JsonPath* frame = this; frame->parent_ != nullptr; frame = frame->parent_) {
      frames.push_back(frame);
    }
    std::string out;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if ((*frame)->is_index_) {
        out += "[" + std::to_string((*frame)->index_) + "]";
      } else {
        if (!out.empty()) out += '.';
        out += (*frame)->name_;
      }
    }
    return out;
  }

 private:
  const JsonPath* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  bool is_index_ = false;
  int depth_ = parent_ == nullptr ? 0 : parent_->depth_ + 1;
};

}  // namespace tablecast::internal

#endif  // TABLECAST_ITEM_JSON_PATH_H_
