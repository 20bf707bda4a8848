/* mGBA's settings files, of which there are none here, and its name. In place of configuration.c and version.c. */
#include <mgba-util/configuration.h>
#include <mgba/core/version.h>

#define UNUSED_SETTING (void) settings, (void) section, (void) key

const char *const binaryName = "mgba";
const char *const projectName = "mGBA";
const char *const projectVersion = MGBA_VERSION;

void ConfigurationInit(struct Configuration *settings) {
    (void) settings;
}

void ConfigurationDeinit(struct Configuration *settings) {
    (void) settings;
}

const char *ConfigurationGetValue(const struct Configuration *settings, const char *section, const char *key) {
    UNUSED_SETTING;
    return NULL;
}

void ConfigurationSetValue(struct Configuration *settings, const char *section, const char *key, const char *value) {
    UNUSED_SETTING, (void) value;
}

void ConfigurationSetIntValue(struct Configuration *settings, const char *section, const char *key, int value) {
    UNUSED_SETTING, (void) value;
}

void ConfigurationSetUIntValue(struct Configuration *settings, const char *section, const char *key, unsigned value) {
    UNUSED_SETTING, (void) value;
}

void ConfigurationSetFloatValue(struct Configuration *settings, const char *section, const char *key, float value) {
    UNUSED_SETTING, (void) value;
}

void ConfigurationClearValue(struct Configuration *settings, const char *section, const char *key) {
    UNUSED_SETTING;
}

void ConfigurationEnumerate(const struct Configuration *settings, const char *section,
                            void (*handler)(const char *, const char *, void *), void *user) {
    (void) settings, (void) section, (void) handler, (void) user;
}
