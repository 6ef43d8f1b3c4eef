// ---- history: what happened, and when ----

const kinds = { unschedulable: 'No node', error: 'Error', preemption: 'Preemption', lost: 'Binding lost', unbound: 'Not bound', node: 'Node', scheduled: 'Scheduled' };
const PAGE = 100; // events read at a time
let events = [], eventsAll = true; // newest first; whether there are no older ones
const heard = []; // the latest decisions as they came, with scores by plugin

function hearDecision(d) {
	if (heard.some((other) => other.serial === d.serial)) return;
	heard.unshift(d);
	heard.sort((a, b) => b.serial - a.serial);
	if (heard.length > 500) heard.pop();
}

// The one that is chosen by the scrubber; 0: now.
const atMs = () => Number(params.get('at')) || 0;
const sampleAt = (list, ms) => ms ? list.reduce((best, s) => Math.abs(s.atMs - ms) < Math.abs(best.atMs - ms) ? s : best, list[0]) : list[list.length - 1];

function eventQuery(more) {
	const query = new URLSearchParams({ limit: PAGE, ...more }), ms = atMs();
	if (params.get('q')) query.set('q', params.get('q'));
	if (ms) query.set('to', ms);
	return 'berth/v1/history/events?' + query + (params.get('show') ? '&kind=' + params.get('show') : ''); // its commas stay
}

// Where berth keeps no history, the latest decisions are all there is.
function heardEvents() {
	const words = params.get('q') || '', kind = params.get('show');
	return heard.map((d) => ({ ...d, kind: d.result, best: undefined })).filter((e) => (!kind || e.kind === kind) && (e.pod + ' ' + e.node).includes(words));
}

async function loadHistory() {
	await readSamples();
	if (historyKept.minutes) {
		const list = await askJson(eventQuery());
		// What was read before, page by page, stays below.
		const older = list.length === PAGE ? events.filter((e) => e.serial < list[PAGE - 1].serial) : [];
		if (!older.length) eventsAll = list.length < PAGE;
		events = older.length && events.key === params.toString() ? [...list, ...older] : list;
		events.key = params.toString();
	} else {
		events = heardEvents();
		eventsAll = true;
	}
	showHistory();
}

async function readOlder() {
	const list = await askJson(eventQuery({ before: events[events.length - 1].serial }));
	eventsAll = list.length < PAGE;
	events = Object.assign([...events, ...list], { key: events.key });
	showHistory();
}

function showScrubber() {
	const hours = Number(params.get('span')) || 0, list = samplesWithin(hours), at = list.length ? sampleAt(list, atMs()) : null, scrub = $('scrub');
	$('curves-card').hidden = historyKept && !historyKept.minutes;
	showCurves($('curves'), Object.keys(CURVES), list, at);
	scrub.max = Math.max(0, list.length - 1);
	scrub.disabled = list.length < 2;
	if (at) scrub.value = list.indexOf(at);
	scrub.setAttribute('aria-valuetext', at ? clock(at.atMs) : 'no sample yet');
	put($('scrub-from'), list.length ? clock(list[0].atMs) : '');
	put($('scrub-at'), !at ? 'The first sample comes at the next full minute.' : atMs() ? 'at ' + new Date(at.atMs).toLocaleString('en-GB') : 'now');
	$('scrub-now').hidden = !atMs();
}

function whatHappened(e) {
	if (e.kind === 'scheduled') return ['to ', link(e.node, addressOf('nodes', e.node))];
	if (e.kind === 'preemption') return ['for it, on ', link(e.node, addressOf('nodes', e.node)), ', evicted: ' + e.victims];
	if (e.kind === 'node') return [link(e.node, addressOf('nodes', e.node)), ' ' + (e.message || '')];
	return [brief(e.message || '') + (e.node ? ' (' + e.node + ')' : '')];
}

const eventTone = { unschedulable: 'warn', error: 'bad', preemption: 'bad', lost: 'bad', unbound: 'bad', node: 'node' };

function makeEvent(e, labels) {
	const tr = row(labels), td = tr.children;
	td[0].textContent = clock(e.atMs);
	td[0].title = new Date(e.atMs).toLocaleString('en-GB');
	td[1].append(make('span', kinds[e.kind] || e.kind, 'tag ' + (eventTone[e.kind] || '')));
	if (e.pod) td[2].append(make('a', e.pod, '', { href: addressOf('history', String(e.serial), params), 'data-item': e.serial }));
	td[2].className = 'name';
	td[3].append(...whatHappened(e));
	td[3].className = 'why';
	return tr;
}

