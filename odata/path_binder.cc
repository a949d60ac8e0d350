#include "odata/path_binder.h"

#include <algorithm>

#include "odata/expression_binder.h"
#include "odata/http_error.h"

namespace tablecast {

namespace {

using Segment = syntax::PathSegment;

Error NotFound(std::string message, std::string remedy = {}) {
  return MakeError(ErrorCode::kNotFound, "resource-not-found", std::move(message), "", std::move(remedy));
}

bool MayRead(const Principal& principal, const ExternalObject& object) {
  return principal.RightsFor(object.name()).read;
}

Result<EdmValue> KeyValue(const syntax::Expr& expr, const std::vector<syntax::AliasValue>& aliases) {
  const syntax::Expr* value = &expr;
  if (value->kind == syntax::ExprKind::kPath && value->args.size() == 1 &&
      value->args[0].kind == syntax::ExprKind::kAlias) {
    const auto found = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const auto& alias) { return alias.name == value->args[0].text; });
    if (found == aliases.end()) {
      return MakeError(ErrorCode::kInvalidArgument, "key-alias", "the alias @" + value->args[0].text + " has no value");
    }
    value = &found->value;
  }
  if (value->kind != syntax::ExprKind::kLiteral) {
    return MakeError(ErrorCode::kInvalidArgument, "key-value", "a key value is a literal");
  }
  return LiteralValue(*value);
}

// The walk over the segments.
class Walker {
 public:
  Walker(const Catalog& catalog, const Principal& principal, const syntax::ResourcePath& path,
         const std::vector<syntax::AliasValue>& aliases)
      : catalog_(catalog), principal_(principal), path_(path), aliases_(aliases) {}

  Result<BoundPath> Walk() {
    if (path_.segments.empty()) return std::move(bound_);
    const Segment& first = path_.segments.front();
    switch (first.kind) {
      case Segment::Kind::kMetadata: bound_.kind = BoundPath::Kind::kMetadata; return Ended(1);
      case Segment::Kind::kBatch: bound_.kind = BoundPath::Kind::kBatch; return Ended(1);
      case Segment::Kind::kEntity: bound_.kind = BoundPath::Kind::kEntityById; return Ended(1);
      case Segment::Kind::kAll: return NotOffered("$all");
      case Segment::Kind::kCrossJoin: return NotOffered("$crossjoin");
      case Segment::Kind::kQualifiedName: return NotOffered("the function or action " + first.text);
      default: break;
    }
    TABLECAST_RETURN_IF_ERROR(Set(first));
    for (at_ = 1; at_ < path_.segments.size(); ++at_) {
      if (ended_) return NotFound("nothing can follow `" + path_.segments[at_ - 1].decoded + "`");
      TABLECAST_RETURN_IF_ERROR(Next(path_.segments[at_]));
    }
    return std::move(bound_);
  }

 private:
  Result<BoundPath> Ended(std::size_t segments) {
    if (path_.segments.size() > segments) return NotFound("nothing can follow `" + path_.segments[0].decoded + "`");
    return std::move(bound_);
  }

  Status Set(const Segment& segment) {
    const ExternalObject* object = catalog_.Find(segment.text);
    if (object == nullptr || !MayRead(principal_, *object)) {
      const auto nearest = catalog_.NearestObjectName(segment.text);
      const bool may_name = nearest && MayRead(principal_, *catalog_.Find(*nearest));
      return NotFound("there is no entity set `" + segment.text + "`",
                      may_name ? "did you mean `" + *nearest + "`?" : "the service document lists them");
    }
    bound_.object = object;
    bound_.kind = BoundPath::Kind::kCollection;
    if (segment.arguments) {
      TABLECAST_ASSIGN_OR_RETURN(RecordKey key, BindKey(*object, *segment.arguments, aliases_));
      TakeKey(std::move(key));
    }
    if (segment.key) return NotFound("a set has one key");
    return {};
  }

  // The record of the collection at hand that has this key.
  void TakeKey(RecordKey key) {
    bound_.kind = BoundPath::Kind::kRecord;
    bound_.key = key;
    if (!bound_.start) {
      bound_.start = PathStart{};
      bound_.start->object = bound_.object;
      bound_.start->key = std::move(key);
    } else {
      bound_.start->steps.back().key = std::move(key);
    }
  }

  Status Next(const Segment& segment) {
    switch (segment.kind) {
      case Segment::Kind::kCount:
        if (bound_.kind != BoundPath::Kind::kCollection && !IsCollectionProperty()) {
          return MakeError(ErrorCode::kInvalidArgument, "path-count", "$count needs a collection before it");
        }
        bound_.count = ended_ = true;
        return {};
      case Segment::Kind::kRef:
        if (bound_.kind == BoundPath::Kind::kProperty) {
          return MakeError(ErrorCode::kInvalidArgument, "path-ref", "a property has no reference");
        }
        bound_.ref = ended_ = true;
        return {};
      case Segment::Kind::kValue:
        if (bound_.kind != BoundPath::Kind::kProperty) {
          return MakeError(ErrorCode::kInvalidArgument, "path-value", "$value needs a property before it: a record is no stream");
        }
        if (IsCollectionProperty() || Leaf()->kind == EdmKind::kComplex) {
          return MakeError(ErrorCode::kInvalidArgument, "path-value", "$value needs a primitive property before it");
        }
        bound_.value = ended_ = true;
        return {};
      case Segment::Kind::kQuery: bound_.query = ended_ = true; return {};
      case Segment::Kind::kEach: return NotOffered("/$each");
      case Segment::Kind::kFilter:
        if (bound_.kind != BoundPath::Kind::kCollection) {
          return MakeError(ErrorCode::kInvalidArgument, "path-filter", "/$filter needs a collection before it");
        }
        bound_.filters.push_back(&*segment.filter);
        return {};
      default: break;
    }
    if (segment.kind == Segment::Kind::kQualifiedName &&
        segment.text == catalog_.schema_namespace() + "." + bound_.object->name()) {
      return {};  // a cast to its own type
    }
    switch (bound_.kind) {
      case BoundPath::Kind::kCollection: return KeyAsSegment(segment);
      case BoundPath::Kind::kRecord: return OnRecord(segment);
      default: return OnProperty(segment);
    }
  }

