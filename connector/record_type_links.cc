// Relationships between proposed record types: where the key of one shows up in a column of
// another.

#include <algorithm>
#include <initializer_list>

#include "connector/inference.h"
#include "connector/record_type_draft.h"

namespace tablecast {

namespace {

constexpr int kNeededPercent = 80;         // of the sampled values that lead to a parent
constexpr int kNeededPercentSampled = 20;  // when only part of the table was looked at

// What a parent can be found by.
struct Target {
  std::string column;  // as `toColumn`
  std::string key;     // name of the stored column that it is; "" for a part of one
  bool is_virtual = false;
  bool number = false;
  std::string head;  // fixed text its values begin with, "" for none
  std::set<std::string> values;
};

// A column of a child that may hold a parent's key.
struct Source {
  std::string column;
  bool number = false;
  bool is_virtual = false;
  bool key = false;  // key column of the table or an index
  bool partition = false;
  std::vector<std::string> values;
};

std::string Folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
  }
  return out;
}

// "customerId", "customer_ref" -> "customer".
std::string Stem(std::string_view column) {
  std::string folded = Folded(column);
  for (const std::string_view ending :
       {"uuid", "guid", "number", "code", "key", "ref", "id", "no", "pk"}) {
    if (folded.size() > ending.size() + 1 && folded.ends_with(ending)) {
      folded.resize(folded.size() - ending.size());
      break;
    }
  }
  return folded;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Columns that name a person by the part they play, and objects that are persons.
bool IsPersonRole(std::string_view word) {
  for (const std::string_view ending : {"by", "user"}) {
    if (word.size() > ending.size() + 3 && word.ends_with(ending)) return true;  // createdBy
  }
  return IsOneOf(word, {"author",    "owner",    "sender",   "recipient", "receiver", "creator",
                        "assignee",  "reporter", "manager",  "approver",  "reviewer", "editor",
                        "friend",    "follower", "follows",  "following", "member",   "seller",
                        "buyer",     "host",     "guest",    "poster",    "requester"});
}
bool IsPerson(std::string_view word) {
  return IsOneOf(word, {"user", "account", "member", "player", "customer", "person", "employee",
                        "profile", "contact", "people", "agent"});
}

// Key columns whose name says nothing: equal names are no reason.
bool IsPlainKeyName(std::string_view folded) {
  return folded.size() < 4 || IsOneOf(folded, {"uuid", "guid", "hash", "range", "code", "name", "type",
                                               "partitionkey", "sortkey", "hashkey", "rangekey"});
}

std::vector<Target> TargetsOf(const RecordTypeDraft& draft) {
  std::vector<Target> targets;
  const bool text = draft.partition.type == AttributeType::kS;
  const auto collect = [&](Target target, const auto& value_of) {
    std::size_t count = 0;
    for (const SampledItem* sample : draft.samples) {
      if (const auto value = value_of(*sample)) {
        ++count;
        target.values.insert(*value);
      }
    }
    // Only what is unique identifies a parent.
    if (count == draft.samples.size() && target.values.size() == count && count > 0)
      targets.push_back(std::move(target));
  };
  if ((draft.SortIsFixed() || draft.same_key) && draft.partition.type != AttributeType::kB &&
      !draft.partition.shape.IsConstant()) {
    collect(
        Target{text ? "ExternalId" : draft.partition.name, draft.partition.name, false, !text,
               draft.partition.shape.Head(), {}},
        [&](const SampledItem& sample) { return ScalarText(sample.item, draft.partition.name); });
  }
  if (draft.partition.shape.IsConstant() && draft.sort && draft.sort->type == AttributeType::kS) {
    collect(Target{draft.sort->name, draft.sort->name, false, false, draft.sort->shape.Head(), {}},
            [&](const SampledItem& sample) { return ScalarText(sample.item, draft.sort->name); });
  }
  // One item a partition though the sort key varies: o#501 / c#101 is order 501. Only where the
  // prefix is the type's own word, else it is the only alert of a device.
  const std::string word = Folded(EntityWord(draft.partition.shape));
  if (draft.sort && !draft.SortIsFixed() && !draft.same_key && text && !word.empty() &&
      Folded(draft.proposal.label).starts_with(word)) {
    collect(Target{draft.partition.name, draft.partition.name, false, false,
                   draft.partition.shape.Head(), {}},
            [&](const SampledItem& sample) { return ScalarText(sample.item, draft.partition.name); });
  }
  for (const VirtualColumnDraft& column : draft.virtuals) {
    const KeyShape& shape =
        column.column == draft.partition.name ? draft.partition.shape : draft.sort->shape;
    collect(Target{column.name, "", true, false, "", {}},
            [&](const SampledItem& sample) -> std::optional<std::string> {
              const auto whole = ScalarText(sample.item, column.column);
              const std::vector<std::string> parts =
                  whole ? shape.Split(*whole) : std::vector<std::string>();
              if (column.variable >= parts.size()) return std::nullopt;
              return parts[column.variable];
            });
  }
  // An attribute that repeats the type's own number: "employee" or "employeeId" of an employee.
  for (const std::string& name : draft.attribute_names) {
    if (name == draft.partition.name || (draft.sort && name == draft.sort->name)) continue;
    if (Stem(name) != Folded(draft.proposal.label)) continue;
    bool number = false;
    for (const SampledItem* sample : draft.samples) {
      const auto found = sample->item.find(name);
      number = number || (found != sample->item.end() && found->second.Is(AttributeType::kN));
    }
    collect(Target{name, name, false, number, "", {}},
            [&](const SampledItem& sample) { return ScalarText(sample.item, name); });
  }
  return targets;
}

std::vector<Source> SourcesOf(const RecordTypeDraft& draft) {
  std::vector<Source> sources;
  for (const std::string& name : draft.attribute_names) {
    Source source;
    source.column = name;
    source.partition = name == draft.partition.name;
    source.key = source.partition || (draft.sort && name == draft.sort->name);
    if ((source.partition && draft.partition.shape.IsConstant()) ||
        (source.key && !source.partition && draft.sort->shape.IsConstant()))
      continue;
    bool text = false, number = false;
    for (const SampledItem* sample : draft.samples) {
      const auto found = sample->item.find(name);
      if (found == sample->item.end()) continue;
      text = text || found->second.Is(AttributeType::kS);
      number = number || found->second.Is(AttributeType::kN);
      if (auto value = ScalarText(found->second); value && !value->empty())
        source.values.push_back(*std::move(value));
    }
    if (source.values.empty() || text == number) continue;
    source.number = number;
    sources.push_back(std::move(source));
  }
  for (const VirtualColumnDraft& column : draft.virtuals) {
    const KeyShape& shape =
        column.column == draft.partition.name ? draft.partition.shape : draft.sort->shape;
    Source source;
    source.column = column.name;
    source.is_virtual = true;
    for (const SampledItem* sample : draft.samples) {
      const auto whole = ScalarText(sample->item, column.column);
      const std::vector<std::string> parts =
          whole ? shape.Split(*whole) : std::vector<std::string>();
      if (column.variable < parts.size()) source.values.push_back(parts[column.variable]);
    }
    if (!source.values.empty()) sources.push_back(std::move(source));
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.key > b.key; });
  return sources;
}

