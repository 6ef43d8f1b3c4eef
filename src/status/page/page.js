// SPDX-License-Identifier: GPL-2.0-only
// The page of berth. All that comes from the cluster is put in as text, never as markup.
'use strict';

const SECONDS = 300; // of the curves
const ROWS = 200; // of a long table, until more is asked for
const LARGE = 150; // nodes: more are shown as small tiles

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

// Changes nothing that is so already: what has the focus or is read out stays in peace.
function put(e, text) {
	if (e.textContent !== String(text)) e.textContent = text;
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

async function ask(path, more) {
	const headers = token ? { Authorization: 'Bearer ' + token } : {};
	const answer = await fetch(path, { cache: 'no-store', headers, ...more });
	$('login').hidden = answer.status !== 401 && answer.status !== 403;
	if (answer.ok) return answer;
	const words = await answer.text();
	let said;
	try { said = JSON.parse(words); } catch (e) { said = {}; }
	throw new Error(said.error || said.message || words);
}
const askJson = async (path, more) => (await ask(path, more)).json();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

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
const count = (n, word) => n.toLocaleString('en') + ' ' + word + (n === 1 ? '' : 's');
const cores = (milli) => milli > 0 && milli < 1000 ? milli + 'm' : String(Math.round(milli / 10) / 100);
// May be broken between its words.
const soft = (name) => name.replace(/([a-z])([A-Z])/g, '$1\u200b$2');
// How an amount of a resource is written.
const amount = (name, n) => name === 'cpu' ? cores(n) : name === 'memory' || name === 'ephemeral-storage' ? bytes(n) : String(n);
// Of one node it is said without "node(s)".
const reasons = (r) => r.reasons.map((words) => words.replace('node(s) ', '')).join('; ');
// What preemption adds to a message is for its own line.
const short = (message) => message.replace(/\.? (no new claims to deallocate, )?preemption: .*/s, '.');

// A list with "and 3 more".
function some(list, most) {
	return list.slice(0, most).join(', ') + (list.length > most ? ' and ' + (list.length - most) + ' more' : '');
}

// ---- overview ----

const states = {
	ready: ['deciding', 'good'], 'not-leading': ['standing by', 'good'], 'not-synced': ['reading the cluster', 'warn'],
	stale: ['the watch is silent: scheduling is paused', 'bad'],
	incomplete: ['some objects are missing: scheduling is paused', 'bad'], stopping: ['stopping', 'warn'],
	yielding: ['standing by: another scheduler is at work', 'warn'],
};
let last = null; // overview
const rates = [], tooks = []; // one a second, newest last

function say(text, how) {
	put($('state'), text);
	$('state').className = how;
	document.body.classList.toggle('stale', how === 'bad' && last !== null);
}

function showFigures(id, list) {
	sync($(id), list, (f) => f[0], (f) => make('div', [make('dt', f[0]), make('dd'), make('dd')]), (e, [, value, more, how]) => {
		put(e.children[1], typeof value === 'number' ? value.toLocaleString('en') : value);
		put(e.children[2], more || '');
		e.children[1].className = how || '';
	});
}

function showOverview(o) {
	const q = o.queue, c = o.cluster, d = o.decisions, l = o.lease, n = o.connection;
	// A scheduler that cannot reach the apiserver neither decides nor stands by, whatever it did before.
	if (!n.open) say('the apiserver is not reached', 'bad');
	else if (o.state === 'not-leading' && l && !l.holder) say('waiting for the lease', 'warn');
	else if (o.state === 'ready' && d.boundByOthers && d.othersSecondsAgo < 300) say('another scheduler binds the same pods: stop one of the two', 'bad');
	else say(...(states[o.state] || [o.state, 'bad']));
	put($('waiting'), c.pending || ''); // those of other schedulers, too: the list has them
	showFigures('queue', [
		['Active', q.active, 'pods ready to be scheduled'],
		['Backing off', q.backoff, 'tried again in seconds'],
		['Unschedulable', q.unschedulable, 'until something changes', q.unschedulable ? 'warn' : ''],
		['Gated', q.gated, 'held by scheduling gates'],
		['Being bound', q.binding, 'on their way to a node'],
		['Bound', d.bound, count(d.preemptions, 'preemption')],
	]);
	showFigures('facts', [
		['Cluster', count(c.nodes, 'node'), count(c.pods, 'pod')],
		['Lease', l ? l.state : 'not used', l ? (l.leading ? 'as ' : 'held by ') + l.holder : 'leader election is off'],
		['apiserver', !n.open ? 'not reached' : n.synced < n.watches ? 'reading' : 'connected', n.error ||
			n.synced + ' of ' + n.watches + ' watches, ' + count(n.open, 'connection'), !n.open ? 'bad' : n.synced < n.watches ? 'warn' : ''],
		['Attempts without a node', d.unschedulable, count(d.errors, 'error'), d.errors ? 'bad' : ''],
		['Events', o.events.sent, o.events.dropped ? o.events.dropped.toLocaleString('en') + ' dropped: too many' : 'none dropped', o.events.dropped ? 'warn' : ''],
		['Memory', bytes(o.memory.resident), o.memory.refused ? 'full pools refused ' + count(o.memory.refused, 'time') :
			o.memory.fullestUsed < o.memory.fullestCapacity ? 'no pool was ever full' : o.memory.fullest + ': was full', o.memory.refused ? 'bad' : ''],
	]);
	put($('about'), 'berth ' + o.version + ' as kube-scheduler ' + o.release + ', up ' + time(o.upS));
	if (last && d.count >= last.decisions.count) {
		rates.push((d.count - last.decisions.count) * 1000 / Math.max(1, o.nowMs - last.nowMs));
		tooks.push(d.latest);
		if (rates.length > SECONDS) { rates.shift(); tooks.shift(); }
	}
	last = o;
	draw();
}

// x of a second, counted from the newest.
const across = (i, list) => SECONDS - list.length + i;
// 1 µs to 100 ms, each decade a fifth.
const height = (us) => 100 - Math.min(100, Math.log10(Math.max(1, us)) * 20);

function draw() {
	if ($('overview').hidden || !last) return;
	const most = Math.max(1, ...rates), now = Math.round(rates[rates.length - 1] || 0), latest = last.decisions.latest;
	const bar = (x, top, low) => 'M' + x + ' ' + top.toFixed(1) + 'h1V' + low.toFixed(1) + 'h-1z';
	$('rate').lastChild.setAttribute('d', rates.map((r, i) => r ? bar(across(i, rates), 100 - r / most * 96, 100) : '').join(''));
	put($('rate-axis').firstChild, Math.round(most));
	put($('rate-now'), 'now ' + now);
	$('rate').setAttribute('aria-label', 'Decisions each second in the last five minutes: now ' + now + ', at most ' + Math.round(most));
	const [, range, line] = $('took').children;
	range.setAttribute('d', tooks.map((t, i) => t.count ?
		bar(across(i, tooks), height(t.mostUs) - 0.6, height(t.medianUs) + 0.6) : '').join(''));
	line.setAttribute('d', tooks.map((t, i) => t.count ? (i && tooks[i - 1].count ? 'L' : 'M') + across(i, tooks) + ' ' +
		height(t.medianUs).toFixed(1) + 'h1' : '').join(''));
	const words = latest.count ? 'half within ' + micro(latest.medianUs) + ', slowest ' + micro(latest.mostUs) :
		'mean ' + micro(last.decisions.meanUs);
	put($('took-now'), words);
	$('took').setAttribute('aria-label', 'How long a decision takes, in the last five minutes: now ' + words);
}

// A bar of what is used, with a mark where the most was.
function meter(e, label, value, mark, bad) {
	const percent = (v) => Math.min(100, v * 100).toFixed(1);
	e.className = mark === undefined ? 'meter' : 'meter mark';
	e.classList.toggle('full', !!bad);
	e.style.setProperty('--v', percent(value));
	e.style.setProperty('--m', percent(mark || 0));
	for (const [k, v] of Object.entries({ role: 'meter', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent(value) }))
		e.setAttribute(k, v);
	return e;
}

async function loadRooms() {
	const rooms = await askJson('berth/v1/memory');
	const share = (r) => r.usedMax / (r.capacity || 1);
	rooms.sort((a, b) => b.refused - a.refused || share(b) - share(a));
	sync($('rooms'), rooms, (r) => r.name, (r) => make('li', [make('span', [make('b', r.name), make('span')]), make('i')]), (e, r) => {
		const show = r.unit === 'bytes' ? bytes : (n) => n.toLocaleString('en');
		const words = show(r.used) + ', at most ' + show(r.usedMax) + ', of ' + show(r.capacity);
		put(e.firstChild.lastChild, show(r.used) + ' of ' + show(r.capacity) + (r.refused ? ', refused ' + r.refused : ''));
		e.firstChild.lastChild.className = r.refused ? 'bad' : 'dim';
		e.title = words;
		meter(e.lastChild, r.name + ': ' + words, r.used / (r.capacity || 1), share(r), r.refused > 0);
	});
}

// ---- nodes ----

let nodes = [], nodesAt = 0; // and when they were read
let refusals = Object.create(null); // of the pod that was chosen: by node
let chosen = ''; // node

async function readNodes() {
	nodes = await askJson('berth/v1/nodes');
	nodesAt = Date.now();
	for (const n of nodes) {
		n.taints = n.taints || [];
		n.words = [n.name, n.zone, ...n.taints].join(' ').toLowerCase();
	}
}

const share = (pair) => pair && pair[1] > 0 ? pair[0] / pair[1] : 0;
const bars = { CPU: 'cpuMilli', Memory: 'memory', Pods: 'pods' };
const showers = { CPU: cores, Memory: bytes };

function pairs(n) {
	const list = Object.entries(bars).map(([name, key]) => [name, n[key], showers[name] || String]);
	if (n.storage && n.storage[0]) list.push(['Ephemeral storage', n.storage, bytes]);
	return list.concat(Object.entries(n.more || {}).map(([name, pair]) => [name, pair, String]));
}

// By the taints that the node controller gives.
const away = (n) => n.taints.some((t) => /^node\.kubernetes\.io\/(not-ready|unreachable)\b/.test(t));

function showNode() {
	const n = nodes.find((other) => other.name === chosen), no = refusals[chosen], pod = $('node-pod').value;
	if (!n) return;
	const parts = [make('h3', n.name), make('p', n.zone ? 'in ' + n.zone : 'in no zone', 'dim')];
	if (n.ghost) parts.push(make('p', count(n.pods, 'pod') + ' assigned to it, but the node does not exist.', 'bad'));
	else parts.push(make('ul', pairs(n).map(([name, pair, show]) => make('li', [
		make('span', [make('b', name), make('span', show(pair[0]) + ' of ' + show(pair[1]), 'dim')]),
		meter(make('i'), name + ' requested', share(pair), undefined, share(pair) > 0.95)])), 'bars'));
	if (away(n)) parts.push(make('p', 'NotReady: its kubelet does not report.', 'bad'));
	if (n.unschedulable) parts.push(make('p', 'Cordoned: takes no new pods.', 'warn'));
	if (n.taints.length) parts.push(make('h3', 'Taints'), make('p', n.taints.map((t) => make('span', t, 'chip'))));
	if (no) parts.push(make('h3', 'Not feasible for ' + pod), make('p', reasons(no), 'bad'), make('p', no.plugin, 'dim'));
	else if (pod && !n.ghost) parts.push(make('p', 'Feasible for ' + pod + '.', 'good'));
	$('node-detail').replaceChildren(...parts);
}

function chooseNode(tile) {
	chosen = tile.key;
	for (const t of document.querySelectorAll('.tile[tabindex="0"],.tile[aria-pressed=true]')) {
		t.tabIndex = -1;
		t.setAttribute('aria-pressed', false);
	}
	tile.tabIndex = 0;
	tile.setAttribute('aria-pressed', true);
	showNode();
}

function makeTile(n) {
	const b = make('button', undefined, 'tile', { type: 'button', tabindex: -1, 'aria-pressed': false });
	b.title = n.name;
	if ($('node-tiles').classList.contains('few'))
		b.append(make('b', n.name), ...Object.keys(bars).map((k) => make('i', [make('u', k), make('s', undefined, 'meter'), make('span')])), make('em'));
	return b;
}

function updateTile(b, n) {
	const shares = Object.values(bars).map((key) => n.ghost ? 0 : share(n[key])), pod = n.ghost ? '' : $('node-pod').value;
	const now = shares.map((s) => (Math.min(1, s) * 100).toFixed(0));
	const flags = [n.unschedulable || n.ghost ? 'off' : '', away(n) ? 'away' : '', ...shares.map((s, i) => s > 0.95 ? 'hot' + i : ''),
		pod ? refusals[n.name] ? 'refuses' : 'takes' : ''].filter(Boolean).join(' ');
	const words = pod && refusals[n.name] ? reasons(refusals[n.name]) : away(n) ? 'NotReady' : n.unschedulable ? 'cordoned' : n.taints.length ? count(n.taints.length, 'taint') : '';
	if (b.said === now + flags + words) return;
	b.said = now + flags + words;
	if (b.firstChild) put(b.lastChild, words);
	b.className = 'tile ' + flags;
	now.forEach((v, i) => {
		b.style.setProperty('--' + 'cmp'[i], v);
		if (!b.firstChild) return;
		const line = b.children[i + 1];
		line.children[1].style.setProperty('--v', v);
		put(line.lastChild, v + ' %');
	});
	b.setAttribute('aria-label', n.name + ': CPU ' + now[0] + ', memory ' + now[1] + ', pods ' + now[2] + ' percent' +
		(pod ? refusals[n.name] ? ', refuses: ' : ', would take it' : ', ') + words);
}

function showNodes() {
	const words = $('node-filter').value.toLowerCase(), by = $('node-order').value;
	const shown = nodes.filter((n) => n.words.includes(words));
	const zones = new Map();
	shown.sort((a, b) => (by === 'name' ? 0 : share(b[by]) - share(a[by])) || (a.name < b.name ? -1 : 1));
	for (const n of shown) {
		const zone = n.zone || 'no zone';
		if (!zones.has(zone)) zones.set(zone, []);
		zones.get(zone).push(n);
	}
	const few = shown.length <= LARGE, place = $('node-tiles');
	if (place.classList.contains('few') !== few) {
		place.replaceChildren();
		place.classList.toggle('few', few);
	}
	const refusing = $('node-pod').value ? ', ' + shown.filter((n) => refusals[n.name]).length.toLocaleString('en') + ' refuse' : '';
	put($('node-count'), shown.length.toLocaleString('en') + ' of ' + nodes.length.toLocaleString('en') + refusing + (few ? '' : '; bars: CPU, memory, pods'));
	sync(place, [...zones].sort(), ([zone]) => zone, ([zone]) => make('div', [make('h3'),
		make('div', undefined, few ? 'zone large' : 'zone', { role: 'group', 'aria-label': zone })]), (e, [zone, list]) => {
		put(e.firstChild, zone + ', ' + count(list.length, 'node'));
		sync(e.lastChild, list, (n) => n.name, makeTile, updateTile);
	});
	if (!place.querySelector('.tile[tabindex="0"]') && place.querySelector('.tile')) place.querySelector('.tile').tabIndex = 0;
	showNode();
}

// Which pods can be asked about.
async function loadNodePods() {
	const select = $('node-pod');
	const names = (await askJson('berth/v1/pods?limit=200')).map((p) => p.namespace + '/' + p.name);
	if (select.value && !names.includes(select.value)) names.unshift(select.value);
	sync(select, ['', ...names], (n) => n, (n) => make('option', n || 'no pod', '', { value: n }), () => {});
}

async function askRefusals() {
	const pod = $('node-pod').value;
	refusals = Object.create(null); // a node may be called "constructor"
	if (pod) Object.assign(refusals, (await explanation('berth/v1/explain?pod=' + encodeURIComponent(pod))).rejected);
	showNodes();
}

async function loadNodes() {
	await readNodes();
	await loadNodePods();
	showNodes();
}

// Arrow keys go from tile to tile, up and down by as many as there are in a line.
function moveInTiles(event) {
	const tiles = [...$('node-tiles').querySelectorAll('.tile')], at = tiles.indexOf(event.target);
	const line = [...event.target.parentNode.children].filter((t) => t.offsetTop === event.target.offsetTop).length;
	const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - line, ArrowDown: at + line, Home: 0, End: tiles.length - 1 }[event.key];
	if (at < 0 || !tiles[to]) return;
	event.preventDefault();
	chooseNode(tiles[to]);
	tiles[to].focus();
}

