/*
 * fault - run a program in which one system call goes wrong.
 *
 * fault [-z] [-k KIND] [-a FILE] [-c CALL,...] [-n N] [-p NAME] [-r ROOT]...
 *     [-o REPORT] [-m MOUNT] [-t SECONDS] PROGRAM [WORD...]
 *
 * The calls of the program and of what it starts are counted, in the order in
 * which they are made, as far as they concern KIND and something below a ROOT
 * (kill and alone: also sockets and pipes).  At the N-th:
 *
 *   kill     all processes are killed before it is made
 *   alone    the process that makes it is killed
 *   cut      all are killed after it, and the file system at MOUNT loses what
 *            it has not written yet (it has to be mounted anew)
 *   short    it writes half of what was asked for, or reads a few bytes
 *   late     it is made, but reported as failed with EIO
 *   ENOSPC   and other names: it fails with that error
 *   ENOSPC+  so do all that follow
 *
 * With -c only calls of these names count, such as "write,readdir" (fsyncdir is
 * fsync of a directory, and fsync then of other files), and with "changes"
 * those that change what is stored or send something; with -a only those that
 * are made after FILE has appeared; with -p only those of processes of that
 * name: other programs that it starts are let go, and stay behind. REPORT then
 * says "hit NAME PATH", at once, or in the end "missed COUNT" when there were
 * fewer.  A SIGTERM is for the program, which goes on. -z lets our
 * own long naps pass at once.  The exit status is the program's; 128 and the
 * number of a signal; 124 when it took longer than SECONDS.
 *
 * It knows the registers of x86-64 only.
 */
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
int
main(void)
{
	errx(2, "not written for this processor");
}
#else

/* The same for ext4 and xfs, with the flag that loses the log. */
#define SHUT_DOWN _IOR('X', 125, unsigned int)
enum { LOSE_LOG = 2 };

/* What a call does, for what can go wrong with it. */
enum {
	GROWS = 1,   /* needs space */
	CHANGES = 2, /* what is stored */
	NAMES = 4,   /* changes a directory */
	MOVES = 8,   /* bytes: may be short */
	READS = 16,
	CLOSES = 32,
	TALKS = 64, /* sockets only */
};

