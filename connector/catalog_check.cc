// IMPLEMENTATION of catalog_check.h: every table is read once; what concerns two objects (links) is
// kept as values and compared at the end. Tested by tests/connector/catalog_check_test.cc.

#include "connector/catalog_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/utf8.h"
#include "connector/convert.h"
#include "connector/item_judge.h"
#include "connector/record_types.h"
#include "qualifiers/validator.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxSpectrum = 2000;  // distinct values kept of a discriminating column

struct Counted {
  std::uint64_t count = 0;
  std::string example;
  void Add(const std::string& text) {
    if (count++ == 0) example = text;
  }
};

std::string Items(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " item" : " items");
}

// The values of one link: where they come from and how often.
struct LinkValues {
  std::unordered_map<std::string, Counted> values;
};

// What is gathered about one object.
struct ObjectState {
  const ExternalObject* object = nullptr;
  std::uint64_t members = 0;
  std::vector<Counted> conversions;                                   // by field
  std::map<std::pair<std::size_t, std::string>, Counted> violations;  // by field and rule
  std::unordered_map<std::string, std::string> ids;                   // external ID -> first key
  Counted ambiguous, long_ids;
  std::vector<LinkValues> links;                               // by navigation, declared ones only
  std::vector<std::unordered_set<std::string>> target_values;  // by wanted join column
  std::vector<JoinColumn> wanted;
  std::map<std::string, Counted> inverse_failures;  // by column
  std::size_t inverse_tried = 0;
  std::vector<std::set<std::size_t>>
      constants_seen;  // by physical column: constants and prefix that some item has
};

// How often values and their heads ("USER#") stand in a column of a table.
struct Spectrum {
  std::map<std::string, std::uint64_t> counts;
  void Add(const std::string& text) {
    if (counts.size() < kMaxSpectrum || counts.contains(text)) ++counts[text];
  }
};

std::string HeadOf(std::string_view text) {
  const std::size_t at = text.find_first_of("#|:/~");
  return at == std::string_view::npos ? std::string() : std::string(text.substr(0, at + 1));
}

class Checker {
 public:
  Checker(const Catalog& catalog, const ReadSnapshot& snapshot, const CatalogCheckOptions& options)
      : catalog_(catalog), snapshot_(snapshot), options_(options) {}

  Result<CatalogCheck> Run() {
    for (const auto& object : catalog_.objects()) {
      ObjectState state;
      state.object = object.get();
      state.conversions.resize(object->fields().size());
      state.links.resize(object->navigations().size());
      state.constants_seen.resize(object->qualifier().physical_columns().size());
      states_.push_back(std::move(state));
    }
    for (ObjectState& state : states_) {
      for (const Navigation& navigation : state.object->navigations()) {
        if (navigation.declared && !navigation.embedded) Want(*navigation.target, navigation.to);
      }
    }
    for (const std::string& table : catalog_.Tables()) TABLECAST_RETURN_IF_ERROR(ReadTable(table));
    for (ObjectState& state : states_) Conclude(state);
    return std::move(check_);
  }

 private:
  ObjectState& StateOf(const ExternalObject& object) {
    return *std::find_if(states_.begin(), states_.end(),
                         [&](const ObjectState& state) { return state.object == &object; });
  }

  std::size_t Want(const ExternalObject& target, const JoinColumn& column) {
    ObjectState& state = StateOf(target);
    for (std::size_t i = 0; i < state.wanted.size(); ++i) {
      if (state.wanted[i].column == column.column) return i;
    }
    state.wanted.push_back(column);
    state.target_values.emplace_back();
    return state.wanted.size() - 1;
  }

  void Warn(const ExternalObject* object, std::string code, std::string target, std::string message,
            std::string remedy) {
    Issue issue;
    issue.severity = Severity::kWarning;
    issue.code = std::move(code);
    issue.target = std::move(target);
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    if (object != nullptr) issue.file = object->file();
    check_.issues.push_back(std::move(issue));
  }

