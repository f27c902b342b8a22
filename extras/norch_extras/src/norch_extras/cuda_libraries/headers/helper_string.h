// <helper_string.h> of CUDA's samples: options on the command line, and where files lie.
//
// Written anew, with the samples' names. An option is `-name`, `--name` or `--name=value`.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <string>

#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, room, from) strcpy(to, from)
#define SPRINTF sprintf
#define SSCANF sscanf
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(file) ((file) == nullptr)
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2  // the program cannot run here, which is no failure
#endif

namespace norch_sim {
// What stands behind the option's name: "", "=value", or nullptr where the option is not given.
inline const char* find_option(int argc, const char** argv, const char* name) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; i++) {
    const char* option = argv[i] + strspn(argv[i], "-");
    if (option == argv[i] || strncasecmp(option, name, length) != 0) continue;
    if (option[length] == 0 || option[length] == '=') return option + length;
  }
  return nullptr;
}
}  // namespace norch_sim

inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) {
  return norch_sim::find_option(argc, argv, name) != nullptr;
}
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** value) {
  const char* found = norch_sim::find_option(argc, argv, name);
  *value = found != nullptr && *found == '=' ? const_cast<char*>(found + 1) : nullptr;
  return *value != nullptr;
}
// 0 where the option has no value.
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
  char* value;
  return getCmdLineArgumentString(argc, argv, name, &value) ? float(atof(value)) : 0;
}
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
  char* value;
  return getCmdLineArgumentString(argc, argv, name, &value) ? atoi(value) : 0;
}
template <class T>
bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* value) {
  char* text;
  if (!getCmdLineArgumentString(argc, argv, name, &text)) return false;
  *value = static_cast<T>(atof(text));
  return true;
}

// The path of a file here, beside the program, or in a `data` folder of theirs; nullptr if nowhere.
// The caller frees it.
inline char* sdkFindFilePath(const char* name, const char* program) {
  std::string beside = program == nullptr ? "" : program;
  beside.erase(beside.rfind('/') == std::string::npos ? 0 : beside.rfind('/') + 1);
  for (const std::string& folder : {std::string(), beside}) {
    for (const char* below : {"", "data/", "../", "../data/", "../../data/"}) {
      std::string path = folder + below + name;
      FILE* file = fopen(path.c_str(), "rb");
      if (file == nullptr) continue;
      fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
