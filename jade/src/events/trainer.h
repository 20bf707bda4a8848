/* People who fight: they see you coming, or you talk to them. */
#ifndef TRAINER_H
#define TRAINER_H

#include "battle/duel.h"
#include "events/command.h"

/* What the script of a template with a trainer type stands for. */
typedef struct {
    const Trainer *trainer;
    const char *challenge, *later;
    const char *alone; /* what a pair says to whoever has only one who can fight */
} Duel;

bool trainers_look(void); /* after a step: true where somebody has seen the player */
const Command *trainer_or_script(const ObjectTemplate *from);

#endif
