#ifndef TABLECAST_QUALIFIERS_QUALIFIER_INVERSES_H_
#define TABLECAST_QUALIFIERS_QUALIFIER_INVERSES_H_

// The last step of compiling a qualifier: which written inverses may narrow reads, and which stored
// columns follow from virtual ones without a written inverse. Private to qualifiers/.

#include <string>
#include <string_view>
#include <vector>

#include "qualifiers/compiled_impl.h"
#include "qualifiers/qualifier_names.h"

namespace tablecast {

// BORROWS everything: the parts of a qualifier under construction, its formulas compiled and its
// facts known.
struct InverseContext {
  const QualifierNames& names;
  const std::vector<std::string>& trusted;  // `trustedInverses`
  const std::vector<VirtualColumn>& virtuals;
  std::vector<PhysicalColumn>& physical;
  CompiledQualifier::Impl& impl;
};

bool IsTrustedInverse(const std::vector<std::string>& trusted, std::string_view name);

// Sets inverse_narrows_reads of every physical column and one verdict each.
void ProveInverses(const InverseContext& context);
// Adds the derived writes; a key column that no entry lists becomes a physical column.
void DeriveWrites(const InverseContext& context);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_QUALIFIER_INVERSES_H_
