#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "metrics/metrics.h"
#include "metrics/reader.h"
#include "sys/fs.h"

struct seen {
	char text[8192];
	size_t used;
};

static int
see(void *arg, const struct record *r, size_t taken)
{
	struct seen *s = arg;
	size_t i;

	(void)taken;
	for (i = 0; i < r->count; i++)
		s->used += (size_t)snprintf(s->text + s->used,
		    sizeof s->text - s->used, "%s=%s ", r->name[i],
		    r->value[i]);
	s->used +=
	    (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "; ");
	return 0;
}

/* Return what is guessed from an output read in pieces of so many bytes. */
static const char *
guess(const char *bytes, size_t length, size_t piece)
{
	static struct seen s;
	struct record_pattern *p = record_pattern_new(NULL, 0, NULL);
	struct record_reader r = {.format = RECORD_TEXT, .pattern = p};
	size_t from = 0, end = 0;

	s = (struct seen){.used = 0};
	do {
		end = length - end < piece ? length : end + piece;
		r.ended = end == length;
		record_read(&r, bytes + from, end - from, see, &s);
		from += r.taken;
	} while (end < length);
	record_pattern_free(p);
	return s.text;
}

struct guess_case {
	const char *bytes, *want;
};

static void
check(const struct guess_case *c, size_t count)
{
	size_t i, piece, bad = 0;
	const char *is;

	for (i = 0; i < count; i++)
		for (piece = 1; piece < 100; piece += 13) {
			is = guess(c[i].bytes, strlen(c[i].bytes), piece);
			if (strcmp(is, c[i].want) == 0)
				continue;
			print_error("%s\n  is   %s\n  want %s\n", c[i].bytes,
			    is, c[i].want);
			bad++;
			break;
		}
	assert_int_equal(bad, 0);
}

#define CHECK(cases) check(cases, sizeof cases / sizeof *cases)

static void
plain_prints_give_pairs_and_an_epoch(void **state)
{
	static const struct guess_case cases[] = {
	    {"epoch 3 loss=0.12 val_loss: 0.34\n",
		"loss=0.12 val_loss=0.34 epoch=3 ; "},
	    {"Epoch [3/10], Loss: 0.12, Acc: 97.5%\n",
		"loss=0.12 acc=97.5 epoch=3 ; "},
	    {"epoch: 3 | train loss 0.5 | val acc 0.91\n",
		"train_loss=0.5 val_acc=0.91 epoch=3 ; "},
	    {"Epoch [1/5], Step [100/600], Loss: 2.3\r\n",
		"loss=2.3 epoch=1 step=100 ; "},
	    {"Epoch 2 train: loss=0.5 acc=0.8, val: loss=.4 acc=1\n",
		"train_loss=0.5 train_acc=0.8 val_loss=.4 val_acc=1 "
		"epoch=2 ; "},
	    {"Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.300039\n\n"
	     "Test set: Average loss: 0.0500, Accuracy: 9840/10000 (98%)\n",
		"train_loss=2.300039 epoch=1 ; test_loss=0.0500 epoch=1 ; "},
	    {"Epoch: [2][ 10/100]\tTime  0.1 ( 0.2)\tLoss 6.9e+00 (7.0e+00)\t"
	     "Acc@1   6.25 (  7.81)\n * Acc@1 60.100 Acc@5 80.000\n",
		"loss=6.9e+00 acc@1=6.25 epoch=2 ; "
		"acc@1=60.100 acc@5=80.000 epoch=2 ; "},
	    {"2024-01-01 12:00:00,123 - INFO - Epoch 3/10\n"
	     "12:00:05 INFO root: Validation Loss: 0.3 F1-score: 0.8\n",
		"val_loss=0.3 val_f1-score=0.8 epoch=3 ; "},
	    {"---- Epoch 0 ----\nloss = tensor(0.5, device='cuda:0')\n"
	     "acc = np.float64(0.75)\n",
		"loss=0.5 epoch=0 ; acc=0.75 epoch=0 ; "},
	    {"step 100: train loss 1.5, val loss 1.25\n"
	     "iter 100: loss 1.0425, time 50.0ms, mfu 20.0%\n",
		"train_loss=1.5 val_loss=1.25 step=100 ; "
		"loss=1.0425 iter=100 ; "},
	    {"[0]\ttrain-logloss:0.48\teval-auc:0.93\n",
		"train-logloss=0.48 eval-auc=0.93 ; "},
	    {"epoch: 3 | train loss 0.5 | val acc 91%\n",
		"train_loss=0.5 val_acc=91 epoch=3 ; "},
	    {"Iteration 7, loss = nan\n", "loss=nan iter=7 ; "},
	    {"Epoch 4: val_loss improved from 0.5 to 0.4, saving model\n"
	     "loss 0.2",
		"loss=0.2 epoch=4 ; "},
	    {"Loss/train: 0.3 mAP50: 0.6 mean IoU: 0.7\n",
		"loss/train=0.3 map50=0.6 iou=0.7 ; "},
	};

	(void)state;
	CHECK(cases);
}

