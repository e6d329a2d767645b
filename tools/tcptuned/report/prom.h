/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prometheus' text format.
 */
#ifndef TCPTUNED_REPORT_PROM_H
#define TCPTUNED_REPORT_PROM_H

#include <stdio.h>

/**
 * struct prom - a page that is being written
 * @out: where to
 * @daemon: value of the label that every line has
 * @name: the metric that lines are for
 */
struct prom {
	FILE		*out;
	const char	*daemon;
	const char	*name;
};

/**
 * prom_begin - begin a metric
 * @prom: the page
 * @name: its name
 * @type: "gauge" or "counter"
 * @help: a sentence
 */
void prom_begin(struct prom *prom, const char *name, const char *type,
		const char *help);

/**
 * prom_put - write a line of the metric that was begun
 * @prom: the page
 * @value: NAN for what is not known, which has no line
 *
 * Behind them come names and values of labels, and a NULL. A label without a
 * value is left out.
 */
void prom_put(const struct prom *prom, double value, ...)
	__attribute__((__sentinel__));

#endif /* TCPTUNED_REPORT_PROM_H */
