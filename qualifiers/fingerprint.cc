// IMPLEMENTATION: the meaning of membership written out, each part with its length before it, and
// hashed by XXH3-128, whose values are fixed. CHOICE: a hash and no cryptographic one: files come
// from the catalog's own author, and the index it names can be rebuilt.

#include <xxhash.h>

#include "qualifiers/compiled_impl.h"

namespace tablecast {

// Membership only: conditions, and the formulas that conditions on virtual columns run.
std::string Fingerprint(const CompiledQualifier& compiled, const CompiledQualifier::Impl& impl,
                        const TableSchema& schema, bool blank_as_zero) {
  const SlotMap& slots = compiled.slots();
  std::string meaning = "qualifier-1\n";  // raise when the rules of membership change
  const auto add = [&](std::string_view part) {
    meaning += std::to_string(part.size()) + ":" + std::string(part) + "\n";
  };
  add(schema.name);
  for (const KeyColumn* key :
       {&schema.key.partition, schema.key.sort ? &*schema.key.sort : nullptr}) {
    if (key != nullptr) add(key->name + " " + std::string(AttributeTypeName(key->type)));
  }
  for (const RowCondition& condition : impl.conditions) {
    add(condition.is_virtual ? condition.column : slots.names()[condition.slot]);
    add(condition.is_virtual ? "virtual" : "stored");
    add(condition.text);
    add(PresenceName(condition.presence));
    if (!condition.is_virtual) add(condition.predicate->ToString(slots));
  }
  if (compiled.has_virtual_conditions()) {
    add(blank_as_zero ? "zero" : "blank");
    for (const VirtualColumn& column : compiled.virtual_columns()) {
      add(column.name);
      for (const auto& program : column.candidates) add(program->ToString());
    }
  }
  const XXH128_hash_t hash = XXH3_128bits(meaning.data(), meaning.size());
  std::string hex;
  for (const XXH64_hash_t half : {hash.high64, hash.low64}) {
    for (unsigned digit = 16; digit-- > 0;) hex += "0123456789abcdef"[(half >> (4 * digit)) & 15U];
  }
  return hex;
}

}  // namespace tablecast