  // Orders/1012 means Orders('1012').
  // A name of our own schema is a type or function before it is a key, as the protocol has it.
  Status KeyAsSegment(const Segment& segment) {
    if (segment.kind == Segment::Kind::kQualifiedName &&
        (segment.arguments || segment.text.starts_with(catalog_.schema_namespace() + "."))) {
      return NotOffered("the type or function " + segment.text);
    }
    RecordKey key;
    const ExternalObject& object = *bound_.object;
    if (object.key_fields().front() == kExternalIdField) {
      key.external_id = segment.decoded;
    } else {
      auto guid = ParseEdm(EdmKind::kGuid, segment.decoded);
      if (!guid.ok()) return NotFound("no record has the key `" + segment.decoded + "`");
      key.alternate.emplace_back(object.key_fields().front(), *std::move(guid));
    }
    TakeKey(std::move(key));
    return {};
  }

  Status OnRecord(const Segment& segment) {
    const ExternalObject& object = *bound_.object;
    if (segment.kind == Segment::Kind::kQualifiedName) return NotOffered("the type or function " + segment.text);
    const Navigation* navigation = object.FindNavigation(segment.text);
    if (navigation != nullptr && MayRead(principal_, *navigation->target)) {
      bound_.start->steps.push_back({navigation, std::nullopt});
      bound_.object = navigation->target;
      bound_.last_navigation = navigation;
      bound_.key.reset();
      bound_.kind = navigation->collection ? BoundPath::Kind::kCollection : BoundPath::Kind::kRecord;
      if (segment.arguments) {
        if (!navigation->collection) return NotFound("`" + navigation->name + "` leads to one record and takes no key");
        TABLECAST_ASSIGN_OR_RETURN(RecordKey key, BindKey(*navigation->target, *segment.arguments, aliases_));
        TakeKey(std::move(key));
      }
      return {};
    }
    const Field* field = object.FindField(segment.text);
    if (field == nullptr || field->hidden || principal_.HidesField(object.name(), field->name)) {
      const auto nearest = object.NearestFieldName(segment.text);
      return NotFound(object.name() + " has no property `" + segment.text + "`",
                      nearest && !principal_.HidesField(object.name(), *nearest) ? "did you mean `" + *nearest + "`?" : "");
    }
    if (segment.arguments) return NotFound("the property `" + field->name + "` takes no key");
    bound_.field = field;
    bound_.kind = BoundPath::Kind::kProperty;
    return {};
  }

  Status OnProperty(const Segment& segment) {
    const Field* owner = Leaf();
    if (owner->kind == EdmKind::kComplex && !owner->PublishedAsCollection()) {
      for (const Field& member : owner->members) {
        if (member.name != segment.text) continue;
        bound_.members.push_back(&member);
        return {};
      }
    }
    return NotFound("`" + owner->name + "` has no member `" + segment.text + "`");
  }

  const Field* Leaf() const { return bound_.members.empty() ? bound_.field : bound_.members.back(); }
  bool IsCollectionProperty() const {
    return bound_.kind == BoundPath::Kind::kProperty && Leaf()->PublishedAsCollection();
  }

  const Catalog& catalog_;
  const Principal& principal_;
  const syntax::ResourcePath& path_;
  const std::vector<syntax::AliasValue>& aliases_;
  BoundPath bound_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<RecordKey> BindKey(const ExternalObject& object, const std::vector<syntax::PathArgument>& arguments,
                          const std::vector<syntax::AliasValue>& aliases) {
  RecordKey key;
  const std::string& key_field = object.key_fields().front();
  if (arguments.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "key-empty", "the brackets behind " + object.name() + " hold no key");
  }
  for (const syntax::PathArgument& argument : arguments) {
    TABLECAST_ASSIGN_OR_RETURN(EdmValue value, KeyValue(argument.value, aliases));
    if (value.is_null()) return MakeError(ErrorCode::kInvalidArgument, "key-null", "a key value is never null");
    const std::string name = argument.name.empty() ? key_field : argument.name;
    if (argument.name.empty() && arguments.size() > 1) {
      return MakeError(ErrorCode::kInvalidArgument, "key-names", "a key of several parts names each: (pk='a',sk='b')");
    }
    if (name == kExternalIdField) {
      if (arguments.size() > 1) {
        return MakeError(ErrorCode::kInvalidArgument, "key-mixed", "ExternalId is a whole key; give it alone");
      }
      if (value.kind() != EdmKind::kString) {
        return MakeError(ErrorCode::kInvalidArgument, "key-type", "ExternalId is text: " + object.name() + "('" + value.ToText() + "')");
      }
      key.external_id = value.text();
      continue;
    }
    for (const auto& [taken, other] : key.alternate) {
      if (taken == name) return MakeError(ErrorCode::kInvalidArgument, "key-duplicate", "the key names `" + name + "` twice");
    }
    key.alternate.emplace_back(name, std::move(value));
  }
  return key;
}

Result<BoundPath> BindPath(const Catalog& catalog, const Principal& principal, const syntax::ResourcePath& path,
                           const std::vector<syntax::AliasValue>& aliases) {
  return Walker(catalog, principal, path, aliases).Walk();
}

}  // namespace tablecast
