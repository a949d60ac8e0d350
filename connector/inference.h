#ifndef TABLECAST_CONNECTOR_INFERENCE_H_
#define TABLECAST_CONNECTOR_INFERENCE_H_

// What a sample of an object's items says about its attributes: types, lengths, members. Kept in
// the store, so that the published schema does not change by itself. SOURCE: spec
// external-objects.md section 1.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "connector/field.h"
#include "store/item_store.h"

namespace tablecast {

struct InferredAttribute {
  std::string name;
  FieldType type = FieldType::kText;
  bool collection = false;
  bool mixed_list = false;
  AttributeType stored_collection = AttributeType::kL;
  std::uint32_t max_length = 255;
  std::vector<InferredAttribute> members;  // kComplex
};

struct InferredSchema {
  std::vector<InferredAttribute> attributes;  // byte order of names
  InferenceReport report;
};

// Statistics of the values of one attribute (or member, or list element).
class ValueStatistics {
 public:
  void Add(const AttributeView& value, int depth);
  std::uint64_t seen() const { return seen_; }
  // True when values of several types were seen.
  bool varies() const;
  std::vector<std::pair<std::string, std::uint64_t>> TypeCounts() const;
  InferredAttribute Conclude(std::string name) const;
  // Whole N values in the range of epoch times, all in seconds or all in milliseconds; values with
  // two decimals at most.
  bool LooksLikeEpoch() const;
  bool LooksLikeEpochMilliseconds() const;
  bool LooksLikeMoney(std::string_view name) const;
  // At least nine of ten texts, but not all, are dates or date-times. `attribute` is left to the caller.
  std::optional<InferenceReport::DateLike> MostlyDates() const;

 private:
  friend class ItemStatistics;
  AttributeType Majority() const;
  std::map<AttributeType, std::uint64_t> types_;
  std::uint64_t seen_ = 0;
  // S
  std::uint64_t texts_ = 0, date_times_ = 0, dates_ = 0;
  std::size_t longest_ = 0;
  std::string misfit_;  // the first text that is no date, cut
  // N
  std::uint64_t numbers_ = 0, seconds_ = 0, milliseconds_ = 0, cents_ = 0;
  // M and elements of L and sets
  std::map<std::string, std::unique_ptr<ValueStatistics>, std::less<>> members_;
  std::unique_ptr<ValueStatistics> elements_;
};

// True for names that are never inferred into fields: password, salt, secret, token, ssn.
bool LooksLikeSecret(std::string_view name);

// Samples the members of one object. `members` visits items that belong, in key order, until told
// to stop; `total` is the most there can be.
InferredSchema InferSchema(const std::string& object, const TableSchema& schema,
                           const std::function<Status(const ItemVisitor&)>& members,
                           std::uint64_t total, const CatalogOptions& options, Status& status);

// The kept form: JSON with the qualifier's hash. nullopt when the text is not of this hash or
// version.
std::string WriteInferredSchema(const InferredSchema& schema, std::string_view qualifier_hash);
std::optional<InferredSchema> ReadInferredSchema(std::string_view text,
                                                 std::string_view qualifier_hash);

// Published names for attribute names: external-objects.md section 1. Identifiers stay; the rest is
// made from them, clashes numbered in byte order. `taken` are names in use already.
std::map<std::string, std::string, std::less<>> PublishedNames(
    std::vector<std::string> originals, const std::vector<std::string>& taken);
bool IsODataIdentifier(
    std::string_view name);  // at most 40 characters of [A-Za-z0-9_], not a digit first

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_INFERENCE_H_
