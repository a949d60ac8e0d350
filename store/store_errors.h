#ifndef TABLECAST_STORE_STORE_ERRORS_H_
#define TABLECAST_STORE_STORE_ERRORS_H_

// Errors that every ItemStore words alike.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

inline Error TableNotFound(std::string_view table) {
  return MakeError(ErrorCode::kNotFound, "table-not-found",
                   "there is no table " + std::string(table), std::string(table));
}
inline Error TableExists(std::string_view table) {
  return MakeError(ErrorCode::kAlreadyExists, "table-exists",
                   "table " + std::string(table) + " exists with another schema",
                   std::string(table), "drop it first, or give the new one another name");
}
inline Error SecondaryIndexExists(std::string_view table, std::string_view index) {
  return MakeError(ErrorCode::kAlreadyExists, "index-exists",
                   "table " + std::string(table) + " has another index " + std::string(index),
                   std::string(index));
}
inline Error DerivedIndexNotReady(std::string_view table, std::string_view index) {
  return MakeError(ErrorCode::kFailedPrecondition, "index-not-ready",
                   "index " + std::string(index) + " of table " + std::string(table) +
                       " does not reflect the table",
                   std::string(index), "build the indexes of the table first");
}
inline Error ChangeLogExpired(std::string_view table, std::uint64_t after) {
  return MakeError(ErrorCode::kFailedPrecondition, "change-log-expired",
                   "the change log of table " + std::string(table) +
                       " does not continue from change " + std::to_string(after),
                   std::string(table), "read the table anew");
}
inline Error BuildStopped(std::string_view table) {
  return MakeError(ErrorCode::kAborted, "build-stopped", "building the indexes was stopped",
                   std::string(table));
}

}  // namespace tablecast

#endif  // TABLECAST_STORE_STORE_ERRORS_H_