  Status ReadTable(const std::string& table) {
    TABLECAST_ASSIGN_OR_RETURN(ItemJudge judge,
                               ItemJudge::Make(catalog_, snapshot_, table, options_.now));
    spectra_.clear();
    std::map<std::string, Counted> unclaimed;  // by nearest object and failed condition
    std::map<std::string, Counted> twice;      // by the names of the claimants
    std::uint64_t nobody = 0;
    const auto scanned = snapshot_.Scan(table, {}, [&](const ItemView& item) {
      ++check_.items;
      std::string claimants;
      std::size_t claims = 0;
      for (const auto& record : judge.records()) {
        record->Reset(item);
        ObjectState& state = StateOf(record->object());
        SeeConstants(state, item);
        if (!record->Belongs()) continue;
        ++claims;
        claimants += (claimants.empty() ? "" : " and ") + record->object().name();
        SeeMember(state, *record, item);
        for (ObjectState& child : states_) {
          if (child.object->embedded() != nullptr &&
              child.object->embedded()->parent == state.object)
            ++child.members;
        }
      }
      if (claims > 1) twice[claimants].Add(KeyForPeople(item));
      if (claims == 0) {
        ++nobody;
        const ItemJudge::Nearest nearest = judge.NearestObject(item);
        const std::string why = nearest.object == nullptr
                                    ? ""
                                    : nearest.object->name() + ": " + nearest.failed.column + " " +
                                          nearest.failed.condition;
        unclaimed[why].Add(KeyForPeople(item));
      }
      return true;
    });
    if (!scanned.ok()) return scanned.error();
    for (const auto& [claimants, counted] : twice) {
      Warn(nullptr, "items-claimed-twice", table,
           claimants + " both claim " + Items(counted.count) + " of table " + table +
               ", for example " + counted.example,
           "tell them apart by `filter`, `postFilter` or a constant");
    }
    for (const auto& [why, counted] : unclaimed) {
      Warn(
          nullptr, "items-unclaimed", table,
          "no object claims " + Items(counted.count) + " of table " + table + ", for example " +
              counted.example + (why.empty() ? "" : "; nearest is " + why),
          "`tablecast why --object OBJECT --key KEY` judges one; declare an object if they matter");
    }
    for (const ObjectState& state : states_) {
      if (state.object->table() == table && state.object->embedded() == nullptr)
        MissingConstants(state);
    }
    return {};
  }

