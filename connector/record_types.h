#ifndef TABLECAST_CONNECTOR_RECORD_TYPES_H_
#define TABLECAST_CONNECTOR_RECORD_TYPES_H_

// Proposes the external objects of tables of unknown design: record types by the constants and
// fixed words of their keys (key_shapes.h) and by attributes that name a type, each as a qualifier
// file, with virtual columns for what stands behind a prefix, and relationships where one type's
// key shows up in another. A proposal is a start for a person, not a truth: it says how many items
// each claims and what is left over.
//
//   auto proposal = ProposeCatalog(*snapshot, {"Shop"}, {});
//   for (const RecordTypeProposal& type : proposal->types) Write(type.object + ".json",
//   type.qualifier); Write("catalog.json", proposal->catalog);

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/item_store.h"

namespace tablecast {

struct RelationshipProposal {
  std::string name, column, to, to_column, inverse;
  std::uint64_t matched = 0;  // sampled values that lead to a sampled parent
  std::uint64_t seen = 0;     // sampled values
};

struct RecordTypeProposal {
  std::string object;        // "OrderItems"
  std::string label;         // "Order Item"
  std::string plural_label;  // "Order Items"
  std::string table;
  std::string partition_shape;       // "USER#{}"
  std::string sort_shape;            // "" for tables without sort key
  std::string condition;             // what else tells them apart: `_type` = "Song"; ""
  std::uint64_t items = 0;           // all items of the table were judged
  std::vector<std::string> samples;  // keys, at most 3
  std::string qualifier;             // text of the qualifier file: the vendor's grammar alone
  std::string external_id;           // JSON of the extension `externalId`, or ""
  std::vector<RelationshipProposal> relationships;
  std::vector<std::string> indexes;  // columns by which relationships look for records
};

struct TableProposal {
  std::string table;
  std::uint64_t items = 0;
  std::uint64_t sampled = 0;
  std::uint64_t left_over = 0;  // items that no proposal claims
  std::uint64_t claimed_twice = 0;
  std::vector<std::string> left_over_samples;  // keys, at most 3
};

struct CatalogProposal {
  std::vector<TableProposal> tables;      // in the order asked
  std::vector<RecordTypeProposal> types;  // by table, most items first
  std::string catalog;                    // text of catalog.json: labels, IDs, relationships
};

struct ProposeOptions {
  std::size_t sample = 20'000;  // items of a table looked at closely, spread over the table
};

// ERRORS: kNotFound "table-not-found"; kDataLoss. COST: two reads of each table.
Result<CatalogProposal> ProposeCatalog(const ReadSnapshot& snapshot,
                                       const std::vector<std::string>& tables,
                                       const ProposeOptions& options);

// "USER#1 / ORDER#7": a key for people.
std::string KeyForPeople(const ItemView& item);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_RECORD_TYPES_H_