/* How its object is found: a descriptor, or a directory and a name. */
static const struct call {
	long number;
	const char *name;
	int fd, path; /* index of the argument, or -1 */
	int does;
} calls[] = {
    {SYS_open, "open", -1, 0, READS},
    {SYS_openat, "open", 0, 1, READS},
    {SYS_creat, "open", -1, 0, GROWS | CHANGES | NAMES},
    {SYS_read, "read", 0, -1, READS | MOVES},
    {SYS_readv, "read", 0, -1, READS},
    {SYS_pread64, "read", 0, -1, READS | MOVES},
    {SYS_write, "write", 0, -1, GROWS | CHANGES | MOVES},
    {SYS_writev, "write", 0, -1, GROWS | CHANGES},
    {SYS_pwrite64, "write", 0, -1, GROWS | CHANGES | MOVES},
    {SYS_close, "close", 0, -1, CLOSES},
    {SYS_fsync, "fsync", 0, -1, GROWS | CHANGES},
    {SYS_fdatasync, "fsync", 0, -1, GROWS | CHANGES},
    {SYS_ftruncate, "truncate", 0, -1, GROWS | CHANGES},
    {SYS_link, "link", -1, 1, GROWS | CHANGES | NAMES},
    {SYS_linkat, "link", 2, 3, GROWS | CHANGES | NAMES},
    {SYS_symlink, "symlink", -1, 1, GROWS | CHANGES | NAMES},
    {SYS_symlinkat, "symlink", 1, 2, GROWS | CHANGES | NAMES},
    {SYS_unlink, "unlink", -1, 0, CHANGES | NAMES},
    {SYS_unlinkat, "unlink", 0, 1, CHANGES | NAMES},
    {SYS_rmdir, "unlink", -1, 0, CHANGES | NAMES},
    {SYS_rename, "rename", -1, 1, GROWS | CHANGES | NAMES},
    {SYS_renameat, "rename", 2, 3, GROWS | CHANGES | NAMES},
    {SYS_renameat2, "rename", 2, 3, GROWS | CHANGES | NAMES},
    {SYS_mkdir, "mkdir", -1, 0, GROWS | CHANGES | NAMES},
    {SYS_mkdirat, "mkdir", 0, 1, GROWS | CHANGES | NAMES},
    {SYS_chmod, "chmod", -1, 0, CHANGES},
    {SYS_fchmod, "chmod", 0, -1, CHANGES},
    {SYS_fchmodat, "chmod", 0, 1, CHANGES},
    {SYS_utimensat, "utimens", 0, 1, CHANGES},
    {SYS_getdents64, "readdir", 0, -1, READS},
    {SYS_stat, "stat", -1, 0, READS},
    {SYS_lstat, "stat", -1, 0, READS},
    {SYS_fstat, "stat", 0, -1, READS},
    {SYS_newfstatat, "stat", 0, 1, READS},
    {SYS_statx, "stat", 0, 1, READS},
    {SYS_readlink, "readlink", -1, 0, READS},
    {SYS_readlinkat, "readlink", 0, 1, READS},
    {SYS_access, "access", -1, 0, READS},
    {SYS_faccessat, "access", 0, 1, READS},
    {SYS_faccessat2, "access", 0, 1, READS},
    {SYS_chdir, "chdir", -1, 0, READS},
    {SYS_socket, "socket", -1, -1, TALKS},
    {SYS_connect, "connect", 0, -1, TALKS},
    {SYS_sendto, "send", 0, -1, TALKS},
    {SYS_sendmsg, "send", 0, -1, TALKS},
    {SYS_recvfrom, "receive", 0, -1, TALKS},
    {SYS_recvmsg, "receive", 0, -1, TALKS},
    {SYS_shutdown, "shutdown", 0, -1, TALKS},
    {SYS_nanosleep, "nap", -1, -1, 0},
    {SYS_clock_nanosleep, "nap", -1, -1, 0},
};

enum { CALLS = sizeof calls / sizeof *calls, ROOTS = 8, TREE = 256 };

static const struct {
	const char *name;
	int number, does; /* to which calls it can happen */
} errors[] = {
    {"ENOSPC", ENOSPC, GROWS},
    {"EDQUOT", EDQUOT, GROWS},
    {"EIO", EIO, GROWS | CHANGES | READS | CLOSES},
    {"ESTALE", ESTALE, GROWS | CHANGES | READS | CLOSES},
    {"EINTR", EINTR, GROWS | CHANGES | READS | CLOSES},
    {"EMFILE", EMFILE, 0}, /* of open only */
    {"EACCES", EACCES, NAMES},
    {"EROFS", EROFS, NAMES},
};

enum kind { KILL, ALONE, CUT, SHORT, LATE, ERROR };

struct tree {
	pid_t pid;
	long result; /* to report when the call returns, or 0 */
	int cut;     /* cut the power then */
	int known;
};

static struct {
	enum kind kind;
	int error, does, lasting, naps;
	unsigned long n, seen;
	const char *root[ROOTS];
	size_t roots;
	int mount;
	const char *report;
	const char *calls; /* the only ones that count, or NULL */
	const char *from;  /* the file after which calls count, or NULL */
	const char *only;  /* the name of the processes that count, or NULL */
	char hit[PATH_MAX + 64];
	struct tree tree[TREE];
	pid_t first;
	int status, ended, dead, over;
} f = {.kind = KILL, .mount = -1};

static volatile sig_atomic_t late;

static void
ignore(int number)
{
	(void)number;
}

static void
on_alarm(int number)
{
	(void)number;
	late = 1;
}

static void
set_kind(const char *text)
{
	static const char *const names[] = {
	    "kill", "alone", "cut", "short", "late"};
	size_t i, n = strcspn(text, "+");

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i]) == 0) {
			f.kind = (enum kind)i;
			return;
		}
	f.kind = ERROR;
	f.lasting = text[n] == '+';
	for (i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strlen(errors[i].name) == n &&
		    strncmp(errors[i].name, text, n) == 0) {
			f.error = errors[i].number;
			f.does = errors[i].does;
			return;
		}
	errx(2, "%s: no such kind", text);
}

