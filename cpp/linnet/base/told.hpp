// Numbers in messages.
#pragma once
#include <cstdio>
#include <string>

namespace linnet {

// Six digits, however large or small it is.
inline std::string told(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

}  // namespace linnet