// Why a column may lead to a parent at all: equal values alone are no reason (1, 2, 3 are
// everywhere).
bool Plausible(const RecordTypeDraft& child, const Source& source, const RecordTypeDraft& parent,
               const Target& target) {
  if (source.number != target.number) return false;
  if (!target.head.empty()) {
    return std::all_of(source.values.begin(), source.values.end(),
                       [&](const std::string& value) { return value.starts_with(target.head); });
  }
  std::vector<std::string> words = WordsOf(parent.proposal.object);
  const std::string last = words.empty() ? "" : Folded(Singular(words.back()));
  if (!words.empty()) words.back() = Singular(words.back());
  const std::string name = Folded(CamelCase(words));
  const std::string stem = Stem(source.column);
  // u#1#post and u#1 / info: the number of the same thing, where that thing has one item.
  if (source.is_virtual && target.is_virtual && source.column == target.column &&
      (parent.SortIsFixed() || parent.same_key) && !child.SortIsFixed() && !child.same_key)
    return true;
  const std::string key = Folded(target.key);
  if (!source.key && !IsPlainKeyName(key) && Folded(source.column).ends_with(key)) return true;
  if (!source.key && IsPersonRole(stem) && (IsPerson(name) || IsPerson(last))) return true;
  if (!stem.empty() && (stem == name || stem == last)) return true;
  if (!name.empty() && stem.size() > name.size() && stem.ends_with(name))
    return true;  // billingCustomerId
  // One partition: an order and its lines under the order's number.
  return source.partition && target.column == "ExternalId" &&
         child.proposal.table == parent.proposal.table &&
         child.partition.shape == parent.partition.shape && !child.SortIsFixed();
}

