#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "metrics/private.h"
#include "sys/fs.h"

/*
 * TFRecord: the length (8 bytes, little endian), its checksum, that many bytes
 * of an Event (a protocol buffer), and their checksum.  See tensorflow's
 * core/util/event.proto, core/framework/summary.proto and tensor.proto.
 */
enum { HEAD = 12, TAIL = 4 };

/* ---- frames ---- */

static uint64_t
little(const char *bytes, size_t count)
{
	uint64_t value = 0;

	while (count-- > 0)
		value = value << 8 | (unsigned char)bytes[count];
	return value;
}

static int
holds(const char *bytes, size_t length, const char *check)
{
	uint32_t crc = fs_crc32c(bytes, length);

	crc = (crc >> 15 | crc << 17) + 0xa282ead8;
	return crc == little(check, 4);
}

int
record_is_events(const char *bytes, size_t length)
{
	return length >= HEAD && holds(bytes, 8, bytes + 8);
}

/* ---- protocol buffers ---- */

struct field {
	unsigned number, wire;
	uint64_t value;    /* for the wire types 0, 1 and 5 */
	const char *bytes; /* for the wire type 2 */
	size_t length;
};

struct message {
	const char *at, *end;
};

static int
varint(struct message *m, uint64_t *out)
{
	unsigned shift;

	*out = 0;
	for (shift = 0; m->at < m->end && shift < 64; shift += 7) {
		*out |= (uint64_t)(*m->at & 0x7f) << shift;
		if ((*m->at++ & 0x80) == 0)
			return 1;
	}
	return 0;
}

static int
fixed(struct message *m, size_t size, uint64_t *out)
{
	if ((size_t)(m->end - m->at) < size)
		return 0;
	*out = little(m->at, size);
	m->at += size;
	return 1;
}

/* Take the next field.  Returns 0 at the end, or if it is unreadable. */
static int
next(struct message *m, struct field *f)
{
	uint64_t key;

	if (!varint(m, &key))
		return 0;
	f->number = (unsigned)(key >> 3);
	f->wire = key & 7;
	switch (f->wire) {
	case 0:
		return varint(m, &f->value);
	case 1:
		return fixed(m, 8, &f->value);
	case 5:
		return fixed(m, 4, &f->value);
	case 2:
		if (!varint(m, &f->value) ||
		    f->value > (uint64_t)(m->end - m->at))
			return 0;
		f->bytes = m->at;
		f->length = (size_t)f->value;
		m->at += f->length;
		return 1;
	default:
		return 0;
	}
}

static struct message
inside(const struct field *f)
{
	return (struct message){f->bytes, f->bytes + f->length};
}

static int
is(const struct field *f, unsigned number, unsigned wire)
{
	return f->number == number && f->wire == wire;
}

/* ---- numbers ---- */

static double
as_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof value);
	return (double)value;
}

static double
as_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/*
 * The types in tensor.proto, and the field that holds the value if
 * tensor_content is empty.
 */
static const struct type {
	unsigned type, field, wire, size;
} types[] = {
    {1, 5, 5, 4},   /* float */
    {2, 6, 1, 8},   /* double */
    {3, 7, 0, 4},   /* int32 */
    {9, 10, 0, 8},  /* int64 */
    {14, 13, 0, 2}, /* bfloat16 */
    {19, 13, 0, 2}, /* half */
};

static double
number(unsigned type, uint64_t bits)
{
	int exponent = bits >> 10 & 31;
	double part = (double)(bits & 1023), half;

	switch (type) {
	case 1:
		return as_float(bits);
	case 2:
		return as_double(bits);
	case 14:
		return as_float(bits << 16);
	case 19:
		half = exponent == 0 ? ldexp(part, -24)
		    : exponent < 31  ? ldexp(part + 1024, exponent - 25)
		    : part > 0       ? (double)NAN
				     : (double)INFINITY;
		return bits & 0x8000 ? -half : half;
	case 3:
		return (double)(int32_t)(uint32_t)bits;
	default:
		return (double)(int64_t)bits;
	}
}