static void
dicts_and_objects_give_their_members(void **state)
{
	static const struct guess_case cases[] = {
	    {"{'loss': 0.52, 'grad_norm': 1.2, 'learning_rate': 4e-05, "
	     "'epoch': 0.5}\n{'eval_loss': 0.4, 'eval_runtime': 1.2, "
	     "'eval_samples_per_second': 80.1, 'epoch': 1.0}\n"
	     "{'train_runtime': 12.3, 'train_loss': 0.45, 'epoch': 1.0}\n",
		"loss=0.52 epoch=0.5 ; eval_loss=0.4 epoch=1 ; "
		"train_loss=0.45 epoch=1 ; "},
	    {"{'loss': '0.52', 'epoch': '2'}\n", "loss=0.52 epoch=2 ; "},
	    {" 50%|#####     | 5/10 [00:01<00:01,  4.9it/s]"
	     "{'loss': 0.5, 'epoch': 1.0}\n",
		"loss=0.5 epoch=1 ; "},
	    {"\r  0%|          | 0/10 [00:00<?, ?it/s]\r     \r"
	     "{'loss': 0.5, 'epoch': 1.0}\n",
		"loss=0.5 epoch=1 ; "},
	    {"{\"epoch\": 3, \"loss\": 0.5, \"time\": 12.5}\n",
		"loss=0.5 epoch=3 ; "},
	    {"{\"train\": {\"loss\": 0.5}, \"val\": {\"loss\": 0.4}}\n", ""},
	};

	(void)state;
	CHECK(cases);
}

static void
only_the_end_of_a_bar_counts(void **state)
{
	static const struct guess_case cases[] = {
	    {"\rEpoch 3:  50%|##  | 5/10 [00:01<00:01, 9.9it/s, loss=0.2]"
	     "\rEpoch 3: 100%|####| 10/10 [00:01<00:00, 9.9it/s, loss=0.12, "
	     "v_num=0]\n",
		"loss=0.12 epoch=3 ; "},
	    {"\rEpoch 0: 100%|##| 2/2 [00:00<00:00, 9it/s, v_num=0]"
	     "\rEpoch 0: 100%|##| 2/2 [00:00<00:00, 9it/s, v_num=0, "
	     "train_loss_step=0.5, val_loss=0.4]\rEpoch 1:   0%|  | 0/2 "
	     "[00:00<?, ?it/s, v_num=0, train_loss_step=0.5, val_loss=0.4]",
		"train_loss_step=0.5 val_loss=0.4 epoch=0 ; "},
	    {"\r 50%|# | 1/2 [00:00<00:00, 9it/s, loss=1]"
	     "\r100%|##| 2/2 [00:00<00:00, 9it/s, loss=2]"
	     "\r100%|##| 2/2 [00:00<00:00, 9it/s, loss=3]\n",
		"loss=3 ; "},
	    {" 99%|#9| 249/250 [00:00<00:00, 9it/s, loss=1]\n", ""},
	    {"Epoch 1/2\n1/2 [==>..] - ETA: 4s - loss: 0.9\b\b\b\b\r"
	     "2/2 [=====] - 5s 3ms/step - loss: 0.5 - val_loss: 0.4\n"
	     "2/2 [=====] - 1s 3ms/step - loss: 9\n"
	     "Epoch 2/2\n2/2 - 3s - 2ms/step - accuracy: 0.91\n",
		"loss=0.5 val_loss=0.4 epoch=1 ; accuracy=0.91 epoch=2 ; "},
	    {"1/2 loss: 0.9\rstep 2 loss: 0.8\rstep 3 loss: 0.7\n",
		"loss=0.7 step=3 ; "},
	    {"     12/Unknown 3s 2ms/step - loss: 0.9\n", ""},
	};

	(void)state;
	CHECK(cases);
}

