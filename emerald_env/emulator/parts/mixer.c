/* Sound, mixed by mGBA for whoever asks for it. */
#include "../game.h"

#include <mgba/core/blip_buf.h>
#include <mgba/internal/gba/audio.h>

enum { SOUND_BUFFER = 0x2000 }; /* pairs of samples, more than a frame has */

void game_set_sound(game *g, bool on, double rate) {
    struct GBAAudio *audio = &g->gba->audio;
    if (on != (audio->sampleEvent.callback != skip_sample)) {
        audio->sampleEvent.callback = on ? g->sample : skip_sample;
        if (on) { /* what is heard must not be passed over */
            g->core->setAudioBufferSize(g->core, SOUND_BUFFER);
        }
        game_batch_lines(g, !on);
    }
    if (on) { /* perhaps at another rate than before */
        blip_set_rates(audio->psg.left, GBA_ARM7TDMI_FREQUENCY, rate);
        blip_set_rates(audio->psg.right, GBA_ARM7TDMI_FREQUENCY, rate);
    }
}

int game_read_sound(game *g, int16_t *samples, int most) {
    struct GBAAudio *audio = &g->gba->audio;
    int count = blip_read_samples(audio->psg.left, samples, most, true);
    blip_read_samples(audio->psg.right, samples + 1, count, true);
    return count;
}
