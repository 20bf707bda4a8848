/* Base values are Emerald's (facts: species.csv, moves.csv); the names in the story are ours. */
#include "data.h"

const Species species_table[] = {
    {283, 258, 50, 70, 50, 40, 50, 50, {33, 45}, {35, 40}},
    {0},
};
