// IMPLEMENTATION of record_types.h: sample, group by key shapes, split by type attributes, tell
// overlapping groups apart, name, link, and count every item against what was proposed. Tested by
// tests/connector/record_types_test.cc on single-table designs of several domains.

#include "connector/record_types.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "connector/record_type_draft.h"
#include "item/item_codec.h"
#include "qualifiers/compiled_qualifier.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxTypesPerTable = 60;
constexpr std::size_t kMaxTypeValues = 30;  // of an attribute that tells types apart

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

enum class Hint { kNone, kMaybe, kSure };

// Attributes whose name says that they tell the type of an item.
Hint HintOf(std::string_view name) {
  static constexpr std::array kSure = {
      "_type",     "_entity",    "_et",         "__edb_e__",  "__typename",  "__type",
      "entity",    "entitytype", "entity_type", "recordtype", "record_type", "itemtype",
      "item_type", "doctype",    "doc_type",    "objecttype", "object_type", "entityname"};
  static constexpr std::array kMaybe = {"type", "kind", "model", "et", "discriminator", "class"};
  const std::string lower = LowerCase(name);
  if (std::find(kSure.begin(), kSure.end(), lower) != kSure.end()) return Hint::kSure;
  if (std::find(kMaybe.begin(), kMaybe.end(), lower) != kMaybe.end()) return Hint::kMaybe;
  return Hint::kNone;
}

