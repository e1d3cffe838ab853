/*
 * The explore step of population based training (Jaderberg et al. 2017): a
 * number is multiplied by 0.8 or 1.2, or drawn anew with probability 1/4; of a
 * list with an order, the next or the previous value is taken; another choice
 * is kept, or drawn anew with probability 1/4.
 */
#ifndef STFM_SEARCH_EXPLORE_H
#define STFM_SEARCH_EXPLORE_H

#include "search/parzen.h"

/*
 * Return the value of a dimension after the step, or nan if it is to be drawn
 * anew.  is_list says that a whole number counts the values of a list; two
 * numbers from 0 to less than 1 decide.
 */
double search_explore_value(
    const struct search_dim *, int is_list, double value, const double unit[2]);

#endif
