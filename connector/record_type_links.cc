// Relationships between proposed record types: where the key of one shows up in a column of
// another.

#include <algorithm>

#include "connector/record_type_draft.h"

namespace tablecast {

namespace {

constexpr int kNeededPercent = 80;         // of the sampled values that lead to a parent
constexpr int kNeededPercentSampled = 20;  // when only part of the table was looked at

// What a parent can be found by.
struct Target {
  std::string column;  // as `toColumn`
  bool number = false;
  std::string head;  // fixed text its values begin with, "" for none
  std::set<std::string> values;
};

// A column of a child that may hold a parent's key.
struct Source {
  std::string column;
  bool number = false;
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
        Target{text ? "ExternalId" : draft.partition.name, !text, draft.partition.shape.Head(), {}},
        [&](const SampledItem& sample) { return ScalarText(sample.item, draft.partition.name); });
  }
  if (draft.partition.shape.IsConstant() && draft.sort && draft.sort->type == AttributeType::kS) {
    collect(Target{draft.sort->name, false, draft.sort->shape.Head(), {}},
            [&](const SampledItem& sample) { return ScalarText(sample.item, draft.sort->name); });
  }
  for (const VirtualColumnDraft& column : draft.virtuals) {
    const KeyShape& shape =
        column.column == draft.partition.name ? draft.partition.shape : draft.sort->shape;
    collect(Target{column.name, false, "", {}},
            [&](const SampledItem& sample) -> std::optional<std::string> {
              const auto whole = ScalarText(sample.item, column.column);
              const std::vector<std::string> parts =
                  whole ? shape.Split(*whole) : std::vector<std::string>();
              if (column.variable >= parts.size()) return std::nullopt;
              return parts[column.variable];
            });
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
        if (p == c) continue;
        for (const Target& target : targets[p]) {
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
      std::vector<std::string> words = WordsOf(best.parent->proposal.label);
      link.name = UniqueName(CamelCase(words), source.column, taken[c]);
      taken[c].insert(link.name);
      link.column = source.column;
      link.to = best.parent->proposal.object;
      link.to_column = best.target->column;
      link.inverse = UniqueName(child.proposal.object, source.column, taken[p]);
      taken[p].insert(link.inverse);
      link.matched = best.matched;
      link.seen = source.values.size();
      child.proposal.relationships.push_back(std::move(link));
    }
  }
}

}  // namespace tablecast