// ---- explanations ----

const helps = {
	NodeAffinity: 'A node with the labels that spec.nodeSelector and spec.affinity.nodeAffinity of the pod require.',
	NodeName: 'No spec.nodeName, or that node.',
	NodePorts: 'Another host port, or a node where it is free.',
	PodTopologySpread: 'Capacity where there are fewer of these pods, a larger maxSkew, or ScheduleAnyway.',
	InterPodAffinity: 'A node without the pods that its anti-affinity names, or with those that its affinity requires.',
	VolumeBinding: 'A volume or a storage class that a feasible node can use.',
	VolumeZone: 'A node in the zone of the volume.',
	VolumeRestrictions: 'The pod that uses the volume has to end.',
	NodeVolumeLimits: 'A node with fewer volumes.',
	SchedulingGates: 'The controller that added the gates has to remove them.',
};

// "2 nodes lack cpu; n3 lacks least: 300m"
function lacking(reason, names, requests) {
	const name = reason === 'Too many pods' ? 'pods' : reason.replace('Insufficient ', '');
	const key = { cpu: 'cpuMilli', memory: 'memory', pods: 'pods', 'ephemeral-storage': 'storage' }[name];
	const need = name === 'pods' ? 1 : requests[name];
	const rows = names.map((n) => nodes.find((other) => other.name === n)).filter((n) => n && need !== undefined).map((n) => {
		const pair = (key ? n[key] : (n.more || {})[name]) || [0, 0];
		return { node: n.name, most: pair[1], lack: need - (pair[1] - pair[0]) };
	}).filter((r) => r.lack > 0).sort((a, b) => a.lack - b.lack);
	if (!rows.length) return '';
	const largest = Math.max(...rows.map((r) => r.most)), show = (n) => amount(name, n);
	if (largest < need) return count(rows.length, 'node') + ' too small: ' + show(need) + ' ' + name + ' requested, the largest has ' + show(largest) + '.';
	return count(rows.length, 'node') + (rows.length > 1 ? ' lack ' : ' lacks ') + (rows[0].lack === rows[rows.length - 1].lack ? show(rows[0].lack) + ' ' + name :
		name + '; least: ' + show(rows[0].lack) + ' on ' + rows[0].node) + '.';
}