// Of two types with one item a partition each, the plain one is the parent.
bool MayOwn(const RecordTypeDraft& parent, const RecordTypeDraft& child, const Source& source) {
  if (!source.partition || !(child.SortIsFixed() || child.same_key)) return true;
  if (child.same_key) return false;
  return parent.same_key || (parent.sort && IsGenericWord(EntityWord(parent.sort->shape)) &&
                             child.sort && !IsGenericWord(EntityWord(child.sort->shape)));
}

// userId = 1 beside pk = USER#1, or GSI1PK = USER#1: the same said again.
bool Repeats(const Source& source, const Source& earlier) {
  if (source.key || source.values.size() != earlier.values.size()) return false;
  return std::equal(
      source.values.begin(), source.values.end(), earlier.values.begin(),
      [](const std::string& value, const std::string& key) { return key.ends_with(value); });
}

// gsi1pk = USER#1 on USER#1 itself: the item's own key again, not another item's.
bool NamesItself(const RecordTypeDraft& draft, const std::string& column) {
  std::size_t own = 0;
  for (const SampledItem* sample : draft.samples) {
    const auto value = ScalarText(sample->item, column);
    const auto key = ScalarText(sample->item, draft.partition.name);
    if (value && key && !value->empty() && key->ends_with(*value)) ++own;
  }
  return own * 2 >= draft.samples.size();
}

struct Found {
  RecordTypeDraft* parent = nullptr;
  const Target* target = nullptr;
  std::uint64_t matched = 0;
};

std::string UniqueName(const std::string& wanted, const std::string& column,
                       const std::set<std::string>& taken) {
  if (!taken.contains(wanted)) return wanted;
  const std::string by = wanted + "By" + CamelCase(WordsOf(column));
  if (by.size() <= 40 && !taken.contains(by)) return by;
  for (int number = 2;; ++number) {
    const std::string numbered = wanted + std::to_string(number);
    if (!taken.contains(numbered)) return numbered;
  }
}

// What the part it plays is called (authorId -> Author), else the parent's name.
std::string LinkName(const Source& source, const Target& target, const RecordTypeProposal& parent,
                     bool to_itself) {
  const std::string name = CamelCase(WordsOf(parent.label));
  if (source.key || source.is_virtual) return name;
  std::vector<std::string> words = WordsOf(source.column);
  const std::string key = Folded(target.key);
  const auto tail = [&](std::size_t count) {
    std::string out;
    for (std::size_t i = words.size() - count; i < words.size(); ++i) out += Folded(words[i]);
    return out;
  };
  std::size_t cut = 0;
  for (std::size_t count = 1; count < words.size(); ++count) {
    if ((!IsPlainKeyName(key) && tail(count) == key) ||
        (count == 1 && IsOneOf(tail(1), {"id", "uuid", "guid", "ref", "key", "no", "number", "pk"})))
      cut = count;
  }
  words.resize(words.size() - cut);
  const std::string part = CamelCase(words);
  if (Folded(part) == Folded(source.column)) return to_itself ? "Parent" + name : name;
  return part;
}

