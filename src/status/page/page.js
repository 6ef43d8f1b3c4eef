// SPDX-License-Identifier: GPL-2.0-only
// The page of berth. All that comes from the cluster is put in as text, never as markup.
'use strict';

const $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem('token') || '';
let nodes = [];
let rates = [];
let last = null;

function make(name, text, className) {
	const e = document.createElement(name);
	if (text !== undefined) e.textContent = text;
	if (className) e.className = className;
	return e;
}

async function ask(path, more) {
	const options = more || {};
	options.headers = token ? { Authorization: 'Bearer ' + token } : {};
	options.cache = 'no-store';
	const answer = await fetch(path, options);
	if (answer.status === 401 || answer.status === 403) $('login').hidden = false;
	if (!answer.ok) {
		const words = await answer.text();
		let said = words;
		try { const o = JSON.parse(words); said = o.error || o.message || words; } catch (e) { /* text */ }
		throw new Error(said);
	}
	$('login').hidden = true;
	return answer;
}
const askJson = async (path, more) => (await ask(path, more)).json();

function say(text, good) {
	$('state').textContent = text;
	$('state').className = good ? 'good' : 'bad';
}

// ---- numbers ----

function bytes(n) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
	let u = 0;
	while (Math.abs(n) >= 1024 && u < 5) { n /= 1024; u++; }
	return (n < 10 && u ? n.toFixed(1) : Math.round(n)) + ' ' + units[u];
}
function time(s) {
	if (s < 0) return 'at an event';
	if (s < 120) return s + ' s';
	if (s < 7200) return Math.round(s / 60) + ' min';
	return s < 172800 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' d';
}
const micro = (us) => us < 1000 ? us + ' µs' : (us / 1000).toFixed(1) + ' ms';

// ---- overview ----

function fact(list, name, value, more, bad) {
	const box = make('div');
	const dd = make('dd', String(value), bad ? 'bad' : '');
	if (more) { dd.append(' '); dd.append(make('small', more)); }
	box.append(make('dt', name), dd);
	list.push(box);
}

const states = {
	ready: 'deciding', 'not-leading': 'standing by', 'not-synced': 'reading the cluster',
	incomplete: 'the cluster is not known completely: nothing is bound', stopping: 'ending',
};

function showOverview(o) {
	const l = [], q = o.queue, c = o.cluster, d = o.decisions;
	say(states[o.state] || o.state, o.state === 'ready' || o.state === 'not-leading');
	fact(l, 'Nodes', c.nodes);
	fact(l, 'Pods', c.pods, c.pending + ' pending');
	fact(l, 'Queue', q.active, 'active');
	fact(l, 'Waiting', q.unschedulable, 'for an event, ' + q.backoff + ' for time, ' + q.gated + ' gated');
	fact(l, 'Binding', q.binding);
	fact(l, 'Bound', d.bound, d.preemptions + ' preemptions');
	fact(l, 'A decision takes', micro(d.meanUs), '99 %: at most ' + micro(d.p99Us));
	fact(l, 'Failed attempts', d.errors, d.unschedulable + ' without a node', d.errors > 0);
	fact(l, 'Lease', o.lease ? o.lease.state : 'not used', o.lease ? o.lease.holder : '');
	fact(l, 'Watches', o.connection.synced + ' of ' + o.connection.watches, o.connection.error,
		o.connection.synced < o.connection.watches);
	fact(l, 'Memory', bytes(o.memory.resident), o.memory.refused + ' times something was full', o.memory.refused > 0);
	fact(l, 'Up', time(o.upS), 'version ' + o.version);
	$('facts').replaceChildren(...l);
	if (last) {
		const s = Math.max(1, o.nowMs - last.nowMs) / 1000;
		rates.push(Math.max(0, d.count - last.decisions.count) / s);
		if (rates.length > 300) rates.shift();
		draw();
	}
	last = o;
}