bool IsTypeValue(const std::string& text) {
  if (text.empty() || text.size() > 40) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// One table at work.
struct Survey {
  TableProposal proposal;
  TableSchema schema;
  std::vector<std::unique_ptr<SampledItem>> samples;
  std::vector<RecordTypeDraft> drafts;
  std::size_t first = 0, count = 0;  // its drafts among those of all tables
};

Status Sample(const ReadSnapshot& snapshot, const std::string& table, const ProposeOptions& options,
              Survey& survey) {
  TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot.Describe(table));
  survey.schema = info.schema;
  survey.proposal.table = table;
  survey.proposal.items = info.item_count;
  const std::uint64_t stride = std::max<std::uint64_t>(
      1, (info.item_count + options.sample - 1) / std::max<std::size_t>(1, options.sample));
  std::map<std::string, std::uint32_t> numbers;
  std::uint64_t at = 0;
  Status status;
  const auto scanned = snapshot.Scan(table, {}, [&](const ItemView& view) {
    if (at++ % stride != 0) return true;
    auto item = view.ToItem();
    if (!item.ok()) {
      status = item.error();
      return false;
    }
    auto sample = std::make_unique<SampledItem>();
    for (const auto& [name, value] : *item) {
      const KeySchema& key = survey.schema.key;
      if (name == key.partition.name || (key.sort && name == key.sort->name)) continue;
      sample->attributes.insert(
          numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    sample->item = *std::move(item);
    survey.samples.push_back(std::move(sample));
    return true;
  });
  if (!scanned.ok()) return scanned.error();
  survey.proposal.sampled = survey.samples.size();
  return status;
}

// Shapes of one column over some samples; N and B columns are one variable.
KeyShapes ShapesOf(const std::vector<const SampledItem*>& samples, const KeyColumn& column) {
  std::vector<KeySample> values;
  std::vector<std::string> texts;
  if (column.type != AttributeType::kS) {
    KeyShapes one;
    one.shapes.emplace_back();
    one.shapes.back().parts.emplace_back();
    one.shape_of.assign(samples.size(), 0);
    return one;
  }
  for (const SampledItem* sample : samples) {
    const auto found = sample->item.find(column.name);
    const bool text = found != sample->item.end() && found->second.Is(AttributeType::kS);
    values.push_back(
        {text ? std::string_view(found->second.text()) : std::string_view(), &sample->attributes});
  }
  return LearnKeyShapes(values);
}

void Group(Survey& survey) {
  std::vector<const SampledItem*> all;
  for (const auto& sample : survey.samples) all.push_back(sample.get());
  const KeyShapes partition = ShapesOf(all, survey.schema.key.partition);
  KeyShapes sort;
  if (survey.schema.key.sort) sort = ShapesOf(all, *survey.schema.key.sort);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const SampledItem*>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    groups[{partition.shape_of[i], survey.schema.key.sort ? sort.shape_of[i] : 0}].push_back(
        all[i]);
  }
  for (auto& [shapes, samples] : groups) {
    RecordTypeDraft draft;
    draft.proposal.table = survey.proposal.table;
    draft.partition = {survey.schema.key.partition.name, survey.schema.key.partition.type,
                       partition.shapes[shapes.first], false, ValueClass::kOther};
    if (survey.schema.key.sort) {
      draft.sort = {survey.schema.key.sort->name, survey.schema.key.sort->type,
                    sort.shapes[shapes.second], false, ValueClass::kOther};
    }
    draft.samples = std::move(samples);
    survey.drafts.push_back(std::move(draft));
  }
}

// Samples by the value of an attribute; "" = without it.
std::map<std::string, std::vector<const SampledItem*>> ByValue(const RecordTypeDraft& draft,
                                                               const std::string& name) {
  std::map<std::string, std::vector<const SampledItem*>> by_value;
  for (const SampledItem* sample : draft.samples) {
    const auto found = sample->item.find(name);
    const bool usable = found != sample->item.end() && found->second.Is(AttributeType::kS) &&
                        IsTypeValue(found->second.text());
    by_value[usable ? found->second.text() : ""].push_back(sample);
  }
  return by_value;
}

std::set<std::uint32_t> AllAttributes(const std::vector<const SampledItem*>& samples) {
  std::set<std::uint32_t> all;
  for (const SampledItem* sample : samples)
    all.insert(sample->attributes.begin(), sample->attributes.end());
  return all;
}

// Groups whose keys say nothing more are split by an attribute that names the type, else by the
// shapes of an index key.
void Split(Survey& survey) {
  std::set<std::string> hints;
  for (const auto& sample : survey.samples) {
    for (const auto& [name, value] : sample->item) {
      if (HintOf(name) != Hint::kNone && value.Is(AttributeType::kS)) hints.insert(name);
    }
  }
  std::vector<RecordTypeDraft> done;
  for (RecordTypeDraft& draft : survey.drafts) {
    bool split = false;
    for (const std::string& hint : hints) {
      auto by_value = ByValue(draft, hint);
      const std::size_t values = by_value.size() - by_value.count("");
      if (values == 0 || values > kMaxTypeValues) continue;
      std::vector<std::set<std::uint32_t>> sets;
      for (const auto& [value, samples] : by_value) sets.push_back(AllAttributes(samples));
      if (by_value.size() > 1 && HintOf(hint) != Hint::kSure && !LookDifferent(sets)) continue;
      // One value for all: the keys tell the type already, the value names it.
      if (by_value.size() == 1) {
        if (HintOf(hint) == Hint::kSure || hints.size() == 1) draft.value = by_value.begin()->first;
        continue;
      }
      for (auto& [value, samples] : by_value) {
        RecordTypeDraft part = draft;
        part.samples = std::move(samples);
        part.value.reset();
        if (!value.empty()) {
          part.discriminator = hint;
          part.value = value;
        }
        done.push_back(std::move(part));
      }
      split = true;
      break;
    }
    const bool plain =
        draft.partition.shape.IsVariable() && (!draft.sort || draft.sort->shape.IsVariable());
    if (!split && plain && !draft.value) {
      for (const SecondaryIndex& index : survey.schema.indexes) {
        if (index.partition.empty() || index.partition.front().type != AttributeType::kS) continue;
        const KeyShapes shapes = ShapesOf(draft.samples, index.partition.front());
        std::map<std::size_t, std::vector<const SampledItem*>> by_shape;
        for (std::size_t i = 0; i < draft.samples.size(); ++i)
          by_shape[shapes.shape_of[i]].push_back(draft.samples[i]);
        if (by_shape.size() < 2) continue;
        for (auto& [number, samples] : by_shape) {
          RecordTypeDraft part = draft;
          part.samples = std::move(samples);
          const KeyShape& shape = shapes.shapes[number];
          if (!shape.parts.empty() && !shape.IsVariable()) {
            part.discriminator = index.partition.front().name;
            part.discriminator_shape = shape;
          }
          done.push_back(std::move(part));
        }
        split = true;
        break;
      }
    }
    if (!split) done.push_back(std::move(draft));
  }
  survey.drafts = std::move(done);
}

std::vector<std::string> Texts(const RecordTypeDraft& draft, const std::string& column,
                               std::size_t limit) {
  std::vector<std::string> texts;
  for (const SampledItem* sample : draft.samples) {
    if (auto text = ScalarText(sample->item, column)) texts.push_back(*std::move(text));
    if (texts.size() == limit) break;
  }
  return texts;
}

// True when the column's conditions of `a` let values of `b` through.
bool LetsThrough(const KeyColumnDraft& a, const std::vector<std::string>& values) {
  if (a.type != AttributeType::kS) return true;
  return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
    return a.shape.IsVariable() || a.shape.MatchesLike(value);
  });
}

