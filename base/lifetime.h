#ifndef TABLECAST_BASE_LIFETIME_H_
#define TABLECAST_BASE_LIFETIME_H_
// Marks a method whose result borrows from *this, or a parameter whose bytes the result borrows.
// clang turns an obvious misuse into -Wdangling; g++ ignores it.
#if defined(__clang__)
#define TABLECAST_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define TABLECAST_LIFETIME_BOUND
#endif
#endif  // TABLECAST_BASE_LIFETIME_H_