function draw() {
	const canvas = $('rate');
	const ratio = window.devicePixelRatio || 1;
	const w = canvas.width = Math.max(1, canvas.clientWidth * ratio);
	const h = canvas.height = 80 * ratio;
	const g = canvas.getContext('2d');
	const most = Math.max(1, ...rates);
	const style = getComputedStyle(document.documentElement);
	g.fillStyle = style.getPropertyValue('--bar');
	rates.forEach((r, i) => g.fillRect(w - (rates.length - i) * w / 300, h - r / most * (h - 14 * ratio), w / 300, h));
	g.fillStyle = style.getPropertyValue('--dim');
	g.font = 11 * ratio + 'px system-ui';
	g.fillText('at most ' + Math.round(most) + '/s', 4 * ratio, 12 * ratio);
}

// ---- decisions ----

function showDecision(d) {
	const row = make('tr');
	const results = { scheduled: 'placed', unschedulable: 'no node', error: 'error' };
	row.append(make('td', new Date(d.atMs).toLocaleTimeString(), 'num'), make('td', d.pod, 'wide'),
		make('td', results[d.result], d.result === 'scheduled' ? 'good' : 'bad'),
		make('td', d.node || d.message, 'wide'),
		make('td', d.evaluated ? d.feasible + ' of ' + d.evaluated : '', 'num'), make('td', micro(d.tookUs), 'num'));
	$('log').prepend(row);
	while ($('log').children.length > 200) $('log').lastChild.remove();
}

// Server-sent events, read by hand: EventSource cannot show a token.
async function listen() {
	for (;;) {
		try {
			const answer = await ask('api/events');
			const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
			let held = '';
			for (;;) {
				const part = await reader.read();
				if (part.done) break;
				held += part.value;
				const events = held.split('\n\n');
				held = events.pop();
				for (const e of events) {
					const m = /^event: (\w+)\ndata: ([^]*)$/.exec(e);
					if (m && m[1] === 'overview') showOverview(JSON.parse(m[2]));
					if (m && m[1] === 'decision') showDecision(JSON.parse(m[2]));
				}
			}
			say('the connection ended; trying again', false);
		} catch (e) {
			say(e.message, false);
		}
		await new Promise((done) => setTimeout(done, 2000));
		if (!$('login').hidden) return;
	}
}

// ---- nodes ----

const share = (pair) => pair && pair[1] > 0 ? Math.min(1, pair[0] / pair[1]) : 0;
const worst = (n) => Math.max(share(n.cpuMilli), share(n.memory));

function describe(n) {
	if (n.ghost) return n.name + ': the node is not known, ' + n.pods + ' pods are on it';
	const more = Object.entries(n.more).map(([k, v]) => ', ' + k + ' ' + v[0] + ' of ' + v[1]).join('');
	return n.name + (n.zone ? ' in ' + n.zone : '') + ': CPU ' + n.cpuMilli[0] / 1000 + ' of ' + n.cpuMilli[1] / 1000 +
		', memory ' + bytes(n.memory[0]) + ' of ' + bytes(n.memory[1]) + ', pods ' + n.pods[0] + ' of ' + n.pods[1] +
		more + (n.unschedulable ? ', cordoned' : '') + (n.taints.length ? ', taints ' + n.taints.join(' ') : '');
}

function tile(n) {
	const svg = 'http://www.w3.org/2000/svg';
	const b = make('button', undefined, 'tile');
	const s = document.createElementNS(svg, 'svg');
	s.setAttribute('viewBox', '0 0 3 1');
	s.setAttribute('preserveAspectRatio', 'none');
	s.setAttribute('aria-hidden', 'true');
	[share(n.cpuMilli), share(n.memory), share(n.pods)].forEach((v, i) => {
		const r = document.createElementNS(svg, 'rect');
		r.setAttribute('x', i + 0.1);
		r.setAttribute('width', 0.8);
		r.setAttribute('y', 1 - v);
		r.setAttribute('height', v);
		s.append(r);
	});
	b.append(s);
	if (worst(n) > 0.95) b.classList.add('full');
	if (n.unschedulable || n.ghost) b.classList.add('off');
	b.type = 'button';
	b.title = n.name;
	b.setAttribute('aria-label', n.name + ', ' + Math.round(worst(n) * 100) + ' percent requested');
	b.onclick = b.onfocus = () => { $('node-detail').textContent = describe(n); };
	return b;
}

