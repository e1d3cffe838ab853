/*
 * How a report looks: the text of its head, style sheet and script, and the
 * pieces of HTML that it is made of.
 *
 * Browsers run the script only if its SHA-256 is the one in the head;
 * tests/stfm-report.t says the right one.
 */
#include <stdlib.h>

#include "base/text.h"
#include "report/private.h"

const char report_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
    " base-uri 'none'; form-action 'none'; style-src 'unsafe-inline';"
    " script-src 'sha256-wkDqAx5L71B8N/Flh/ZBYMTZQ4l8ROHe1z3ItiMmIWc='\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n";

const char report_style[] =
    ":root{--ink:#1a1a1a;--soft:#555;--line:#d5d8dc;--page:#fff;\n"
    "--shade:#f4f5f7;--link:#0a58a8}\n"
    ".RUNNING{color:#0a58a8}.FINISHED{color:#17693a}.ERROR{color:#b3261e}\n"
    ".STOPPED{color:#7a5300}.SUBMITTED{color:#555}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--soft:#a9b0b8;\n"
    "--line:#3a3f46;--page:#16181c;--shade:#202329;--link:#8ec5ff}\n"
    ".RUNNING{color:#8ec5ff}.FINISHED{color:#7fd6a0}.ERROR{color:#ff9d94}\n"
    ".STOPPED{color:#f0c36d}.SUBMITTED{color:#a9b0b8}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:78rem;color:var(--ink);\n"
    "background:var(--page);font:1rem/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.35rem;margin:2.5rem 0 .5rem;padding-top:.6rem;\n"
    "border-top:2px solid var(--line)}\n"
    "h3{font-size:1.05rem;margin:1.6rem 0 .4rem}\n"
    "h1,h2,p,dd,td,th,pre,li,figcaption{overflow-wrap:anywhere}\n"
    "a{color:var(--link)}\n"
    ".soft,figcaption,dt{color:var(--soft)}\n"
    ".note{background:var(--shade);border-left:4px solid var(--soft);\n"
    "padding:.4rem .8rem;margin:.6rem 0}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,"
    "minmax(min(100%,15rem),1fr));gap:.5rem 1.5rem;margin:.6rem 0}\n"
    "dt{font-size:.85rem}\n"
    "dd{margin:0}\n"
    "dd.w,div.w{grid-column:1/-1}\n"
    ".wide{overflow-x:auto;max-width:100%}\n"
    ".wide:focus-visible{outline:2px solid var(--link)}\n"
    "table{border-collapse:collapse;font-size:.9rem;\n"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .7rem .25rem 0;text-align:left;\n"
    "vertical-align:top;border-bottom:1px solid var(--line)}\n"
    ".wide th,.wide td{overflow-wrap:normal;white-space:nowrap}\n"
    ".wide td.long{overflow-wrap:anywhere;white-space:normal;\n"
    "min-width:12rem;max-width:40rem}\n"
    "td.n,th.n,.key .n{text-align:right}\n"
    "thead th{background:var(--shade);white-space:nowrap}\n"
    "th:first-child,td:first-child{padding-left:.4rem}\n"
    "th button{all:unset;cursor:pointer;font-weight:600;color:inherit}\n"
    "th button:focus-visible{outline:2px solid var(--link)}\n"
    "th button::after{content:' \\2195';opacity:.5}\n"
    "th[aria-sort=ascending] button::after{content:' \\2191';opacity:1}\n"
    "th[aria-sort=descending] button::after{content:' \\2193';opacity:1}\n"
    "tbody tr:hover{background:var(--shade)}\n"
    ".s{font-weight:600;white-space:nowrap}\n"
    "pre{background:var(--shade);padding:.6rem .8rem;margin:.3rem 0;\n"
    "white-space:pre-wrap;font:.85rem/1.4 ui-monospace,monospace}\n"
    ".charts{display:grid;gap:1.5rem 2rem;align-items:start;\n"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr))}\n"
    "figure{margin:0;min-width:0}\n"
    "figure>svg{display:block;width:100%;max-width:42rem;height:auto}\n"
    "figcaption{font-size:.9rem}\n"
    ".key{font-size:.85rem;margin-top:.3rem}\n"
    ".key td,.key th{border:0;padding:.1rem .6rem .1rem 0;\n"
    "font-weight:400;white-space:nowrap;background:none}\n"
    ".key td svg{vertical-align:middle}\n"
    "@media (max-width:30rem){body{padding:.7rem}.chart{font-size:15px}\n"
    ".chart .h{font-size:16px}}\n"
    "@media print{body{max-width:none;padding:0;font-size:10pt}\n"
    ".wide{overflow:visible}table{font-size:8pt}thead{display:"
    "table-header-group}tr,figure{break-inside:avoid}h2,h3{break-after:avoid}\n"
    "th button::after{content:''!important}.charts{grid-template-columns:"
    "1fr 1fr}.key{font-size:7pt}.wide td:not(.n),.wide td.p{white-space:"
    "normal}\n.wide .key td{white-space:nowrap}}\n";

/*
 * Make the heads of sortable tables buttons.  Numbers are in data-v; rows
 * without a value are last in any order.
 */
const char report_script[] =
    "for (const table of document.querySelectorAll('table.sort')) {\n"
    "  const heads = [...table.tHead.rows[0].cells];\n"
    "  const value = (row, i) => row.cells[i].dataset.v ??\n"
    "    row.cells[i].textContent;\n"
    "  const compare = (a, b) => {\n"
    "    const x = Number(a), y = Number(b);\n"
    "    return isNaN(x) || isNaN(y) ? a.localeCompare(b, 'en',\n"
    "      {numeric: true}) : x - y;\n"
    "  };\n"
    "  heads.forEach((head, i) => {\n"
    "    const button = document.createElement('button');\n"
    "    button.type = 'button';\n"
    "    button.append(...head.childNodes);\n"
    "    head.append(button);\n"
    "    button.addEventListener('click', () => {\n"
    "      const up = head.getAttribute('aria-sort') !== 'ascending';\n"
    "      heads.forEach(h => h.removeAttribute('aria-sort'));\n"
    "      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
    "      const rows = [...table.tBodies[0].rows].map(row =>\n"
    "        [value(row, i), row]);\n"
    "      rows.sort(([a], [b]) => (a === '') - (b === '') ||\n"
    "        (a === '' ? 0 : up ? compare(a, b) : compare(b, a)));\n"
    "      table.tBodies[0].append(...rows.map(([, row]) => row));\n"
    "    });\n"
    "  });\n"
    "}\n";

void
report_text(FILE *out, const char *tag, const char *text)
{
	if (text == NULL)
		return;
	fprintf(out, "<%s>", tag);
	text_xml(out, text);
	fprintf(out, "</%s>\n", tag);
}

void
report_term(FILE *out, const char *term, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	fputs("<div>", out);
	report_text(out, "dt", term);
	report_text(out, "dd", text);
	fputs("</div>\n", out);
}

void
report_term_of(FILE *out, const char *term, char *text)
{
	report_term(out, term, text);
	free(text);
}

void
report_table_begin(FILE *out, const char *label, const char *class)
{
	fprintf(out,
	    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label="
	    "\"%s\">\n<table",
	    label);
	if (class != NULL)
		fprintf(out, " class=\"%s\"", class);
	fputs(">\n", out);
}

void
report_table_end(FILE *out)
{
	fputs("</table>\n</div>\n", out);
}

void
report_state(FILE *out, enum store_state state)
{
	const char *name = store_state_name(state);

	fprintf(out, "<span class=\"s %s\">%s</span>", name, name);
}
