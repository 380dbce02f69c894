#pragma once
template <typename T> T deeper(T x) { return x; }
