#ifndef TABLECAST_TESTS_ODATA_TLS_TEST_KEYS_H_
#define TABLECAST_TESTS_ODATA_TLS_TEST_KEYS_H_

// Keys and certificates made while a test runs, by OpenSSL; none are kept in the tree.

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <fstream>
#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace tablecast {

struct KeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using TestKey = std::unique_ptr<EVP_PKEY, KeyDeleter>;

inline TestKey NewRsaKey(unsigned bits) { return TestKey(EVP_RSA_gen(bits)); }
inline TestKey NewEcKey(const char* curve) { return TestKey(EVP_EC_gen(curve)); }  // "P-256"

template <class Write>
std::string ToPem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(write(bio), 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

inline std::string PublicPem(const TestKey& key) {
  return ToPem([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key.get()); });
}

inline std::string PrivatePem(const TestKey& key) {
  return ToPem([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

// A self-signed certificate for that name, valid for an hour.
inline std::string CertificatePem(const TestKey& key, const std::string& common_name) {
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key.get());
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  EXPECT_GT(X509_sign(certificate, key.get(), EVP_sha256()), 0);
  std::string pem = ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
  X509_free(certificate);
  return pem;
}

inline std::string WriteTestFile(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/" + std::to_string(::getpid()) + "_" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace tablecast

#endif  // TABLECAST_TESTS_ODATA_TLS_TEST_KEYS_H_
