#pragma once
#include <pango/pangocairo.h>

/// PANGO_SCALE (units per pixel) is defined by an expression that Swift does not import.
static const int pango_shim_scale = PANGO_SCALE;

/// g_object_unref takes gpointer, and Pango's typed pointers reach Swift as distinct types.
static inline void pango_shim_release(void *object) { g_object_unref(object); }
