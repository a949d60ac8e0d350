#include "odata/http_engine.h"

#include <httplib.h>

#include <ctime>
#include <exception>

#include "odata/http_head.h"

namespace tablecast {
namespace {

// A Stream without a socket: reads give the canonical head, writes collect what goes out.
class BufferStream : public httplib::Stream {
 public:
  explicit BufferStream(std::string input) : input_(std::move(input)) {}

  bool is_readable() const override { return position_ < input_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, size_t size) override {
    const size_t count = input_.copy(data, size, position_);
    position_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, size_t size) override {
    output_.append(data, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }  // only compared with FD_SETSIZE

  std::string TakeOutput() { return std::move(output_); }

 private:
  std::string input_;
  std::string output_;
  size_t position_ = 0;
};

// The method cpp-httplib parses; the handler sees the client's.
std::string_view RoutedMethod(std::string_view method) {
  for (const std::string_view known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return method == "MERGE" ? "PATCH" : "GET";
}

bool MayHaveBody(int status) { return status >= 200 && status != 204 && status != 304; }

// Headers that frame the message; a handler's own would contradict ours.
bool IsServersOwn(std::string_view name) {
  for (const std::string_view own : {"Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Date"}) {
    if (EqualsIgnoreCase(name, own)) return true;
  }
  return false;
}

bool HeadersAreSafe(const HttpHeaders& headers) {
  for (const HttpHeader& line : headers.lines()) {
    if (!IsHttpToken(line.name) || !IsHeaderValue(line.value)) return false;
  }
  return true;
}

// IMF-fixdate of this second, remembered until the next. SOURCE: RFC 9110, 5.6.7.
class DateHeader {
 public:
  const std::string& Now() {
    const std::time_t now = std::time(nullptr);
    if (now != second_) {
      second_ = now;
      std::tm parts{};
      gmtime_r(&now, &parts);
      static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
      static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
      char text[64];
      const int length = std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[parts.tm_wday],
                                       parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour,
                                       parts.tm_min, parts.tm_sec);
      text_.assign(text, static_cast<size_t>(length));
    }
    return text_;
  }

 private:
  std::time_t second_ = 0;
  std::string text_;
};

}  // namespace

class HttpEngine::Impl : public httplib::Server {
 public:
  Impl() {
    const auto answer = [this](const httplib::Request&, httplib::Response& response) { Answer(response); };
    const auto answer_unread = [this](const httplib::Request&, httplib::Response& response,
                                      const httplib::ContentReader&) { Answer(response); };
    Get(".*", answer);  // HEAD too
    Post(".*", answer_unread);
    Put(".*", answer_unread);
    Patch(".*", answer_unread);
    Delete(".*", answer);
    Options(".*", answer);
    set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) { Finish(response); });
  }

  WireResponse Run(const ExchangeInfo& info, const std::function<HttpResponse()>& answer) {
    info_ = &info;
    answer_ = &answer;
    response_ = {};
    header_block_.clear();
    std::string head(RoutedMethod(info.method));
    head += " / HTTP/1.1\r\n\r\n";
    BufferStream stream(std::move(head));
    bool closed = false;
    // "close" spares cpp-httplib a stringstream per response; Finish() writes the true header. The
    // result says whether the body was sent, which is not its job here.
    process_request(stream, true, closed, nullptr);
    WireResponse wire;
    wire.status = response_.status;
    wire.head = stream.TakeOutput();
    wire.head.insert(wire.head.size() - 2, header_block_);  // before the blank line
    wire.close = close_;
    wire.route = std::move(response_.route);
    if (info.method != "HEAD" && MayHaveBody(response_.status)) {
      wire.body = std::move(response_.body);
      wire.producer = std::move(response_.producer);
      wire.chunked = wire.producer && info.minor_version >= 1;
    }
    return wire;
  }

 private:
  void Answer(httplib::Response& out) {
    try {
      response_ = (*answer_)();
    } catch (const std::exception&) {  // third-party code below a handler; its text stays inside
      response_ = MakeHttpError(500, "internal", "The request could not be answered");
    } catch (...) {
      response_ = MakeHttpError(500, "internal", "The request could not be answered");
    }
    if (!HeadersAreSafe(response_.headers)) {
      response_ = MakeHttpError(500, "internal", "The response holds a header that must not be sent");
    }
    const bool streamed_until_close = response_.producer && info_->minor_version == 0 && MayHaveBody(response_.status);
    close_ = response_.close || !info_->keep_alive || streamed_until_close;
    out.status = response_.status;
    const bool has_body = MayHaveBody(response_.status) && (response_.producer || !response_.body.empty());
    // Checked above and written as they are, in their order; cpp-httplib's multimap costs 0.3 us a line.
    for (const HttpHeader& line : response_.headers.lines()) {
      if (IsServersOwn(line.name) || (has_body && EqualsIgnoreCase(line.name, "Content-Type"))) continue;
      header_block_.append(line.name).append(": ").append(line.value).append("\r\n");
    }
    if (!has_body) return;
    // Providers announce the body without handing its bytes over: they go to the socket uncopied.
    std::string type(response_.headers.Get("Content-Type"));
    if (type.empty()) type = "application/octet-stream";
    if (response_.producer) {
      if (info_->minor_version >= 1) {
        out.set_chunked_content_provider(type, [](size_t, httplib::DataSink&) { return false; });
      } else {
        out.set_content_provider(type, [](size_t, httplib::DataSink&) { return false; });
      }
    } else {
      out.set_content_provider(response_.body.size(), type, [](size_t, size_t, httplib::DataSink&) { return false; });
    }
  }

  // Called by cpp-httplib after it added its own headers and before it writes them.
  void Finish(httplib::Response& out) {
    out.headers.erase("Connection");
    if (info_->method == "HEAD") out.headers.erase("Accept-Ranges");
    if (!MayHaveBody(out.status)) out.headers.erase("Content-Length");  // RFC 9110, 8.6
    if (close_) {
      header_block_ += "Connection: close\r\n";
    } else {
      if (info_->minor_version == 0) header_block_ += "Connection: keep-alive\r\n";
      header_block_.append("Keep-Alive: timeout=").append(std::to_string(info_->idle_timeout.count())).append("\r\n");
    }
    header_block_.append("Date: ").append(date_.Now()).append("\r\n");
  }

  const ExchangeInfo* info_ = nullptr;
  const std::function<HttpResponse()>* answer_ = nullptr;
  HttpResponse response_;
  std::string header_block_;  // lines that need nothing of cpp-httplib
  bool close_ = false;
  DateHeader date_;
};

HttpEngine::HttpEngine() : impl_(std::make_unique<Impl>()) {}
HttpEngine::~HttpEngine() = default;

WireResponse HttpEngine::Run(const ExchangeInfo& info, const std::function<HttpResponse()>& answer) {
  return impl_->Run(info, answer);
}

}  // namespace tablecast
