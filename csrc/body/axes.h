/* A range as axes: neighbouring dimensions of one kind, reduced or kept, and the text that finds places on them. Inside
 * the core only. */
#ifndef SYC_BODY_AXES_H
#define SYC_BODY_AXES_H

#include "body/parts.h"

/* The range of a form. */
void syc__axes_of(SYC_KEEP const syc__writer *w, syc_axes *out);
/* Does the text know nothing but a linear id? */
bool syc__axes_are_linear(SYC_KEEP const syc__writer *w);
/* The axis that ACROSS has its lanes on: the innermost kept one; their number where there is none. */
unsigned syc__axes_lanes(SYC_KEEP const syc_axes *axes);
/* Declares syc_size<a>, of each axis, syc_results and syc_outer: how many results there are, and how many indices of
 * the reduced axes but the innermost axis. */
void syc__write_axes(syc__writer *w);
/* Declares syc_x<a>, the place on each of the axes behind the innermost one that are reduced, or kept but not `lanes`,
 * from a linear index among them; nothing where there are none. */
void syc__write_places(syc__writer *w, bool reduced, unsigned lanes, const char *index, const char *indent);
/* Declares syc_flat, the linear id, from syc_x<a>, where that is all that the text knows. */
void syc__write_flat(syc__writer *w);

#endif
