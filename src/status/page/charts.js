// ---- curves: the last day from the history that berth keeps, the last minutes as they are heard ----

let samples = []; // one a minute, the oldest first: { atMs, pending, bound, ... }
let historyKept = null; // what berth keeps; null: not known yet

async function readSamples() {
	const latest = samples.length ? samples[samples.length - 1].atMs : 0;
	if (historyKept && (!historyKept.minutes || Date.now() - latest < 61000)) return;
	const o = await askJson('berth/v1/history' + (latest ? '?from=' + (latest + 1) : ''));
	historyKept = o;
	for (const row of o.samples) samples.push(Object.fromEntries(o.columns.map((name, i) => [name, row[i]])));
	samples = samples.slice(-o.minutes);
}

const percent = (n) => Math.round(n / 10) + ' %';
// Title, what each line shows: [column, name, class, how a number is written], highest value (none: by what there is), whether by decades.
const CURVES = {
	pending: ['Pending pods', [['pending', 'pending', 'area', thousands]]],
	each: ['Each minute', [['bound', 'bound', 'area', thousands], ['evicted', 'evicted', 'line bad', thousands], ['lost', 'bindings lost', 'line warn', thousands]]],
	requested: ['Requested of the nodes that take pods', [['cpuPermille', 'CPU', 'line', percent], ['memoryPermille', 'memory', 'line other', percent]], 1000],
	took: ['How long a decision takes', [['p50Us', 'half within', 'line', micro], ['p99Us', '99 of 100 within', 'line other', micro]], 1e5, true],
};

const NS = 'http://www.w3.org/2000/svg';
const svg = (name, className) => { const e = document.createElementNS(NS, name); if (className) e.setAttribute('class', className); return e; };

// The samples that a span of hours holds; none: all.
function samplesWithin(hours) {
	const from = hours ? Date.now() - hours * 3600000 : 0;
	return samples.filter((s) => s.atMs >= from);
}
const across = (list, s) => list.length < 2 ? 1000 : (s.atMs - list[0].atMs) / (list[list.length - 1].atMs - list[0].atMs) * 1000;

function path(list, column, most, log, closed) {
	const high = (v) => 100 - (log ? Math.min(100, Math.log10(Math.max(1, v)) / Math.log10(most) * 100) : Math.min(1, v / most) * 97);
	let d = '', before = 0;
	for (const s of list) {
		const x = across(list, s).toFixed(1), gap = s.atMs - before > 180000; // berth was away
		if (gap && closed && d) d += 'V100';
		d += gap ? (closed ? 'M' + x + ' 100L' : 'M') + x + ' ' + high(s[column]).toFixed(1) + (closed ? '' : 'h.1') : 'L' + x + ' ' + high(s[column]).toFixed(1);
		before = s.atMs;
	}
	return closed && d ? d + 'V100' : d;
}

function makeCurve(name) {
	const [title, lines, , log] = CURVES[name], f = make('figure', [make('figcaption', [make('b', title), make('span')]), make('div', undefined, 'chart')]);
	const s = svg('svg'), axis = make('p', [make('span'), make('span', log ? micro(1) : '0')], '', { 'aria-hidden': true });
	s.setAttribute('viewBox', '0 0 1000 100');
	s.setAttribute('preserveAspectRatio', 'none');
	s.setAttribute('role', 'img');
	for (const [, , how] of lines) s.append(svg('path', how));
	s.append(svg('path', 'cursor'));
	f.lastChild.append(axis, s);
	return f;
}

// Curves of `names` in `place`; `at`: the sample that the numbers are of.
function showCurves(place, names, list, at) {
	sync(place, names, (n) => n, makeCurve, (f, name) => {
		const [title, lines, top, log] = CURVES[name], s = f.querySelector('svg');
		const most = top || Math.max(1, ...lines.flatMap(([column]) => list.map((v) => v[column])));
		lines.forEach(([column, , how], i) => s.children[i].setAttribute('d', path(list, column, most, log, how === 'area')));
		const x = at ? across(list, at) : 0;
		s.lastChild.setAttribute('d', at && list.length > 1 ? 'M' + x + ' 0V100' : '');
		put(f.querySelector('.chart span'), top ? lines[0][3](top) : thousands(most));
		const place = f.querySelector('figcaption span');
		sync(place, lines, (l) => l[0], ([, label, how]) => make('span', [make('i', undefined, how), make('span')]), (e, [column, label, , show]) =>
			put(e.lastChild, label + ' ' + (at ? show(at[column]) : '–')));
		s.setAttribute('aria-label', title + (at ? ', ' + clock(at.atMs) + ': ' + lines.map(([column, label, , show]) => label + ' ' + show(at[column])).join(', ') : ''));
	});
}

// ---- the last minutes: one value a second, heard while the page is open ----

const SECONDS = 300;
const rates = [], tooks = []; // newest last

function hearSecond(o, before) {
	const d = o.decisions;
	if (!before || d.count < before.decisions.count) return;
	rates.push((d.count - before.decisions.count) * 1000 / Math.max(1, o.nowMs - before.nowMs));
	tooks.push(d.latest);
	if (rates.length > SECONDS) { rates.shift(); tooks.shift(); }
}

// 1 µs to 100 ms, each decade a fifth.
const height = (us) => 100 - Math.min(100, Math.log10(Math.max(1, us)) * 20);

function draw() {
	if ($('internals').hidden || !last) return;
	const most = Math.max(1, ...rates), now = Math.round(rates[rates.length - 1] || 0), latest = last.decisions.latest;
	const bar = (i, top, low) => 'M' + (SECONDS - rates.length + i) + ' ' + top.toFixed(1) + 'h1V' + low.toFixed(1) + 'h-1z';
	$('rate').lastChild.setAttribute('d', rates.map((r, i) => r ? bar(i, 100 - r / most * 96, 100) : '').join(''));
	put($('rate-axis').firstChild, Math.round(most));
	put($('rate-now'), 'now ' + now);
	$('rate').setAttribute('aria-label', 'Decisions each second in the last five minutes: now ' + now + ', at most ' + Math.round(most));
	$('took').lastChild.setAttribute('d', tooks.map((t, i) => t.count ? bar(i, height(t.mostUs) - 0.6, height(t.medianUs) + 0.6) : '').join(''));
	const words = latest.count ? 'half within ' + micro(latest.medianUs) + ', slowest ' + micro(latest.mostUs) :
		'mean ' + micro(last.decisions.meanUs);
	put($('took-now'), words);
	$('took').setAttribute('aria-label', 'How long a decision takes, in the last five minutes: now ' + words);
}