function help(o, plugin, reasons, names) {
	if (plugin === 'NodeResourcesFit')
		return reasons.map((r) => lacking(r, names, o.requests || {})).join(' ') || 'Smaller requests, or free capacity on a node.';
	// Whatever plugin says it: an object is missing.
	const missing = reasons.map((r) => /^(\S+) "?([^" ]+)"? not found/.exec(r)).find(Boolean);
	if (missing) return 'Create the ' + missing[1] + ' ' + missing[2] + '.';
	if (plugin === 'NodeUnschedulable') return 'kubectl uncordon ' + some(names, 3);
	if (plugin !== 'TaintToleration') return helps[plugin] || '';
	const taints = new Map(), set = new Set(names);
	for (const n of nodes) if (set.has(n.name))
		for (const t of n.taints) if (!t.endsWith(':PreferNoSchedule')) taints.set(t, (taints.get(t) || 0) + 1);
	return taints.size ? 'Tolerate or remove ' + some([...taints].map(([t, n]) => t + ' (' + count(n, 'node') + ')'), 4) : '';
}

// One at a time is explained, and there is a pause between two.
async function explanation(path, more) {
	for (let i = 0; ; i++) {
		try {
			return await askJson(path, more);
		} catch (e) {
			if (i === 8 || !/retry/.test(e.message)) throw e;
			await pause(150);
		}
	}
}