/* ---- what a call is about ---- */

static unsigned long long
argument(const struct user_regs_struct *r, int i)
{
	switch (i) {
	case 0:
		return r->rdi;
	case 1:
		return r->rsi;
	case 2:
		return r->rdx;
	default:
		return r->r10;
	}
}

/* Text in the memory of the program. */
static void
peek(pid_t pid, unsigned long long at, char *out, size_t size)
{
	size_t got = 0, page, n;
	struct iovec here, there;
	ssize_t rc;

	while (got + 1 < size) {
		page = 4096 - (at + got) % 4096;
		n = page < size - 1 - got ? page : size - 1 - got;
		here = (struct iovec){out + got, n};
		there = (struct iovec){(void *)(uintptr_t)(at + got), n};
		rc = process_vm_readv(pid, &here, 1, &there, 1, 0);
		if (rc <= 0 || memchr(out + got, '\0', (size_t)rc) != NULL)
			break;
		got += (size_t)rc;
	}
	out[size - 1] = '\0';
}

static void
link_of(pid_t pid, const char *what, char *out, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
	n = readlink(path, out, size - 1);
	out[n > 0 ? n : 0] = '\0';
}

static void
object(pid_t pid, const struct call *c, const struct user_regs_struct *r,
    char *out, size_t size)
{
	char fd[32], name[PATH_MAX] = "";
	int number = c->fd == -1 ? AT_FDCWD : (int)argument(r, c->fd);

	out[0] = '\0';
	if (c->path != -1 && argument(r, c->path) != 0)
		peek(pid, argument(r, c->path), name, sizeof name);
	if (name[0] == '/') {
		snprintf(out, size, "%s", name);
		return;
	}
	if (c->fd == -1 && c->path == -1)
		return;
	snprintf(fd, sizeof fd, "fd/%d", number);
	link_of(pid, number == AT_FDCWD ? "cwd" : fd, out, size);
	if (name[0] != '\0' && strlen(out) + strlen(name) + 2 < size) {
		strcat(out, "/");
		strcat(out, name);
	}
}

static int
is_below(const char *path)
{
	size_t i, n;

	for (i = 0; i < f.roots; i++) {
		n = strlen(f.root[i]);
		if (strncmp(path, f.root[i], n) == 0 &&
		    (path[n] == '/' || path[n] == '\0'))
			return 1;
	}
	return 0;
}

static int
is_channel(const char *path)
{
	return strncmp(path, "socket:", 7) == 0 ||
	    strncmp(path, "pipe:", 5) == 0;
}

/* What it does, where that depends on the flags. */
static int
deeds(const struct call *c, const struct user_regs_struct *r)
{
	int flags;

	if (strcmp(c->name, "open") != 0 || c->number == SYS_creat)
		return c->does;
	flags = (int)argument(r, c->number == SYS_open ? 1 : 2);
	return flags & O_CREAT ? READS | GROWS | CHANGES | NAMES : READS;
}