function showNodes() {
	const words = $('node-filter').value.toLowerCase();
	const order = {
		name: (a, b) => a.name < b.name ? -1 : 1,
		cpu: (a, b) => share(b.cpuMilli) - share(a.cpuMilli),
		memory: (a, b) => share(b.memory) - share(a.memory),
		pods: (a, b) => share(b.pods) - share(a.pods),
	}[$('node-order').value];
	const shown = nodes.filter((n) => (n.name + ' ' + n.zone + ' ' + (n.taints || []).join(' ')).toLowerCase().includes(words));
	const zones = new Map();
	for (const n of shown.sort(order)) {
		const zone = n.zone || 'no zone';
		if (!zones.has(zone)) zones.set(zone, []);
		zones.get(zone).push(n);
	}
	$('node-count').textContent = shown.length + ' of ' + nodes.length + '; bars: CPU, memory, pods';
	$('node-tiles').replaceChildren(...[...zones].sort().flatMap(([zone, list]) => {
		const box = make('div', undefined, 'tiles');
		box.append(...list.map(tile));
		return [make('h3', zone + ' (' + list.length + ')'), box];
	}));
}

async function loadNodes() {
	try { nodes = await askJson('api/nodes'); showNodes(); } catch (e) { $('node-count').textContent = e.message; }
}

// ---- explanations ----

const helps = {
	NodeResourcesFit: 'Smaller requests, a larger node, or room: fewer or less important pods.',
	TaintToleration: 'A toleration for one of the taints, or a node without it.',
	NodeAffinity: 'A label on a node, or another nodeSelector or node affinity.',
	NodeUnschedulable: 'kubectl uncordon NODE.',
	NodePorts: 'Another host port, or a node where it is free.',
	PodTopologySpread: 'Nodes in more zones, a larger maxSkew, or ScheduleAnyway.',
	InterPodAffinity: 'Another node for the anti-affinity, or the pods that the affinity asks for.',
	VolumeBinding: 'A volume or a storage class that can be had on a node that will do.',
	VolumeZone: 'A node in the zone of the volume.',
	NodeVolumeLimits: 'A node with fewer volumes.',
	SchedulingGates: 'The gates have to be taken away by whoever put them there.',
};

function explain(o) {
	const parts = [];
	if (o.choice) parts.push(make('p', 'Goes to ' + o.choice + (o.best && o.best.length > 1 ? ', one of ' + o.best.length + ' equally good nodes.' : '.'), 'good'));
	if (o.error) parts.push(make('p', o.error, 'bad'));
	if (o.message) parts.push(make('p', o.message, 'bad'));
	if (o.preFilter) parts.push(make('p', o.preFilter.plugin + ': ' + o.preFilter.reasons.join('; '), 'bad'));
	for (const p of (o.preemption && o.preemption.picks) || [])
		parts.push(make('p', 'Would preempt on ' + p.node + ': ' + p.victims.join(', ')));
	const rejected = Object.entries(o.rejected || {});
	const plugins = [...new Set(rejected.map(([, r]) => r.plugin).concat(o.preFilter ? [o.preFilter.plugin] : []))];
	if (!o.choice && plugins.length) {
		const list = make('ul');
		for (const p of plugins) if (helps[p]) list.append(make('li', p + ': ' + helps[p]));
		parts.push(make('h3', 'What would help'), list);
	}
	const scores = Object.entries(o.scores || {}).sort((a, b) => b[1].total - a[1].total);
	const names = [...new Set(scores.flatMap(([, s]) => Object.keys(s.plugins)))];
	const table = make('table'), head = make('tr'), body = make('tbody');
	for (const n of ['Node', 'Result'].concat(names)) {
		const th = make('th', n);
		th.scope = 'col';
		head.append(th);
	}
	table.append(make('thead'), body);
	table.firstChild.append(head);
	for (const [node, s] of scores.slice(0, 200)) {
		const row = make('tr');
		row.append(make('td', node), make('td', s.total, 'num'), ...names.map((n) => make('td', s.plugins[n], 'num')));
		body.append(row);
	}
	for (const [node, r] of rejected.slice(0, 200)) {
		const row = make('tr'), why = make('td', r.plugin + ': ' + r.reasons.join('; '), 'bad');
		why.colSpan = names.length + 1;
		row.append(make('td', node), why);
		body.append(row);
	}
	if (scores.length + rejected.length > 400) parts.push(make('p', 'The first 200 of each are shown.'));
	const scroll = make('div', undefined, 'scroll');
	scroll.append(table);
	if (scores.length + rejected.length) parts.push(scroll);
	return parts;
}