// A stricter test of the column that all own values pass and none of the others. False when there
// is none.
bool Sharpen(KeyColumnDraft& column, const std::vector<std::string>& own,
             const std::vector<std::string>& others) {
  if (column.type != AttributeType::kS || column.shape.IsConstant() || column.exact) return false;
  if (column.shape.IsVariable()) {
    const ValueClass value_class = ClassOf({own.begin(), own.end()});
    if (value_class != ValueClass::kOther) {
      if (std::none_of(others.begin(), others.end(),
                       [&](const std::string& text) { return IsOfClass(text, value_class); })) {
        column.value_class = value_class;
        column.exact = true;
        return true;
      }
    }
  }
  const auto fits = [&](const std::string& text) { return column.shape.MatchesExactly(text); };
  if (!std::all_of(own.begin(), own.end(), fits) || std::any_of(others.begin(), others.end(), fits))
    return false;
  column.exact = true;
  return true;
}

// Types whose conditions overlap get the regular expressions that keep them apart.
void Separate(Survey& survey) {
  constexpr std::size_t kLooked = 200;
  for (RecordTypeDraft& draft : survey.drafts) {
    for (const RecordTypeDraft& other : survey.drafts) {
      if (&other == &draft) continue;
      if (!draft.discriminator.empty() && other.discriminator == draft.discriminator) continue;
      const auto partitions = Texts(other, draft.partition.name, kLooked);
      if (!LetsThrough(draft.partition, partitions)) continue;
      std::vector<std::string> sorts;
      if (draft.sort) {
        sorts = Texts(other, draft.sort->name, kLooked);
        if (!LetsThrough(*draft.sort, sorts)) continue;
        if (Sharpen(*draft.sort, Texts(draft, draft.sort->name, kLooked), sorts)) continue;
      }
      Sharpen(draft.partition, Texts(draft, draft.partition.name, kLooked), partitions);
    }
  }
}

void Describe(RecordTypeDraft& draft) {
  draft.proposal.partition_shape = draft.partition.shape.Text();
  if (draft.sort) draft.proposal.sort_shape = draft.sort->shape.Text();
  if (!draft.discriminator.empty()) {
    draft.proposal.condition =
        "`" + draft.discriminator +
        "` = " + (draft.value ? "\"" + *draft.value + "\"" : draft.discriminator_shape->Text());
  }
  for (const SampledItem* sample : draft.samples) {
    for (const auto& [name, value] : sample->item) draft.attribute_names.insert(name);
  }
  if (!draft.sort || draft.partition.shape.Variables() != 1 || draft.sort->shape.Variables() != 1)
    return;
  draft.same_key =
      std::all_of(draft.samples.begin(), draft.samples.end(), [&](const SampledItem* sample) {
        const auto pk = ScalarText(sample->item, draft.partition.name);
        const auto sk = ScalarText(sample->item, draft.sort->name);
        return pk && sk && draft.partition.type == AttributeType::kS &&
               draft.sort->type == AttributeType::kS &&
               draft.partition.shape.Split(*pk) == draft.sort->shape.Split(*sk);
      });
  if (draft.same_key) {
    draft.proposal.external_id = "{\"columns\":[\"" + draft.partition.name + "\"]}";
    return;
  }
}