// What may be wider than the screen.
const region = (label, e, more) => make('div', [e], 'scroll ' + (more || ''), { role: 'region', 'aria-label': label, tabindex: 0 });

function table(label, head, rows, className) {
	for (const tr of rows) head.forEach((h, i) => tr.children[i].setAttribute('data-label', h));
	const body = make('tbody', rows.slice(0, ROWS)), place = region(label, make('table', [make('thead',
		[make('tr', head.map((h, i) => make('th', soft(h), rows[0].children[i].className === 'num' ? 'num' : '', { scope: 'col' })))]), body], className), 'card');
	if (rows.length <= ROWS) return [make('h3', label), place];
	const more = button('Show all ' + rows.length, () => { body.append(...rows.slice(ROWS)); more.remove(); });
	return [make('h3', label), place, make('p', [more])];
}

// The answer gets the focus; what was asked stays in sight when there is room for both.
function reveal(place) {
	const top = place.getBoundingClientRect().top;
	place.focus({ preventScroll: true });
	if (top < 0 || top > innerHeight * 0.6) place.scrollIntoView();
}

// The filter that refused first, those before it, and those that were not asked any more.
function refusalRow(node, r, columns) {
	const at = columns.indexOf(r.plugin);
	return make('tr', [make('td', node, 'name'), ...columns.map((c, i) => i === at ? make('td', 'refuses', 'no') :
		make('td', i < at ? 'passes' : 'not asked', i < at ? 'yes' : 'dim')), make('td', reasons(r), 'why')]);
}

