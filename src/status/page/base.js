// SPDX-License-Identifier: GPL-2.0-only
// The page of berth. All that comes from the cluster is put in as text, never as markup.
'use strict';

const ROWS = 200; // of a long table, until more is asked for

const $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem('token') || '';

// make('td', 'text' or [children], 'class', { attribute: value })
function make(name, content, className, attributes) {
	const e = document.createElement(name);
	if (Array.isArray(content)) e.append(...content);
	else if (content !== undefined) e.textContent = content;
	if (className) e.className = className;
	for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
	return e;
}

function button(text, act) {
	const b = make('button', text, '', { type: 'button' });
	b.onclick = act;
	return b;
}
const link = (text, href, className) => make('a', text, className, { href });

// Changes nothing that is so already: what has the focus or is read out stays in peace.
function put(e, text) {
	if (e.textContent !== String(text)) e.textContent = text;
}
function putClass(e, name) {
	if (e.className !== name) e.className = name;
}

// The children of `place` become those of `items`; who is there already stays.
function sync(place, items, key, create, update) {
	const wanted = new Set(items.map(key));
	const had = new Map();
	const focus = document.activeElement;
	for (const e of [...place.children])
		if (wanted.has(e.key)) had.set(e.key, e);
		else e.remove();
	let at = place.firstChild;
	for (const item of items) {
		let e = had.get(key(item));
		if (!e) {
			e = create(item);
			e.key = key(item);
		}
		update(e, item);
		if (e === at) at = at.nextSibling;
		else place.insertBefore(e, at);
	}
	if (focus !== document.activeElement && place.contains(focus)) focus.focus();
}

// What is refused has the status code of the answer.
async function ask(path, more) {
	const headers = token ? { Authorization: 'Bearer ' + token } : {};
	const answer = await fetch(path, { cache: 'no-store', headers, ...more });
	if (answer.ok) return answer;
	const words = await answer.text();
	let said;
	try { said = JSON.parse(words); } catch (e) { said = {}; }
	throw Object.assign(new Error(said.error || said.message || words), { code: answer.status });
}
const askJson = async (path, more) => (await ask(path, more)).json();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function later(f) {
	let timer = 0;
	return () => { clearTimeout(timer); timer = setTimeout(f, 150); };
}

// ---- numbers and words ----

function bytes(n) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
	let u = 0;
	while (Math.abs(n) >= 1024 && u < 5) { n /= 1024; u++; }
	return (n < 10 && u ? n.toFixed(1).replace('.0', '') : Math.round(n)) + ' ' + units[u];
}
function time(s) {
	if (s < 120) return s + ' s';
	if (s < 7200) return Math.round(s / 60) + ' min';
	return s < 172800 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' d';
}
const clock = (ms) => new Date(ms).toLocaleTimeString('en-GB');
const micro = (us) => us < 1000 ? us + ' µs' : (us / 1000).toFixed(us < 10000 ? 1 : 0) + ' ms';
const thousands = (n) => n.toLocaleString('en');
const count = (n, word) => thousands(n) + ' ' + word + (n === 1 ? '' : 's');
const cores = (milli) => milli > 0 && milli < 1000 ? milli + 'm' : thousands(Math.round(milli / 10) / 100);
// May be broken between its words.
const soft = (name) => name.replace(/([a-z])([A-Z])/g, '$1\u200b$2');
// How an amount of a resource is written.
const amount = (name, n) => name === 'cpu' ? cores(n) : name === 'memory' || name === 'ephemeral-storage' ? bytes(n) : thousands(n);
// Of one node it is said without "node(s)".
const reasons = (r) => r.reasons.map((words) => words.replace('node(s) ', '')).join('; ');
// What preemption adds to a message is for its own line.
const short = (message) => message.replace(/\.? (no new claims to deallocate, )?preemption: .*/s, '.');
// A message as a list has room for it: what most nodes say comes first.
function brief(message) {
	const [, list] = /^0\/\d+ nodes are available: (.*?)\.?$/s.exec(short(message)) || [];
	if (!list) return short(message);
	return list.split(/, (?=\d+ )/).sort((a, b) => parseInt(b, 10) - parseInt(a, 10)).map((part) => part.replace(/^(\d+) (node\(s\) )?/, (all, n) => thousands(Number(n)) + ' ')).join(', ');
}
const share = (pair) => pair && pair[1] > 0 ? pair[0] / pair[1] : 0;

// A list with "and 3 more".
function some(list, most, all) {
	const more = (all || list.length) - Math.min(list.length, most);
	return list.slice(0, most).join(', ') + (more ? ' and ' + thousands(more) + ' more' : '');
}

// ---- parts that more than one view has ----

// A bar of what is used, with a mark where the most was.
function meter(e, label, value, mark, bad) {
	const percent = (v) => Math.min(100, v * 100).toFixed(1);
	putClass(e, 'meter' + (mark === undefined ? '' : ' mark') + (bad ? ' full' : ''));
	e.style.setProperty('--v', percent(value));
	e.style.setProperty('--m', percent(mark || 0));
	for (const [k, v] of Object.entries({ role: 'meter', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent(value) }))
		e.setAttribute(k, v);
	return e;
}

// One line each of name, amount and bar: [name, [used, all], show]
function showBars(place, list) {
	sync(place, list, ([name]) => name, ([name]) => make('li', [make('span', [make('b', name), make('span', '', 'dim')]), make('i')]),
		(e, [name, pair, show]) => {
			const part = share(pair);
			put(e.firstChild.lastChild, show(pair[0]) + ' of ' + show(pair[1]) + (pair[1] ? ', ' + Math.round(part * 100) + ' %' : ''));
			meter(e.lastChild, name + ' requested', part, undefined, part > 0.95);
		});
}

function showFigures(id, list) {
	sync($(id), list, (f) => f[0], (f) => make('div', [make('dt', f[0]), make('dd'), make('dd')]), (e, [, value, more, how]) => {
		put(e.children[1], typeof value === 'number' ? thousands(value) : value);
		put(e.children[2], more || '');
		putClass(e.children[1], how || '');
	});
}

// What may be wider than the screen.
const region = (label, e, more) => make('div', [e], 'scroll ' + (more || ''), { role: 'region', 'aria-label': label, tabindex: 0 });

function table(label, head, rows, className) {
	for (const tr of rows) head.forEach((h, i) => tr.children[i].setAttribute('data-label', h));
	const body = make('tbody', rows.slice(0, ROWS)), place = region(label, make('table', [make('thead',
		[make('tr', head.map((h, i) => make('th', soft(h), rows[0].children[i].className === 'num' ? 'num' : '', { scope: 'col' })))]), body], className), 'card flush');
	if (rows.length <= ROWS) return [make('h3', label), place];
	const more = button('Show all ' + rows.length, () => { body.append(...rows.slice(ROWS)); more.remove(); });
	return [make('h3', label), place, make('p', [more])];
}

// A row of a table that becomes a list on a narrow screen.
function row(labels) {
	return make('tr', labels.map((l) => make('td', undefined, '', { 'data-label': l })));
}

// What was opened gets the focus; what it was opened from stays in sight when there is room for both.
function reveal(place) {
	const top = place.getBoundingClientRect().top;
	place.focus({ preventScroll: true });
	if (top < 0 || top > innerHeight * 0.6) place.scrollIntoView();
}
