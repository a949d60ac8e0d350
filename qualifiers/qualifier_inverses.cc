#include "qualifiers/qualifier_inverses.h"

#include <algorithm>
#include <map>

namespace tablecast {

namespace {

// Says whether and why the column's inverse may narrow reads.
std::string Judge(const InverseContext& context, PhysicalColumn& column,
                  const std::vector<const formula::ColumnFacts*>& known) {
  std::vector<formula::ForwardDefinition> forwards;
  for (const formula::FieldUse& use : column.inverse->fields()) {
    if (!context.names.IsVirtualSlot(use.slot)) continue;
    const VirtualColumn& input = context.virtuals[context.names.VirtualIndex(use.slot)];
    if (input.candidates.size() == 1)
      forwards.push_back({input.name, input.candidates.front().get()});
  }
  std::string verdict;
  // A column may be known by several names; a proof under one of them is a proof.
  for (const formula::ColumnFacts* facts : known) {
    const formula::PairVerdict pair = formula::ProvePair(*column.inverse, forwards, *facts);
    const bool texts_only = !context.impl.MayReadNumbersAsText(facts->name);
    column.inverse_narrows_reads = pair.proved && texts_only;
    verdict = !pair.proved || texts_only ? pair.why
                                         : "numbers in it are read as text; declare its type";
    if (column.inverse_narrows_reads) return verdict;
  }
  for (const formula::ColumnFacts* facts : known) {
    if (!IsTrustedInverse(context.trusted, facts->name)) continue;
    column.inverse_narrows_reads = true;
    return "trusted by `trustedInverses`";
  }
  return verdict;
}

std::size_t PhysicalIndex(const InverseContext& context, Slot slot) {
  const std::string& attribute = context.names.attributes()[slot];
  const auto [place, is_new] =
      context.impl.physical_index.emplace(attribute, context.physical.size());
  if (is_new) {  // a key column that no entry lists
    PhysicalColumn& fresh = context.physical.emplace_back();
    fresh.name = attribute;
    fresh.slot = slot;
    context.impl.inverse_verdicts.emplace_back();
  }
  return place->second;
}

}  // namespace

bool IsTrustedInverse(const std::vector<std::string>& trusted, std::string_view name) {
  return std::find(trusted.begin(), trusted.end(), name) != trusted.end();
}

void ProveInverses(const InverseContext& context) {
  std::map<Slot, std::vector<const formula::ColumnFacts*>> facts_of;
  for (const auto& [name, facts] : context.impl.facts)
    facts_of[context.names.fields().find(name)->second].push_back(&facts);
  for (PhysicalColumn& column : context.physical) {
    context.impl.inverse_verdicts.push_back(
        column.inverse == nullptr ? "" : Judge(context, column, facts_of[column.slot]));
  }
}

void DeriveWrites(const InverseContext& context) {
  for (std::size_t v = 0; v < context.virtuals.size(); ++v) {
    const VirtualColumn& column = context.virtuals[v];
    if (column.candidates.size() != 1) continue;
    const auto facts = context.impl.FactsFor(*column.candidates.front());
    const auto derived = formula::DeriveInverse(*column.candidates.front(), facts, column.name);
    if (!derived) continue;
    const auto field = context.names.fields().find(derived->column);
    if (field == context.names.fields().end() || context.names.IsVirtualSlot(field->second))
      continue;
    const std::size_t p = PhysicalIndex(context, field->second);
    if (context.physical[p].inverse != nullptr || !context.physical[p].constants.empty()) continue;
    formula::CompileOptions how;
    how.qualifier_mode = true;
    auto program = formula::Program::Compile(derived->definition, context.names, how).program;
    if (program == nullptr) continue;
    context.impl.derived_writes.push_back(
        {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(p), std::move(program)});
  }
}

}  // namespace tablecast