function scoreTable(label, scores) {
	const names = [...new Set(scores.flatMap(([, s]) => Object.keys(s.plugins)))];
	return table(label, ['Node', 'Total', ...names], scores.map(([node, s]) => make('tr', [make('td', node, 'name'),
		make('td', [make('b', s.total)], 'num'), ...names.map((n) => make('td', s.plugins[n], 'num'))])));
}

function refusalTables(o, rejected) {
	const groups = new Map();
	for (const [node, r] of rejected) {
		const key = r.plugin + r.reasons;
		if (!groups.has(key)) groups.set(key, { ...r, names: [] });
		groups.get(key).names.push(node);
	}
	const asked = new Set(rejected.map(([, r]) => r.plugin)), order = o.filters || [];
	const columns = [...order.filter((f) => asked.has(f)), ...[...asked].filter((f) => !order.includes(f))];
	return [
		...table('Why, and what would help', ['Nodes', 'First refusal', 'Why', 'What would help'],
			[...groups.values()].sort((a, b) => b.names.length - a.names.length).map((g) => make('tr', [
				make('td', g.names.length.toLocaleString('en'), 'num'), make('td', g.plugin), make('td', reasons(g), 'bad'),
				make('td', help(o, g.plugin, g.reasons, g.names), 'why')])), 'rows'),
		...table('Node by node', ['Node', ...columns, 'Why'], rejected.map(([node, r]) => refusalRow(node, r, columns))),
	];
}