// Two-part IDs read back unambiguously: escaped where the conditions let the separator into the
// partition key, and by another separator where the values do hold dashes.
void ChooseIdSeparator(RecordTypeDraft& draft) {
  if (!draft.proposal.external_id.empty() || draft.SortIsFixed() ||
      draft.partition.shape.IsConstant() || draft.partition.type == AttributeType::kB)
    return;
  if (draft.partition.type == AttributeType::kN) return;
  const auto texts = Texts(draft, draft.partition.name, 1000);
  const bool dashes = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find('-') != std::string::npos;
  });
  const bool closed = draft.partition.exact && (draft.partition.value_class == ValueClass::kDigits ||
                                                draft.partition.value_class == ValueClass::kWord);
  if (closed) return;
  draft.proposal.external_id =
      dashes ? "{\"separator\":\"|\",\"escape\":true}" : "{\"escape\":true}";
}

// Compiles the proposals, keeps those that hold, and counts every item of the table against them.
// `dropped`: "Object.column" of virtual columns that do not compile.
Status CountAll(const ReadSnapshot& snapshot, Survey& survey, std::set<std::string>& dropped) {
  struct Judge {
    RecordTypeDraft* draft;
    std::shared_ptr<const CompiledQualifier> qualifier;
    std::unique_ptr<QualifierRow> row;
  };
  TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot.Schema(survey.proposal.table));
  TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot.Names(survey.proposal.table));
  std::vector<Judge> judges;
  for (RecordTypeDraft& draft : survey.drafts) {
    for (const bool with_virtuals : {true, false}) {
      const std::string text = QualifierText(draft, with_virtuals);
      auto pretty = FormatQualifier(text, false);
      draft.proposal.qualifier = pretty.ok() ? *std::move(pretty) : text;
      const ParsedQualifier parsed =
          ParseQualifier(draft.proposal.qualifier, draft.proposal.object + ".json");
      if (!parsed.qualifier || HasErrors(parsed.issues)) continue;
      QualifierCompilation compiled = CompileQualifier(*parsed.qualifier, *schema);
      if (!compiled.qualifier) continue;
      if (!with_virtuals) {
        for (const VirtualColumnDraft& column : draft.virtuals)
          dropped.insert(draft.proposal.object + "." + column.name);
        draft.virtuals.clear();
      }
      auto row = std::make_unique<QualifierRow>(*compiled.qualifier, *schema, *names, Timestamp{});
      judges.push_back({&draft, std::move(compiled.qualifier), std::move(row)});
      break;
    }
  }
  const auto scanned = snapshot.Scan(survey.proposal.table, {}, [&](const ItemView& item) {
    std::size_t claims = 0;
    for (Judge& judge : judges) {
      judge.row->Reset(item);
      if (!judge.row->Belongs()) continue;
      ++claims;
      ++judge.draft->proposal.items;
      if (judge.draft->proposal.samples.size() < 3)
        judge.draft->proposal.samples.push_back(KeyForPeople(item));
    }
    if (claims > 1) ++survey.proposal.claimed_twice;
    if (claims == 0) {
      ++survey.proposal.left_over;
      if (survey.proposal.left_over_samples.size() < 3)
        survey.proposal.left_over_samples.push_back(KeyForPeople(item));
    }
    return true;
  });
  if (!scanned.ok()) return scanned.error();
  return {};
}

