// SPDX-License-Identifier: GPL-2.0
#include "prom.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void prom_begin(struct prom *prom, const char *name, const char *type,
		const char *help)
{
	prom->name = name;
	fprintf(prom->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		type);
}

static void prom_put_label(const struct prom *prom, const char *before,
			   const char *name, const char *value)
{
	fprintf(prom->out, "%s%s=\"", before, name);
	for (; *value; value++) {
		if (strchr("\\\"\n", *value))
			fputc('\\', prom->out);
		fputc(*value == '\n' ? 'n' : *value, prom->out);
	}
	fputc('"', prom->out);
}

void prom_put(const struct prom *prom, double value, ...)
{
	const char *label, *text;
	va_list args;

	if (isnan(value))
		return;
	fputs(prom->name, prom->out);
	prom_put_label(prom, "{", "daemon", prom->daemon);
	va_start(args, value);
	while ((label = va_arg(args, const char *))) {
		text = va_arg(args, const char *);
		if (*text)
			prom_put_label(prom, ",", label, text);
	}
	va_end(args);
	fprintf(prom->out, "} %.15g\n", value);
}