static void
other_lines_give_nothing(void **state)
{
	static const struct guess_case cases[] = {
	    {"Epoch 3/10\nlearning rate: 0.1\nlr=1e-3 momentum=0.9\n", ""},
	    {"Namespace(lr=0.1, epochs=10, precision=16, loss='mse')\n", ""},
	    {"loss_scale: 65536\nloss_weight=0.5\nacc_steps=4\n", ""},
	    {"Error: 2\nERROR: 404 Not Found\nerror 0.5\nscore: 0.7\n", ""},
	    {"loss: 3s, loss: 2.5it/s, loss 12:30, loss: 2024-01-02\n", ""},
	    {"loss: 1,234.5 loss: 5/10 loss: 0.5.1 loss: 0x10 loss: 1e\n", ""},
	    {"best val_loss: 0.3\nBest epoch: 3, loss 0.5\n", ""},
	    {"min_loss: 0.3, target accuracy: 0.9, best_acc=0.8\n", ""},
	    {"loss 2 of 3\npython train.py --loss 0.5 --target-loss=0.5\n", ""},
	    {"loss: [0.1, 0.2]\nloss == 0.5\nloss: information\n", ""},
	    {"epoch 3 took 12.5s, 3.2 s/step, eta 0:12:30\n", ""},
	    {"100%|##| 10/10 [00:01<00:00, 9.9it/s]\n", ""},
	    {"", ""},
	    {"\033[\033]\r\n\033", ""},
	};

	(void)state;
	CHECK(cases);
}

/* ---- captured outputs ---- */

/* Read a captured output as a pass does; the summary of its metrics. */
static struct metrics_summary
captured(const char *name, size_t piece)
{
	char *path = xasprintf("tests/data/printed/%s", name), *bytes;
	struct record_pattern *p = record_pattern_new(NULL, 0, NULL);
	struct metrics_request wish = {NULL, METRICS_GOAL_BY_NAME, p};
	struct metrics_summary s = {0};
	size_t length, end = 0;

	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, &length, NULL), 0);
	while (end < length) {
		end = length - end < piece ? length : end + piece;
		while (metrics_summary_read(&s, &wish, bytes + s.offset,
			   end - s.offset, end == length, NULL) == 1)
			continue;
	}
	free(bytes);
	free(path);
	record_pattern_free(p);
	return s;
}

static void
captured_outputs_have_a_summary(void **state)
{
	static const struct {
		const char *name, *metric;
		double best, best_epoch, last;
		unsigned epochs;
	} cases[] = {
	    {"keras.log", "val_loss", 0.6900, 2, 0.6900, 4},
	    {"tqdm.log", "val_loss", 0.25, 1, 0.25, 2},
	};
	struct metrics_summary s;
	size_t i, piece;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		for (piece = 100; piece < 100000; piece *= 9) {
			s = captured(cases[i].name, piece);
			assert_string_equal(s.x_name, "epoch");
			assert_string_equal(s.metric, cases[i].metric);
			assert_true(s.has_best && s.best == cases[i].best);
			assert_true(s.best_epoch == cases[i].best_epoch);
			assert_true(s.last == cases[i].last);
			assert_int_equal(s.epochs, cases[i].epochs);
			assert_int_equal(s.damaged, 0);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_prints_give_pairs_and_an_epoch),
	    cmocka_unit_test(dicts_and_objects_give_their_members),
	    cmocka_unit_test(only_the_end_of_a_bar_counts),
	    cmocka_unit_test(other_lines_give_nothing),
	    cmocka_unit_test(captured_outputs_have_a_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