function showHistory() {
	if (view !== 'history') return;
	showScrubber();
	sync($('log'), events, (e) => e.serial, (e) => {
		const tr = makeEvent(e, ['Time', 'What', 'Pod', '', 'Feasible', 'Took']);
		if (e.tookUs !== undefined) {
			tr.children[4].textContent = thousands(e.feasible);
			tr.children[5].textContent = micro(e.tookUs);
		}
		for (const i of [4, 5]) tr.children[i].className = 'num';
		return tr;
	}, (tr, e) => {
		const a = tr.children[2].firstChild;
		tr.classList.toggle('on', String(e.serial) === choice);
		if (a) a.href = addressOf('history', String(e.serial), params);
	});
	$('older').hidden = eventsAll;
	$('log-card').hidden = !events.length;
	$('no-log').hidden = events.length > 0;
	put($('no-log'), params.get('q') || params.get('show') || atMs() ? 'Nothing like that is kept.' : 'Nothing has happened yet, since berth started.');
	showBest();
}

// Scores by plugin of the decision, when they were heard; else those of the best nodes.
function scoresOf(e) {
	const d = heard.find((other) => other.pod === e.pod && Math.abs(other.atMs - e.atMs) < 50 && other.best);
	if (d) {
		const line = (name, values) => make('tr', [make('th', name, '', { scope: 'row' }), ...values.map((v) => make('td', v, 'num'))]), best = d.best;
		return [make('p', 'Scores of the best ' + best.length + ' of ' + d.feasible + ' nodes, as they were then:', 'dim'),
			region('Scores', make('table', [make('thead', [make('tr', [make('td'), ...best.map((b) => make('th', b.node, 'num', { scope: 'col' }))])]),
				make('tbody', [line('Total', best.map((b) => b.total)),
					...Object.keys(best[0].plugins).map((n) => line(soft(n), best.map((b) => b.plugins[n])))])]))];
	}
	if (e.best && e.best.length) return table('Scores of the best nodes, as they were then', ['Node', 'Total'], e.best.map(([node, score]) => make('tr', [make('td', [link(node, addressOf('nodes', node))], 'name'), make('td', score, 'num')])));
	return [make('p', e.feasible === 1 ? 'It was the only feasible node, so none was scored.' : 'Its scores were not kept.', 'dim')];
}

function showBest() {
	const e = events.find((other) => String(other.serial) === choice), place = $('best');
	$('history').classList.toggle('chosen', !!choice);
	$('log-split').classList.toggle('split', !!choice);
	place.hidden = !choice;
	if (place.serial === choice) return;
	place.serial = e ? choice : '';
	const head = make('div', [make('h3', e ? e.pod : 'Not kept'), link('Close', addressOf(view, '', params), 'close')], 'head');
	if (!e) {
		place.replaceChildren(head, make('p', 'It is not among what is listed here.', 'dim'));
		return;
	}
	const parts = [head, make('p', [new Date(e.atMs).toLocaleString('en-GB') + ': ', make('b', kinds[e.kind]), ' ', ...whatHappened(e)])];
	if (e.kind === 'scheduled') parts.push(...scoresOf(e));
	else if (e.kind !== 'node') parts.push(make('p', e.message || ''), make('p', [link('Why it waits, if it still does', addressOf('pending', e.pod))]));
	place.replaceChildren(...parts);
	reveal(place);
}

// A time was chosen with the scrubber.
function scrubbed() {
	const list = samplesWithin(Number(params.get('span')) || 0), i = Number($('scrub').value);
	setParam('at', i < list.length - 1 ? String(list[i].atMs) : '');
	showScrubber();
	settle();
}
const settle = later(() => refresh(true));

// ---- on the overview: what was evicted or lost ----

async function readRecent() {
	await readSamples();
	if (!historyKept.minutes) { $('recent-card').hidden = true; return; }
	const list = await askJson('berth/v1/history/events?limit=6&kind=preemption,lost,unbound,node');
	sync($('recent'), list, (e) => e.serial, (e) => makeEvent(e, ['Time', 'What', 'Pod', '']), () => {});
	$('recent-empty').hidden = list.length > 0;
	const day = samplesWithin(24), sum = (column) => day.reduce((n, s) => n + s[column], 0);
	showCurves($('day'), ['pending', 'requested'], day, day[day.length - 1]);
	put($('recent-sum'), day.length > 1 ? 'since ' + clock(day[0].atMs) + ': ' + thousands(sum('bound')) + ' bound, ' + thousands(sum('evicted')) + ' evicted, ' + count(sum('lost'), 'binding') + ' lost' : '');
}