/* The name that -c knows it by. */
static const char *
name_of(const struct call *c, const char *path)
{
	struct stat st;

	if (strcmp(c->name, "fsync") == 0 && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		return "fsyncdir";
	return c->name;
}

/* Whether the list of -c has the name. */
static int
is_listed(const char *name)
{
	const char *at = f.calls;
	size_t n;

	for (;; at += n + 1) {
		n = strcspn(at, ",");
		if (strlen(name) == n && strncmp(at, name, n) == 0)
			return 1;
		if (at[n] == '\0')
			return 0;
	}
}

/*
 * Whether this is a call that -c names.  Between two that change something it
 * makes no difference where a program is killed.
 */
static int
is_wanted(const struct call *c, int does, const char *path)
{
	int changes = (does & CHANGES) || strcmp(c->name, "send") == 0;

	return f.calls == NULL || (changes && is_listed("changes")) ||
	    is_listed(name_of(c, path));
}

/* A name of -c that is none would never be met. */
static void
check_calls(const char *list)
{
	const char *at = list;
	size_t n, i;

	for (;; at += n + 1) {
		n = strcspn(at, ",");
		for (i = 0; i < CALLS; i++)
			if (strlen(calls[i].name) == n &&
			    strncmp(calls[i].name, at, n) == 0)
				break;
		if (i == CALLS && (n != 7 || strncmp(at, "changes", n) != 0) &&
		    (n != 8 || strncmp(at, "fsyncdir", n) != 0))
			errx(2, "%s: not a list of calls", list);
		if (at[n] == '\0')
			return;
	}
}

/* Whether what is tried can happen to this call. */
static int
concerns(
    const struct call *c, const struct user_regs_struct *r, const char *path)
{
	int does = deeds(c, r);

	if (!is_wanted(c, does, path))
		return 0;
	if (f.from != NULL && access(f.from, F_OK) == -1)
		return 0;
	if (f.kind == KILL || f.kind == ALONE)
		return (does & TALKS) || is_channel(path) || is_below(path);
	if (!is_below(path) || (does & TALKS))
		return 0;
	if (f.kind == CUT)
		return (does & CHANGES) != 0;
	if (f.kind == LATE)
		return (does & NAMES) != 0;
	if (f.kind == SHORT)
		return (does & MOVES) && r->rdx > 1;
	if (f.error == EMFILE)
		return strcmp(c->name, "open") == 0;
	return (does & f.does) != 0 || (f.error == ENOSPC && (does & CLOSES)) ||
	    (f.error == EDQUOT && (does & CLOSES));
}

/* ---- the tree of processes ---- */

/* Read the name of a process: "" when it is gone. */
static void
read_comm(pid_t pid, char *name, int size)
{
	char path[64];
	FILE *in;

	name[0] = '\0';
	snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
	in = fopen(path, "re");
	if (in == NULL)
		return;
	if (fgets(name, size, in) != NULL)
		name[strcspn(name, "\n")] = '\0';
	fclose(in);
}

/* Whether a process has the name that counts. */
static int
is_named(pid_t pid)
{
	char name[32];

	read_comm(pid, name, sizeof name);
	return strcmp(name, f.only) == 0;
}

/* Whether a process runs one of our programs. */
static int
is_ours(pid_t pid)
{
	char name[32];

	read_comm(pid, name, sizeof name);
	return strncmp(name, "stfm-", 5) == 0;
}

static struct tree *
member(pid_t pid)
{
	size_t i;

	for (i = 0; i < TREE; i++)
		if (f.tree[i].pid == pid)
			return &f.tree[i];
	for (i = 0; i < TREE && f.tree[i].pid != 0; i++)
		continue;
	if (i == TREE)
		errx(2, "too many processes");
	f.tree[i] = (struct tree){.pid = pid};
	return &f.tree[i];
}

static void
kill_all(void)
{
	size_t i;

	f.dead = 1;
	for (i = 0; i < TREE; i++)
		if (f.tree[i].pid != 0)
			kill(f.tree[i].pid, SIGKILL);
}

static void
cut_power(void)
{
	unsigned int flags = LOSE_LOG;

	if (ioctl(f.mount, SHUT_DOWN, &flags) == -1)
		err(2, "cannot shut the file system down");
	kill_all();
}

/*
 * Our long naps wait for others, and here is nobody to wait for.  Those of
 * other programs are left: srun cancels a thread when its nap is over, and
 * hangs when that thread holds a lock.
 */
static void
skip_nap(pid_t pid, struct user_regs_struct *r)
{
	unsigned long long at = r->orig_rax == SYS_nanosleep ? r->rdi : r->rdx;
	struct timespec span;
	struct iovec here = {&span, sizeof span};
	struct iovec there = {(void *)(uintptr_t)at, sizeof span};

	if (!f.naps || !is_ours(pid) ||
	    process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0 ||
	    (span.tv_sec == 0 && span.tv_nsec < 50000000))
		return;
	r->orig_rax = (unsigned long long)-1;
	r->rax = 0;
	ptrace(PTRACE_SETREGS, pid, NULL, r);
}

static void
report(void)
{
	FILE *out = f.report ? fopen(f.report, "w") : stderr;

	if (out == NULL)
		err(2, "%s", f.report);
	if (f.hit[0] != '\0')
		fprintf(out, "%s\n", f.hit);
	else
		fprintf(out, "missed %lu\n", f.seen);
	if (out != stderr)
		fclose(out);
}

/* Let it go wrong: whether the end of the call is to be seen. */
static int
go_wrong(struct tree *t, const struct call *c, struct user_regs_struct *r)
{
	switch (f.kind) {
	case KILL:
		kill_all();
		return 0;
	case ALONE:
		kill(t->pid, SIGKILL);
		return 0;
	case CUT:
		t->cut = 1;
		return 1;
	case SHORT:
		r->rdx = c->does & READS && r->rdx > 40 ? 20 : r->rdx / 2;
		break;
	case LATE:
		t->result = -EIO;
		return 1;
	case ERROR:
		if (c->does & CLOSES) { /* it is closed all the same */
			t->result = -f.error;
			return 1;
		}
		r->orig_rax = (unsigned long long)-1;
		r->rax = (unsigned long long)-(long long)f.error;
		break;
	}
	ptrace(PTRACE_SETREGS, t->pid, NULL, r);
	return 0;
}

static const struct call *
find_call(long number)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* A call is about to be made: whether its end is to be seen. */
static int
entered(struct tree *t)
{
	struct user_regs_struct r;
	const struct call *c;
	char path[PATH_MAX];

	if (f.only != NULL && !is_named(t->pid))
		return 0;
	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &r) == -1)
		return 0;
	c = find_call((long)r.orig_rax);
	if (c == NULL)
		return 0;
	if (strcmp(c->name, "nap") == 0) {
		skip_nap(t->pid, &r);
		return 0;
	}
	object(t->pid, c, &r, path, sizeof path);
	if (!concerns(c, &r, path))
		return 0;
	f.seen++;
	if (f.n == 0 || (f.lasting ? f.seen < f.n : f.seen != f.n))
		return 0;
	if (f.hit[0] == '\0') {
		snprintf(f.hit, sizeof f.hit, "hit %s %s", c->name, path);
		report();
	}
	return go_wrong(t, c, &r);
}

