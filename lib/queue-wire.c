#include <string.h>

#include "queue-own.h"

enum { NO_TEXT = -1 };

void
queue_put_number(FILE *out, int64_t number)
{
	fwrite(&number, sizeof number, 1, out);
}

void
queue_put_text(FILE *out, const char *text)
{
	size_t length;

	if (text == NULL) {
		queue_put_number(out, NO_TEXT);
		return;
	}
	length = strlen(text);
	queue_put_number(out, (int64_t)length);
	fwrite(text, 1, length + 1, out);
}

static const char *
take(struct queue_input *in, size_t length)
{
	const char *here = in->at;

	if (in->broken || (size_t)(in->end - in->at) < length) {
		in->broken = 1;
		return NULL;
	}
	in->at += length;
	return here;
}

int64_t
queue_get_number(struct queue_input *in)
{
	int64_t number = 0;
	const char *bytes = take(in, sizeof number);

	if (bytes != NULL)
		memcpy(&number, bytes, sizeof number);
	return number;
}

const char *
queue_get_text(struct queue_input *in)
{
	int64_t length = queue_get_number(in);
	const char *text;

	if (in->broken || length == NO_TEXT)
		return NULL;
	if (length < 0 || length >= in->end - in->at) {
		in->broken = 1;
		return NULL;
	}
	text = take(in, (size_t)length + 1);
	if (text != NULL && text[length] != '\0')
		in->broken = 1;
	return in->broken ? NULL : text;
}
