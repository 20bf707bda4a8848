/* mGBA's own build writes a file of this name; what is built of it here is said in build_mgba.py. */
#pragma once