async function showExplanation(place, title, path, more) {
	place.replaceChildren(make('p', 'asking'));
	try {
		const o = await askJson(path, more);
		place.replaceChildren(make('h3', title), ...explain(o));
	} catch (e) {
		place.replaceChildren(make('p', e.message, 'bad'));
	}
	place.focus();
}

async function loadPods() {
	const filter = encodeURIComponent($('pod-filter').value.trim());
	try {
		const pods = await askJson('api/pods?state=pending&limit=500&q=' + filter);
		$('pod-count').textContent = pods.length === 500 ? 'the first 500' : pods.length + ' pods';
		$('pods').replaceChildren(...pods.map((p) => {
			const row = make('tr'), cell = make('td', undefined, 'wide'), name = p.namespace + '/' + p.name;
			const b = make('button', name);
			b.type = 'button';
			b.onclick = () => showExplanation($('why'), name, 'api/explain?pod=' + encodeURIComponent(name));
			cell.append(b);
			row.append(cell, make('td', p.state), make('td', time(p.sinceS), 'num'), make('td', p.nextTryS === 0 ? 'now' : time(p.nextTryS), 'num'),
				make('td', p.attempts, 'num'), make('td', p.reason || p.plugins.join(', '), 'wide'));
			return row;
		}));
	} catch (e) {
		$('pod-count').textContent = e.message;
	}
}

// ---- memory, dump ----

async function loadMemory() {
	try {
		const rooms = await askJson('api/memory');
		rooms.sort((a, b) => b.usedMax / (b.capacity || 1) - a.usedMax / (a.capacity || 1));
		$('rooms').replaceChildren(...rooms.map((r) => {
			const show = r.unit === 'bytes' ? bytes : String;
			const row = make('tr'), cell = make('td'), bar = make('progress');
			bar.max = r.capacity || 1;
			bar.value = r.usedMax;
			bar.setAttribute('aria-label', r.name + ', most ever used');
			cell.append(bar, ' ' + show(r.usedMax));
			row.append(make('td', r.name), make('td', show(r.used), 'num'), cell, make('td', show(r.capacity), 'num'),
				make('td', r.refused, r.refused ? 'num bad' : 'num'));
			return row;
		}));
	} catch (e) {
		$('rooms').replaceChildren(make('tr', e.message));
	}
}

async function dump() {
	try {
		const url = URL.createObjectURL(await (await ask('api/dump')).blob());
		const a = make('a');
		a.href = url;
		a.download = 'cluster.json';
		a.click();
		URL.revokeObjectURL(url);
	} catch (e) {
		say(e.message, false);
	}
}

// ---- views ----

const views = ['overview', 'nodes', 'pending', 'decisions', 'whatif', 'memory'];
const loads = { nodes: loadNodes, pending: loadPods, memory: loadMemory };

function show() {
	const view = views.includes(location.hash.slice(1)) ? location.hash.slice(1) : 'overview';
	for (const v of views) $(v).hidden = v !== view;
	for (const a of document.querySelectorAll('nav a'))
		if (a.getAttribute('href') === '#' + view) a.setAttribute('aria-current', 'page');
		else a.removeAttribute('aria-current');
	if (loads[view]) loads[view]();
	if (view === 'overview') draw();
}

function later(f) {
	let timer = 0;
	return () => { clearTimeout(timer); timer = setTimeout(f, 200); };
}

window.addEventListener('hashchange', show);
$('node-filter').oninput = later(showNodes);
$('node-order').onchange = showNodes;
$('node-again').onclick = loadNodes;
$('pod-filter').oninput = later(loadPods);
$('pod-again').onclick = loadPods;
$('dump').onclick = dump;
$('ask').onclick = () => showExplanation($('answer'), 'Answer', 'api/whatif', { method: 'POST', body: $('pod-text').value });
$('token-ok').onclick = () => {
	token = $('token').value.trim();
	sessionStorage.setItem('token', token);
	$('login').hidden = true;
	show();
	listen();
};
show();
listen();
