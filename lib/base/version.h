/* The version of all of stfm. */
#ifndef STFM_BASE_VERSION_H
#define STFM_BASE_VERSION_H

#define STFM_VERSION "0.1.0"

#endif