/* ---- tensors ---- */

/* Return whether a shape has one element. */
static int
has_one_element(struct message shape)
{
	struct field f, size;
	struct message dim;

	while (next(&shape, &f)) {
		if (!is(&f, 2, 2))
			continue;
		dim = inside(&f);
		while (next(&dim, &size))
			if (is(&size, 1, 0) && size.value != 1)
				return 0;
	}
	return 1;
}

/* Read the single value of a repeated field, packed or not. */
static int
one_value(const struct field *f, const struct type *t, uint64_t *bits)
{
	struct message packed;

	if (f->wire == t->wire) {
		*bits = f->value;
		return 1;
	}
	if (f->wire != 2)
		return 0;
	packed = inside(f);
	if (t->wire == 0 ? !varint(&packed, bits)
			 : !fixed(&packed, t->size, bits))
		return 0;
	return packed.at == packed.end;
}

/* Read the number in a tensor.  Returns whether it is a scalar. */
static int
scalar(struct message tensor, double *out)
{
	struct message again = tensor;
	const struct type *t = NULL;
	struct field f;
	uint64_t bits = 0;
	size_t i;
	int met = 0;

	while (next(&tensor, &f))
		for (i = 0; i < sizeof types / sizeof *types && is(&f, 1, 0);
		     i++)
			if (types[i].type == f.value)
				t = &types[i];
	if (t == NULL)
		return 0;
	while (next(&again, &f)) {
		if (is(&f, 2, 2) && !has_one_element(inside(&f)))
			return 0;
		if (is(&f, 4, 2) && f.length == t->size) {
			bits = little(f.bytes, t->size);
			met = 1;
		} else if (f.number == t->field) {
			met = one_value(&f, t, &bits);
		}
	}
	*out = number(t->type, bits);
	/* Zero is a protocol buffer's default, which a writer may omit. */
	return met || bits == 0;
}

/* ---- events ---- */

/* Read one value of a summary.  Returns whether it is a scalar with a tag. */
static int
read_value(struct message m, struct field *tag, double *out)
{
	struct field f;
	int met = 0;

	*tag = (struct field){.length = 0};
	while (next(&m, &f))
		if (is(&f, 1, 2))
			*tag = f;
		else if (is(&f, 2, 5)) {
			*out = as_float(f.value);
			met = 1;
		} else if (is(&f, 8, 2)) {
			met = scalar(inside(&f), out);
		}
	return met && tag->length > 0;
}

/*
 * Return whether a text, as a float, is a value.  Two roundings differ from one
 * only if the first, to a double, ends exactly between two floats; tiny floats
 * have fewer bits.
 */
static int
is_float(const char *text, float value)
{
	uint64_t bits;
	double read;

	if (!num_parse(text, &read))
		return 0;
	memcpy(&bits, &read, sizeof bits);
	if ((bits & 0x1fffffff) == 0x10000000 || fabsf(value) < FLT_MIN)
		return strtof(text, NULL) == value;
	return (float)read == value;
}

/*
 * Add a value with the digits of a float, not those of the double it became.
 * A whole number may come from a type that is exact.
 */
static void
add_single(struct record_draft *d, const struct field *tag, double value)
{
	char text[NUM_TEXT];
	int digits = 6;

	if (isfinite(value) && (double)(float)value == value &&
	    (value != trunc(value) || fabs(value) >= 1e15))
		do
			num_short(value, digits, text);
		while (!is_float(text, (float)value) && digits++ < 9);
	else
		num_exact(value, text);
	record_draft_add(d, tag->bytes, tag->length, text, strlen(text));
}

static void
add_number(struct record_draft *d, const char *name, double value)
{
	char text[NUM_TEXT];

	num_exact(value, text);
	record_draft_add(d, name, strlen(name), text, strlen(text));
}

