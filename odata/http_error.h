#ifndef TABLECAST_ODATA_HTTP_ERROR_H_
#define TABLECAST_ODATA_HTTP_ERROR_H_

// Error -> HTTP: the one table of status codes, and the OData error body. Internal errors show the request id and
// nothing else.

#include <string>
#include <string_view>

#include "base/result.h"
#include "odata/csdl.h"
#include "odata/http_message.h"

namespace tablecast {

// 400, 404, 409, 412, ... by code and, where one code has several answers, by reason.
int HttpStatusOf(const Error& error);

// {"error":{"code":"<reason>","message":"...","target":"...","details":[...]}} with its headers.
HttpResponse ErrorResponse(const Error& error, ODataVersion version, std::string_view request_id);

// The body alone, for parts of a batch.
std::string ErrorBody(const Error& error, std::string_view request_id);

// Shorthands of the errors that only a service has.
Error MethodNotAllowed(std::string_view method, std::string allow);  // `allow` goes into the Allow header
Error NotAcceptable(std::string message);
Error UnsupportedMediaType(std::string message);
Error NotOffered(std::string what);  // 501 naming what is missing

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_ERROR_H_