function explain(o) {
	const parts = [], rejected = Object.entries(o.rejected || {}).sort((a, b) => a[0] < b[0] ? -1 : 1), pick = o.preemption || {};
	const scores = Object.entries(o.scores || {}).sort((a, b) => b[1].total - a[1].total || (b[0] === o.choice) - (a[0] === o.choice));
	const same = (o.best || []).length;
	if (o.gates) parts.push(make('p', 'Not scheduled: it waits for its scheduling gates: ' + o.gates.join(', ') + '. Without them:', 'verdict warn'));
	if (o.choice) parts.push(make('p', (o.gates ? 'Would go to ' : 'Goes to ') + o.choice + (same > 1 ? ', one of ' + same + ' equally good nodes.' : same ? ', the best of ' + scores.length + '.' : '.'), o.gates ? 'verdict' : 'verdict good'));
	if (o.error || o.message) parts.push(make('p', o.error || short(o.message), 'verdict bad'));
	if (o.preFilter) parts.push(make('p', o.preFilter.plugin + ': ' + o.preFilter.reasons.join('; ') + '. ' + help(o, o.preFilter.plugin, o.preFilter.reasons, [])));
	for (const p of pick.picks || [])
		parts.push(make('p', 'Would preempt ' + p.victims.join(', ') + ' on ' + p.node + (p.pdbViolations ? ', against ' + count(p.pdbViolations, 'disruption budget') : '') + '.', 'verdict warn'));
	if (pick.message) parts.push(make('p', pick.message, 'dim'));
	if (scores.length) parts.push(...scoreTable('Feasible nodes, by score', scores));
	if (rejected.length) parts.push(...refusalTables(o, rejected));
	return parts;
}

async function showExplanation(place, title, path, more) {
	try {
		const o = await explanation(path, more);
		if (o.rejected && Date.now() - nodesAt > 3000) await readNodes();
		place.replaceChildren(make('h3', [title, make('small', ' at ' + clock(Date.now()))]), ...explain(o));
	} catch (e) {
		place.replaceChildren(make('p', e.message, 'verdict bad'));
		place.firstChild.setAttribute('role', 'alert');
		return e.message;
	}
	reveal(place);
	return '';
}

