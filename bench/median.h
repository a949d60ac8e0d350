#ifndef TABLECAST_BENCH_MEDIAN_H_
#define TABLECAST_BENCH_MEDIAN_H_

#include <algorithm>
#include <vector>

namespace tablecast::bench {

// 0 for no values.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace tablecast::bench

#endif  // TABLECAST_BENCH_MEDIAN_H_
