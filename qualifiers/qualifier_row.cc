// IMPLEMENTATION: virtual columns are computed on first use and remembered until the next Reset;
// one that mentions another asks for it through the same reader (the compiler bounds the depth).
// Tested by qualifier_row_test.

#include <deque>

#include "base/base64.h"
#include "base/utf8.h"
#include "item/item_codec.h"
#include "item/number.h"
#include "qualifiers/compiled_impl.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxSeenBytes = 80;

std::string Cut(std::string text) {
  if (text.size() <= kMaxSeenBytes) return text;
  std::size_t end = kMaxSeenBytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string Shown(const AttributeView& value) {
  if (!value.present()) return "missing";
  std::string out;
  switch (value.type()) {
    case AttributeType::kS:
      out = "\"";
      AppendPrintable(out, value.payload().substr(0, kMaxSeenBytes));
      return Cut(out + "\"");
    case AttributeType::kN: return Cut(NumberText(value.payload()));
    case AttributeType::kB:
      return Cut("b\"" + EncodeBase64(value.payload().substr(0, kMaxSeenBytes)) + "\"");
    case AttributeType::kBool: return value.AsBool() ? "true" : "false";
    case AttributeType::kNull: return "NULL";
    default:
      return std::string(AttributeTypeName(value.type())) + " of " +
             std::to_string(ElementCount(value)) + " elements";
  }
}

}  // namespace

struct QualifierRow::State final : public formula::FieldReader {
  State(const CompiledQualifier& compiled, const TableSchema& table, const AttributeNames& names,
        Timestamp now)
      : qualifier(compiled),
        schema(table),
        impl(*compiled.impl_),
        item_row(compiled.slots_, table, names),
        context(now),
        slot_count(static_cast<Slot>(compiled.slots_.names().size())),
        cells(compiled.virtual_columns_.size()) {}

  struct Cell {
    formula::Value value;
    std::unique_ptr<formula::EvalError> error;
    bool computed = false;
  };

  void Forget() {
    for (Cell& cell : cells) {
      if (!cell.computed) continue;
      cell.computed = false;
      cell.value = formula::Value();
      cell.error.reset();
    }
    number_texts.clear();
    context.ResetRow();
  }

  AttributeView Stored(Slot slot) const { return row->Get(slot); }

  formula::Value Read(Slot slot) const override {
    if (slot >= slot_count) return Compute(slot - slot_count).value;
    const AttributeView view = Stored(slot);
    if (view.Is(AttributeType::kN) && impl.reads_as_text[slot]) {
      return formula::Value::TextView(number_texts.emplace_back(NumberText(view.payload())));
    }
    return formula::FromAttribute(view);
  }
  const formula::EvalError* ReadError(Slot slot) const override {
    return slot >= slot_count ? Compute(slot - slot_count).error.get() : nullptr;
  }

  // The first candidate that yields a value without error; if none does, blank with the first
  // error.
  const Cell& Compute(std::size_t index) const {
    Cell& cell = cells[index];
    if (cell.computed) return cell;
    cell.computed = true;
    for (const auto& program : qualifier.virtual_columns_[index].candidates) {
      formula::EvalResult result = program->Evaluate(*this, context);
      if (!result.ok()) {
        if (cell.error == nullptr)
          cell.error = std::make_unique<formula::EvalError>(result.error());
        continue;
      }
      if (result.value().IsBlank()) continue;
      cell.value = std::move(result).value();
      cell.error.reset();
      break;
    }
    return cell;
  }

  bool VirtualConditionsHold() const {
    if (!qualifier.has_virtual_conditions_) return true;
    for (const RowCondition& condition : impl.conditions) {
      if (condition.is_virtual && !condition.HoldsFor(Compute(condition.slot).value)) return false;
    }
    return true;
  }

  const CompiledQualifier& qualifier;
  const TableSchema& schema;
  const CompiledQualifier::Impl& impl;
  ItemRow item_row;
  std::optional<OwnedItemRow> owned_row;
  const Row* row = nullptr;
  const ItemView* item = nullptr;
  const Item* owned_item = nullptr;
  mutable formula::EvalContext context;
  Slot slot_count;
  mutable std::vector<Cell> cells;
  mutable std::deque<std::string> number_texts;  // stable addresses
  mutable std::deque<std::string> payloads;      // of Attribute() on owned items
};

QualifierRow::QualifierRow(const CompiledQualifier& qualifier, const TableSchema& schema,
                           const AttributeNames& names, Timestamp now)
    : state_(std::make_unique<State>(qualifier, schema, names, now)) {}
QualifierRow::~QualifierRow() = default;

void QualifierRow::Reset(const ItemView& item) {
  state_->Forget();
  state_->item_row.Reset(item);
  state_->row = &state_->item_row;
  state_->item = &item;
  state_->owned_item = nullptr;
}

void QualifierRow::ResetOwned(const Item& item) {
  state_->Forget();
  state_->payloads.clear();
  state_->owned_row.emplace(state_->qualifier.slots_, item);
  state_->row = &*state_->owned_row;
  state_->item = nullptr;
  state_->owned_item = &item;
}

bool QualifierRow::Belongs() {
  return state_->qualifier.full_->Evaluate(*state_->row) == Truth::kTrue &&
         state_->VirtualConditionsHold();
}

bool QualifierRow::PassesResidual() {
  return state_->qualifier.residual_->Evaluate(*state_->row) == Truth::kTrue &&
         state_->VirtualConditionsHold();
}

const formula::Value& QualifierRow::Virtual(std::size_t virtual_index) {
  return state_->Compute(virtual_index).value;
}

const formula::EvalError* QualifierRow::VirtualError(std::size_t virtual_index) const {
  return state_->Compute(virtual_index).error.get();
}

AttributeView QualifierRow::Physical(Slot slot) const { return state_->Stored(slot); }

AttributeView QualifierRow::Attribute(std::string_view name) const {
  if (state_->item != nullptr) return state_->item->Find(name);
  const auto found = state_->owned_item->find(name);
  if (found == state_->owned_item->end()) return {};
  std::string& payload = state_->payloads.emplace_back();
  AppendPayload(payload, found->second);
  return {found->second.type(), payload};
}

std::vector<ConditionVerdict> QualifierRow::Explain() {
  std::vector<ConditionVerdict> verdicts;
  for (const RowCondition& condition : state_->impl.conditions) {
    ConditionVerdict verdict{
        .column = condition.column, .condition = condition.text, .seen = {}, .holds = false};
    if (condition.is_virtual) {
      const State::Cell& cell = state_->Compute(condition.slot);
      verdict.seen =
          cell.error != nullptr ? Cut("error: " + cell.error->message) : Cut(cell.value.ToString());
      verdict.holds = condition.HoldsFor(cell.value);
    } else {
      verdict.seen = Shown(state_->Stored(condition.slot));
      verdict.holds = condition.predicate->Evaluate(*state_->row) == Truth::kTrue;
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace tablecast