std::string CatalogText(const std::vector<RecordTypeProposal>& types,
                        const std::vector<TableProposal>& tables) {
  std::string text;
  JsonWriter json(text, JsonWriter::Style::kIndented);
  json.BeginObject();
  if (tables.size() == 1) json.Key("defaultTable").String(tables.front().table);
  json.Key("objects").BeginObject();
  for (const RecordTypeProposal& type : types) {
    json.Key(type.object).BeginObject();
    json.Key("object")
        .BeginObject()
        .Key("label")
        .String(type.label)
        .Key("pluralLabel")
        .String(type.plural_label)
        .EndObject();
    if (!type.external_id.empty()) json.Key("externalId").Raw(type.external_id);
    if (!type.indexes.empty()) {
      json.Key("indexes").BeginArray();
      for (const std::string& column : type.indexes)
        json.BeginObject().Key("fields").BeginArray().String(column).EndArray().EndObject();
      json.EndArray();
    }
    if (!type.relationships.empty()) {
      json.Key("relationships").BeginObject();
      for (const RelationshipProposal& link : type.relationships) {
        json.Key(link.name).BeginObject();
        json.Key("to")
            .String(link.to)
            .Key("column")
            .String(link.column)
            .Key("toColumn")
            .String(link.to_column);
        json.Key("inverse").String(link.inverse);
        json.EndObject();
      }
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndObject().EndObject();
  auto pretty = FormatQualifier(text, false);
  return pretty.ok() ? *std::move(pretty) : text + "\n";
}

}  // namespace

std::optional<std::string> ScalarText(const AttributeValue& value) {
  if (value.Is(AttributeType::kS)) return value.text();
  if (value.Is(AttributeType::kN)) return value.NumberAsText();
  return std::nullopt;
}

std::optional<std::string> ScalarText(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found == item.end() ? std::nullopt : ScalarText(found->second);
}

std::string KeyForPeople(const ItemView& item) {
  std::string out;
  for (const AttributeView& part : {item.partition(), item.sort()}) {
    if (!part.present()) continue;
    if (!out.empty()) out += " / ";
    if (part.Is(AttributeType::kN))
      out += NumberText(part.payload());
    else if (part.Is(AttributeType::kB))
      out += EncodeBase64(part.payload());
    else
      AppendPrintable(out, part.payload());
  }
  return out;
}

Result<CatalogProposal> ProposeCatalog(const ReadSnapshot& snapshot,
                                       const std::vector<std::string>& tables,
                                       const ProposeOptions& options) {
  std::vector<Survey> surveys;
  bool whole = true;
  for (const std::string& table : tables) {
    Survey survey;
    TABLECAST_RETURN_IF_ERROR(Sample(snapshot, table, options, survey));
    Group(survey);
    Split(survey);
    std::stable_sort(survey.drafts.begin(), survey.drafts.end(), [](const auto& a, const auto& b) {
      return a.samples.size() > b.samples.size();
    });
    // What is rarer than the sixtieth type is left over.
    if (survey.drafts.size() > kMaxTypesPerTable) survey.drafts.resize(kMaxTypesPerTable);
    Separate(survey);
    whole = whole && survey.proposal.sampled == survey.proposal.items;
    surveys.push_back(std::move(survey));
  }
  // Names and links are over all tables at once.
  std::vector<RecordTypeDraft> drafts;
  for (Survey& survey : surveys) {
    survey.first = drafts.size();
    survey.count = survey.drafts.size();
    for (RecordTypeDraft& draft : survey.drafts) {
      draft.alone = survey.count == 1;
      Describe(draft);
      drafts.push_back(std::move(draft));
    }
  }
  NameRecordTypes(drafts);
  for (RecordTypeDraft& draft : drafts) {
    AddVirtualColumns(draft);
    ChooseIdSeparator(draft);
  }
  LinkRecordTypes(drafts, whole);
  CatalogProposal proposal;
  std::set<std::string> dropped;
  for (Survey& survey : surveys) {
    survey.drafts.clear();
    for (std::size_t i = 0; i < survey.count; ++i)
      survey.drafts.push_back(std::move(drafts[survey.first + i]));
    TABLECAST_RETURN_IF_ERROR(CountAll(snapshot, survey, dropped));
    std::stable_sort(survey.drafts.begin(), survey.drafts.end(),
                     [](const RecordTypeDraft& a, const RecordTypeDraft& b) {
                       return a.proposal.items > b.proposal.items;
                     });
    for (RecordTypeDraft& draft : survey.drafts)
      proposal.types.push_back(std::move(draft.proposal));
    proposal.tables.push_back(std::move(survey.proposal));
  }
  for (RecordTypeProposal& type : proposal.types) {
    std::erase_if(type.relationships, [&](const RelationshipProposal& link) {
      return dropped.contains(type.object + "." + link.column) ||
             dropped.contains(link.to + "." + link.to_column);
    });
    std::erase_if(type.indexes, [&](const std::string& column) {
      return dropped.contains(type.object + "." + column);
    });
  }
  proposal.catalog = CatalogText(proposal.types, proposal.tables);
  return proposal;
}

}  // namespace tablecast
