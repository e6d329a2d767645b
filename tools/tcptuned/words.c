// SPDX-License-Identifier: GPL-2.0
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The empty word among others. */
#define WORDS_EMPTY "\"\""

static char words_known[WORDS_MAX][WORDS_BYTES];

static bool words_is_valid(const char *word)
{
	size_t len = strlen(word);

	if (len >= WORDS_BYTES)
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_-.", *word))
			return false;
	return true;
}

u64 words_number(const char *word)
{
	if (!words_is_valid(word))
		return WORDS_MAX;
	for (u64 i = 0; i < WORDS_MAX; i++) {
		if (i && !*words_known[i])
			strcpy(words_known[i], word);
		if (!strcmp(words_known[i], word))
			return i;
	}
	return WORDS_MAX;
}

const char *words_text(u64 number)
{
	if (!number)
		return "";
	return number < WORDS_MAX && *words_known[number] ?
	       words_known[number] : "?";
}

const char *words_print(bool is_word, u64 value, char text[WORDS_PRINT_BYTES])
{
	if (is_word)
		snprintf(text, WORDS_PRINT_BYTES, "%s",
			 value ? words_text(value) : WORDS_EMPTY);
	else
		snprintf(text, WORDS_PRINT_BYTES, "%llu", value);
	return text;
}

bool words_parse(bool is_word, const char *text, u64 *value)
{
	char *end;

	if (is_word) {
		*value = words_number(strcmp(text, WORDS_EMPTY) ? text : "");
		return *value < WORDS_MAX;
	}
	*value = strtoull(text, &end, 10);
	return end > text && !*end;
}