// ---- pending pods ----

// A row of a table that becomes a list on a narrow screen.
function row(labels) {
	return make('tr', labels.map((l) => make('td', undefined, '', { 'data-label': l })));
}
function choose(tr) {
	for (const other of tr.parentNode.children) other.classList.toggle('on', other === tr);
}

async function loadPods() {
	const pods = await askJson('berth/v1/pods?limit=500&q=' + encodeURIComponent($('pod-filter').value.trim()));
	put($('pod-count'), pods.length === 500 ? 'the first 500' : pods.length ? count(pods.length, 'pod') : 'No pod waits.');
	sync($('pods'), pods, (p) => p.namespace + '/' + p.name, (p) => {
		const tr = row(['Pod', 'State', 'Since', 'Next try', 'Tries', 'Why']), name = p.namespace + '/' + p.name;
		tr.firstChild.append(button(name, () => {
			choose(tr);
			showExplanation($('why'), name, 'berth/v1/explain?pod=' + encodeURIComponent(name));
		}));
		tr.firstChild.className = 'name';
		tr.lastChild.className = 'why';
		return tr;
	}, (tr, p) => {
		const words = p.scheduler !== undefined ? [p.state, '', '', '', 'spec.schedulerName is "' + p.scheduler + '": no profile of this scheduler has that name'] : [p.state, time(p.sinceS), p.state === 'binding' ? '' : p.nextTryS < 0 ? 'at an event' : p.nextTryS === 0 ? 'now' : 'in ' + time(p.nextTryS), p.attempts,
			p.reason ? short(p.reason) : p.plugins.join(', ') || (p.attempts ? '' : 'not tried yet')];
		words.forEach((w, i) => put(tr.children[i + 1], w));
	});
}

// ---- decisions ----

const results = { unschedulable: 'no node: ', error: 'error: ' };

function showBest(d) {
	const parts = [make('h3', d.pod), make('p', d.result === 'scheduled' ? 'Went to ' + d.node + ' in ' + micro(d.tookUs) + '.' : results[d.result] + d.message,
		d.result === 'scheduled' ? 'good' : 'bad')], best = d.best || [];
	if (best.length) {
		const line = (name, values) => make('tr', [make('th', name, '', { scope: 'row' }), ...values.map((v) => make('td', v, 'num'))]);
		parts.push(make('p', 'Scores of the best ' + best.length + ' of ' + d.feasible + ' nodes, as they were then:', 'dim'),
			region('Scores', make('table', [make('thead', [make('tr', [make('td'), ...best.map((b) => make('th', b.node, 'num', { scope: 'col' }))])]),
				make('tbody', [line('Total', best.map((b) => b.total)),
					...Object.keys(best[0].plugins).map((n) => line(soft(n), best.map((b) => b.plugins[n])))])])));
	} else if (d.result === 'scheduled') {
		parts.push(make('p', d.feasible === 1 ? 'It was the only feasible node, so none was scored.' :
			'Its scores were not kept: a few decisions a second are looked at twice while this page is open.', 'dim'));
	}
	$('best').replaceChildren(...parts);
	reveal($('best'));
}

function showDecision(d) {
	const log = $('log');
	if ([...log.children].some((tr) => tr.serial === d.serial)) return;
	const tr = row(['Time', 'Pod', 'Node', 'Feasible', 'Took']), placed = d.result === 'scheduled', td = tr.children;
	tr.serial = d.serial;
	td[0].textContent = clock(d.atMs);
	td[1].append(button(d.pod, () => { choose(tr); showBest(d); }), make('small', d.best ? ' scores' : ''));
	td[2].append(make('div', placed ? d.node : results[d.result] + short(d.message), 'clamp'));
	td[2].className = placed ? '' : 'bad';
	td[3].textContent = d.evaluated ? d.feasible.toLocaleString('en') + ' of ' + d.evaluated.toLocaleString('en') : 'none';
	td[4].textContent = micro(d.tookUs);
	td[1].className = 'name';
	for (const i of [3, 4]) td[i].className = 'num';
	const before = [...log.children].find((other) => other.serial < d.serial);
	log.insertBefore(tr, before || null);
	while (log.children.length > ROWS) log.lastChild.remove();
}