/* A call has been made. */
static void
returned(struct tree *t)
{
	struct user_regs_struct r;

	if (t->cut)
		cut_power();
	if (t->result != 0 && ptrace(PTRACE_GETREGS, t->pid, NULL, &r) == 0) {
		r.rax = (unsigned long long)t->result;
		ptrace(PTRACE_SETREGS, t->pid, NULL, &r);
	}
	t->result = 0;
	t->cut = 0;
}

/* ---- tracing ---- */

static void
become(char **words)
{
	struct sock_filter code[CALLS + 3];
	struct sock_fprog program = {CALLS + 3, code};
	size_t i;

	code[0] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < CALLS; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i].number,
		    (unsigned char)(CALLS - i), 0);
	code[CALLS + 1] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[CALLS + 2] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	/* With the filter nobody could be let go: its calls would fail. */
	if (f.only == NULL &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1))
		err(126, "seccomp");
	execvp(words[0], words);
	err(127, "%s", words[0]);
}

/* How a process goes on. */
static enum __ptrace_request
way(void)
{
	return f.only != NULL ? PTRACE_SYSCALL : PTRACE_CONT;
}

static void
start(char **words)
{
	long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
	    PTRACE_O_TRACESYSGOOD | (f.only == NULL ? PTRACE_O_EXITKILL : 0);
	int status;

	f.first = fork();
	if (f.first == -1)
		err(2, "fork");
	if (f.first == 0)
		become(words);
	if (waitpid(f.first, &status, 0) == -1 || !WIFSTOPPED(status))
		errx(2, "cannot trace");
	if (ptrace(PTRACE_SETOPTIONS, f.first, NULL, options) == -1)
		err(2, "ptrace");
	member(f.first)->known = 1;
	ptrace(way(), f.first, NULL, NULL);
}

