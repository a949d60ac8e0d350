#include "formula/function_registry.h"

#include "formula/function_tables.h"
#include "formula/lexer.h"

namespace tablecast::formula {

FunctionRegistry FunctionRegistry::Standard() {
  static const std::span<const FunctionEntry> kFamilies[] = {
      internal::TextFunctions(), internal::TextPatternFunctions(), internal::LogicFunctions(),
      internal::MathFunctions(), internal::DateFunctions(),        internal::RefusedFunctions()};
  return FunctionRegistry(kFamilies);
}

const FunctionEntry* FunctionRegistry::Find(std::string_view name) const {
  for (const std::span<const FunctionEntry> family : families_) {
    for (const FunctionEntry& entry : family) {
      if (EqualsIgnoringCase(entry.name, name)) return &entry;
    }
  }
  return nullptr;
}

}  // namespace tablecast::formula
