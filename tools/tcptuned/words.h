/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words as numbers: a value is a number everywhere, so a file that holds a word
 * has the number of that word. The ledger and all reports have the word itself,
 * because numbers are given in the order in which a process meets the words.
 */
#ifndef TCPTUNED_WORDS_H
#define TCPTUNED_WORDS_H

#include "base.h"

/* A name of congestion control with its 0 byte, TCP_CA_NAME_MAX. */
#define WORDS_BYTES 16

/* As many words as there are numbers; 0 is that of "". */
#define WORDS_MAX 64

/*
 * The number of a word. Returns: WORDS_MAX for one that is too long, has other
 * characters than names have, or is one too many.
 */
u64 words_number(const char *word);

/* Returns: the word, "?" if the number has none. */
const char *words_text(u64 number);

/* Room for a value as text. */
#define WORDS_PRINT_BYTES 24

/* A value as text, that of the empty word being "". Returns: @text. */
const char *words_print(bool is_word, u64 value, char text[WORDS_PRINT_BYTES]);

/*
 * The same backwards, in a file that is not trusted. Returns: false if it is no
 * value.
 */
bool words_parse(bool is_word, const char *text, u64 *value);

#endif /* TCPTUNED_WORDS_H */