/*
 * Add the step, the time and the values of an event, if it has values.  Returns
 * 0 if the event is damaged.
 */
static int
draft_event(struct record_draft *d, struct message event)
{
	static const char epochs[] = "epoch_";
	const size_t length = sizeof epochs - 1;
	struct message summary = {NULL, NULL};
	struct field f, tag;
	double time = 0, value;
	int64_t step = 0;
	int has_steps = 0;

	while (next(&event, &f))
		if (is(&f, 1, 1))
			time = as_double(f.value);
		else if (is(&f, 2, 0))
			step = (int64_t)f.value;
		else if (is(&f, 5, 2))
			summary = inside(&f);
	if (event.at != event.end)
		return 0;
	while (next(&summary, &f)) {
		if (!is(&f, 1, 2) || !read_value(inside(&f), &tag, &value))
			continue;
		if (d->count == 0) {
			add_number(d, "step", (double)step);
			add_number(d, "wall_time", time);
		}
		has_steps |= tag.length <= length ||
		    memcmp(tag.bytes, epochs, length) != 0;
		add_single(d, &tag, value);
	}
	/* Keras has steps in its other tags. */
	if (d->count > 0 && !has_steps)
		d->name[0] = record_keep(&d->texts, "epoch", strlen("epoch"));
	return 1;
}

/* ---- files ---- */

/*
 * Read the record at taken, whose head is complete.  Returns the length of the
 * record with its frame, or 0 if its end is missing so far.
 */
static size_t
take(struct record_reader *r, struct record_draft *d, const char *bytes,
    size_t length)
{
	const char *at = bytes + r->taken;
	size_t left = length - r->taken;
	uint64_t size = little(at, 8);

	if (size > RECORD_SIZE) { /* such as a graph or an image */
		if (size > left - HEAD) {
			r->skip = size - (left - HEAD) + TAIL;
			return left;
		}
		size += HEAD + TAIL;
		r->skip = size > left ? size - left : 0;
		return size > left ? left : (size_t)size;
	}
	if (left < HEAD + size + TAIL)
		return 0;
	if (!holds(at + HEAD, (size_t)size, at + HEAD + size)) {
		/* A shared file system may deliver a page late. */
		if (left == HEAD + size + TAIL && !r->ended)
			return 0;
		r->damaged++;
	} else if (!draft_event(
		       d, (struct message){at + HEAD, at + HEAD + size})) {
		r->damaged++;
	}
	return HEAD + (size_t)size + TAIL;
}

/*
 * Look for the next head.  Returns 0 if there is none so far: then the bytes
 * that may begin one are left, after a byte that does not, so that the damage
 * is counted once.
 */
static int
find_head(struct record_reader *r, const char *bytes, size_t length)
{
	while (length - r->taken > HEAD) {
		r->taken++;
		if (record_is_events(bytes + r->taken, length - r->taken))
			return 1;
	}
	return 0;
}

int
record_read_events(struct record_reader *r, const char *bytes, size_t length,
    record_each *each, void *arg)
{
	static const char hole[HEAD];
	struct record_draft draft = {.count = 0};
	size_t n;
	int status = 0;

	while (status == 0 && length - r->taken >= HEAD) {
		if (!record_is_events(bytes + r->taken, length - r->taken)) {
			if (!r->ended &&
			    memcmp(bytes + r->taken, hole, HEAD) == 0)
				break;
			if (!find_head(r, bytes, length))
				break;
			r->damaged++;
			continue;
		}
		n = take(r, &draft, bytes, length);
		if (n == 0)
			break;
		status = record_draft_give(&draft, each, arg, r->taken + n);
		r->taken += status == 0 ? n : 0;
	}
	if (r->ended && status == 0 && r->taken < length) {
		r->taken = length;
		r->damaged++;
	}
	record_draft_free(&draft);
	return status;
}