bool IsReachedByKey(const RecordTypeDraft& parent, const Target& target) {
  if (target.column == "ExternalId" || target.column == parent.partition.name) return true;
  if (parent.sort && target.column == parent.sort->name) return true;  // under one partition key
  const auto column = std::find_if(parent.virtuals.begin(), parent.virtuals.end(),
                                   [&](const auto& one) { return one.name == target.column; });
  return column != parent.virtuals.end() && column->column == parent.partition.name &&
         parent.partition.shape.Variables() == 1 && (parent.SortIsFixed() || parent.same_key);
}

void WantIndex(RecordTypeDraft& draft, const std::string& column) {
  // An index names published fields, and a blank parts the name from the direction.
  if (LooksLikeSecret(column) || column.find(' ') != std::string::npos) return;
  if (std::find(draft.proposal.indexes.begin(), draft.proposal.indexes.end(), column) == draft.proposal.indexes.end())
    draft.proposal.indexes.push_back(column);
}

}  // namespace

void LinkRecordTypes(std::vector<RecordTypeDraft>& drafts, bool sampled_all) {
  std::vector<std::vector<Target>> targets;
  std::vector<std::set<std::string>> taken;  // property names of each object
  for (const RecordTypeDraft& draft : drafts) {
    targets.push_back(TargetsOf(draft));
    std::set<std::string> names = draft.attribute_names;
    for (const VirtualColumnDraft& column : draft.virtuals) names.insert(column.name);
    names.insert("ExternalId");
    taken.push_back(std::move(names));
  }
  const int needed = sampled_all ? kNeededPercent : kNeededPercentSampled;
  for (std::size_t c = 0; c < drafts.size(); ++c) {
    RecordTypeDraft& child = drafts[c];
    const std::vector<Source> sources = SourcesOf(child);
    std::vector<std::pair<std::size_t, const Source*>>
        linked;  // parents and the columns that lead there
    for (const Source& source : sources) {
      Found best;
      for (std::size_t p = 0; p < drafts.size(); ++p) {
        for (const Target& target : targets[p]) {
          // Of its own kind: a manager among employees, never an item's own key.
          if (p == c && (source.key || source.is_virtual || source.column == target.key ||
                         Stem(source.column) == Folded(child.proposal.label) ||
                         NamesItself(child, source.column)))
            continue;
          if (!Plausible(child, source, drafts[p], target) || !MayOwn(drafts[p], child, source))
            continue;
          const auto matched = static_cast<std::uint64_t>(std::count_if(
              source.values.begin(), source.values.end(),
              [&](const std::string& value) { return target.values.contains(value); }));
          if (matched == 0 ||
              matched * 100 < source.values.size() * static_cast<std::uint64_t>(needed))
            continue;
          if (matched > best.matched) best = {&drafts[p], &target, matched};
        }
      }
      if (best.parent == nullptr) continue;
      const auto p = static_cast<std::size_t>(best.parent - drafts.data());
      if (std::any_of(linked.begin(), linked.end(), [&](const auto& link) {
            return link.first == p && Repeats(source, *link.second);
          })) {
        continue;
      }
      linked.emplace_back(p, &source);
      RelationshipProposal link;
      link.name = UniqueName(LinkName(source, *best.target, best.parent->proposal, p == c),
                             source.column, taken[c]);
      taken[c].insert(link.name);
      link.column = source.column;
      link.to = best.parent->proposal.object;
      link.to_column = best.target->column;
      link.inverse = UniqueName(child.proposal.object, source.column, taken[p]);
      taken[p].insert(link.inverse);
      link.matched = best.matched;
      link.seen = source.values.size();
      // Children are found by the link's column, parents by the target's: each wants a way that is
      // no scan, which only a partition key is.
      if (!source.partition) WantIndex(child, source.column);
      if (!IsReachedByKey(*best.parent, *best.target)) WantIndex(*best.parent, best.target->column);
      child.proposal.relationships.push_back(std::move(link));
    }
  }
}

}  // namespace tablecast