/* Without the filter each call stops twice: as it begins and as it ends. */
static void
passed(struct tree *t)
{
	struct __ptrace_syscall_info info = {0};

	if (f.only != NULL &&
	    ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof info, &info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_ENTRY)
		entered(t);
	else
		returned(t);
}

/* Another program begins, which does not count. */
static void
let_go(struct tree *t)
{
	ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
	t->pid = 0;
}

static void
stopped(struct tree *t, int status)
{
	int event = status >> 16, number = WSTOPSIG(status), pass = 0, see = 0;

	if (f.dead)
		kill(t->pid, SIGKILL); /* one that began in this moment */
	else if (event == PTRACE_EVENT_SECCOMP)
		see = entered(t);
	else if (event == PTRACE_EVENT_EXEC && f.only != NULL &&
	    !is_named(t->pid)) {
		let_go(t);
		return;
	} else if (number == (SIGTRAP | 0x80))
		passed(t);
	else if (event == 0 && number == SIGSTOP && !t->known)
		t->known = 1; /* a new process begins so */
	else if (event == 0)
		pass = number;
	ptrace(see ? PTRACE_SYSCALL : way(), t->pid, NULL, (long)pass);
}

/*
 * The next that has something to tell.  Where the first is over, others may
 * stay behind, but none in the moment in which it begins.
 */
static pid_t
next(int *status)
{
	struct timespec moment = {0, 5000000};
	pid_t pid;
	int i;

	if (f.only == NULL || !f.over)
		return waitpid(-1, status, __WALL);
	for (i = 0; i < 20; i++) {
		pid = waitpid(-1, status, __WALL | WNOHANG);
		if (pid != 0)
			return pid;
		nanosleep(&moment, NULL);
	}
	errno = ECHILD;
	return -1;
}

static void
follow(void)
{
	int status;
	pid_t pid;

	while ((pid = next(&status)) != -1 || errno == EINTR) {
		if (late) {
			kill_all();
			late = 0;
			f.ended = 124;
		}
		if (pid == -1)
			continue;
		if (WIFSTOPPED(status)) {
			stopped(member(pid), status);
			continue;
		}
		member(pid)->pid = 0;
		if (pid == f.first)
			f.over = 1;
		if (pid == f.first)
			f.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						       : WEXITSTATUS(status);
	}
}

static void
take_option(int opt, unsigned int *seconds)
{
	switch (opt) {
	case 'k':
		set_kind(optarg);
		break;
	case 'a':
		f.from = optarg;
		break;
	case 'c':
		check_calls(optarg);
		f.calls = optarg;
		break;
	case 'n':
		f.n = strtoul(optarg, NULL, 10);
		break;
	case 'p':
		f.only = optarg;
		break;
	case 'r':
		if (f.roots == ROOTS)
			errx(2, "too many roots");
		f.root[f.roots++] = optarg;
		break;
	case 'o':
		f.report = optarg;
		break;
	case 'm':
		f.mount = open(optarg, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (f.mount == -1)
			err(2, "%s", optarg);
		break;
	case 't':
		*seconds = (unsigned int)strtoul(optarg, NULL, 10);
		break;
	case 'z':
		f.naps = 1;
		break;
	default:
		exit(2);
	}
}

int
main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct sigaction quiet = {.sa_handler = ignore};
	unsigned int seconds = 300;
	int opt;

	while ((opt = getopt(argc, argv, "+a:k:c:n:p:r:o:m:t:z")) != -1)
		take_option(opt, &seconds);
	if (optind == argc)
		errx(2, "no program");
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &quiet, NULL);
	start(argv + optind);
	alarm(seconds);
	follow();
	/* After the acknowledgement the power goes as well. */
	if (f.kind == CUT && f.n != 0 && f.hit[0] == '\0' && f.mount != -1)
		cut_power();
	report();
	return f.ended ? f.ended : f.status;
}
#endif