// ---- events: read by hand, as EventSource cannot show a token ----

async function follow() {
	const reader = (await ask('berth/v1/events')).body.pipeThrough(new TextDecoderStream()).getReader();
	let held = '';
	last = null;
	$('log').replaceChildren();
	for (const d of await askJson('berth/v1/decisions')) showDecision(d);
	refresh();
	for (;;) {
		const part = await reader.read();
		if (part.done) return;
		const events = (held + part.value).split('\n\n');
		held = events.pop();
		for (const e of events) {
			const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(e) || [];
			if (name === 'overview') showOverview(JSON.parse(data));
			if (name === 'decision') showDecision(JSON.parse(data));
		}
		refresh();
	}
}

async function listen() {
	for (;;) {
		try {
			await follow();
			say('the connection ended; trying again', 'bad');
		} catch (e) {
			say(e instanceof TypeError ? 'berth does not answer; trying again. After a restart of berth the certificate may be a new one: reload the page' : e.message, 'bad');
		}
		if (!$('login').hidden) return;
		await pause(1000);
	}
}

// ---- views ----

const loads = { overview: loadRooms, nodes: loadNodes, pending: loadPods, decisions: null, whatif: null };
let view = '', loaded = 0, loading = false;

// What is shown is read again while it is looked at; a large cluster less often.
async function refresh(now) {
	const wait = view === 'nodes' && nodes.length > 1000 ? 15000 : 2000;
	if (!loads[view] || loading || document.hidden || (!now && Date.now() - loaded < wait)) return;
	loading = true;
	loaded = Date.now();
	// Whether berth is there is told by the events.
	try { await loads[view](); } catch (e) { if (!(e instanceof TypeError)) say(e.message, 'warn'); }
	loading = false;
}

function show() {
	const name = location.hash.slice(1);
	if (name === 'main') return;
	view = name in loads ? name : 'overview';
	for (const v in loads) $(v).hidden = v !== view;
	for (const a of document.querySelectorAll('nav a'))
		if (a.hash === '#' + view) a.setAttribute('aria-current', 'page');
		else a.removeAttribute('aria-current');
	scrollTo(0, 0);
	document.title = 'berth: ' + document.querySelector('nav [aria-current]').firstChild.textContent;
	draw();
	refresh(true);
}

function later(f) {
	let timer = 0;
	return () => { clearTimeout(timer); timer = setTimeout(f, 150); };
}

async function askWhatIf() {
	const text = $('pod-text'), fault = await showExplanation($('answer'), 'Answer', 'berth/v1/whatif', { method: 'POST', body: text.value });
	const line = /^line (\d+):/.exec(fault);
	if (!line) return;
	const lines = text.value.split('\n'), start = lines.slice(0, line[1] - 1).join('\n').length + (line[1] > 1 ? 1 : 0);
	text.focus();
	text.setSelectionRange(start, start + (lines[line[1] - 1] || '').length);
}

async function dump() {
	try {
		const a = make('a', '', '', { download: 'cluster.json' });
		a.href = URL.createObjectURL(await (await ask('berth/v1/dump')).blob());
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 10000);
	} catch (e) {
		say(e.message, 'bad');
	}
}

window.addEventListener('hashchange', show);
document.addEventListener('visibilitychange', () => refresh(true));
$('node-filter').oninput = later(showNodes);
$('node-order').onchange = showNodes;
$('node-pod').onchange = () => askRefusals().catch((e) => say(e.message, 'bad'));
$('node-tiles').onclick = (e) => {
	const t = e.target.closest('.tile');
	if (!t) return;
	chooseNode(t);
	// On a narrow screen the details stand above the tiles, out of sight.
	if ($('node-detail').getBoundingClientRect().bottom < 0) $('node-detail').scrollIntoView();
};
$('node-tiles').onkeydown = moveInTiles;
$('pod-filter').oninput = later(() => refresh(true));
$('dump').onclick = dump;
$('ask').onsubmit = (e) => { e.preventDefault(); askWhatIf(); };
$('pod-text').onkeydown = (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) askWhatIf(); };
$('login').onsubmit = (e) => {
	e.preventDefault();
	token = $('token').value.trim();
	sessionStorage.setItem('token', token);
	listen();
};
show();
listen();
