#include "odata/negotiation.h"

#include <algorithm>
#include <charconv>

#include "odata/http_error.h"

namespace tablecast {

namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Splits outside of quotes.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && !quoted)) {
      parts.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == '\\' && quoted && i + 1 < text.size()) {
      ++i;
    }
  }
  return parts;
}

std::string Unquote(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

struct MediaRange {
  std::string type;  // "application/json", lower case
  std::vector<std::pair<std::string, std::string>> parameters;
  int quality = 1000;  // thousandths
};

int ParseQuality(std::string_view text) {
  // qvalue = 0[.ddd] | 1[.000]
  int value = 0;
  int place = 1000;
  bool point = false;
  for (const char c : text) {
    if (c == '.') {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (!point) {
        value = (c - '0') * 1000;
      } else {
        place /= 10;
        value += (c - '0') * place;
      }
    } else {
      return 0;
    }
  }
  return std::min(value, 1000);
}

MediaRange ParseMediaRange(std::string_view text) {
  MediaRange range;
  const auto parts = Split(text, ';');
  range.type = Lower(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string name = Lower(Trim(parts[i].substr(0, equals)));
    const std::string value = equals == std::string_view::npos ? "" : Unquote(Trim(parts[i].substr(equals + 1)));
    if (name == "q") {
      range.quality = ParseQuality(value);
    } else if (!name.empty()) {
      range.parameters.emplace_back(name, value);
    }
  }
  return range;
}

bool MatchesType(const std::string& range, Representation representation) {
  switch (representation) {
    case Representation::kJson:
      return range == "*/*" || range == "application/*" || range == "application/json" || range == "text/javascript";
    case Representation::kXml:
      return range == "*/*" || range == "application/*" || range == "application/xml" || range == "text/xml";
    case Representation::kText: return range == "*/*" || range == "text/*" || range == "text/plain";
    case Representation::kHtml: return range == "text/html" || range == "application/xhtml+xml";
  }
  return false;
}

// Applies the parameters of a JSON media type. False when one of them is not known or not offered.
bool ApplyJsonParameters(const MediaRange& range, Negotiated& out) {
  for (const auto& [name, value] : range.parameters) {
    const std::string lower = Lower(value);
    if (name == "odata.metadata" || name == "metadata") {
      out.metadata_given = true;
      if (lower == "none") {
        out.metadata = MetadataLevel::kNone;
      } else if (lower == "minimal") {
        out.metadata = MetadataLevel::kMinimal;
      } else if (lower == "full") {
        out.metadata = MetadataLevel::kFull;
      } else {
        return false;
      }
    } else if (name == "ieee754compatible") {
      if (lower != "true" && lower != "false") return false;
      out.ieee754_compatible = lower == "true";
    } else if (name == "exponentialdecimals") {
      if (lower != "true" && lower != "false") return false;
      out.exponential_decimals = lower == "true";
    } else if (name == "odata.streaming" || name == "streaming") {
      if (lower != "true" && lower != "false") return false;
    } else if (name == "charset") {
      if (lower != "utf-8" && lower != "utf8") return false;
      out.charset = value;
    } else if (name == "odata.terms" || name == "odata") {
      return false;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<Negotiated> TryRange(const MediaRange& range, Representation representation, Negotiated base) {
  if (range.quality == 0 || !MatchesType(range.type, representation)) return std::nullopt;
  base.representation = representation;
  if (representation == Representation::kJson && range.type.find('*') == std::string::npos &&
      !ApplyJsonParameters(range, base)) {
    return std::nullopt;
  }
  return base;
}

}  // namespace

std::string Negotiated::ContentType() const {
  std::string out = "application/json";
  if (metadata_given) {
    static constexpr const char* kLevels[] = {"none", "minimal", "full"};
    out += version == ODataVersion::k40 ? ";odata.metadata=" : ";metadata=";
    out += kLevels[static_cast<std::size_t>(metadata)];
  }
  if (ieee754_compatible) out += ";IEEE754Compatible=true";
  if (exponential_decimals) out += ";ExponentialDecimals=true";
  if (!charset.empty()) out += ";charset=" + Lower(charset);
  return out;
}

Preferences ParsePreferences(const HttpHeaders& headers) {
  Preferences out;
  for (const HttpHeader& line : headers.lines()) {
    if (!EqualsIgnoreCase(line.name, "Prefer")) continue;
    for (const std::string_view part : Split(line.value, ',')) {
      const auto pieces = Split(part, ';');
      const std::size_t equals = pieces.front().find('=');
      std::string name = Lower(Trim(pieces.front().substr(0, equals)));
      const std::string value = equals == std::string_view::npos ? "" : Unquote(Trim(pieces.front().substr(equals + 1)));
      if (name.starts_with("odata.")) name = name.substr(6);
      if (name == "maxpagesize" && !out.max_page_size) {
        std::uint32_t size = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
        const bool huge = error == std::errc::result_out_of_range;
        if ((error == std::errc() || huge) && end == value.data() + value.size() && !value.empty() &&
            (size > 0 || huge)) {
          out.max_page_size = huge ? 0xFFFFFFFFU : size;
        }
      } else if (name == "omit-values") {
        if (Lower(value) == "nulls") out.omit_nulls = true;
      } else if (name == "include-annotations") {
        for (const std::string_view pattern : Split(value, ',')) {
          if (pattern == "*" || pattern.starts_with("tablecast.")) out.include_annotations = true;
          if (pattern == "-*" || pattern.starts_with("-tablecast.")) out.include_annotations = false;
        }
      } else if (name == "return" && !out.return_representation) {
        if (value == "representation") out.return_representation = true;
        if (value == "minimal") out.return_representation = false;
      } else if (name == "continue-on-error") {
        out.continue_on_error_given = true;
        out.continue_on_error = value.empty() || Lower(value) == "true";
      } else if (name == "track-changes") {
        out.track_changes = true;
      } else if (name == "allow-entityreferences") {
        out.allow_entity_references = true;
      }
    }
  }
  return out;
}

Result<ODataVersion> NegotiateVersion(const HttpHeaders& headers) {
  const auto known = [](std::string_view text) { return text == "4.0" || text == "4.01"; };
  const std::string_view version = Trim(headers.Get("OData-Version"));
  if (!version.empty() && !known(version)) {
    return MakeError(ErrorCode::kInvalidArgument, "version-not-supported",
                     "OData-Version is 4.0 or 4.01", "OData-Version");
  }
  std::string_view maximum = Trim(headers.Get("OData-MaxVersion"));
  // Clients of version 4 have been seen to add a product's name behind a semicolon.
  maximum = Trim(maximum.substr(0, maximum.find(';')));
  if (maximum.empty()) return version == "4.01" ? ODataVersion::k401 : ODataVersion::k40;
  if (maximum == "4.0") return ODataVersion::k40;
  if (maximum == "4.01") return ODataVersion::k401;
  // A later version is a maximum that includes 4.01.
  if (maximum.size() >= 3 && maximum[0] == '4' && maximum[1] == '.' &&
      maximum.find_first_not_of("0123456789.") == std::string_view::npos) {
    return ODataVersion::k401;
  }
  return MakeError(ErrorCode::kInvalidArgument, "version-not-supported",
                   "this service speaks OData 4.0 and 4.01, and OData-MaxVersion allows neither", "OData-MaxVersion");
}

Result<Negotiated> Negotiate(const HttpHeaders& headers, const std::optional<syntax::Format>& format,
                             const std::vector<Representation>& offered) {
  Negotiated base;
  TABLECAST_ASSIGN_OR_RETURN(base.version, NegotiateVersion(headers));
  base.max_version_401 = base.version == ODataVersion::k401;
  base.representation = offered.front();
  const auto offers = [&](Representation representation) {
    return std::find(offered.begin(), offered.end(), representation) != offered.end();
  };
  if (format) {
    Negotiated chosen = base;
    switch (format->kind) {
      case syntax::Format::Kind::kJson:
        if (offers(Representation::kJson)) {
          chosen.representation = Representation::kJson;
          return chosen;
        }
        break;
      case syntax::Format::Kind::kXml:
        if (offers(Representation::kXml)) {
          chosen.representation = Representation::kXml;
          return chosen;
        }
        break;
      case syntax::Format::Kind::kAtom: break;
      case syntax::Format::Kind::kMediaType: {
        const MediaRange range = ParseMediaRange(format->media_type);
        for (const Representation representation : offered) {
          if (const auto hit = TryRange(range, representation, base)) return *hit;
        }
        break;
      }
    }
    Error error = NotAcceptable("no answer here has the format `" + format->media_type + "`");
    error.target = "$format";
    return error;
  }
  const std::string accept = headers.Joined("Accept");
  if (Trim(accept).empty()) return base;
  std::vector<MediaRange> ranges;
  for (const std::string_view part : Split(accept, ',')) {
    if (!part.empty()) ranges.push_back(ParseMediaRange(part));
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const MediaRange& a, const MediaRange& b) { return a.quality > b.quality; });
  // Specific ranges of equal quality count before wildcards: `application/json;odata.metadata=none, */*`.
  std::stable_sort(ranges.begin(), ranges.end(), [](const MediaRange& a, const MediaRange& b) {
    return a.quality == b.quality && a.type.find('*') == std::string::npos && b.type.find('*') != std::string::npos;
  });
  for (const MediaRange& range : ranges) {
    for (const Representation representation : offered) {
      if (const auto hit = TryRange(range, representation, base)) return *hit;
    }
  }
  // Single values and counts are plain text; a client that asks for JSON only still gets them.
  if (offered.front() == Representation::kText) return base;
  return NotAcceptable("nothing in Accept is a format of this resource");
}

bool PrefersHtml(const HttpHeaders& headers) {
  int html = 0;
  int data = 0;
  const std::string accept = headers.Joined("Accept");  // the parts borrow it
  for (const std::string_view part : Split(accept, ',')) {
    const MediaRange range = ParseMediaRange(part);
    if (MatchesType(range.type, Representation::kHtml)) html = std::max(html, range.quality);
    if (range.type == "application/json") data = std::max(data, range.quality);
  }
  return html > 0 && html >= data;
}

}  // namespace tablecast