  // Whether each constant and prefix occurs at all, and what occurs instead.
  void SeeConstants(ObjectState& state, const ItemView& item) {
    const auto& columns = state.object->qualifier().physical_columns();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const PhysicalColumn& column = columns[c];
      if (column.constants.empty() && column.literal_prefix.empty()) continue;
      const AttributeView value = item.Find(column.name);
      if (!value.Is(AttributeType::kS)) continue;
      const std::string text(value.payload());
      Spectrum& spectrum = spectra_[{state.object, column.name}];
      spectrum.Add(text);
      if (const std::string head = HeadOf(text); !head.empty()) spectrum.Add(head);
      for (std::size_t i = 0; i < column.constants.size(); ++i) {
        if (column.constants[i].Is(AttributeType::kS) && column.constants[i].text() == text)
          state.constants_seen[c].insert(i);
      }
      if (!column.literal_prefix.empty() && text.starts_with(column.literal_prefix)) {
        state.constants_seen[c].insert(column.constants.size());
      }
    }
  }

  void MissingConstants(const ObjectState& state) {
    const auto& columns = state.object->qualifier().physical_columns();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::vector<std::string> missing;
      for (std::size_t i = 0; i < columns[c].constants.size(); ++i) {
        const AttributeValue& constant = columns[c].constants[i];
        if (constant.Is(AttributeType::kS) && !state.constants_seen[c].contains(i))
          missing.push_back(constant.text());
      }
      const bool prefix = columns[c].constants.empty() && !columns[c].literal_prefix.empty();
      if (prefix && !state.constants_seen[c].contains(0))
        missing.push_back(columns[c].literal_prefix);
      for (const std::string& text : missing) {
        std::string instead;
        const auto spectrum = spectra_.find({state.object, columns[c].name});
        if (spectrum != spectra_.end()) instead = NearestValues(spectrum->second, text);
        Warn(state.object, prefix ? "prefix-absent" : "constant-absent",
             state.object->name() + "." + columns[c].name,
             std::string("no item's ") + columns[c].name + (prefix ? " begins with \"" : " is \"") +
                 text + "\"",
             instead.empty() ? "compare with `tablecast items`" : "the data has " + instead);
      }
    }
  }

  // The three most alike by spelling, else the most frequent, with counts.
  static std::string NearestValues(const Spectrum& spectrum, const std::string& text) {
    std::vector<std::tuple<std::size_t, std::uint64_t, std::string>> order;
    for (const auto& [value, count] : spectrum.counts) {
      order.emplace_back(EditDistance(text, value, 12), ~count, value);
    }
    std::sort(order.begin(), order.end());
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
      const auto& [distance, inverted, value] = order[i];
      std::string printable;
      AppendPrintable(printable, value);
      out += (out.empty() ? "\"" : ", \"") + printable + "\" (" + std::to_string(~inverted) + ")";
    }
    return out;
  }

  void SeeMember(ObjectState& state, ItemRecord& record, const ItemView& item) {
    ++state.members;
    const std::string key = KeyForPeople(item);
    const auto& fields = state.object->fields();
    for (std::size_t f = 1; f < fields.size(); ++f) {
      std::optional<ConversionError> error;
      const EdmValue value = record.ValueOf(fields[f], &error);
      if (error) {
        state.conversions[f].Add(key + " holds " + error->stored);
      } else {
        CheckRules(state, f, value, key);
      }
    }
    const std::string id = record.ExternalId();
    if (CountCodePoints(id) > state.object->external_id().max_length) state.long_ids.Add(key);
    if (state.ids.size() < options_.tracked_values) {
      const auto [at, fresh] = state.ids.emplace(id, key);
      if (!fresh) state.ambiguous.Add("'" + id + "' is " + at->second + " and " + key);
    }
    for (std::size_t i = 0; i < state.wanted.size(); ++i) {
      const EdmValue value = record.Join(state.wanted[i]);
      if (!value.is_null() && state.target_values[i].size() < options_.tracked_values)
        state.target_values[i].insert(value.ToText());
    }
    const auto& navigations = state.object->navigations();
    for (std::size_t n = 0; n < navigations.size(); ++n) {
      if (!navigations[n].declared || navigations[n].embedded) continue;
      const EdmValue value = record.Join(navigations[n].from);
      if (value.is_null()) continue;
      LinkValues& link = state.links[n];
      if (link.values.size() < options_.tracked_values || link.values.contains(value.ToText())) {
        link.values[value.ToText()].Add(key);
      }
    }
    TryInverses(state, item, key);
  }

  // Rules that writes keep and stored values may break.
  void CheckRules(ObjectState& state, std::size_t number, const EdmValue& value,
                  const std::string& key) {
    const Field& field = state.object->fields()[number];
    const auto broken = [&](const std::string& rule) { state.violations[{number, rule}].Add(key); };
    if (value.is_null()) {
      if (field.required) broken("is required and missing");
      return;
    }
    if (!field.declared) return;
    if (value.kind() == EdmKind::kString && IsTextType(field.type)) {
      if (CountCodePoints(value.text()) > field.max_length)
        broken("is longer than " + std::to_string(field.max_length));
      if (!field.values.empty() &&
          std::find(field.values.begin(), field.values.end(), value.text()) == field.values.end()) {
        broken("is none of its `values`");
      }
    }
    if (IsExactNumber(value.kind())) {
      if (field.minimum && value.number() < *field.minimum) broken("is below its minimum");
      if (field.maximum && *field.maximum < value.number()) broken("is above its maximum");
    }
  }

  // The physical columns computed anew from the virtual ones must be what is stored.
  void TryInverses(ObjectState& state, const ItemView& view, const std::string& key) {
    const CompiledQualifier& qualifier = state.object->qualifier();
    const bool any =
        std::any_of(qualifier.physical_columns().begin(), qualifier.physical_columns().end(),
                    [](const PhysicalColumn& column) { return column.inverse != nullptr; });
    if (!any || state.inverse_tried >= options_.inverse_samples) return;
    ++state.inverse_tried;
    const auto stored = view.ToItem();
    if (!stored.ok()) return;
    QualifierRow row(qualifier, view.schema(), view.names(), options_.now);
    row.Reset(view);
    std::vector<VirtualAssignment> assignments;
    for (std::size_t i = 0; i < qualifier.virtual_columns().size(); ++i) {
      if (IsWritableVirtual(qualifier, i))
        assignments.push_back({qualifier.virtual_columns()[i].name, row.Virtual(i)});
    }
    Item item = *stored;
    for (const PhysicalColumn& column : qualifier.physical_columns()) {
      if (column.inverse != nullptr) item.erase(column.name);
    }
    const Status applied =
        ApplyVirtualWrites(qualifier, view.schema(), options_.now, assignments, {}, nullptr, item);
    if (!applied.ok()) {
      state.inverse_failures[applied.error().target].Add(key + ": " + applied.error().message);
      return;
    }
    for (const PhysicalColumn& column : qualifier.physical_columns()) {
      if (column.inverse == nullptr) continue;
      const auto before = stored->find(column.name);
      const auto after = item.find(column.name);
      const bool same = (before == stored->end()) == (after == item.end()) &&
                        (before == stored->end() || before->second == after->second);
      if (!same) state.inverse_failures[column.name].Add(key);
    }
  }

  void Conclude(const ObjectState& state) {
    const ExternalObject& object = *state.object;
    if (object.embedded() != nullptr) return;
    if (object.table_exists() && state.members == 0) {
      Warn(&object, "object-empty", object.name(),
           "no item of table " + object.table() + " belongs to " + object.name(),
           "`tablecast why --object " + object.name() +
               " --key KEY` names the condition that refuses one");
    }
    for (std::size_t f = 0; f < state.conversions.size(); ++f) {
      if (state.conversions[f].count == 0) continue;
      const Field& field = object.fields()[f];
      Warn(&object, "conversion-errors", object.name() + "." + field.name,
           Items(state.conversions[f].count) + " cannot be read as " +
               std::string(FieldTypeName(field.type)) + ": " + state.conversions[f].example,
           "they are published as null; declare another type or mend the data");
    }
    for (const auto& [rule, counted] : state.violations) {
      const Field& field = object.fields()[rule.first];
      Warn(&object, "constraint-violations", object.name() + "." + field.name,
           "it " + rule.second + " in " + Items(counted.count) + ", for example " + counted.example,
           "mend the data, or relax the field");
    }
    if (state.ambiguous.count > 0) {
      Warn(&object, "external-id-ambiguous", object.name(),
           Items(state.ambiguous.count) +
               " share an external ID with another: " + state.ambiguous.example,
           "set `externalId` with `escape` true, another separator or other columns");
    }
    if (state.long_ids.count > 0) {
      Warn(&object, "external-id-long", object.name(),
           Items(state.long_ids.count) + " have external IDs longer than " +
               std::to_string(object.external_id().max_length) + ", for example " +
               state.long_ids.example,
           "raise `externalId.maxLength`");
    }
    for (std::size_t n = 0; n < state.links.size(); ++n) {
      if (!state.links[n].values.empty())
        DanglingLinks(object, object.navigations()[n], state.links[n]);
    }
    for (const auto& [column, counted] : state.inverse_failures) {
      Warn(&object, "inverse-round-trip", object.name() + "." + column,
           "the inverse does not give back what is stored in " + Items(counted.count) + " of " +
               std::to_string(state.inverse_tried) + " tried, for example " + counted.example,
           "writes would store something else: mend the definition of " + column);
    }
    for (const Field& field : object.fields()) {
      if (!field.hidden && (LooksSecret(field.name) || LooksSecret(field.column))) {
        Warn(&object, "published-secret", object.name() + "." + field.name,
             "its name looks like a secret and it is published", "set `hidden`");
      }
    }
  }

  void DanglingLinks(const ExternalObject& object, const Navigation& navigation,
                     const LinkValues& link) {
    const ObjectState& target = StateOf(*navigation.target);
    const std::size_t wanted = Want(*navigation.target, navigation.to);
    const auto& there = target.target_values[wanted];
    if (there.size() >= options_.tracked_values) return;
    std::uint64_t items = 0;
    std::map<std::string, std::string>
        dangling;  // value -> example; sorted, so that reports repeat
    for (const auto& [value, counted] : link.values) {
      if (there.contains(value)) continue;
      items += counted.count;
      dangling.emplace(value, counted.example);
    }
    if (dangling.empty()) return;
    Warn(&object, "relationship-dangling", object.name() + "." + navigation.name,
         Items(items) + (items == 1 ? " names " : " name ") + std::to_string(dangling.size()) + " " +
             navigation.target->name() + " that are not there, for example \"" +
             dangling.begin()->first + "\" in " + dangling.begin()->second,
         "mend the data, or the relationship's columns");
  }

  const Catalog& catalog_;
  const ReadSnapshot& snapshot_;
  const CatalogCheckOptions& options_;
  CatalogCheck check_;
  std::vector<ObjectState> states_;
  std::map<std::pair<const ExternalObject*, std::string>, Spectrum> spectra_;
};

}  // namespace

Result<CatalogCheck> CheckCatalog(const Catalog& catalog, const ReadSnapshot& snapshot,
                                  const CatalogCheckOptions& options) {
  return Checker(catalog, snapshot, options).Run();
}

}  // namespace tablecast
