#ifndef TABLECAST_TESTS_STORE_STORE_TEST_DIRECTORY_H_
#define TABLECAST_TESTS_STORE_STORE_TEST_DIRECTORY_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tablecast::testing {

// A directory of its own, removed at the end.
class StoreTestDirectory {
 public:
  StoreTestDirectory() {
    std::string name = ::testing::TempDir() + "tablecast-store-XXXXXX";
    path_ = ::mkdtemp(name.data()) != nullptr ? name : std::string();
  }
  ~StoreTestDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  StoreTestDirectory(const StoreTestDirectory&) = delete;
  StoreTestDirectory& operator=(const StoreTestDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_STORE_STORE_TEST_DIRECTORY_H_
