// The parts of the C++ library that device code can use: what <algorithm>, <cmath>, <limits>, <type_traits>,
// <utility> and their like offer.
#pragma once
#include <stdint.h>
#include <limits.h>
#include <float.h>
namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;

using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh;
using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp;
using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin;
using ::fmod; using ::frexp; using ::hypot; using ::ilogb; using ::isfinite; using ::isinf; using ::isnan;
using ::ldexp; using ::lgamma; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb; using ::lrint;
using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using ::rint;
using ::round; using ::scalbn; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh;
using ::tgamma; using ::trunc;
using ::printf; using ::memcpy; using ::memset;

template <class T> __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __device__ constexpr const T &clamp(const T &v, const T &lo, const T &hi) {
    return v < lo ? lo : hi < v ? hi : v;
}
template <class T> __device__ constexpr void swap(T &a, T &b) { T t = a; a = b; b = t; }

template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    typedef integral_constant type;
    __device__ constexpr operator T() const { return V; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T *> : true_type {};
template <class T> struct is_floating_point
    : integral_constant<bool, is_same<typename remove_cv<T>::type, float>::value ||
                                  is_same<typename remove_cv<T>::type, double>::value> {};
template <class T> struct __is_integral : false_type {};
template <> struct __is_integral<bool> : true_type {};
template <> struct __is_integral<char> : true_type {};
template <> struct __is_integral<signed char> : true_type {};
template <> struct __is_integral<unsigned char> : true_type {};
template <> struct __is_integral<short> : true_type {};
template <> struct __is_integral<unsigned short> : true_type {};
template <> struct __is_integral<int> : true_type {};
template <> struct __is_integral<unsigned int> : true_type {};
template <> struct __is_integral<long> : true_type {};
template <> struct __is_integral<unsigned long> : true_type {};
template <> struct __is_integral<long long> : true_type {};
template <> struct __is_integral<unsigned long long> : true_type {};
template <class T> struct is_integral : __is_integral<typename remove_cv<T>::type> {};
template <class T> struct is_arithmetic
    : integral_constant<bool, is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct __is_signed : false_type {};
template <class T> struct __is_signed<T, true> : integral_constant<bool, (T(-1) < T(0))> {};
template <class T> struct is_signed : __is_signed<T> {};
template <class T> struct is_unsigned : integral_constant<bool, is_integral<T>::value && !is_signed<T>::value> {};
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;
template <class T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> constexpr bool is_integral_v = is_integral<T>::value;
template <class T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> constexpr bool is_signed_v = is_signed<T>::value;
template <class T> constexpr bool is_unsigned_v = is_unsigned<T>::value;

template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define __WARPWISE_INTEGER_LIMITS(T, LO, HI, DIGITS)                          \
    template <> struct numeric_limits<T> {                                    \
        static constexpr bool is_specialized = true;                          \
        static constexpr bool is_integer = true;                              \
        static constexpr bool is_signed = (LO) != 0;                          \
        static constexpr int digits = DIGITS;                                 \
        __device__ static constexpr T min() { return LO; }                    \
        __device__ static constexpr T lowest() { return LO; }                 \
        __device__ static constexpr T max() { return HI; }                    \
    };
__WARPWISE_INTEGER_LIMITS(char, CHAR_MIN, CHAR_MAX, 7)
__WARPWISE_INTEGER_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, 7)
__WARPWISE_INTEGER_LIMITS(unsigned char, 0, UCHAR_MAX, 8)
__WARPWISE_INTEGER_LIMITS(short, SHRT_MIN, SHRT_MAX, 15)
__WARPWISE_INTEGER_LIMITS(unsigned short, 0, USHRT_MAX, 16)
__WARPWISE_INTEGER_LIMITS(int, INT_MIN, INT_MAX, 31)
__WARPWISE_INTEGER_LIMITS(unsigned int, 0, UINT_MAX, 32)
__WARPWISE_INTEGER_LIMITS(long, LONG_MIN, LONG_MAX, 63)
__WARPWISE_INTEGER_LIMITS(unsigned long, 0, ULONG_MAX, 64)
__WARPWISE_INTEGER_LIMITS(long long, LLONG_MIN, LLONG_MAX, 63)
__WARPWISE_INTEGER_LIMITS(unsigned long long, 0, ULLONG_MAX, 64)
#undef __WARPWISE_INTEGER_LIMITS
#define __WARPWISE_FLOAT_LIMITS(T, PREFIX, INF, NOT_A_NUMBER)                 \
    template <> struct numeric_limits<T> {                                    \
        static constexpr bool is_specialized = true;                          \
        static constexpr bool is_integer = false;                             \
        static constexpr bool is_signed = true;                               \
        static constexpr int digits = PREFIX##_MANT_DIG;                      \
        __device__ static constexpr T min() { return PREFIX##_MIN; }          \
        __device__ static constexpr T lowest() { return -PREFIX##_MAX; }      \
        __device__ static constexpr T max() { return PREFIX##_MAX; }          \
        __device__ static constexpr T epsilon() { return PREFIX##_EPSILON; }  \
        __device__ static T infinity() { return INF; }                        \
        __device__ static T quiet_NaN() { return NOT_A_NUMBER; }              \
    };
__WARPWISE_FLOAT_LIMITS(float, FLT, INFINITY, NAN)
__WARPWISE_FLOAT_LIMITS(double, DBL, HUGE_VAL, __longlong_as_double(0x7ff8000000000000LL))
#undef __WARPWISE_FLOAT_LIMITS

template <class A, class B> struct pair {
    A first;
    B second;
};
template <class T, size_t N> struct array {
    T __elements[N];
    __device__ constexpr T &operator[](size_t i) { return __elements[i]; }
    __device__ constexpr const T &operator[](size_t i) const { return __elements[i]; }
    __device__ constexpr size_t size() const { return N; }
    __device__ T *data() { return __elements; }
    __device__ T *begin() { return __elements; }
    __device__ T *end() { return __elements + N; }
};

// Names only: device code may hand pointers around, nothing more.
template <class C> class basic_string;
typedef basic_string<char> string;
template <class T> class allocator;
template <class T, class A = allocator<T>> class vector;
class ostream;
class istream;
}
