#include "formula/inverse.h"
namespace tablecast::formula {
__attribute__((weak)) Inversion Invert(const Program&, const std::vector<ColumnFacts>&,
                                       const VirtualCondition&) {
  return {};
}
__attribute__((weak)) PairVerdict ProvePair(const Program&, const std::vector<ForwardDefinition>&,
                                            const ColumnFacts&) {
  return {};
}
__attribute__((weak)) Inversion InvertJoined(const Program&, const std::string&,
                                             const std::vector<BoundInput>&) {
  return {};
}
__attribute__((weak)) std::optional<DerivedInverse> DeriveInverse(const Program&,
                                                                  const std::vector<ColumnFacts>&,
                                                                  std::string_view) {
  return {};
}
}  // namespace tablecast::formula
