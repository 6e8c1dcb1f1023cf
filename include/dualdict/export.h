// SPDX-License-Identifier: BSD-3-Clause
// Which symbols the library shows. Everything else in it is hidden. C reads this file too.
#pragma once

#if defined(DUALDICT_STATIC)
#define DUALDICT_API
#elif defined(_WIN32) && defined(DUALDICT_BUILDING)
#define DUALDICT_API __declspec(dllexport)
#elif defined(_WIN32)
#define DUALDICT_API __declspec(dllimport)
#else
#define DUALDICT_API __attribute__((visibility("default")))
#endif
